"""What is drawn again and again: a picture's size, field of view, layers and lens.

Known to devices and to the render process alike, which starts faster without what devices need beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_core.sensing.focus import FocusModel

Layers = dict[str, NDArray[np.generic]]
"""Pictures by the layer's name: "color" and "segmentation" are (height, width, 4) uint8, blue, green,
red, alpha (sRGB); "depth" is (height, width) float32 in m, inf where nothing is."""

POINT, SPOT, DIRECTIONAL = 0.0, 1.0, 2.0
"""Kinds of lights."""


@dataclass(frozen=True)
class LensModel:
    """What a lens does to a planar picture: Brown's model, as the plumb_bob model of OpenCV and ROS.

    A point at (x, y) from the centre, in widths of the picture, x to the right, y down, goes to
    (x·g + 2·p1·x·y + p2·(r² + 2·x²), y·g + p1·(r² + 2·y²) + 2·p2·x·y) with g = 1 + k1·r² + k2·r⁴.

    Attributes:
        centre: parts of the width from the left, and of the height from the top.
        radial: k1, k2.
        tangential: p1, p2.
    """

    centre: tuple[float, float] = (0.5, 0.5)
    radial: tuple[float, float] = (0.0, 0.0)
    tangential: tuple[float, float] = (0.0, 0.0)

    def bent(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Where points go, see above."""
        (k1, k2), (p1, p2) = self.radial, self.tangential
        square = x * x + y * y
        factor = 1.0 + square * (k1 + square * k2)
        cross = 2.0 * x * y
        return (
            x * factor + p1 * cross + p2 * (square + 2.0 * x * x),
            y * factor + p1 * (square + 2.0 * y * y) + p2 * cross,
        )


@dataclass(frozen=True)
class PictureView:
    """A picture to be drawn again and again, seen along the x axis of a frame, z up.

    Attributes:
        width, height: pixels.
        horizontal: rad from the left to the right edge.
        near, far: m; what is nearer or farther is not drawn. far inf: no limit.
        projection: "planar" (a pinhole), "cylindrical" (columns at equal angles) or "spherical" (rows too).
        layers: what is drawn, of "color", "depth" and "segmentation". Depth is the distance along the x axis;
            in a spherical picture, or a cylindrical one, from the eye.
        smooth: edges are smoothed (4 samples per pixel); in colour alone.
        exposure: factor of all light.
        lens: of a planar picture; None: nothing is bent.
        focus: of a planar picture in colour; None: all is sharp.
    """

    width: int
    height: int
    horizontal: float
    near: float
    far: float
    projection: str = "planar"
    layers: tuple[str, ...] = ("color",)
    smooth: bool = False
    exposure: float = 1.0
    lens: LensModel | None = None
    focus: FocusModel | None = None


UNBENT_STEPS = 40
MOST_UNBENT = 1.0
"""Widths of the picture from its middle; what a lens would show from beyond is shown from there."""


def unbent(view: PictureView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(height, width) columns and rows, in pixels from the middle of the picture to the right and downwards,
    of what each pixel would be without the lens."""
    x = np.broadcast_to(np.arange(view.width) - (view.width - 1) / 2.0, (view.height, view.width))
    y = np.broadcast_to(
        (np.arange(view.height) - (view.height - 1) / 2.0)[:, None], (view.height, view.width)
    )
    if view.lens is None:
        return x, y
    off_x = (view.lens.centre[0] - 0.5) * view.width
    off_y = (view.lens.centre[1] - 0.5) * view.height
    wanted_x, wanted_y = (x - off_x) / view.width, (y - off_y) / view.width
    found_x, found_y = wanted_x.copy(), wanted_y.copy()
    for _ in range(UNBENT_STEPS):  # x = wanted - (bent(x) - x)
        bent_x, bent_y = view.lens.bent(found_x, found_y)
        found_x = np.clip(found_x + wanted_x - bent_x, -MOST_UNBENT, MOST_UNBENT)
        found_y = np.clip(found_y + wanted_y - bent_y, -MOST_UNBENT, MOST_UNBENT)
    return found_x * view.width + off_x, found_y * view.width + off_y


def pixel_directions(view: PictureView) -> NDArray[np.float64]:
    """(height, width, 3) what the middle of each pixel sees lies on this vector times its depth, axes
    of the eye.

    Of a planar picture x is 1; the others are of length 1. In a cylindrical picture the columns are at
    equal steps of azimuth and the rows at equal steps of height on a cylinder round z; in a spherical
    one the rows are at equal steps of elevation. Pixels in the middle are square.
    """
    columns = (view.width - 1) / 2.0 - np.arange(view.width)
    rows = ((view.height - 1) / 2.0 - np.arange(view.height))[:, None]
    found = np.ones((view.height, view.width, 3))
    if view.projection == "planar":
        step = 2.0 * math.tan(view.horizontal / 2.0) / view.width
        right, down = unbent(view)
        found[..., 1], found[..., 2] = -step * right, -step * down
        return found
    step = view.horizontal / view.width
    azimuths = step * columns
    if view.projection == "cylindrical":
        rise, level = step * rows, 1.0
    else:
        rise, level = np.sin(step * rows), np.cos(step * rows)
    found[..., 0], found[..., 1], found[..., 2] = level * np.cos(azimuths), level * np.sin(azimuths), rise
    unit: NDArray[np.float64] = found / np.linalg.norm(found, axis=2, keepdims=True)
    return unit
