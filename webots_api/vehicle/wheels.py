"""Steering angles and speeds of a car's wheels in a curve: all axles meet in a point (Ackermann).

The order of wheels is Webots': front right, front left, rear right, rear left. Angles are positive to the
right, as in Webots' interface.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim_core.devices.drives.ackermann import steering_angles

FRONT, REAR = (0, 1), (2, 3)


def steered(angle: float, wheelbase: float, track: float) -> tuple[float, float]:
    """Return the angles of the right and left wheel, rad, for the angle at the centre of the axle.

    cot δ_right = cot δ - t/(2L), cot δ_left = cot δ + t/(2L) (Webots automobile guide, Driver Library).
    """
    left, right = steering_angles(-math.tan(angle) / wheelbase, wheelbase, track)
    return -right, -left


def path_lengths(angle: float, wheelbase: float, front_track: float, rear_track: float) -> tuple[float, ...]:
    """Return the path length of each wheel while the centre of the rear axle moves 1 m, m.

    On the circle of curvature κ = tan δ/L about a point to the right, a wheel at (x, y) from the middle of
    the rear axle, y to the left, is at the distance hypot(1 + κ·y, κ·x)/κ from it.
    """
    curvature = math.tan(angle) / wheelbase
    rolled = []
    for x, y in (
        (wheelbase, -front_track / 2.0),
        (wheelbase, front_track / 2.0),
        (0.0, -rear_track / 2.0),
        (0.0, rear_track / 2.0),
    ):
        beside = 1.0 + curvature * y
        rolled.append(math.copysign(math.hypot(beside, curvature * x), beside))
    return tuple(rolled)


def speeds(rolled: Sequence[float], driven: Sequence[int], speed: float) -> dict[int, float]:
    """Return the rim speeds of the driven wheels, with the mean `speed`; `rolled`: see `path_lengths`."""
    mean = sum(rolled[wheel] for wheel in driven) / len(driven)
    return {wheel: speed * rolled[wheel] / mean for wheel in driven}


class Differential:
    """Distributes a torque to two wheels or axles in proportion to their path lengths in the curve.

    With limited slip, the share of the one that turns too fast is reduced step by step.
    """

    def __init__(self) -> None:
        self._bias = 0.0

    def reset(self) -> None:
        """Distribute according to the curve."""
        self._bias = 0.0

    def share(self, first_way: float, second_way: float) -> float:
        """Return the first one's fraction of the torque, 0 to 1."""
        part = first_way / (first_way + second_way)
        return min(1.0, max(0.0, part * (1.0 - self._bias)))

    def update_share(self, first_way: float, second_way: float, first: float, second: float) -> None:
        """Update the distribution by the present speeds."""
        if first + second == 0.0:
            self._bias = 0.0
            return
        too_much = first / (first + second) - first_way / (first_way + second_way)
        self._bias = min(1.0, max(-1.0, self._bias + 2.0 * too_much))
