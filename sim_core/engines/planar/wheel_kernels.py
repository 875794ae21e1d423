"""Compiled rotation of all axes of the fast 2D mode, and of the headings of robots."""

from __future__ import annotations

import math

from numba import float64, types, void

from sim_core.base.compiled import compiled

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_box = types.Array(float64, 3, "C")


_inline = compiled()
"""For functions that are also compiled for graphics cards (see
`sim_core/experiments/learning/gpu_kernels.py`)."""


@_inline
def turn_axes_in(step, command, acceleration, limited, position, velocity, stops):  # type: ignore[no-untyped-def]
    """Advance all axes as `turn_axes`."""
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


@compiled(void(float64, _vector, _vector, _vector, _vector, _vector, _matrix))
def turn_axes(step, command, acceleration, limited, position, velocity, stops):  # type: ignore[no-untyped-def]
    """Advance all axes by one step; the arrays are those of `AxisTable`."""
    turn_axes_in(step, command, acceleration, limited, position, velocity, stops)


@_inline
def pose_of(place, fixed, pose):  # type: ignore[no-untyped-def]
    """Compute the pose of the frame of one robot; the arguments are rows of those of `poses_of`."""
    heading = place[2]
    c, s = math.cos(heading), math.sin(heading)
    pose[0] = place[0] + c * fixed[0] - s * fixed[1]
    pose[1] = place[1] + s * fixed[0] + c * fixed[1]
    turn = heading - fixed[2]
    c, s = math.cos(turn), math.sin(turn)
    pose[2] = c * fixed[3] - s * fixed[4]
    pose[3] = s * fixed[3] + c * fixed[4]


@_inline
def place_of(x, y, yaw, placement, place):  # type: ignore[no-untyped-def]
    """Compute the place of a robot whose frame is at x, y with a heading `yaw`.

    Args:
        x, y, yaw: m, rad.
        placement: (4,) yaw of the robot's frame at the start; x, y of its frame from its axle centre, in its
            axes; heading at the start.
        place: (3,) output: x, y of the axle centre, heading.
    """
    heading = placement[3] + (yaw - placement[0])
    c, s = math.cos(heading), math.sin(heading)
    place[0] = x - c * placement[1] + s * placement[2]
    place[1] = y - s * placement[1] - c * placement[2]
    place[2] = heading


@compiled(void(_box, _matrix, _box))
def poses_of(places, fixed, poses):  # type: ignore[no-untyped-def]
    """Compute the poses of the frames of robots, by the formulas of `RobotTable.pose_of`.

    Args:
        places: (c, n, 3) x, y of the axle centre, heading, in each copy of the world.
        fixed: (n, 5) x, y of the robot's frame from its axle centre, in its axes; heading at the start; x, y
            of the robot's x axis at the start.
        poses: (c, n, 4) output: x, y of the robot's frame; x, y of its x axis.
    """
    for copy in range(places.shape[0]):
        for i in range(places.shape[1]):
            pose_of(places[copy, i], fixed[i], poses[copy, i])
