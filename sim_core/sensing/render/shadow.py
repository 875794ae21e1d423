"""Where the shadow map of a light lies. No GL."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.sensing.picture_view import SPOT

TEXELS = 2048
"""Of a side of the map."""
REACH = 20.0
"""m from the eye; the shadows of the sun on what is farther are not drawn."""
NEAREST = 0.02
"""m from a spot light; what is nearer casts no shadow."""
WIDEST = 1.4
"""rad from the axis of a spot light in which its shadows are drawn."""


class ShadowView(NamedTuple):
    """How a map is drawn, and read.

    Attributes:
        matrix: (4, 4) from places seen from the eye, world axes, to clip coordinates.
        step: size of a texel in m; of a spot light at distance 1.
        chosen: which instances cast shadows into it.
    """

    matrix: NDArray[np.float64]
    step: float
    chosen: NDArray[np.int64]


def shadow_view(
    light: NDArray[np.float64],
    eye: NDArray[np.float64],
    middles: NDArray[np.float64],
    radii: NDArray[np.float64],
    casts: NDArray[np.bool_],
) -> ShadowView | None:
    """The view of a light on what casts shadows; None: nothing does.

    Args:
        light: (20,) see `light_rows`.
        eye: (3,) m.
        middles, radii: (n, 3) and (n,) spheres round the instances, from the eye, m.
        casts: (n,) which of them cast shadows.
    """
    ahead = light[4:7] / np.linalg.norm(light[4:7])
    side = np.cross(ahead, np.eye(3)[int(np.argmin(abs(ahead)))])
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(ahead, side), ahead])
    if light[0] == SPOT:
        return _of_spot(light, eye, axes, middles, radii, casts)
    places = middles @ axes.T
    near = casts & (np.abs(places[:, :2]) - radii[:, None] < REACH).all(axis=1)
    chosen = np.flatnonzero(near)
    if not len(chosen):
        return None
    low = (places[chosen] - radii[chosen, None]).min(axis=0)
    high = (places[chosen] + radii[chosen, None]).max(axis=0)
    low[:2], high[:2] = np.maximum(low[:2], -REACH), np.minimum(high[:2], REACH)
    size = high - low
    size[:2] = size[:2].max()  # square texels
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (2.0 / size)[:, None]
    matrix[:3, 3] = -(high + low) / size
    return ShadowView(matrix, float(size[0]) / TEXELS, chosen)


def _of_spot(
    light: NDArray[np.float64],
    eye: NDArray[np.float64],
    axes: NDArray[np.float64],
    middles: NDArray[np.float64],
    radii: NDArray[np.float64],
    casts: NDArray[np.bool_],
) -> ShadowView | None:
    place = light[1:4] - eye
    depths = (middles - place) @ axes[2]
    chosen = np.flatnonzero(casts & (depths + radii > NEAREST) & (depths - radii < light[16]))
    if not len(chosen):
        return None
    far = max(2.0 * NEAREST, min(light[16], float((depths + radii)[chosen].max())))
    across = math.tan(min(light[18], WIDEST))
    rows = np.zeros((4, 4))
    rows[:2, :3] = axes[:2] / across
    rows[2, :3] = axes[2] * (far + NEAREST) / (far - NEAREST)
    rows[3, :3] = axes[2]
    rows[:, 3] = -rows[:, :3] @ place
    rows[2, 3] -= 2.0 * far * NEAREST / (far - NEAREST)
    return ShadowView(rows, 2.0 * across / TEXELS, chosen)
