"""Learning task: drive to a goal among posts."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.base.compiled import compiled
from sim_core.experiments.learning.compiled_task import CompiledTask, Rules
from sim_core.experiments.learning.draws import uniform
from sim_core.experiments.learning.tasks.cart_task import (
    PLANE,
    CartTask,
    clipped,
    lowest,
    packed,
    point_from,
    steer,
    wheel_speeds,
)

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


@compiled()
def free_place(random):  # type: ignore[no-untyped-def]
    """Return x, y in m, away from posts and walls, drawn from a row of `draws.py`."""
    while True:
        x, y = uniform(random, -HALF, HALF), uniform(random, -HALF, HALF)
        is_free = True
        for a, b in POSTS:
            is_free &= (x - a) * (x - a) + (y - b) * (y - b) > ROOM * ROOM
        if is_free:
            return x, y


@compiled()
def _start(first, end, random, places, drawn):  # type: ignore[no-untyped-def]
    """Start anywhere, at least a metre from the goal."""
    for row in range(first, end):
        x, y = free_place(random[row])
        goal_x, goal_y = free_place(random[row])
        while math.hypot(goal_x - x, goal_y - y) < 1.0:
            goal_x, goal_y = free_place(random[row])
        places[row, 0, 0], places[row, 0, 1] = x, y
        places[row, 0, 2] = uniform(random[row], -math.pi, math.pi)
        drawn[row, 0], drawn[row, 1] = goal_x, goal_y


@compiled()
def _see_goal(pose, goal, observation):  # type: ignore[no-untyped-def]
    """Fill the part of an observation (6,) that depends on the goal."""
    ahead, left = point_from(pose, goal[0], goal[1])
    far = max(math.sqrt(ahead * ahead + left * left), 1e-9)
    observation[3], observation[4] = clipped(ahead / far), clipped(left / far)
    observation[5] = clipped(far / (0.5 * FAR) - 1.0)


@compiled()
def observe_room(first, end, seen, observation):  # type: ignore[no-untyped-def]
    """Fill the free distances of observations: 1 is the range."""
    for row in range(first, end):
        for sensor in range(seen.readings.shape[1]):
            observation[row, sensor] = clipped(seen.readings[row, sensor] / (0.5 * RANGE) - 1.0)


@compiled()
def _observe(first, end, seen, observation):  # type: ignore[no-untyped-def]
    """Fill the observations, see `GoToGoal`."""
    observe_room(first, end, seen, observation)
    for row in range(first, end):
        _see_goal(seen.poses[row, 0], seen.drawn[row], observation[row])


@compiled()
def _way_to(pose, goal):  # type: ignore[no-untyped-def]
    """Return the distance in m from a pose (4,) to a goal (2,)."""
    dx, dy = pose[0] - goal[0], pose[1] - goal[1]
    return math.sqrt(dx * dx + dy * dy)


@compiled()
def _judge(first, end, seen, judged):  # type: ignore[no-untyped-def]
    """Fill the evaluation, see `GoToGoal`."""
    for row in range(first, end):
        goal = seen.drawn[row]
        now = _way_to(seen.poses[row, 0], goal)
        there, touches = now < THERE, lowest(seen.readings[row]) < 0.03
        judged.reward[row] = _way_to(seen.before[row, 0], goal) - now + 1.0 * there - 0.05 * touches
        judged.ended[row] = judged.won[row] = there


class GoToGoal(CompiledTask, CartTask):
    """A cart drives to a goal that is at another place in each episode.

    Observation (6): distance to obstacles ahead, left, right, from -1 (touching) to 1 (1.5 m); the goal's
    direction forward and to the left, a unit vector; its distance, from -1 (reached) to 1 (2 m or more).
    Reward: decrease of the distance in m; plus 1 when it is reached, within 0.15 m, which wins and ends the
    episode; minus 0.05 for a step that ends less than 3 cm from an obstacle.
    """

    size = 6
    rules = Rules(_start, wheel_speeds(10.0, 5.0), _observe, _judge, ("robot",), 2)

    def __init__(self, duration: float = 30.0, period: float = 0.2) -> None:
        """Create the task; `duration`: s until an episode is truncated; `period`: s of a step."""
        sensors = ("ds_front", "ds_left", "ds_right")
        super().__init__("arena", sensors, ("robot",), PLANE, duration, period)

    @staticmethod
    def observation(room: Float32Array, pose: FloatArray, goal: FloatArray) -> Float32Array:
        """Return (n, 6) for distances (n, 3) from -1 to 1, poses (n, 4) as in `Seen`, and goals (n, 2) in
        m."""
        observation = np.empty((len(room), GoToGoal.size), np.float32)
        for row in range(len(room)):
            _see_goal(pose[row], goal[row], observation[row])
        observation[:, :3] = np.clip(room, -1.0, 1.0)
        return observation

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive to the goal and away from near obstacles: a potential field."""
        front, left, right, ahead, aside = (observation[:, k].astype(float) for k in range(5))
        near_left, near_right = np.maximum(0.0, -0.2 - left), np.maximum(0.0, -0.2 - right)
        blocked = np.maximum(0.0, -0.3 - front)
        push = 2.0 * (near_right - near_left) + 3.0 * blocked * np.where(left >= right, 1.0, -1.0)
        action = steer(ahead - 0.5 * blocked, aside + push)
        return packed(np.minimum(action[:, 0], 0.6 * (front + 1.05)), action[:, 1])
