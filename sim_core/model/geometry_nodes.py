"""Geometry nodes as records: the one place that knows their fields."""

from __future__ import annotations

from collections.abc import Callable

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
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.node import Node


def geometry_of(node: Node) -> Geometry | None:
    """The record of a geometry node, or of a CadShape, as it is now; None: it has no surface."""
    make = _MAKERS.get(node.type_name)
    return make(node) if make is not None else None


def _cylinder(node: Node) -> Cylinder:
    return Cylinder(node["radius"], node["height"], node["side"], node["top"], node["bottom"])


def _capsule(node: Node) -> Capsule:
    return Capsule(node["radius"], node["height"], node["side"], node["top"], node["bottom"])


def _face_set(node: Node) -> IndexedFaceSet:
    coord, tex_coord = node["coord"], node["texCoord"]
    return IndexedFaceSet(
        coord["point"] if coord is not None else (),
        node["coordIndex"],
        node["ccw"],
        tex_coord["point"] if tex_coord is not None else (),
        node["texCoordIndex"],
    )


def _elevation_grid(node: Node) -> ElevationGrid:
    spacing = (node["xSpacing"], node["ySpacing"])
    return ElevationGrid(node["height"], node["xDimension"], node["yDimension"], spacing, node["thickness"])


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
    "Mesh": _mesh,
    "Plane": lambda node: Plane(node["size"]),
    "Sphere": lambda node: Sphere(node["radius"]),
}
