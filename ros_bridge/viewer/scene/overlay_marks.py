"""A MarkerArray of lines and dots → arrays that a browser draws in one go."""

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
        lines, line_colours: (n, 2, 3) ends in m, world; red, green, blue at the ends.
        dots, dot_colours: (m, 3).
        dot_size: m.
    """

    lines: Float32Array
    line_colours: ColourArray
    dots: Float32Array
    dot_colours: ColourArray
    dot_size: float


def drawn(markers: Iterable[Any]) -> OverlayDrawing:
    """The LINE_LISTs and SPHERE_LISTs of a message whose markers have no pose of their own."""
    lines: list[Float32Array] = []
    line_colours: list[ColourArray] = []
    dots: list[Float32Array] = []
    dot_colours: list[ColourArray] = []
    size = 0.0
    for marker in markers:
        if marker.action != Marker.ADD or marker.type not in (Marker.LINE_LIST, Marker.SPHERE_LIST):
            continue
        flat = [part for point in marker.points for part in (point.x, point.y, point.z)]
        points = np.array(flat, np.float32).reshape(-1, 3)
        is_line = marker.type == Marker.LINE_LIST
        (lines if is_line else dots).append(points)
        colours = np.tile(np.array(rgb(marker.color), np.uint8), (len(points), 1))
        (line_colours if is_line else dot_colours).append(colours)
        if not is_line:
            size = marker.scale.x
    ends = _all(lines, np.float32)
    count = len(ends) // 2
    return OverlayDrawing(
        ends[: 2 * count].reshape(-1, 2, 3),
        _all(line_colours, np.uint8)[: 2 * count].reshape(-1, 2, 3),
        _all(dots, np.float32),
        _all(dot_colours, np.uint8),
        size,
    )


def _all(parts: list[Any], kind: Any) -> Any:
    return np.concatenate(parts) if parts else np.empty((0, 3), kind)
