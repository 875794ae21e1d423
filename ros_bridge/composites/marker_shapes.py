"""Geometries as the parts that RViz can draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3
from sim_core.scene import Node
from sim_core.scene.meshes.mesh_nodes import asset_file, mesh_parts
from sim_core.scene.meshes.triangles import triangles_of

PLANE_THICKNESS = 0.001
CONE_SIDES = 24
MOST_SENT = 20_000
"""Triangles of a mesh file that are sent as they are; of a larger one RViz is told where it is."""


class Part(NamedTuple):
    """One marker: its kind by its name in visualization_msgs/Marker, its size in m, its place."""

    kind: str
    size: Vec3
    pose: Pose = Pose()
    points: Sequence[Vec3] = ()
    """Of a TRIANGLE_LIST: three corners for each triangle."""
    colour: tuple[float, float, float, float] | None = None
    """Of its own; None: that of the appearance."""
    file: str = ""
    """Of a MESH_RESOURCE: a URL."""


def parts_of(geometry: Node) -> list[Part]:
    """The parts of a geometry; none for one that cannot be drawn with markers."""
    make = _PARTS.get(geometry.type_name)
    return make(geometry) if make else []


def _box(node: Node) -> list[Part]:
    return [Part("CUBE", node["size"])]


def _sphere(node: Node) -> list[Part]:
    width = 2.0 * node["radius"]
    return [Part("SPHERE", (width, width, width))]


def _cylinder(node: Node) -> list[Part]:
    width = 2.0 * node["radius"]
    return [Part("CYLINDER", (width, width, node["height"]))]


def _capsule(node: Node) -> list[Part]:
    half = node["height"] / 2.0
    ends = [Part(part.kind, part.size, Pose((0.0, 0.0, z))) for part in _sphere(node) for z in (half, -half)]
    return _cylinder(node) + ends


def _plane(node: Node) -> list[Part]:
    x, y = node["size"]
    return [Part("CUBE", (x, y, PLANE_THICKNESS), Pose((0.0, 0.0, -PLANE_THICKNESS / 2.0)))]


def _cone(node: Node) -> list[Part]:
    radius, half = node["bottomRadius"], node["height"] / 2.0
    angles = [2.0 * math.pi * index / CONE_SIDES for index in range(CONE_SIDES + 1)]
    rim = [(radius * math.cos(angle), radius * math.sin(angle), -half) for angle in angles]
    points: list[Vec3] = []
    for a, b in pairwise(rim):
        points += [(0.0, 0.0, half), a, b, (0.0, 0.0, -half), b, a]
    return [Part("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points)]


def _mesh(node: Node) -> list[Part]:
    return _triangles(triangles_of(node))


def _mesh_file(node: Node) -> list[Part]:
    """The triangles, or the file itself if it is large and RViz shows it just as it is shown here."""
    try:
        parts = mesh_parts(node)
    except SceneError:
        return []
    if node["ccw"] and sum(len(part.triangles) for part in parts) > MOST_SENT:
        path = asset_file(node).resolve()
        if path.suffix.lower() in (".obj", ".stl"):
            return [Part("MESH_RESOURCE", (1.0, 1.0, 1.0), file=path.as_uri())]
    if node.type_name == "Mesh":
        return _triangles(triangles_of(node))
    turn = 1 if node["ccw"] else -1
    return [shown for part in parts for shown in _triangles(part.triangles[:, ::turn], part.colour)]


def _triangles(
    triangles: NDArray[np.float64], colour: tuple[float, float, float, float] | None = None
) -> list[Part]:
    points = [(x, y, z) for triangle in triangles.tolist() for x, y, z in triangle]
    return [Part("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points, colour=colour)] if points else []


_PARTS: dict[str, Callable[[Node], list[Part]]] = {
    "Box": _box,
    "CadShape": _mesh_file,
    "Capsule": _capsule,
    "Cone": _cone,
    "Cylinder": _cylinder,
    "ElevationGrid": _mesh,
    "IndexedFaceSet": _mesh,
    "Mesh": _mesh_file,
    "Plane": _plane,
    "Sphere": _sphere,
}
