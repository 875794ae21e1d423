"""Compiled commands to motors, and limits of readings, for copies of a world.

Functions without a signature are also compiled for graphics cards (see `gpu_kernels.py`).
"""

from __future__ import annotations

import math

import numpy as np
from numba import float32, float64, int64, types, void

from sim_core.base.compiled import compiled

SIDE, SEPARATION, RADIUS, LIMIT, SIGN, MULTIPLIER, TOP, CHANGE = range(8)
"""Columns of the numbers of a motor, see `axis_velocities`."""

LARGEST = float(np.finfo(np.float32).max)

_inline = compiled()

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_box = types.Array(float64, 3, "C")
_int_table = types.Array(int64, 2, "C")
_floats = types.Array(float32, 2, "C")
_limits = types.Array(float32, 1, "C")


@_inline
def _target(column, numbers, commands):  # type: ignore[no-untyped-def]
    """Return the velocity commanded to a motor, limited as in `DifferentialDrive.set_twist` and
    `Motor.set_velocity`."""
    side = numbers[SIDE]
    if side == 0.0:
        target = np.float64(commands[column])
    else:
        linear, angular = np.float64(commands[column]), np.float64(commands[column + 1])
        turn = angular * numbers[SEPARATION] / 2.0
        left, right = (linear - turn) / numbers[RADIUS], (linear + turn) / numbers[RADIUS]
        fastest = max(abs(left), abs(right))
        speed = left if side < 0.0 else right
        if fastest > numbers[LIMIT]:
            speed *= numbers[LIMIT] / fastest
        target = numbers[SIGN] * speed / numbers[MULTIPLIER]
    target *= numbers[MULTIPLIER]
    return target if abs(target) <= numbers[TOP] else math.copysign(numbers[TOP], target)


@_inline
def drive_axes(motors, numbers, commands, velocities, driven):  # type: ignore[no-untyped-def]
    """Compute what motors command to the axes of one copy in one step, as in `Motor`.

    Args:
        motors, numbers: see `axis_velocities`.
        commands: (c,) of the copy.
        velocities: (m,) in and out: velocities of the motors.
        driven: (k,) output: velocities of all axes.
    """
    for axis in range(len(driven)):
        driven[axis] = 0.0
    for motor in range(len(motors)):
        target = _target(motors[motor, 0], numbers[motor], commands)
        change, limit = target - velocities[motor], numbers[motor, CHANGE]
        if abs(change) <= limit:
            velocities[motor] = target
        else:
            velocities[motor] += math.copysign(limit, change)
        driven[motors[motor, 1]] = velocities[motor]


@compiled(void(_int_table, _matrix, _floats, _matrix, _box))
def axis_velocities(motors, numbers, commands, velocities, driven):  # type: ignore[no-untyped-def]
    """Compute what motors command to the axes of all copies in some steps.

    Args:
        motors: (m, 2) column of the commands, and axis.
        numbers: (m, 8) side of a wheel of a drive, which uses two columns, forward and rotation: -1 left,
            1 right; 0: the motor's own speed; separation and radius of the drive's wheels in m, and their
            highest speed; sign of the angle that drives forward; multiplier, highest velocity, and highest
            change of the velocity in a step.
        commands: (c, a).
        velocities: (c, m) in and out: velocities of the motors.
        driven: (t, c, k) output: velocities of all axes in each step.
    """
    for now in range(len(driven)):
        for copy in range(len(commands)):
            drive_axes(motors, numbers, commands[copy], velocities[copy], driven[now, copy])


@_inline
def limited(value, low, high):  # type: ignore[no-untyped-def]
    """Return a reading within limits (inf: no obstacle); NaN becomes the upper limit, or 0 if there is
    none."""
    if math.isnan(value):
        value = high if math.isfinite(high) else np.float32(0.0)
    return min(max(value, max(low, -LARGEST)), min(high, LARGEST))


@compiled(void(_floats, _limits, _limits))
def limit_readings(readings, low, high):  # type: ignore[no-untyped-def]
    """Limit (n, r) readings, in place, to the (r,) limits of their spaces."""
    for row in range(len(readings)):
        for column in range(readings.shape[1]):
            readings[row, column] = limited(readings[row, column], low[column], high[column])
