"""How often the learned policy reaches its goal: in the plane, on ODE, and over ROS, from the same starts.

python3 examples/go_to_goal/evaluate.py                # 100 starts in each
python3 examples/go_to_goal/evaluate.py --starts 5 --without ros
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import policy

from sim_core.experiments.learning import OdesimVectorEnv, Start
from sim_core.experiments.learning.tasks.go_to_goal import THERE, GoToGoal

FIRST_SEED = 1_000_000
"""Starts that were not learned from."""
LIMIT = 120.0
"""Seconds of wall time for anything over ROS."""


def in_copies(physics: str, starts: int, file: Path) -> float:
    """The part of the starts from which the goal is reached, on copies of the world in this process."""
    env = OdesimVectorEnv(GoToGoal(), starts, physics=physics, autoreset="Disabled")
    weights = policy.load(file)
    seen, _ = env.reset(seed=FIRST_SEED)
    over, won = np.zeros(starts, bool), np.zeros(starts, bool)
    while not over.all():
        seen, _, ended, late, infos = env.step(policy.act(weights, seen[None])[0])
        won |= infos["won"] & ~over
        over |= ended | late
    env.close()
    return float(won.mean())


def starts_of(count: int) -> list[Start]:
    """The starts that the copies have by their seeds."""
    from gymnasium.utils import seeding

    task, found = GoToGoal(), []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        random, _ = seeding.np_random(seed)
        random.integers(2**31)  # the seed of the simulation
        found.append(task.start(random))
    return found


def over_ros(starts: int, file: Path) -> float:
    """The same with `odesim run` in a process of its own, and a node here that drives and asks for starts."""
    import rclpy
    from drive import Driver

    command = [sys.executable, "-m", "ros_bridge.cli", "run", "arena", "--mode", "fast", "--wait-extern"]
    path = os.pathsep.join(filter(None, [str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")]))
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=sys.stderr) as process:
        rclpy.init()
        try:
            node = Driver(file)
            node.goal = None
            return float(np.mean([Trial(node).wins(start) for start in starts_of(starts)]))
        finally:
            rclpy.try_shutdown()
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                process.kill()


class Trial:
    """One start over ROS."""

    def __init__(self, node: Any) -> None:
        self._node = node

    def wins(self, start: Start) -> bool:
        """Whether the goal is reached in the time of the task."""
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter
        from std_srvs.srv import Trigger

        node = self._node
        node.goal = None
        self._call(Trigger, "pause")
        self._call(Trigger, "reset")
        x, y, heading = start.places["robot"]
        places = {"ROBOT.translation": [x, y, 0.0], "ROBOT.rotation": [0.0, 0.0, 1.0, heading]}
        wishes = [Parameter(name, value=value).to_parameter_msg() for name, value in places.items()]
        self._call(SetParameters, "set_parameters", parameters=wishes)
        task = GoToGoal()
        assert task.duration is not None
        goal = (start.drawn[0], start.drawn[1])
        node.goal, node.places = goal, []
        self._call(Trigger, "resume")
        steps = round(task.duration / task.world.period)
        end = time.monotonic() + LIMIT
        while len(node.places) <= steps and not any(math.dist(place, goal) < THERE for place in node.places):
            self._spin(end, "readings of the robot")
        node.goal = None
        return any(math.dist(place, goal) < THERE for place in node.places[: steps + 1])

    def _call(self, kind: Any, name: str, **fields: Any) -> None:
        """Call a service of the simulation, and see that it was done."""
        client = self._node.create_client(kind, f"/odesim/{name}")
        end = time.monotonic() + LIMIT
        while not client.service_is_ready():
            self._spin(end, f"the service {name}")
        answer = client.call_async(kind.Request(**fields))
        while not answer.done():
            self._spin(end, f"an answer of {name}")
        result = answer.result()
        outcomes: Sequence[Any] = getattr(result, "results", None) or [result]
        for each in outcomes:
            done = each.successful if hasattr(each, "successful") else each.success
            if not done:
                raise SystemExit(f"{name}: refused: {getattr(each, 'reason', None) or each.message}")
        self._node.destroy_client(client)

    def _spin(self, end: float, what: str) -> None:
        import rclpy

        if time.monotonic() > end:
            raise SystemExit(f"no {what} within {LIMIT:g} s")
        rclpy.spin_once(self._node, timeout_sec=0.1)


def main() -> int:
    """Print the three rates."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--file", type=Path, default=policy.FILE)
    parser.add_argument("--without", nargs="*", default=[], choices=["plane", "ode", "ros"])
    options = parser.parse_args()
    ways = {
        "plane": ("in the plane", lambda: in_copies("fast2d", options.starts, options.file)),
        "ode": ("on ODE", lambda: in_copies("ode", options.starts, options.file)),
        "ros": ("over ROS", lambda: over_ros(options.starts, options.file)),
    }
    for name, (label, rate) in ways.items():
        if name not in options.without:
            print(f"{label:14} {rate():6.1%} of {options.starts} starts", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
