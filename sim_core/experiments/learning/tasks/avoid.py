"""Learning task: drive far and touch nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import PLANE, CartTask, forward_distance, packed
from sim_core.experiments.learning.tasks.go_to_goal import RANGE, free_place

NEAR = 0.05
"""Distance in m below which an episode ends."""


class Avoid(CartTask):
    """A cart drives far among posts and walls, and touches nothing.

    Observation (3): distance to obstacles ahead, left, right, from -1 (touching) to 1 (1.5 m or more).
    Reward: m driven forward; minus 1 for a distance of less than 5 cm, which ends the episode.
    """

    size = 3

    def __init__(self, duration: float = 30.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        sensors = ("ds_front", "ds_left", "ds_right")
        super().__init__("arena", sensors, ("robot",), PLANE, duration, period)

    def start(self, random: Generator) -> Start:
        """Anywhere."""
        x, y = free_place(random)
        return Start({"robot": PlanarPose(x, y, float(random.uniform(-math.pi, math.pi)))})

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        return packed(*(seen.readings / np.float32(0.5 * RANGE) - np.float32(1.0)).T)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        touches = seen.readings.min(axis=1) < NEAR
        driven = forward_distance(seen.before[:, 0], seen.poses[:, 0])
        return Judged(driven - 1.0 * touches, touches, np.zeros_like(touches))

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive slower near an obstacle ahead, and away from the nearer side."""
        front, left, right = (observation[:, k].astype(float) for k in range(3))
        nearest = np.minimum(np.minimum(left, right), front)
        turn = np.where(nearest < 0.0, np.where(left >= right, 1.0, -1.0) * -nearest * 1.5, 0.0)
        return packed(np.clip(0.9 * (nearest + 0.75), 0.0, 1.0), turn)
