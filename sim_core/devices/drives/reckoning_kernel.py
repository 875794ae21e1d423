"""Compiled dead reckoning: of many robots at once, and of one robot along a path with its errors."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64, types, void

from sim_core.base.compiled import compiled

_vector = types.Array(float64, 1, "C")
_matrix = types.Array(float64, 2, "C")
_int_table = types.Array(int64, 2, "C")
_real = float64


@compiled(void(_vector, _real, _real, _real, _real, _real, _real, _real, _real))
def add_errors(sums, x, y, yaw, left, right, separation, slip, proportional):  # type: ignore[no-untyped-def]
    """Add a piece of a path to the sums of `OdometryCovariance`.

    Args:
        sums: (18,) in and out, see there.
        x, y, yaw: the pose before the piece; m, m, rad.
        left, right: how far the wheels rolled, m.
        separation: of the wheels, m.
        slip, proportional: variances of a wheel's path per metre, m, and per its square.
    """
    if left == 0.0 and right == 0.0:
        return
    q_left = slip * abs(left) + proportional * left * left
    q_right = slip * abs(right) + proportional * right * right
    distance, direction = (left + right) / 2.0, yaw + (right - left) / (2.0 * separation)
    u, v = math.cos(direction), math.sin(direction)
    mid_x, mid_y = x + u * distance / 2.0, y + v * distance / 2.0
    a = (q_left + q_right) / (separation * separation)
    b = (q_left + q_right) / 4.0
    g = (q_right - q_left) / (2.0 * separation)
    square = distance * distance
    sums[0] += a
    sums[1] += a * mid_x
    sums[2] += a * mid_y
    sums[3] += a * mid_x * mid_x
    sums[4] += a * mid_x * mid_y
    sums[5] += a * mid_y * mid_y
    sums[6] += b * u * u
    sums[7] += b * u * v
    sums[8] += b * v * v
    sums[9] += g * u
    sums[10] += g * v
    sums[11] += g * u * mid_x
    sums[12] += g * u * mid_y
    sums[13] += g * v * mid_x
    sums[14] += g * v * mid_y
    sums[15] += square * u * u
    sums[16] += square * u * v
    sums[17] += square * v * v


@compiled()
def _advance(pose, distance, sideways, angle):  # type: ignore[no-untyped-def]
    """Move a pose along an arc, as `Pose2d.advanced`, and `sideways` m to the left."""
    half = angle / 2.0
    chord, across = distance, sideways
    if abs(half) > 1e-9:
        chord *= math.sin(half) / half
        across *= math.sin(half) / half
    u, v = math.cos(pose[2] + half), math.sin(pose[2] + half)
    pose[0] += chord * u - across * v
    pose[1] += chord * v + across * u
    pose[2] += angle


@compiled(void(_matrix, _real, _real, _vector, _vector, _real, _real))
def reckon_path(angles, radius, separation, pose, sums, slip, proportional):  # type: ignore[no-untyped-def]
    """Compute the dead reckoning of one robot along a path; exact if the wheels' speeds are constant
    between rows.

    Args:
        angles: (n, 3) successive angles of the left and the right wheels, rad, and distance to the left, m;
            the first row is the start.
        radius, separation: of the wheels, m.
        pose: (3,) in and out: x, y, yaw; m, m, rad.
        sums, slip, proportional: see `add_errors`; empty sums: no covariance is kept.
    """
    for k in range(1, len(angles)):
        left, right = angles[k, 0] - angles[k - 1, 0], angles[k, 1] - angles[k - 1, 1]
        if len(sums):
            x, y, yaw = pose[0], pose[1], pose[2]
            add_errors(sums, x, y, yaw, left * radius, right * radius, separation, slip, proportional)
        sideways = angles[k, 2] - angles[k - 1, 2]
        _advance(pose, radius * (right + left) / 2.0, sideways, radius * (right - left) / separation)


@compiled(void(_vector, _vector, _int_table, _vector, _matrix, _matrix, _matrix, _matrix))
def reckon_all(position, velocity, wheels, shares, sizes, last, poses, twists):  # type: ignore[no-untyped-def]
    """Compute the dead reckoning of all robots, as `WheelOdometry.update_pose`.

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
        radius, separation = sizes[i, 0], sizes[i, 1]
        _advance(poses[i], radius * (right + left) / 2.0, 0.0, radius * (right - left) / separation)
        twists[i, 0] = radius * (speeds[i, 1] + speeds[i, 0]) / 2.0
        twists[i, 1] = radius * (speeds[i, 1] - speeds[i, 0]) / separation
        last[i, 0], last[i, 1] = angles[i, 0], angles[i, 1]
