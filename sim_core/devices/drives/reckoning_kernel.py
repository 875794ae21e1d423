"""Dead reckoning of many robots at once, compiled."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64, types, void

from sim_core.base.compiled import compiled

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_int_table = types.Array(int64, 2, "C")


@compiled(void(_vector, _vector, _int_table, _vector, _matrix, _matrix, _matrix, _matrix))
def reckon(position, velocity, wheels, shares, sizes, last, poses, twists):  # type: ignore[no-untyped-def]
    """Dead reckoning of all robots, as `WheelOdometry.update`.

    Args:
        position, velocity, wheels, shares, sizes: see `Wheels` in `sim_core/engines/rolling.py`.
        last: (n, 2) in and out: angles of the left and the right wheels.
        poses, twists: (n, 3), (n, 2) in and out: x, y, yaw; forward speed and rate of turn.
    """
    n = len(poses)
    angles, speeds = np.zeros((n, 2)), np.zeros((n, 2))
    for k in range(len(wheels)):
        angles[wheels[k, 0], wheels[k, 1]] += shares[k] * position[wheels[k, 2]]
        speeds[wheels[k, 0], wheels[k, 1]] += shares[k] * velocity[wheels[k, 2]]
    for i in range(n):
        left, right = angles[i, 0] - last[i, 0], angles[i, 1] - last[i, 1]
        chord = sizes[i, 0] * (right + left) / 2.0
        half = sizes[i, 0] * (right - left) / sizes[i, 1] / 2.0
        if abs(half) > 1e-9:
            chord *= math.sin(half) / half
        poses[i, 0] += chord * math.cos(poses[i, 2] + half)
        poses[i, 1] += chord * math.sin(poses[i, 2] + half)
        poses[i, 2] += 2.0 * half
        twists[i, 0] = sizes[i, 0] * (speeds[i, 1] + speeds[i, 0]) / 2.0
        twists[i, 1] = sizes[i, 0] * (speeds[i, 1] - speeds[i, 0]) / sizes[i, 1]
        last[i, 0], last[i, 1] = angles[i, 0], angles[i, 1]
