"""Directions and weights of the rays of a DistanceSensor."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import FloatArray

_CENTRE = [(0.0, 0.0)]


def _ring(count: int, radius: float = 1.0) -> list[tuple[float, float]]:
    """Return rays evenly around the axis: (angle around the axis in rad, fraction of half the aperture)."""
    return [(index * 2.0 * math.pi / count, radius) for index in range(count)]


def _spread(count: int) -> list[tuple[float, float]]:
    """Return angle around the axis and fraction of half the aperture of each ray (Webots, figure of
    DistanceSensor)."""
    if count == 2:
        return [(math.pi / 2.0, 1.0), (-math.pi / 2.0, 1.0)]
    if count == 3:
        return _ring(3)
    if count == 9:
        return _ring(3, 0.3) + _ring(6)
    if count == 10:
        return _CENTRE + _ring(3, 0.5) + _ring(6)
    if count < 10:
        return _CENTRE + _ring(count - 1) if count > 1 else _CENTRE
    rings: list[int] = []
    while sum(rings) < count:
        rings.append(min(3 * len(rings) + 1, count - sum(rings)))
    rays: list[tuple[float, float]] = []
    for orbit, size in enumerate(rings):
        for _ in range(size):
            rays.append((len(rays) * 2.0 * math.pi / size, orbit / (len(rings) - 1)))
    return rays


def ray_directions(count: int, aperture: float) -> FloatArray:
    """Return unit vectors of the rays in the frame of the device, (count, 3).

    Args:
        count: number of rays; up to 10 there is a fixed pattern, above that orbits of 1, 4, 7, … rays.
        aperture: full opening angle about the x axis in rad.
    """
    if count == 1:
        return np.array([[1.0, 0.0, 0.0]])
    rows = []
    for angle, part in _spread(count):
        theta, alpha = part * aperture / 2.0, angle + math.pi / 2.0
        rows.append((math.cos(theta), -math.sin(theta) * math.cos(alpha), math.sin(theta) * math.sin(alpha)))
    return np.array(rows)


def ray_weights(directions: FloatArray, aperture: float, width: float) -> FloatArray:
    """Return the weight of each ray, (n,), sum 1: exp(-(θ / (aperture·width))²), θ its angle to the x
    axis.

    Args:
        directions: (n, 3) unit vectors.
        aperture: rad.
        width: the `gaussianWidth` field.
    """
    if len(directions) == 1:
        return np.ones(1)
    angles = np.arccos(np.clip(directions[:, 0], -1.0, 1.0))
    weights = np.exp(-((angles / (aperture * width)) ** 2))
    return weights / weights.sum()
