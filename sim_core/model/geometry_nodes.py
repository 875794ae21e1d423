"""Conversion of geometry nodes to records; the only module that uses their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Vec3
from sim_core.base.limits import limit, limit_text
from sim_core.base.turns import NO_TURN, Turn, composed, inverse, turn_of
from sim_core.model.geometry import (
    Box,
    CadShape,
    Capsule,
    Cone,
    Cylinder,
    ElevationGrid,
    FileMesh,
    Geometry,
    IndexedFaceSet,
    Plane,
    Sphere,
)
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.scene.meshes.mesh_files import FARTHEST, collada_frame
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.meshes.picture_files import PictureError
from sim_core.scene.node import CURRENT_AXES, Node
from sim_core.scene.scene import Scene


def geometry_of(node: Node) -> Geometry | None:
    """Return the record of a geometry node, or of a CadShape, as it is now; None: it has no surface.

    Raises:
        SceneError: it is a grid with too many points.
    """
    make = _MAKERS.get(node.type_name)
    return make(node) if make is not None else None


class GeometryPlacement(NamedTuple):
    """Pose and scale of a geometry in the frame of its node, whose axes may differ.

    Attributes:
        turn: rotation from the axes of the geometry to those of the frame.
        shift: its origin, along its own axes, m.
        scale: of a mesh whose file has another unit than today.
    """

    turn: Turn = NO_TURN
    shift: Vec3 = ZERO
    scale: float = 1.0


NOT_MOVED = GeometryPlacement()


def placement_of(node: Node) -> GeometryPlacement:
    """Return the placement of a geometry in its frame; in files of today it has the axes of the frame."""
    axes = node.axes
    if axes is CURRENT_AXES:
        return NOT_MOVED
    turn = composed(axes.above, inverse(axes.own))
    if axes.is_old and node.type_name == "ElevationGrid":
        rows, spacing = _rows(node)
        return GeometryPlacement(turn, (0.0, -(rows - 1) * spacing, 0.0))
    if axes.is_old and node.type_name == "Mesh":
        own, unit = _collada(node)
        return GeometryPlacement(composed(turn, inverse(own)), scale=1.0 / unit if unit > 0.0 else 1.0)
    return GeometryPlacement(turn)


def _collada(mesh: Node) -> tuple[Turn, float]:
    """Return axes and unit of a Collada file; before R2022a its numbers were used unchanged."""
    try:
        path = file_of(mesh).find_file() if mesh["url"] else None
        if path is None or path.suffix.lower() != ".dae":
            return NO_TURN, 1.0
        matrix, unit = collada_frame(path)
    except (SceneError, OSError, ValueError):
        return NO_TURN, 1.0  # reading the file will report the error
    return turn_of(matrix), unit


def _cylinder(node: Node) -> Cylinder:
    return Cylinder(node["radius"], node["height"], node["side"], node["top"], node["bottom"])


def _capsule(node: Node) -> Capsule:
    return Capsule(node["radius"], node["height"], node["side"], node["top"], node["bottom"])


def _face_set(node: Node) -> IndexedFaceSet:
    tex_coord = node["texCoord"]
    return IndexedFaceSet(
        _coord(node),
        node["coordIndex"],
        node["ccw"],
        tex_coord["point"] if tex_coord is not None else (),
        node["texCoordIndex"],
        node["creaseAngle"],
        node["normal"]["vector"] if node["normal"] is not None else (),
        node["normalIndex"],
        node["normalPerVertex"],
    )


def _elevation_grid(node: Node) -> ElevationGrid:
    columns, (rows, spacing) = node["xDimension"], _rows(node)
    if columns * rows > limit("grid_points"):
        raise SceneError(*node.source, f"ElevationGrid of {columns * rows} points", limit_text("grid_points"))
    heights: Sequence[float] = node["height"]
    if node.axes.is_old:  # it was in x and z: its rows are in the opposite order
        count = max(columns, 0) * max(rows, 0)
        table = [*heights[:count], *[0.0] * (count - len(heights))]
        heights = [value for end in range(count, 0, -max(columns, 1)) for value in table[end - columns : end]]
    return ElevationGrid(heights, columns, rows, (node["xSpacing"], spacing), node["thickness"])


def _points(node: Node) -> PointSet:
    return PointSet(_coord(node), node["color"]["color"] if node["color"] is not None else None)


def _coord(node: Node) -> Sequence[Vec3]:
    return node["coord"]["point"] if node["coord"] is not None else ()


def _rows(grid: Node) -> tuple[int, float]:
    """Return the number of rows of an ElevationGrid, and their spacing."""
    if grid.axes.is_old and (grid.is_set("zDimension") or not grid.is_set("yDimension")):
        return grid["zDimension"], grid["zSpacing"]
    return grid["yDimension"], grid["ySpacing"]


def _mesh(node: Node) -> FileMesh:
    file = file_of(node) if node["url"] else None
    return FileMesh(file, node["ccw"], node["name"], node["materialIndex"])


_MAKERS: dict[str, Callable[[Node], Geometry]] = {
    "Box": lambda node: Box(node["size"]),
    "CadShape": lambda node: CadShape(file_of(node) if node["url"] else None, node["ccw"]),
    "Capsule": _capsule,
    "Cone": lambda node: Cone(node["bottomRadius"], node["height"], node["side"], node["bottom"]),
    "Cylinder": _cylinder,
    "ElevationGrid": _elevation_grid,
    "IndexedFaceSet": _face_set,
    "IndexedLineSet": lambda node: LineSet(_coord(node), node["coordIndex"]),
    "Mesh": _mesh,
    "Plane": lambda node: Plane(node["size"]),
    "PointSet": _points,
    "Sphere": lambda node: Sphere(node["radius"]),
}


def check_points(nodes: Iterable[Node]) -> None:
    """Check the sizes of geometries with point lists, also of those that are not used yet.

    Raises:
        SceneError: one has too many points, or points that are too far away.
    """
    for node in nodes:
        match node.type_name:
            case "ElevationGrid":
                grid = _elevation_grid(node)
                (x, y), columns, rows = grid.spacing, grid.columns, grid.rows
                lengths: Sequence[float] | Sequence[Vec3] = [*grid.height, x * columns, y * rows]
            case "IndexedFaceSet" | "IndexedLineSet" | "PointSet":
                lengths = _coord(node)
            case _:
                continue
        if not (np.abs(np.array(lengths, dtype=float)) < FARTHEST).all():
            raise SceneError(
                *node.source, f"{node.type_name} with coordinates beyond {FARTHEST:g} m", "nearer ones"
            )


def broken_files(scene: Scene) -> list[SceneError]:
    """Return one warning for each mesh file that exists and cannot be used, or lacks a picture."""
    found: dict[str, SceneError] = {}
    for node in scene.walk():
        mesh = geometry_of(node)
        if not isinstance(mesh, FileMesh) or mesh.file is None:
            continue
        try:
            mesh.file.find_file()
        except SceneError:
            continue  # reported when the scene was read
        try:
            parts = mesh.parts
        except SceneError as error:
            found.setdefault(error.found, error)
            continue
        pictures = [part.picture for part in parts if part.picture and isinstance(mesh, CadShape)]
        for picture in dict.fromkeys(pictures):
            try:
                picture.pixels()
            except PictureError as error:
                what = f'CadShape.url {mesh.file.url}: its picture "{picture.name}": {error}'
                found.setdefault(what, SceneError(*node.source, what))
    return list(found.values())
