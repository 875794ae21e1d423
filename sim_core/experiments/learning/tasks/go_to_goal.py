"""Learning task: drive to a goal among posts."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import PLANE, CartTask, distance, packed, seen_from, steer

POSTS = ((0.8, 0.7), (-0.8, 0.8), (-0.7, -0.8), (0.9, -0.7))
"""Positions in m of posts of radius 0.2 m, as in the world."""
HALF = 1.7
"""Half the side in m of the square of robot and goal."""
ROOM = 0.45
"""Distance in m between the centres of a post and of the robot or the goal at the start."""
RANGE = 1.5
"""Range of the distance sensors in m."""
THERE = 0.15
"""Distance in m below which the goal is reached."""
FAR = 2.0
"""Largest observed distance of the goal in m."""


class GoToGoal(CartTask):
    """A cart drives to a goal that is at another place in each episode.

    Observation (6): distance to obstacles ahead, left, right, from -1 (touching) to 1 (1.5 m); the goal's
    direction forward and to the left, a unit vector; its distance, from -1 (reached) to 1 (2 m or more).
    Reward: decrease of the distance in m; plus 1 when it is reached, within 0.15 m, which wins and ends the
    episode; minus 0.05 for a step that ends less than 3 cm from an obstacle.
    """

    size = 6

    def __init__(self, duration: float = 30.0, period: float = 0.2) -> None:
        """Create the task; `duration`: s until an episode is truncated; `period`: s of a step."""
        sensors = ("ds_front", "ds_left", "ds_right")
        super().__init__("arena", sensors, ("robot",), PLANE, duration, period)

    def start(self, random: Generator) -> Start:
        """Start anywhere, at least a metre from the goal."""
        x, y = free_place(random)
        goal = free_place(random)
        while math.dist((x, y), goal) < 1.0:
            goal = free_place(random)
        return Start({"robot": PlanarPose(x, y, float(random.uniform(-math.pi, math.pi)))}, goal)

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        room = seen.readings / np.float32(0.5 * RANGE) - np.float32(1.0)
        return self.observation(room, seen.poses[:, 0], seen.drawn)

    @staticmethod
    def observation(room: Float32Array, pose: FloatArray, goal: FloatArray) -> Float32Array:
        """Return (n, 6) for distances (n, 3) from -1 to 1, poses (n, 4) as in `Seen`, and goals (n, 2) in
        m."""
        ahead, left = seen_from(pose, goal[:, 0], goal[:, 1])
        far = np.maximum(distance(ahead, left), 1e-9)
        return packed(room[:, 0], room[:, 1], room[:, 2], ahead / far, left / far, far / (0.5 * FAR) - 1.0)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        before, now = (
            distance(poses[:, 0, 0] - seen.drawn[:, 0], poses[:, 0, 1] - seen.drawn[:, 1])
            for poses in (seen.before, seen.poses)
        )
        there = now < THERE
        touches = seen.readings.min(axis=1) < 0.03
        return Judged(before - now + 1.0 * there - 0.05 * touches, there, there)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive to the goal and away from near obstacles: a potential field."""
        front, left, right, ahead, aside = (observation[:, k].astype(float) for k in range(5))
        near_left, near_right = np.maximum(0.0, -0.2 - left), np.maximum(0.0, -0.2 - right)
        blocked = np.maximum(0.0, -0.3 - front)
        push = 2.0 * (near_right - near_left) + 3.0 * blocked * np.where(left >= right, 1.0, -1.0)
        action = steer(ahead - 0.5 * blocked, aside + push)
        return packed(np.minimum(action[:, 0], 0.6 * (front + 1.05)), action[:, 1])


def free_place(random: Generator) -> tuple[float, float]:
    """Return x, y in m, away from posts and walls."""
    while True:
        x, y = random.uniform(-HALF, HALF, 2).tolist()
        if all((x - a) * (x - a) + (y - b) * (y - b) > ROOM * ROOM for a, b in POSTS):
            return x, y
