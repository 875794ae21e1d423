"""What turns, compiled: all axes of the fast 2D mode."""

from __future__ import annotations

import math

from numba import float64, types, void

from sim_core.base.compiled import compiled

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")


@compiled(void(float64, _vector, _vector, _vector, _vector, _vector, _matrix))
def turn_axes(step, command, acceleration, asked, position, velocity, stops):  # type: ignore[no-untyped-def]
    """Advance all axes by one step; the arrays are those of `AxisTable`."""
    for k in range(len(command)):
        change = command[k] - asked[k]
        limit = acceleration[k] * step
        if change > limit:
            change = limit
        elif change < -limit:
            change = -limit
        asked[k] += change
        if command[k] - asked[k] == 0.0 or acceleration[k] == math.inf:
            asked[k] = command[k]
        before = position[k]
        after = before + asked[k] * step
        if after < stops[k, 0]:
            position[k] = stops[k, 0]
            velocity[k] = (position[k] - before) / step
        elif after > stops[k, 1]:
            position[k] = stops[k, 1]
            velocity[k] = (position[k] - before) / step
        else:
            position[k] = after
            velocity[k] = asked[k]
