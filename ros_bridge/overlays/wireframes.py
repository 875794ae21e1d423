"""Geometries as lines, in their own frames."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import NO_POINTS, chain, joined, outline, spokes
from sim_core.base.arrays import FloatArray
from sim_core.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, Plane, Sphere, TriangleMesh

SIDES = 24
"""Straight pieces of a circle."""
MAX_EDGES = 1000
"""Most edges drawn of a mesh; of more, every second, every third, … is drawn."""
X, Y, Z = range(3)


def wireframe(geometry: Geometry | None) -> FloatArray:
    """Return (2·n, 3) ends of lines, m; empty for a geometry without edges."""
    match geometry:
        case Box(size):
            return Box.CORNERS[Box.EDGES].reshape(-1, 3) * (np.array(size) / 2.0)
        case Plane(size):
            x, y = (length / 2.0 for length in size)
            return outline(np.array([(x, y, 0.0), (-x, y, 0.0), (-x, -y, 0.0), (x, -y, 0.0)]))
        case Sphere(radius):
            return joined([_circle(radius, axis) for axis in (X, Y, Z)])
        case Cylinder(radius, height):
            return _tube(radius, height / 2.0)
        case Capsule(radius, height):
            return joined([_tube(radius, height / 2.0), *_domes(radius, height / 2.0)])
        case Cone(radius, height):
            return joined([_circle(radius, Z, -height / 2.0), _sides(radius, 0.0, height / 2.0)])
        case TriangleMesh(triangles=triangles) if len(triangles):
            return _mesh(triangles)
    return NO_POINTS


def _arc(radius: float, axis: int, start: float, angle: float, along: float = 0.0) -> FloatArray:
    """Return points of an arc about an axis, at a position along it."""
    count = max(2, round(SIDES * angle / (2.0 * math.pi)))
    angles = start + np.linspace(0.0, angle, count + 1)
    points = np.zeros((count + 1, 3))
    points[:, (axis + 1) % 3] = radius * np.cos(angles)
    points[:, (axis + 2) % 3] = radius * np.sin(angles)
    points[:, axis] = along
    return points


def _circle(radius: float, axis: int, along: float = 0.0) -> FloatArray:
    return chain(_arc(radius, axis, 0.0, 2.0 * math.pi, along))


def _tube(radius: float, half: float) -> FloatArray:
    return joined([_circle(radius, Z, half), _circle(radius, Z, -half), _sides(radius, radius, half)])


def _domes(radius: float, half: float) -> Iterator[FloatArray]:
    """Yield half circles about x and y over both ends."""
    for up in (1.0, -1.0):
        for axis, start in ((X, 0.0), (Y, -math.pi / 2.0)):
            arc = _arc(radius, axis, start, math.pi)
            arc[:, Z] = up * (np.abs(arc[:, Z]) + half)
            yield chain(arc)


def _sides(bottom: float, top: float, half: float) -> FloatArray:
    """Return four lines from the lower circle to the upper one."""
    around = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    low = np.column_stack((bottom * around, np.full(4, -half)))
    return spokes(low, np.column_stack((top * around, np.full(4, half))))


def _mesh(triangles: FloatArray) -> FloatArray:
    corners, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = numbers.reshape(-1, 3)
    edges = np.unique(np.sort(np.concatenate((faces[:, :2], faces[:, 1:], faces[:, ::2])), axis=1), axis=0)
    some = edges[:: -(-len(edges) // MAX_EDGES)]
    return corners[some].reshape(-1, 3)
