"""Hits of rays on simple shapes by textbook formulas: (n,) distances, inf for a miss.

Origins and directions are (n, 3), in the axes of the shape, whose centre is 0; origins lie outside.
"""

from __future__ import annotations

import numpy as np


def sphere(o: np.ndarray, d: np.ndarray, radius: float, centre: tuple[float, float, float] = (0, 0, 0)):
    """|o + t·d - c|² = r²: t = -b - √(b² - |o - c|² + r²) with b = (o - c)·d."""
    m = o - np.array(centre)
    b = (m * d).sum(axis=1)
    rest = b * b - (m * m).sum(axis=1) + radius * radius
    t = -b - np.sqrt(np.maximum(rest, 0.0))
    return np.where((rest >= 0.0) & (t >= 0.0), t, np.inf)


def box(o: np.ndarray, d: np.ndarray, size: tuple[float, float, float]):
    """The six faces one by one, each a part of a plane."""
    half = np.array(size) / 2.0
    best = np.full(len(o), np.inf)
    for axis in range(3):
        for side in (-1.0, 1.0):
            with np.errstate(divide="ignore", invalid="ignore"):
                t = (side * half[axis] - o[:, axis]) / d[:, axis]
                point = o + t[:, None] * d
            others = [other for other in range(3) if other != axis]
            on_face = (np.abs(point[:, others]) <= half[others]).all(axis=1)
            best = np.where(on_face & (t >= 0.0), np.minimum(best, t), best)
    return best


def tube(o: np.ndarray, d: np.ndarray, radius: float, height: float):
    """The side of a cylinder along z: a quadratic equation in the xy plane."""
    a = (d[:, :2] ** 2).sum(axis=1)
    b = (o[:, :2] * d[:, :2]).sum(axis=1)
    c = (o[:, :2] ** 2).sum(axis=1) - radius * radius
    rest = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (-b - np.sqrt(np.maximum(rest, 0.0))) / a
    z = o[:, 2] + t * d[:, 2]
    return np.where((rest >= 0.0) & (t >= 0.0) & (np.abs(z) <= height / 2.0), t, np.inf)


def cylinder(o: np.ndarray, d: np.ndarray, radius: float, height: float):
    """The side and the two discs at its ends."""
    best = tube(o, d, radius, height)
    for z in (-height / 2.0, height / 2.0):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (z - o[:, 2]) / d[:, 2]
            point = o + t[:, None] * d
        on_disc = (point[:, :2] ** 2).sum(axis=1) <= radius * radius
        best = np.where(on_disc & (t >= 0.0), np.minimum(best, t), best)
    return best


def capsule(o: np.ndarray, d: np.ndarray, radius: float, height: float):
    """The side and a sphere at each end."""
    ends = [sphere(o, d, radius, (0, 0, z)) for z in (-height / 2.0, height / 2.0)]
    return np.minimum.reduce([tube(o, d, radius, height), *ends])


def plane(o: np.ndarray, d: np.ndarray, size: tuple[float, float]):
    """A rectangle in z = 0, hit from above only."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -o[:, 2] / d[:, 2]
        point = o + t[:, None] * d
    on_it = (np.abs(point[:, 0]) <= size[0] / 2.0) & (np.abs(point[:, 1]) <= size[1] / 2.0)
    return np.where(on_it & (t >= 0.0) & (d[:, 2] < 0.0), t, np.inf)
