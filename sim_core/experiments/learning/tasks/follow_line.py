"""Learning task: follow a line on the floor."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import STIFF, CartTask, distance, forward_distance, packed

START = PlanarPose(0.4666667, -0.372678, -0.7297277)
"""A pose on the line, along it."""
DARK = 0.06
"""Reading of an infra-red sensor in m half-driven between floor and line."""
LOST = 0.12
"""Distance from the line in m at which the episode ends."""


class FollowLine(CartTask):
    """A cart follows a closed line with bends to both sides, by three sensors under its front.

    Observation (3): how dark it is under the left, middle, right sensor, from -1 (floor) to 1 (line).
    Reward: m driven forward, times a factor for the distance to the line: 1 on it, 0 at 12 cm, at which the
    episode ends.
    """

    size = 3

    def __init__(self, duration: float = 40.0, period: float = 0.04) -> None:
        """See `GoToGoal`."""
        sensors = ("ground_left", "ground_middle", "ground_right")
        super().__init__("line_follower", sensors, ("robot",), STIFF, duration, period)

    def start(self, random: Generator) -> Start:
        """Start at the pose of the world, with up to 1 cm and 0.1 rad deviation."""
        x, y, turn = random.uniform((-0.01, -0.01, -0.1), (0.01, 0.01, 0.1)).tolist()
        return Start({"robot": PlanarPose(START.x + x, START.y + y, START.heading + turn)})

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        return packed(*((seen.readings - np.float32(DARK)) / np.float32(0.5 * DARK)).T)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        off = from_line(seen.poses[:, 0, 0], seen.poses[:, 0, 1])
        lost = off > LOST
        driven = forward_distance(seen.before[:, 0], seen.poses[:, 0])
        return Judged(driven * np.maximum(0.0, 1.0 - off / LOST), lost, np.zeros_like(lost))

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive towards the sensor that detects the line."""
        left, middle, right = (observation[:, k].astype(float) for k in range(3))
        turn = np.where(left > right, 0.5, np.where(right > left, -0.5, 0.0))
        return packed(np.full(len(turn), 0.5), turn + 0.0 * middle)


def from_line(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the (n,) distances in m to the line: two arcs of radius 0.5 m about (±0.8, 0), two of 0.7 m
    about (0, ±0.894427)."""
    x, y = np.abs(x), np.abs(y)
    end = np.abs(distance(x - 0.8, y) - 0.5)
    middle = np.abs(distance(x, y - 0.894427) - 0.7)
    return np.where(x > 0.4666667, end, middle)
