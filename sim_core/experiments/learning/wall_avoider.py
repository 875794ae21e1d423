"""The wall-avoider world as an environment."""

from __future__ import annotations

import math
from typing import Any

from sim_core.experiments.learning.env import OdesimEnv

NEAR = 0.3
"""Distance in m below which a sensor is about to touch."""


def wall_avoider(duration: float = 60.0, period: float = 0.2, **others: Any) -> OdesimEnv:
    """Return an environment in which robot 1 of `worlds/wall_avoiders.wbt` drives far and touches nothing.

    Observation: the distances of ds_front, ds_left, ds_right in m. Action: wheel speeds of left and right in
    rad/s. Reward: m driven forward in the step; minus 10, and the end, if a sensor measures less than 0.3 m.
    Each episode starts with a random heading. The nine other robots do not move.
    """
    return OdesimEnv(
        "wall_avoiders",
        ("ds_front", "ds_left", "ds_right"),
        ("motor_left", "motor_right"),
        reward=_forward,
        terminated=_is_near,
        at_reset=_turn,
        robot="robot1",
        period=period,
        duration=duration,
        **others,
    )


def _forward(env: OdesimEnv) -> float:
    """Return the distance in m along the robot's x axis since the last step."""
    pose = env.robot.frame.pose()
    last = env.memory.get("last", env.memory["start"])
    env.memory["last"] = pose.position
    x, y = (now - then for now, then in zip(pose.position[:2], last[:2], strict=True))
    way = x * pose.rotation[0] + y * pose.rotation[3]
    return way - (10.0 if _is_near(env) else 0.0)


def _is_near(env: OdesimEnv) -> bool:
    return any(env.robot[name].value < NEAR for name in ("ds_front", "ds_left", "ds_right"))


def _turn(env: OdesimEnv) -> None:
    heading = float(env.np_random.uniform(-math.pi, math.pi))
    env.sim.supervisor.set("ROBOT1", "rotation", (0.0, 0.0, 1.0, heading))
    env.memory["start"] = env.robot.frame.pose().position
    for robot in env.sim.robots.values():
        if robot.drive is not None:
            robot.drive.stop()  # holding a speed is cheaper to compute than holding an angle
