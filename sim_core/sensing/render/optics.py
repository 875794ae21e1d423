"""Projections and frustum tests."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray
from sim_core.sensing.picture_view import PictureView

PinholeFactors = tuple[float, float, float, float]
"""Factors of a pinhole projection: a point (x, y, z), x ahead, y left, z up, gets the clip coordinates
(-a·y, -b·z, c·x + d, x). Rows run downwards: the first row of the picture read back is its top.
"""

FACES = np.array(
    [
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        [[-1, 0, 0], [0, -1, 0], [0, 0, 1]],
        [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
        [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
    ],
    float,
)
"""Rotations from the axes of a cube's side (x out of it) to those of the eye, (6, 3, 3): ahead, left,
back, right, up, down.
"""


def tangents(view: PictureView) -> tuple[float, float]:
    """Return the tangents of half the horizontal and half the vertical angle of a planar view; pixels are
    square."""
    across = math.tan(view.horizontal / 2.0)
    return across, across * view.height / view.width


def pinhole(across: float, up: float, near: float, far: float) -> PinholeFactors:
    """Return a projection from the tangents of half its angles."""
    if math.isinf(far):
        return 1.0 / across, 1.0 / up, 1.0, -2.0 * near
    return 1.0 / across, 1.0 / up, (far + near) / (far - near), -2.0 * far * near / (far - near)


def in_frustum(
    middles: FloatArray, radii: FloatArray, across: float, up: float, near: float, far: float
) -> BoolArray:
    """Return which spheres lie at least partly within a pyramid along x, (n,).

    Args:
        middles: (n, 3) m, axes of the eye.
        radii: (n,) m.
        across, up: tangents of half the angles.
        near, far: m.
    """
    x, y, z = middles.T
    wide, high = math.hypot(1.0, across), math.hypot(1.0, up)
    return (
        (x + radii > near)
        & (x - radii < far)
        & ((np.abs(y) - across * x) / wide < radii)
        & ((np.abs(z) - up * x) / high < radii)
    )
