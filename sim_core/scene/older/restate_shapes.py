"""Geometries in other axes: sizes and points restated, or the geometry turned as a whole.

The geometries whose own axes are others since R2022a are those with an axis, which was y and is z now, and
those that face up. Boxes, spheres and points were left alone, so they are restated instead of turned; but
with a texture, or where friction tells their sides apart, they keep their axes and are turned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Vec3
from sim_core.base.turns import KEEP, Turn, after, back, swapped, turn_of, turned
from sim_core.scene.axes import Y_AXIS, Z_AXIS, rotation_field
from sim_core.scene.meshes.mesh_files import collada_frame
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.node import Node

ROUND_ABOUT_AXIS = ("Cylinder", "Capsule", "Cone")
OF_POINTS = ("IndexedFaceSet", "IndexedLineSet", "PointSet")


class ShapeChange(NamedTuple):
    """The pose in its frame, and the scale, that a restated geometry needs."""

    turn: Turn = KEEP
    translation: Vec3 = ZERO
    scale: float = 1.0

    @property
    def is_turned(self) -> bool:
        """Whether there has to be a Pose or a Transform around it."""
        return self.turn != KEEP or self.translation != ZERO or self.scale != 1.0


def restate_geometry(geometry: Node, basis: Turn, keeps_axes: bool) -> ShapeChange:
    """Restate a geometry.

    Args:
        basis: takes the axes of the frame that it stands in to those of today.
        keeps_axes: the sides of the geometry differ by more than their sizes.
    """
    name = geometry.type_name
    if name == "ElevationGrid" and geometry.axes.is_old:
        return _restate_grid(geometry, basis)
    if geometry.axes.is_old and (name in ROUND_ABOUT_AXIS or name == "Plane"):
        own = geometry.axes.own
        if not keeps_axes and turned(basis, Y_AXIS) == Z_AXIS:
            own = basis
            if name == "Plane" and turned(basis, (1.0, 0.0, 0.0))[0] == 0.0:
                length, width = geometry["size"]
                geometry["size"] = (width, length)
    elif keeps_axes and not (name in OF_POINTS and _has_own_texture(geometry)):
        own = KEEP
    elif name == "Box":
        own = basis
        if geometry.is_set("size"):
            geometry["size"] = swapped(basis, geometry["size"])
    elif name == "Sphere":
        own = basis
    elif name in OF_POINTS:
        own = basis
        _restate_points(geometry, basis)
    elif name == "Mesh" and geometry.axes.is_old:
        return _restate_mesh(geometry, basis)
    else:
        own = KEEP
    return ShapeChange(after(basis, back(own)))


def wrapped(node: Node, change: ShapeChange) -> Node:
    """The node within a Pose, or within a Transform that scales it."""
    pose = Node.create("Pose" if change.scale == 1.0 else "Transform")
    if change.scale != 1.0:
        pose["scale"] = (change.scale,) * 3
    pose.source = node.source
    if change.translation != ZERO:
        pose["translation"] = change.translation
    if change.turn != KEEP:
        pose["rotation"] = rotation_field(change.turn, (0.0, 0.0, 1.0, 0.0), KEEP)
    node.parent = node.parent_field = None
    pose["children"] = [node]
    return pose


def is_textured(appearance: Node | None) -> bool:
    """Whether an appearance has pictures on it."""
    return appearance is not None and any(each.type_name == "ImageTexture" for each in appearance.walk())


def _restate_points(geometry: Node, basis: Turn) -> None:
    if geometry["coord"] is not None:
        geometry["coord"]["point"] = [turned(basis, point) for point in geometry["coord"]["point"]]
    if geometry.has_field("normal") and geometry["normal"] is not None:
        geometry["normal"]["vector"] = [turned(basis, each) for each in geometry["normal"]["vector"]]


def _restate_mesh(mesh: Node, basis: Turn) -> ShapeChange:
    """Before R2022a the numbers of a Collada file counted as they stand, whatever its unit and up axis."""
    try:
        path = file_of(mesh).find() if mesh["url"] else None
        if path is None or path.suffix.lower() != ".dae":
            return ShapeChange(basis)
        turn, unit = collada_frame(path)
    except (SceneError, OSError, ValueError):
        return ShapeChange(basis)  # who reads the file will say so
    return ShapeChange(after(basis, back(turn_of(turn))), scale=1.0 / unit if unit > 0.0 else 1.0)


def _restate_grid(grid: Node, basis: Turn) -> ShapeChange:
    """An ElevationGrid lay in x and z: today it lies in x and y, so its rows come in the other order."""
    columns, rows, spacing = grid["xDimension"], grid["zDimension"], grid["zSpacing"]
    if not grid.is_set("zDimension") and grid.is_set("yDimension"):
        rows, spacing = grid["yDimension"], grid["ySpacing"]
    count = max(columns, 0) * max(rows, 0)
    heights = (list(grid["height"][:count]) + [0.0] * count)[:count]
    grid["height"] = _rows_turned(heights, columns)
    if grid["color"] is not None:
        across = columns if grid["colorPerVertex"] else columns - 1
        grid["color"]["color"] = _rows_turned(list(grid["color"]["color"]), across)
    grid["yDimension"], grid["ySpacing"] = rows, spacing
    grid.unset("zDimension")
    grid.unset("zSpacing")
    turn = after(basis, back(grid.axes.own))
    return ShapeChange(turn, turned(turn, (0.0, -(rows - 1) * spacing, 0.0)))


def _rows_turned(values: list[Any], columns: int) -> list[Any]:
    if columns < 1:
        return values
    rows = [values[start : start + columns] for start in range(0, len(values), columns)]
    return [value for row in reversed(rows) for value in row]


def _has_own_texture(geometry: Node) -> bool:
    """Whether the picture is fixed to the points, whatever the axes are."""
    return geometry.has_field("texCoord") and geometry["texCoord"] is not None
