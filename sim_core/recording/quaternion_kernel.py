"""Quaternions of many rotations, compiled."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from sim_core.base.compiled import compiled


@compiled("float64[:,::1](float64[:,:])")
def quaternions_from_rotations(rotations: Any) -> Any:
    """Return (n, 4) quaternions as `geometry.quaternion_from_rotation` of each row of (n, 9), to the last
    bit."""
    quaternions = np.empty((len(rotations), 4))
    for k in range(len(rotations)):
        r, q = rotations[k], quaternions[k]
        x, y, z = r[7] - r[5], r[2] - r[6], r[3] - r[1]
        xy, xz, yz = r[1] + r[3], r[2] + r[6], r[5] + r[7]
        trace = r[0] + r[4] + r[8]
        if trace >= max(r[0], r[4], r[8]):
            s = 2.0 * sqrt(1.0 + trace)
            q[0], q[1], q[2], q[3] = x / s, y / s, z / s, s / 4.0
        elif r[0] >= r[4] and r[0] >= r[8]:
            s = 2.0 * sqrt(1.0 + r[0] - r[4] - r[8])
            q[0], q[1], q[2], q[3] = s / 4.0, xy / s, xz / s, x / s
        elif r[4] >= r[8]:
            s = 2.0 * sqrt(1.0 + r[4] - r[0] - r[8])
            q[0], q[1], q[2], q[3] = xy / s, s / 4.0, yz / s, y / s
        else:
            s = 2.0 * sqrt(1.0 + r[8] - r[0] - r[4])
            q[0], q[1], q[2], q[3] = xz / s, yz / s, s / 4.0, z / s
        if q[3] < 0.0:
            q *= -1.0
    return quaternions
