"""What sensors cost that nobody reads.

    python benchmarks/wanted.py [--seconds 20] [--steps 200]

- run: the ten wall avoiders of `worlds/wall_avoiders.wbt`, driving, in one `Simulation.run`; microseconds per
  step with all sensors as they are, and with all of them disabled (physics alone).
- env: that world as a Gymnasium environment with periods of 0.1 s, as it is and with a camera of 320 × 240
  pixels on the robot that no observation has; steps of the environment per second.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sim_core import load_world
from sim_core.experiments.learning.env import OdesimEnv

WORLD = Path(__file__).resolve().parents[1] / "worlds" / "wall_avoiders.wbt"
CAMERA = 'Camera { name "unread" width 320 height 240 } '
FIRST = 'name "robot1"'


def run(seconds: float, senses: bool) -> float:
    """µs per step."""
    sim = load_world(WORLD)
    for robot in sim.robots.values():
        for sensor in robot.sensors():
            sensor.enabled = senses
        for motor in robot.motors().values():
            motor.set_velocity(1.0)
    sim.run(0.1)
    before, begun = sim.time_ns, time.perf_counter()
    sim.run(seconds)
    return 1e6 * (time.perf_counter() - begun) / ((sim.time_ns - before) / sim.step_ns)


def env(world: Path, steps: int) -> float:
    """Steps of the environment per second."""
    made = OdesimEnv(world, ("ds_front",), ("motor_left", "motor_right"), robot="robot1")
    made.reset(seed=1)
    action = [2.0, 2.5]
    made.step(action)
    begun = time.perf_counter()
    for _ in range(steps):
        made.step(action)
    speed = steps / (time.perf_counter() - begun)
    made.close()
    return speed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    alone, whole = (min(run(arguments.seconds, senses) for _ in range(3)) for senses in (False, True))
    print(
        f"run: physics alone {alone:.0f} µs per step, with sensors that nobody reads {whole:.0f} µs",
        flush=True,
    )
    text = WORLD.read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".wbt", dir=WORLD.parent, encoding="utf-8") as file:
        at = text.index("children [", text.index(FIRST)) + len("children [")
        file.write(text[:at] + " " + CAMERA + text[at:])
        file.flush()
        plain, seeing = env(WORLD, arguments.steps), env(Path(file.name), arguments.steps)
    print(f"env: {plain:.0f} steps/s, with a camera that nobody reads {seeing:.0f} steps/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
