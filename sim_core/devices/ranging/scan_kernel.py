"""Compiled limits of scans."""

from __future__ import annotations

import math

from numba import float64, types, void

from sim_core.base.compiled import compiled


@compiled()
def scan_value(distance, low, high):  # type: ignore[no-untyped-def]
    """Return a distance of a lidar with limits as in `limit_scan`; also compiled for graphics cards (see
    `sim_core/experiments/learning/gpu_kernels.py`)."""
    if distance > high:
        return math.inf
    return -math.inf if distance < low else distance


@compiled(void(types.Array(float64, 1, "C"), float64, float64))
def limit_scan(distances, low, high):  # type: ignore[no-untyped-def]
    """Set distances (n,) beyond a range to inf, those below it to -inf (REP-117)."""
    for ray in range(len(distances)):
        distances[ray] = scan_value(distances[ray], low, high)
