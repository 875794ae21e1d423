"""Directions of a lidar's rays: layers one above the other, each from right to left."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

FULL_CIRCLE = 2.0 * math.pi - 1e-4
"""rad; a field of view of this or more closes: its two ends would be one direction. (Worlds write 6.2832.)"""


def azimuths(count: int, field_of_view: float) -> FloatArray:
    """Angles from the x axis, counter-clockwise and ascending, of the rays of a layer.

    The first and the last are at -fov/2 and fov/2; a full circle is divided into `count` equal parts and ends
    at π; a single ray looks ahead.

    Returns:
        (count,) rad, equally spaced.
    """
    if count == 1:
        return np.zeros(1)
    if field_of_view >= FULL_CIRCLE:
        steps: FloatArray = np.arange(count - 1, -1, -1.0)
        return math.pi - 2.0 * math.pi / count * steps
    return np.linspace(-field_of_view / 2.0, field_of_view / 2.0, count, dtype=np.float64)


def revolution(count: int) -> FloatArray:
    """Angles that a rotating head passes, from 0 (ahead) counter-clockwise once round; (count,) rad."""
    return np.asarray(2.0 * math.pi / count * np.arange(count), np.float64)


def elevations(layers: int, vertical_field_of_view: float) -> FloatArray:
    """Angles of the layers above the xy plane, from top to bottom; (layers,) rad. One layer is at 0."""
    if layers == 1:
        return np.zeros(1)
    return np.linspace(vertical_field_of_view / 2.0, -vertical_field_of_view / 2.0, layers)


def cone_directions(elevation: FloatArray, azimuth: FloatArray) -> FloatArray:
    """Each layer is a cone round the z axis: (cos φ·cos θ, cos φ·sin θ, sin φ).

    Returns:
        (layers, n, 3) unit vectors.
    """
    phi, theta = elevation[:, None], azimuth[None, :]
    flat = np.cos(phi)
    up = np.broadcast_to(np.sin(phi), (len(elevation), len(azimuth)))
    return np.stack([flat * np.cos(theta), flat * np.sin(theta), up], axis=-1)


def plane_directions(elevation: FloatArray, field_of_view: float, count: int) -> FloatArray:
    """Rays through points equally spaced on a plane x = 1: (1, y, tan φ), y from -tan(fov/2) to tan(fov/2).

    Returns:
        (layers, n, 3) unit vectors.
    """
    edge = math.tan(field_of_view / 2.0) if count > 1 else 0.0
    y, z = np.meshgrid(np.linspace(-edge, edge, count), np.tan(elevation))
    directions = np.stack([np.ones_like(y), y, z], axis=-1)
    return np.asarray(directions / np.linalg.norm(directions, axis=-1, keepdims=True))


def tilted(directions: FloatArray, angle: float) -> FloatArray:
    """Directions turned about the y axis so that the x axis rises by an angle in rad."""
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(directions @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))
