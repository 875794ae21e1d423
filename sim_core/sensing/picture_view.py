"""Parameters of repeated pictures: size, field of view, layers and lens.

Shared by devices and the render process; this module imports little, so that the process starts fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray

Layers = dict[str, NDArray[np.generic]]
"""Pictures by the layer's name: "color" and "segmentation" are (height, width, 4) uint8, blue, green,
red, alpha; "light" is the light shown by "color", (height, width, 4) float32, linear blue, green, red, before
any exposure; "depth" is (height, width) float32 in m, inf where nothing is.
"""

GAMMA = 2.2
"""Gamma exponent of pictures, as in Webots."""

FAST, FINE = "fast", "fine"
"""Rendering quality."""

POINT, SPOT, DIRECTIONAL = 0.0, 1.0, 2.0
"""Kinds of lights."""


@dataclass(frozen=True)
class LensModel:
    """Distortion of a planar picture by a lens: Brown's model, as the plumb_bob model of OpenCV and ROS.

    A point at (x, y) from the centre, in widths of the picture, x to the right, y down, is moved to (x·g +
    2·p1·x·y + p2·(r² + 2·x²), y·g + p1·(r² + 2·y²) + 2·p2·x·y) with g = 1 + k1·r² + k2·r⁴.

    Attributes:
        centre: fractions of the width from the left, and of the height from the top.
        radial: k1, k2.
        tangential: p1, p2.
    """

    centre: tuple[float, float] = (0.5, 0.5)
    radial: tuple[float, float] = (0.0, 0.0)
    tangential: tuple[float, float] = (0.0, 0.0)

    def distort(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, ...]:
        """Return the distorted coordinates of points, see the class."""
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
    """A repeated picture, seen along the x axis of a frame, z up.

    Attributes:
        width, height: pixels.
        horizontal: rad from the left to the right edge.
        near, far: m; what is nearer or farther is not drawn. far inf: no limit.
        projection: "planar" (a pinhole), "cylindrical" (columns at equal azimuths, rows at equal elevations)
            or "spherical" (equidistant: angles from the x axis grow with the distance from the middle, in
            fractions of width and height), as in Webots.
        layers: what is drawn, of "color", "light", "depth" and "segmentation". Depth is the distance along
            the x axis; in a spherical or cylindrical picture, from the eye.
        smooth: edges are smoothed (4 samples per pixel); in colour only.
        exposure: factor of all light, see `film`.
        lens: of a planar picture; None: no distortion.
        focus: of a planar picture in colour; None: everything is sharp.
        look: "fast", or "fine": with soft shadows of up to seven lights, light from the whole sky, and smooth
            edges; of a planar picture in colour.
        occlusion: distance in m up to which shapes hide the sky from each other in a fine picture; 0: not at
            all.
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
    look: str = FAST
    occlusion: float = 2.0

    @property
    def is_fine(self) -> bool:
        """True if colours are drawn in fine quality."""
        return self.look == FINE and self.projection == "planar"


def film(light: NDArray[np.floating], exposure: float) -> NDArray[np.floating]:
    """Return the picture's values for light, 255·(1 - exp(-light·exposure))^(1/2.2), from 0 to 255."""
    darkness = np.exp(-exposure * np.maximum(light, 0.0))
    shown: NDArray[np.floating] = 255.0 * (1.0 - darkness) ** (1.0 / GAMMA)
    return shown


UNDISTORT_STEPS = 40
MAX_UNDISTORTED = 1.0
"""Limit of undistorted coordinates, in widths of the picture from its middle."""


def undistorted(view: PictureView) -> tuple[FloatArray, FloatArray]:
    """Return the coordinates that each pixel would have without the lens.

    Returns:
        (height, width) columns and rows, in pixels from the middle of the picture to the right and downwards.
    """
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
    for _ in range(UNDISTORT_STEPS):  # x = wanted - (distort(x) - x)
        distorted_x, distorted_y = view.lens.distort(found_x, found_y)
        found_x = np.clip(found_x + wanted_x - distorted_x, -MAX_UNDISTORTED, MAX_UNDISTORTED)
        found_y = np.clip(found_y + wanted_y - distorted_y, -MAX_UNDISTORTED, MAX_UNDISTORTED)
    return found_x * view.width + off_x, found_y * view.width + off_y


def pixel_directions(view: PictureView) -> FloatArray:
    """Return the vectors from the eye through the middles of the pixels; times the depth they give the
    visible point.

    Of a planar picture x is 1; the others are of length 1. In a cylindrical picture the columns are at equal
    steps of azimuth and the rows at equal steps of elevation, both horizontal/width. A point of a spherical
    picture at u widths and v heights from the middle is at the angle horizontal·√(u² + v²) to the x axis.

    Returns:
        (height, width, 3), axes of the eye.
    """
    columns = (view.width - 1) / 2.0 - np.arange(view.width)
    rows = ((view.height - 1) / 2.0 - np.arange(view.height))[:, None]
    found = np.ones((view.height, view.width, 3))
    if view.projection == "planar":
        step = 2.0 * math.tan(view.horizontal / 2.0) / view.width
        right, down = undistorted(view)
        found[..., 1], found[..., 2] = -step * right, -step * down
        return found
    across, up = columns * view.horizontal / view.width, rows * view.horizontal / view.width
    if view.projection == "cylindrical":
        level = np.cos(up)
        found[..., 0], found[..., 1], found[..., 2] = (
            level * np.cos(across),
            level * np.sin(across),
            np.sin(up),
        )
        return found
    up = rows * view.horizontal / view.height
    away = np.hypot(across, up)
    part = np.sinc(away / math.pi)  # sin(away)/away
    found[..., 0], found[..., 1], found[..., 2] = np.cos(away), part * across, part * up
    return found


LARGEST_BLUR = 10.0
"""Largest diameter of the circle of confusion in pixels, as in Webots."""


@dataclass(frozen=True)
class FocusModel:
    """Focus of a picture: points out of focus are spread over a disc, the circle of confusion (Webots
    reference, Focus).

    Its diameter is 10 px·min(1, |depth - distance|/length). That is Webots' rule: the node has no aperture,
    which a thin lens would need. `focalLength` sets the depth of field: the larger, the deeper.

    Attributes:
        distance: m along the axis to what is sharp, above 0.
        length: m before and behind it, above 0, from which on the disc is largest.
    """

    distance: float
    length: float
