"""Learning task: drive far and touch nothing."""

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
    forward_way,
    lowest,
    packed,
    wheel_speeds,
)
from sim_core.experiments.learning.tasks.go_to_goal import free_place, observe_room

NEAR = 0.05
"""Distance in m below which an episode ends."""


@compiled()
def _start(first, end, random, places, drawn):  # type: ignore[no-untyped-def]
    """Start anywhere."""
    for row in range(first, end):
        places[row, 0, 0], places[row, 0, 1] = free_place(random[row])
        places[row, 0, 2] = uniform(random[row], -math.pi, math.pi)


@compiled()
def _judge(first, end, seen, judged):  # type: ignore[no-untyped-def]
    """Fill the evaluation, see `Avoid`."""
    for row in range(first, end):
        touches = lowest(seen.readings[row]) < NEAR
        judged.reward[row] = forward_way(seen.before[row, 0], seen.poses[row, 0]) - 1.0 * touches
        judged.ended[row], judged.won[row] = touches, False


class Avoid(CompiledTask, CartTask):
    """A cart drives far among posts and walls, and touches nothing.

    Observation (3): distance to obstacles ahead, left, right, from -1 (touching) to 1 (1.5 m or more).
    Reward: m driven forward; minus 1 for a distance of less than 5 cm, which ends the episode.
    """

    size = 3
    rules = Rules(_start, wheel_speeds(10.0, 5.0), observe_room, _judge, ("robot",))

    def __init__(self, duration: float = 30.0, period: float = 0.2) -> None:
        """See `GoToGoal`."""
        sensors = ("ds_front", "ds_left", "ds_right")
        super().__init__("arena", sensors, ("robot",), PLANE, duration, period)

    def baseline(self, observation: Float32Array) -> Float32Array:
        """Drive slower near an obstacle ahead, and away from the nearer side."""
        front, left, right = (observation[:, k].astype(float) for k in range(3))
        nearest = np.minimum(np.minimum(left, right), front)
        turn = np.where(nearest < 0.0, np.where(left >= right, 1.0, -1.0) * -nearest * 1.5, 0.0)
        return packed(np.clip(0.9 * (nearest + 0.75), 0.0, 1.0), turn)
