"""Geometries as the parts that RViz can draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from sim_core.geometry import Pose, Vec3
from sim_core.raycast.triangles import triangles_of
from sim_core.scene import Node

PLANE_THICKNESS = 0.001
CONE_SIDES = 24


class Part(NamedTuple):
    """One marker: its kind by its name in visualization_msgs/Marker, its size in m, its place."""

    kind: str
    size: Vec3
    pose: Pose = Pose()
    points: Sequence[Vec3] = ()
    """Of a TRIANGLE_LIST: three corners for each triangle."""


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
    points = [(x, y, z) for triangle in triangles_of(node).tolist() for x, y, z in triangle]
    return [Part("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points)] if points else []


_PARTS: dict[str, Callable[[Node], list[Part]]] = {
    "Box": _box,
    "Capsule": _capsule,
    "Cone": _cone,
    "Cylinder": _cylinder,
    "ElevationGrid": _mesh,
    "IndexedFaceSet": _mesh,
    "Plane": _plane,
    "Sphere": _sphere,
}
