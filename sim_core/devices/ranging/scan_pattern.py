"""Directions of a lidar's rays: layers one above the other, each from right to left."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import FloatArray

FULL_CIRCLE = 2.0 * math.pi - 1e-4
"""Field of view in rad from which a scan is a full circle, whose two ends are one direction (worlds have
6.2832)."""


def azimuths(count: int, field_of_view: float) -> FloatArray:
    """Return the angles from the x axis, counter-clockwise and ascending, of the rays of a layer.

    The field of view is divided into `count` equal columns, and the rays go through their middles, as those
    of a cylindrical RangeFinder do; a full circle ends at π, so that one ray points straight ahead.

    Returns:
        (count,) rad, equally spaced.
    """
    if field_of_view >= FULL_CIRCLE and count > 1:
        steps: FloatArray = np.arange(count - 1, -1, -1.0)
        return math.pi - 2.0 * math.pi / count * steps
    return field_of_view * _middles(count)


def _middles(count: int) -> FloatArray:
    """Return the middles of equal columns of a picture of width 1, from its middle, (count,)."""
    return np.asarray((np.arange(count) + 0.5) / count - 0.5, np.float64)


def revolution(count: int) -> FloatArray:
    """Return the angles that a rotating head passes, from 0 (ahead) counter-clockwise once around;
    (count,) rad."""
    return np.asarray(2.0 * math.pi / count * np.arange(count), np.float64)


def spread(count: int, first: float, last: float) -> FloatArray:
    """Return equally spaced angles from the first to the last; a single one is in the middle; (count,)
    rad."""
    return np.linspace(first, last, count) if count > 1 else np.array([(first + last) / 2.0])


def elevations(layers: int, vertical_field_of_view: float) -> FloatArray:
    """Return the angles of the layers above the xy plane, from top to bottom; (layers,) rad. One layer is
    at 0."""
    if layers == 1:
        return np.zeros(1)
    return np.linspace(vertical_field_of_view / 2.0, -vertical_field_of_view / 2.0, layers)


def cone_directions(elevation: FloatArray, azimuth: FloatArray) -> FloatArray:
    """Return the rays of layers that are cones around the z axis: (cos φ·cos θ, cos φ·sin θ, sin φ).

    Returns:
        (layers, n, 3) unit vectors.
    """
    phi, theta = elevation[:, None], azimuth[None, :]
    flat = np.cos(phi)
    up = np.broadcast_to(np.sin(phi), (len(elevation), len(azimuth)))
    return np.stack([flat * np.cos(theta), flat * np.sin(theta), up], axis=-1)


def plane_directions(elevation: FloatArray, field_of_view: float, count: int) -> FloatArray:
    """Return rays through the middles of equal columns of a plane x = 1: (1, y, tan φ), |y| below
    tan(fov/2).

    Returns:
        (layers, n, 3) unit vectors.
    """
    y, z = np.meshgrid(2.0 * math.tan(field_of_view / 2.0) * _middles(count), np.tan(elevation))
    directions = np.stack([np.ones_like(y), y, z], axis=-1)
    return np.asarray(directions / np.linalg.norm(directions, axis=-1, keepdims=True))


def tilted(directions: FloatArray, angle: float) -> FloatArray:
    """Rotate directions about the y axis so that the x axis rises by an angle in rad."""
    c, s = math.cos(angle), math.sin(angle)
    return np.asarray(directions @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))
