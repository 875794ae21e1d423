"""What sensors cost that nobody reads.

- run: the ten wall avoiders of `worlds/wall_avoiders.wbt`, driving, in one `Simulation.run`; microseconds per
  step with all sensors as they are, and with all of them disabled (physics alone).
- env: that world as a Gymnasium environment with periods of 0.1 s, as it is and with a camera of 320 × 240
  pixels on the robot that no observation has; steps of the environment per second.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.scenes import WORLD
from sim_core import load_world
from sim_core.experiments.learning.env import OdesimEnv

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


def figures(seconds: float) -> Iterator[Figure]:
    """A run with sensors that nobody reads beside one without, and an environment with a camera."""
    alone, whole = (min(run(4.0 * seconds, senses) for _ in range(3)) for senses in (False, True))
    yield Figure(
        "step of ten robots, sensors unread", whole, "µs", peer="as fast as without", ratio=alone / whole
    )
    text = WORLD.read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".wbt", dir=WORLD.parent, encoding="utf-8") as file:
        at = text.index("children [", text.index(FIRST)) + len("children [")
        file.write(text[:at] + " " + CAMERA + text[at:])
        file.flush()
        steps = int(60 * seconds)
        plain, seeing = env(WORLD, steps), env(Path(file.name), steps)
    peer = "as fast as without"
    yield Figure("environment, a camera unread", seeing, "steps/s", peer=peer, ratio=seeing / plain)
