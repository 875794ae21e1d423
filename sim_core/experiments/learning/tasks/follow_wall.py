"""Learning task: follow a wall on the left."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import PLANE, CartTask, forward_distance, packed

RANGE = 2.0
"""Range of the sensors in m."""


class FollowWall(CartTask):
    """A robot drives along walls on its left, at a distance of 1 m.

    Observation (2): distance to obstacles ahead and at 60° to the left, from -1 (touching) to 1 (2 m or
    more). Reward: m driven forward while the distance on the left is 0.3 to 1.7 m; minus 1 for a distance of
    less than 0.15 m, which ends the episode.
    """

    size = 2
    forward, turn = 4.0, 4.0

    def __init__(self, duration: float = 60.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        super().__init__("wall_follower", ("ds_front", "ds_left"), ("robot2",), PLANE, duration, period)

    def start(self, random: Generator) -> Start:
        """Start near the pose of the world."""
        x, y, turn = random.uniform((-0.3, -0.3, -0.3), (0.3, 0.3, 0.3)).tolist()
        return Start({"robot2": PlanarPose(x, -5.0 + y, math.pi + turn)})

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        return packed(*(seen.readings / np.float32(0.5 * RANGE) - np.float32(1.0)).T)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        left = seen.readings[:, 1]
        touches = seen.readings.min(axis=1) < 0.15
        driven = forward_distance(seen.before[:, 0], seen.poses[:, 0])
        worth = np.where((left > 0.3) & (left < 1.7), driven, 0.0)
        return Judged(worth - 1.0 * touches, touches, np.zeros_like(touches))

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Apply smoothed rules of the controller `wall_follower`: turn right before a wall, else keep 1 m."""
        front, left = (observation[:, k].astype(float) for k in range(2))
        blocked = front < 0.0
        return packed(np.where(blocked, 0.0, 0.75), np.where(blocked, -1.0, np.clip(0.4 * left, -0.25, 0.25)))
