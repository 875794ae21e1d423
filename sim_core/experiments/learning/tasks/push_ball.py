"""Learning task: push a ball into a goal."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import STIFF, CartTask, distance, packed, seen_from, steer

GOAL = 2.0
"""x of the goal line in m; it is 1 m wide."""
ASIDE = {
    "blue2": PlanarPose(-1.8, -1.35),
    "yellow1": PlanarPose(-1.8, 1.35),
    "yellow2": PlanarPose(-1.4, 1.35),
}
"""Poses of the other robots of the world."""
BEHIND = 0.3
"""Distance from the ball in m at which the robot starts to push it."""


class PushBall(CartTask):
    """A cart pushes the ball of the soccer field into the goal at its east end.

    Observation (6): the ball forward and to the left, and the centre of the goal, 1 is 2 m; cosine and sine
    of the heading. Reward: decrease of the ball's distance to the goal in m; plus 5 when it is in, which wins
    and ends the episode.
    """

    size = 6

    def __init__(self, duration: float = 40.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        super().__init__("soccer", ("gps",), ("blue1", "BALL"), STIFF, duration, period, robot="blue1")

    def start(self, random: Generator) -> Start:
        """Start with the ball near the centre, and the robot anywhere behind it."""
        ball = PlanarPose(*random.uniform((-0.4, -0.7), (0.8, 0.7)).tolist())
        x, y, heading = random.uniform((-1.2, -0.9, -math.pi), (-0.7, 0.9, math.pi)).tolist()
        return Start({**ASIDE, "blue1": PlanarPose(x, y, heading), "ball": ball})

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        return player_view(seen.poses[:, 0], seen.poses[:, 1], GOAL)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        before, now = (to_goal(poses[:, 1], GOAL) for poses in (seen.before, seen.poses))
        scored = seen.poses[:, 1, 0] > GOAL
        return Judged(before - now + 5.0 * scored, scored, scored)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """See `chase`."""
        return chase(observation)


def player_view(pose: FloatArray, ball: FloatArray, goal: float) -> Float32Array:
    """Return (n, 6) ball and goal relative to a player."""
    x, y = seen_from(pose, ball[:, 0], ball[:, 1])
    a, b = seen_from(pose, goal, 0.0)
    return packed(x / 2.0, y / 2.0, a / 2.0, b / 2.0, pose[:, 2], pose[:, 3])


def to_goal(ball: FloatArray, goal: float) -> FloatArray:
    """Return the (n,) distances in m from the ball to the centre of a goal."""
    return distance(ball[:, 0] - goal, ball[:, 1])


def chase(observation: Float32Array) -> Float32Array:
    """Return the (n, 2) action that drives behind the ball, seen from the goal, around it if necessary,
    and then through it."""
    x, y, a, b = (2.0 * observation[:, k].astype(float) for k in range(4))
    way = np.maximum(distance(a - x, b - y), 1e-9)
    ux, uy = (a - x) / way, (b - y) / way
    along, across = -(x * ux + y * uy), y * ux - x * uy  # robot relative to the ball
    side = np.where(across >= 0.0, -1.0, 1.0)
    round_it = along > -0.12
    tx, ty = x - BEHIND * ux, y - BEHIND * uy
    tx, ty = np.where(round_it, tx + 0.3 * side * -uy, tx), np.where(round_it, ty + 0.3 * side * ux, ty)
    pushes = (along < -0.12) & (np.abs(across) < 0.05 - 0.1 * along)
    tx, ty = np.where(pushes, x + 0.1 * ux, tx), np.where(pushes, y + 0.1 * uy, ty)
    return steer(tx, ty)
