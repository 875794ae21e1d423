"""Ackermann's condition: the axes of all wheels of a car meet in one point."""

from __future__ import annotations

import math


def steering_angles(curvature: float, wheelbase: float, separation: float) -> tuple[float, float]:
    """Return the angles of the left and the right steered wheel, rad, positive to the left.

    Args:
        curvature: κ in 1/m of the path of the middle of the fixed axle, positive to the left.
        wheelbase: m from the fixed to the steered axle.
        separation: m between the pivots of the steered wheels.
    """
    ahead, half = curvature * wheelbase, curvature * separation / 2.0
    return (math.atan(ahead / (1.0 - half)), math.atan(ahead / (1.0 + half)))
