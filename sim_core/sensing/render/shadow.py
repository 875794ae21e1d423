"""Projection of the shadow map of a light. No GL."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray
from sim_core.sensing.picture_view import SPOT

TEXELS = 2048
"""Texels of a side of the map."""
SUN_REACH = 20.0
"""Distance from the eye in m beyond which the sun's shadows are not drawn."""
MIN_DISTANCE = 0.02
"""Distance from a lamp in m below which nothing casts a shadow."""
MAX_ANGLE = 1.4
"""Largest angle in rad from the axis of a spot light at which its shadows are drawn."""


class ShadowView(NamedTuple):
    """Projection of a shadow map.

    Attributes:
        matrix: (4, 4) from positions relative to the eye, world axes, to clip coordinates.
        step: size of a texel in m; of a spot light at a distance of 1 m.
        chosen: indices of the instances that cast shadows into it.
    """

    matrix: FloatArray
    step: float
    chosen: IntArray


def axes_along(ahead: FloatArray) -> FloatArray:
    """Return axes with the third one along a vector, (3, 3) rows: to the side, up, ahead."""
    ahead = ahead / np.linalg.norm(ahead)
    side = np.cross(ahead, np.eye(3)[int(np.argmin(abs(ahead)))])
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(ahead, side), ahead])


def perspective(axes: FloatArray, across: float, near: float, far: float) -> FloatArray:
    """Return the matrix (4, 4) from positions relative to a lamp to clip coordinates; near, far: m along
    its axis."""
    matrix = np.zeros((4, 4))
    matrix[:2, :3] = axes[:2] / across
    matrix[2, :3] = axes[2] * (far + near) / (far - near)
    matrix[2, 3] = -2.0 * far * near / (far - near)
    matrix[3, :3] = axes[2]
    return matrix


def shadow_view(
    light: FloatArray, eye: FloatArray, middles: FloatArray, radii: FloatArray, casts: BoolArray
) -> ShadowView | None:
    """Return the view of a light on the instances that cast shadows; None: there are none.

    Args:
        light: (20,) see `light_rows`.
        eye: (3,) m.
        middles, radii: (n, 3) and (n,) spheres around the instances, relative to the eye, m.
        casts: (n,) which of them cast shadows.
    """
    axes = axes_along(light[4:7])
    if light[0] == SPOT:
        return _of_spot(light, eye, axes, middles, radii, casts)
    places = middles @ axes.T
    near = casts & (np.abs(places[:, :2]) - radii[:, None] < SUN_REACH).all(axis=1)
    chosen = np.flatnonzero(near)
    if not len(chosen):
        return None
    low = (places[chosen] - radii[chosen, None]).min(axis=0)
    high = (places[chosen] + radii[chosen, None]).max(axis=0)
    low[:2], high[:2] = np.maximum(low[:2], -SUN_REACH), np.minimum(high[:2], SUN_REACH)
    size = high - low
    size[:2] = size[:2].max()  # square texels
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (2.0 / size)[:, None]
    matrix[:3, 3] = -(high + low) / size
    return ShadowView(matrix, float(size[0]) / TEXELS, chosen)


def _of_spot(
    light: FloatArray,
    eye: FloatArray,
    axes: FloatArray,
    middles: FloatArray,
    radii: FloatArray,
    casts: BoolArray,
) -> ShadowView | None:
    place = light[1:4] - eye
    depths = (middles - place) @ axes[2]
    chosen = np.flatnonzero(casts & (depths + radii > MIN_DISTANCE) & (depths - radii < light[16]))
    if not len(chosen):
        return None
    far = max(2.0 * MIN_DISTANCE, min(light[16], float((depths + radii)[chosen].max())))
    across = math.tan(min(light[18], MAX_ANGLE))
    rows = perspective(axes, across, MIN_DISTANCE, far)
    rows[:, 3] -= rows[:, :3] @ place
    return ShadowView(rows, 2.0 * across / TEXELS, chosen)
