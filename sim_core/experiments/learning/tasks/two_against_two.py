"""Learning task: soccer, two against two; `agents.py` adapts it to PettingZoo."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from sim_core.base.arrays import Float32Array
from sim_core.experiments.learning.task import Judged, PlanarPose, Seen, Start
from sim_core.experiments.learning.tasks.cart_task import STIFF, CartTask, packed, seen_from
from sim_core.experiments.learning.tasks.push_ball import GOAL, chase, player_view

PLAYERS = ("blue1", "blue2", "yellow1", "yellow2")
"""Names of the players; blue plays to the east."""
VIEW = 12
"""Size of the observation of a player."""


class TwoAgainstTwo(CartTask):
    """Four carts and a ball on the soccer field; blue plays to the east, yellow to the west.

    Each player observes (12): ball and opposing goal as in `PushBall`, the mate and both opponents forward
    and to the left, 1 is 2 m. Observation and action are those of the players one after another. Reward: of
    blue, m by which the ball goes east, and 5 for a goal, which ends the episode; yellow's is the negative.
    It is won when blue scores.
    """

    robots = 4
    size = VIEW * 4

    def __init__(self, duration: float = 60.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        motors = [f"{name}.motor_{side}" for name in PLAYERS for side in ("left", "right")]
        super().__init__(
            "soccer", ("blue1.gps",), (*PLAYERS, "BALL"), STIFF, duration, period, motors, "blue1"
        )

    def start(self, random: Generator) -> Start:
        """Kick-off: each team in its half, the ball near the centre."""
        ball = PlanarPose(*random.uniform((-0.1, -0.5), (0.1, 0.5)).tolist())
        places = {"ball": ball}
        for name, x, heading in zip(
            PLAYERS, (-0.7, -1.5, 0.7, 1.5), (0.0, 0.0, math.pi, math.pi), strict=True
        ):
            places[name] = PlanarPose(x, float(random.uniform(-0.6, 0.6)), heading)
        return Start(places)

    def observe(self, seen: Seen) -> Float32Array:
        """See the class."""
        views = []
        for player, others in ((0, (1, 2, 3)), (1, (0, 2, 3)), (2, (3, 0, 1)), (3, (2, 0, 1))):
            pose, goal = seen.poses[:, player], GOAL if player < 2 else -GOAL
            places = [seen_from(pose, seen.poses[:, k, 0], seen.poses[:, k, 1]) for k in others]
            columns = [part / 2.0 for place in places for part in place]
            views += [player_view(pose, seen.poses[:, 4], goal), packed(*columns)]
        return np.concatenate(views, axis=1)

    def judge(self, seen: Seen) -> Judged:
        """See the class."""
        x, before = seen.poses[:, 4, 0], seen.before[:, 4, 0]
        east, west = x > GOAL, x < -GOAL
        return Judged(x - before + 5.0 * east - 5.0 * west, east | west, east)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Let all players drive to the ball."""
        return np.concatenate([chase(observation[:, VIEW * k : VIEW * (k + 1)]) for k in range(4)], axis=1)
