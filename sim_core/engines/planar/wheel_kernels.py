"""Compiled rotation of all axes of the fast 2D mode, and of the headings of robots."""

from __future__ import annotations

import math

from numba import float64, types, void

from sim_core.base.compiled import compiled

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_box = types.Array(float64, 3, "C")


@compiled(void(float64, _vector, _vector, _vector, _vector, _vector, _matrix))
def turn_axes(step, command, acceleration, limited, position, velocity, stops):  # type: ignore[no-untyped-def]
    """Advance all axes by one step; the arrays are those of `AxisTable`."""
    for k in range(len(command)):
        change = command[k] - limited[k]
        limit = acceleration[k] * step
        if change > limit:
            change = limit
        elif change < -limit:
            change = -limit
        reached = abs(command[k] - limited[k]) <= limit
        limited[k] = command[k] if reached else limited[k] + change
        before = position[k]
        after = before + limited[k] * step
        if after < stops[k, 0]:
            position[k] = stops[k, 0]
            velocity[k] = (position[k] - before) / step
        elif after > stops[k, 1]:
            position[k] = stops[k, 1]
            velocity[k] = (position[k] - before) / step
        else:
            position[k] = after
            velocity[k] = limited[k]


@compiled(void(_box, _matrix, _box))
def poses_of(places, fixed, poses):  # type: ignore[no-untyped-def]
    """Compute the poses of the frames of robots, by the formulas of `RobotTable.pose`.

    Args:
        places: (c, n, 3) x, y of the axle centre, heading, in each copy of the world.
        fixed: (n, 5) x, y of the robot's frame from its axle centre, in its axes; heading at the start; x, y
            of the robot's x axis at the start.
        poses: (c, n, 4) output: x, y of the robot's frame; x, y of its x axis.
    """
    for copy in range(places.shape[0]):
        for i in range(places.shape[1]):
            heading = places[copy, i, 2]
            c, s = math.cos(heading), math.sin(heading)
            poses[copy, i, 0] = places[copy, i, 0] + c * fixed[i, 0] - s * fixed[i, 1]
            poses[copy, i, 1] = places[copy, i, 1] + s * fixed[i, 0] + c * fixed[i, 1]
            turn = heading - fixed[i, 2]
            c, s = math.cos(turn), math.sin(turn)
            poses[copy, i, 2] = c * fixed[i, 3] - s * fixed[i, 4]
            poses[copy, i, 3] = s * fixed[i, 3] + c * fixed[i, 4]
