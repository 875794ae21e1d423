"""Learning task: follow a wall on the left."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import Float32Array
from sim_core.base.compiled import compiled
from sim_core.experiments.learning.compiled_task import CompiledTask, Rules
from sim_core.experiments.learning.draws import uniform
from sim_core.experiments.learning.tasks.cart_task import (
    PLANE,
    CartTask,
    clipped,
    forward_way,
    lowest,
    packed,
    wheel_speeds,
)

RANGE = 2.0
"""Range of the sensors in m."""


@compiled()
def _start(first, end, random, places, drawn):  # type: ignore[no-untyped-def]
    """Start near the pose of the world."""
    for row in range(first, end):
        places[row, 0, 0] = uniform(random[row], -0.3, 0.3)
        places[row, 0, 1] = -5.0 + uniform(random[row], -0.3, 0.3)
        places[row, 0, 2] = math.pi + uniform(random[row], -0.3, 0.3)


@compiled()
def _observe(first, end, seen, observation):  # type: ignore[no-untyped-def]
    """Fill the observations, see `FollowWall`."""
    for row in range(first, end):
        for sensor in range(2):
            observation[row, sensor] = clipped(seen.readings[row, sensor] / (0.5 * RANGE) - 1.0)


@compiled()
def _judge(first, end, seen, judged):  # type: ignore[no-untyped-def]
    """Fill the evaluation, see `FollowWall`."""
    for row in range(first, end):
        left = seen.readings[row, 1]
        touches = lowest(seen.readings[row]) < 0.15
        driven = forward_way(seen.before[row, 0], seen.poses[row, 0])
        judged.reward[row] = (driven if 0.3 < left < 1.7 else 0.0) - 1.0 * touches
        judged.ended[row], judged.won[row] = touches, False


class FollowWall(CompiledTask, CartTask):
    """A robot drives along walls on its left, at a distance of 1 m.

    Observation (2): distance to obstacles ahead and at 60° to the left, from -1 (touching) to 1 (2 m or
    more). Reward: m driven forward while the distance on the left is 0.3 to 1.7 m; minus 1 for a distance of
    less than 0.15 m, which ends the episode.
    """

    size = 2
    forward, turn = 4.0, 4.0
    rules = Rules(_start, wheel_speeds(forward, turn), _observe, _judge, ("robot2",))

    def __init__(self, duration: float = 60.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        super().__init__("wall_follower", ("ds_front", "ds_left"), ("robot2",), PLANE, duration, period)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Apply smoothed rules of the controller `wall_follower`: turn right before a wall, else keep 1 m."""
        front, left = (observation[:, k].astype(float) for k in range(2))
        blocked = front < 0.0
        return packed(np.where(blocked, 0.0, 0.75), np.where(blocked, -1.0, np.clip(0.4 * left, -0.25, 0.25)))
