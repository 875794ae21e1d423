"""Learning task: drive onto a charger."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import STIFF, CartTask, distance, packed, seen_from, steer

DOCK = PlanarPose(1.18, 0.0)
"""Pose of the robot on the charger, its back to the marks."""
THERE, STRAIGHT = 0.05, 0.97
"""Largest distance in m, and least cosine of the heading, of a docked robot."""


class Dock(CartTask):
    """A cart drives onto its charger, straight.

    Observation (5): the dock forward and to the left, 1 is 2 m; its distance, from -1 (reached) to 1 (2 m or
    more); cosine and sine of the robot's heading relative to the dock.
    Reward: decrease of the distance in m; plus 1 when the robot is within 5 cm and its heading differs by at
        most
    0.25 rad, which wins and ends the episode.
    """

    size = 5

    def __init__(self, duration: float = 20.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        super().__init__("docking", ("gps",), ("robot",), STIFF, duration, period)

    def start(self, random: Generator) -> Start:
        """Start anywhere before the charger, with any heading."""
        x, y, heading = random.uniform((-1.0, -0.8, -math.pi), (0.4, 0.8, math.pi)).tolist()
        return Start({"robot": PlanarPose(x, y, heading)})

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        pose = seen.poses[:, 0]
        ahead, left = seen_from(pose, DOCK.x, DOCK.y)
        return packed(ahead / 2.0, left / 2.0, distance(ahead, left) - 1.0, pose[:, 2], pose[:, 3])

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        before, now = (away(poses[:, 0]) for poses in (seen.before, seen.poses))
        docked = (now < THERE) & (seen.poses[:, 0, 2] > STRAIGHT)
        return Judged(before - now + 1.0 * docked, docked, docked)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive to a point on the axis of the dock that approaches it with the robot."""
        ahead, left, _, c, s = (observation[:, k].astype(float) for k in range(5))
        ahead, left = 2.0 * ahead, 2.0 * left
        off = np.abs(ahead * s + left * c)  # distance from the axis in m
        before = np.minimum(1.0, 2.0 * off)
        far = distance(ahead - before * c, left + before * s)
        action = steer(ahead - before * c, left + before * s)
        return packed(action[:, 0] * np.minimum(0.8, 0.3 + far), action[:, 1])


def away(pose: FloatArray) -> FloatArray:
    """Return the (n,) distances from the dock in m."""
    return distance(pose[:, 0] - DOCK.x, pose[:, 1] - DOCK.y)
