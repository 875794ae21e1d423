"""Convert visualization_msgs/Marker to drawable shapes, independent of how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from visualization_msgs.msg import Marker

from ros_bridge.viewer.scene.marker_meshes import MeshFiles, arrow, boxes
from sim_core.base.geometry import Vec3

Rgb8 = tuple[int, int, int]
MESHES = MeshFiles()
WHITE = 255
"""Colour value of the background that transparent lines are mixed with."""


@dataclass(frozen=True, eq=False)
class Drawable:
    """Look of one marker, in its own frame.

    Attributes:
        kind: `box`, `sphere` and `cylinder` (all 1 m wide and high, axis z), `mesh`, `lines`, `points`,
            `text`, `file`.
        scale: factors along x, y, z.
        colour: red, green, blue, 0 to 255.
        opacity: 0 to 1.
        points: mesh: corners of triangles, shape (3 n, 3); lines: ends, shape (n, 2, 3); points: shape (n,
            3);
        in m.
        point_colours: colours of the points, of the same shape, uint8; None: all have `colour`.
        width: of lines and points, in m.
        text: the text shown.
        file: binary glTF.
    """

    kind: str
    scale: Vec3 = (1.0, 1.0, 1.0)
    colour: Rgb8 = (WHITE, WHITE, WHITE)
    opacity: float = 1.0
    points: np.ndarray | None = None
    point_colours: np.ndarray | None = None
    width: float = 0.0
    text: str = ""
    file: bytes = b""

    def has_form_of(self, other: Drawable) -> bool:
        """Return whether at most colour and opacity differ."""
        return (
            (self.kind, self.scale, self.width, self.text, self.file)
            == (other.kind, other.scale, other.width, other.text, other.file)
            and _same(self.points, other.points)
            and _same(self.point_colours, other.point_colours)
        )

    def has_colour_of(self, other: Drawable) -> bool:
        """Return whether colour and opacity are the same."""
        return (self.colour, self.opacity) == (other.colour, other.opacity)


@dataclass(frozen=True)
class ShapePose:
    """Pose of a shape: position in m, and a quaternion (w, x, y, z), the order that the browser uses."""

    position: Vec3
    wxyz: tuple[float, float, float, float]


def drawable_of(marker: Any) -> Drawable | None:
    """Return the shape of a marker; None for types that are not drawn and for lines without a point."""
    make = _KINDS.get(marker.type)
    return make(marker) if make else None


def shape_pose_of(marker: Any) -> ShapePose:
    """Return the pose of a marker; an all-zero quaternion (not set) means no rotation."""
    position, turn = marker.pose.position, marker.pose.orientation
    quaternion = (turn.w, turn.x, turn.y, turn.z)
    return ShapePose(
        (position.x, position.y, position.z), quaternion if any(quaternion) else (1.0, 0.0, 0.0, 0.0)
    )


def rgb(colour: Any) -> Rgb8:
    """Convert a std_msgs/ColorRGBA to three bytes."""
    red, green, blue = (round(255 * min(max(part, 0.0), 1.0)) for part in (colour.r, colour.g, colour.b))
    return red, green, blue


def _solid(kind: str) -> Callable[[Any], Drawable]:
    def make(marker: Any) -> Drawable:
        return Drawable(kind, _scale(marker), rgb(marker.color), _opacity(marker))

    return make


def _mesh(marker: Any) -> Drawable | None:
    """Make triangles, with a colour for each corner, for each triangle, or for all."""
    points = _points(marker)
    count = len(points) // 3
    if count == 0:
        return None
    point_colours = _point_colours(marker, len(points))
    if point_colours is None and (of_triangles := _point_colours(marker, count)) is not None:
        point_colours = np.repeat(of_triangles, 3, axis=0)
    point_colours = None if point_colours is None else point_colours[: 3 * count]
    colour, opacity = rgb(marker.color), _opacity(marker)
    if point_colours is not None:
        if len(np.unique(point_colours, axis=0)) == 1:  # a shape of one colour can be recoloured in place
            red, green, blue = point_colours[0].tolist()
            colour, point_colours = (red, green, blue), None
        opacity = opacity or 1.0  # publishers that colour corners may leave the marker's own colour unset
    return Drawable("mesh", _scale(marker), colour, opacity, points[: 3 * count], point_colours)


def _arrow(marker: Any) -> Drawable | None:
    points = arrow(marker)
    return None if points is None else _triangles(marker, points)


def _mesh_file(marker: Any) -> Drawable | None:
    file = MESHES.glb_of(marker)
    if file is not None:
        return Drawable("file", _scale(marker), file=file)
    points = MESHES.triangles_of(marker)
    return None if points is None else _triangles(marker, points, _scale(marker))


def _triangles(marker: Any, points: np.ndarray, scale: Vec3 = (1.0, 1.0, 1.0)) -> Drawable:
    return Drawable("mesh", scale, rgb(marker.color), _opacity(marker), points)


def _boxes(marker: Any) -> Drawable | None:
    points, point_colours = _points(marker), _point_colours(marker, len(marker.points))
    if not len(points):
        return None
    corners = boxes(points, _scale(marker))
    many = None if point_colours is None else np.repeat(point_colours, len(corners) // len(points), axis=0)
    opacity = _opacity(marker) if point_colours is None else _opacity(marker) or 1.0
    return Drawable("mesh", (1.0, 1.0, 1.0), rgb(marker.color), opacity, corners, many)


def _dots(marker: Any) -> Drawable | None:
    """Draw points and lists of spheres as round dots."""
    points = _points(marker)
    if not len(points):
        return None
    point_colours = _point_colours(marker, len(points))
    return Drawable("points", (1.0, 1.0, 1.0), rgb(marker.color), 1.0, points, point_colours, marker.scale.x)


def _line_list(marker: Any) -> Drawable | None:
    points = _points(marker)
    ends = points[: len(points) // 2 * 2].reshape(-1, 2, 3)
    point_colours = _point_colours(marker, len(points))
    return _lines(
        marker, ends, None if point_colours is None else point_colours[: 2 * len(ends)].reshape(-1, 2, 3)
    )


def _line_strip(marker: Any) -> Drawable | None:
    points, point_colours = _points(marker), _point_colours(marker, len(marker.points))
    ends = np.stack((points[:-1], points[1:]), axis=1)
    return _lines(
        marker,
        ends,
        None if point_colours is None else np.stack((point_colours[:-1], point_colours[1:]), axis=1),
    )


def _lines(marker: Any, ends: np.ndarray, point_colours: np.ndarray | None) -> Drawable | None:
    if len(ends) == 0:
        return None
    return Drawable("lines", (1.0, 1.0, 1.0), rgb(marker.color), 1.0, ends, point_colours, marker.scale.x)


def _text(marker: Any) -> Drawable:
    return Drawable("text", _scale(marker), rgb(marker.color), _opacity(marker), text=marker.text)


def _points(marker: Any) -> np.ndarray:
    flat = [part for point in marker.points for part in (point.x, point.y, point.z)]
    return np.array(flat, dtype=np.float32).reshape(-1, 3)


def _point_colours(marker: Any, count: int) -> np.ndarray | None:
    """Return colours of points; transparent ones are mixed with white, as the browser draws opaque lines."""
    if count == 0 or len(marker.colors) != count:
        return None
    colours = np.array([(*rgb(ink), min(max(ink.a, 0.0), 1.0)) for ink in marker.colors], dtype=float)
    density = colours[:, 3:]
    return np.rint(colours[:, :3] * density + WHITE * (1.0 - density)).astype(np.uint8)


def _scale(marker: Any) -> Vec3:
    return (marker.scale.x, marker.scale.y, marker.scale.z)


def _opacity(marker: Any) -> float:
    return float(round(min(max(marker.color.a, 0.0), 1.0), 3))


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


_KINDS: dict[int, Callable[[Any], Drawable | None]] = {
    Marker.CUBE: _solid("box"),
    Marker.SPHERE: _solid("sphere"),
    Marker.CYLINDER: _solid("cylinder"),
    Marker.TRIANGLE_LIST: _mesh,
    Marker.ARROW: _arrow,
    Marker.MESH_RESOURCE: _mesh_file,
    Marker.CUBE_LIST: _boxes,
    Marker.POINTS: _dots,
    Marker.SPHERE_LIST: _dots,
    Marker.LINE_LIST: _line_list,
    Marker.LINE_STRIP: _line_strip,
    Marker.TEXT_VIEW_FACING: _text,
}
