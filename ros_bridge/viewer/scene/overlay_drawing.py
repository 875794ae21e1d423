"""Convert a MarkerArray of lines and points to arrays that a browser draws at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import Marker

from ros_bridge.viewer.scene.drawables import rgb
from sim_core.base.arrays import Float32Array

ColourArray = NDArray[np.uint8]


class OverlayDrawing(NamedTuple):
    """All that one message of an overlay shows.

    Attributes:
        lines, line_colours: (n, 2, 3) ends in m in the world frame; red, green, blue at the ends.
        dots, dot_colours: (m, 3).
    """

    lines: Float32Array
    line_colours: ColourArray
    dots: Float32Array
    dot_colours: ColourArray


def overlay_drawing(markers: Iterable[Any]) -> OverlayDrawing:
    """Return the LINE_LISTs and SPHERE_LISTs of a message whose markers have no pose of their own."""
    added = [each for each in markers if each.action == Marker.ADD]
    ends, point_colours = _points([each for each in added if each.type == Marker.LINE_LIST])
    spheres = [each for each in added if each.type == Marker.SPHERE_LIST]
    even = len(ends) // 2 * 2
    lines, line_colours = ends[:even].reshape(-1, 2, 3), point_colours[:even].reshape(-1, 2, 3)
    return OverlayDrawing(lines, line_colours, *_points(spheres))


def _points(markers: list[Any]) -> tuple[Float32Array, ColourArray]:
    """Return the points (n, 3) of all these markers, and their colours."""
    points = [(point.x, point.y, point.z) for each in markers for point in each.points]
    colours = [colour for each in markers for colour in [rgb(each.color)] * len(each.points)]
    return np.array(points, np.float32).reshape(-1, 3), np.array(colours, np.uint8).reshape(-1, 3)
