"""Geometries as the parts that RViz can draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Pose, Vec3
from sim_core.model.geometry import (
    Box,
    CadShape,
    Capsule,
    Cone,
    Cylinder,
    FileMesh,
    Geometry,
    Plane,
    Sphere,
    TriangleMesh,
)

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


def parts_of(geometry: Geometry | None) -> list[Part]:
    """The parts of a geometry; none for one that cannot be drawn with markers."""
    match geometry:
        case Box(size):
            return [Part("CUBE", size)]
        case Plane((x, y)):
            return [Part("CUBE", (x, y, PLANE_THICKNESS), Pose((0.0, 0.0, -PLANE_THICKNESS / 2.0)))]
        case Sphere(radius):
            return [_ball(radius, 0.0)]
        case Cylinder(radius, height):
            return [_tube(radius, height)]
        case Capsule(radius, height):
            return [_tube(radius, height), _ball(radius, height / 2.0), _ball(radius, -height / 2.0)]
        case Cone(radius, height):
            return _cone(radius, height / 2.0)
        case FileMesh():
            return _file(geometry)
        case TriangleMesh():
            return _triangles(geometry.triangles)
    return []


def _ball(radius: float, z: float) -> Part:
    return Part("SPHERE", (2.0 * radius, 2.0 * radius, 2.0 * radius), Pose((0.0, 0.0, z)))


def _tube(radius: float, height: float) -> Part:
    return Part("CYLINDER", (2.0 * radius, 2.0 * radius, height))


def _cone(radius: float, half: float) -> list[Part]:
    angles = [2.0 * math.pi * index / CONE_SIDES for index in range(CONE_SIDES + 1)]
    rim = [(radius * math.cos(angle), radius * math.sin(angle), -half) for angle in angles]
    points: list[Vec3] = []
    for a, b in pairwise(rim):
        points += [(0.0, 0.0, half), a, b, (0.0, 0.0, -half), b, a]
    return [Part("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points)]


def _file(mesh: FileMesh) -> list[Part]:
    """The triangles, or the file itself if it is large and RViz shows it just as it is shown here."""
    if mesh.file is not None and mesh.ccw and len(mesh.triangles) > MOST_SENT:
        path = mesh.file.find().resolve()
        if path.suffix.lower() in (".obj", ".stl"):
            return [Part("MESH_RESOURCE", (1.0, 1.0, 1.0), file=path.as_uri())]
    if isinstance(mesh, CadShape) and len(mesh.triangles):
        return [shown for part in mesh.parts for shown in _triangles(part.triangles, part.colour)]
    return _triangles(mesh.triangles)


def _triangles(
    triangles: NDArray[np.float64], colour: tuple[float, float, float, float] | None = None
) -> list[Part]:
    points = [(x, y, z) for triangle in triangles.tolist() for x, y, z in triangle]
    return [Part("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points, colour=colour)] if points else []
