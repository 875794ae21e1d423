"""Outlines of solids in a plane: sections at a height, and projections of the part between two heights.

An outline is a row of five numbers for the kernels: SEGMENT, x1, y1, x2, y2, with the outside on its right;
or CIRCLE, x, y, radius, 0. Boxes, spheres, meshes, upright and lying cylinders and upright capsules are
exact. The round side of tilted cylinders, cones and capsules is approximated by 64 flat ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose, Vec3, convex_hull
from sim_core.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, Plane, Sphere, TriangleMesh

SEGMENT, CIRCLE = 0.0, 1.0
"""The same values as in `engines/planar/motion_kernels.py`, which is slow to import."""

SIDES = 64
LEVEL = 1e-9
"""Sine of the largest tilt at which an axis is regarded as upright, or as lying."""


class Disc(NamedTuple):
    """Sphere, or round part of an upright cylinder or capsule."""

    x: float
    y: float
    z: float
    radius: float
    half: float
    """Half the height of the straight part, m."""
    caps: bool
    """True: rounded ends, of a sphere (half 0) or a capsule."""


class LyingCylinder(NamedTuple):
    """Lying cylinder."""

    x: float
    y: float
    z: float
    along_x: float
    along_y: float
    """Direction of its axis."""
    radius: float
    half: float
    """Half its length, m."""


class Hull(NamedTuple):
    """Convex body with flat faces: corners (n, 3) and edges (k, 2). A triangle is a hull without volume."""

    points: FloatArray
    edges: NDArray[np.int64]
    front: Vec3 | None = None
    """Normal, for a triangle."""


ConvexPart = Disc | LyingCylinder | Hull


def parts_of(geometry: Geometry | None, pose: Pose, scale: Vec3 = (1.0, 1.0, 1.0)) -> list[ConvexPart]:
    """Return the convex parts of a geometry at a pose; empty for a Plane and for a geometry without
    extent."""
    size = (abs(scale[0]), abs(scale[1]), abs(scale[2]))
    if min(size) <= 0.0:
        return []
    match geometry:
        case Box(lengths):
            half = np.array(lengths) / 2.0 * size
            return [_hull(Box.CORNERS * half, Box.EDGES, pose)] if half.min() > 0.0 else []
        case Sphere(radius):
            radius *= max(size)
            return [Disc(*pose.position, radius, 0.0, True)] if radius > 0.0 else []
        case Cylinder() | Cone() | Capsule():
            return _round(geometry, pose, size)
        case TriangleMesh():
            return [_triangle(corners, pose) for corners in geometry.triangles * np.array(scale)]
    return []


def rectangle(plane: Plane, pose: Pose, scale: Vec3 = (1.0, 1.0, 1.0)) -> list[ConvexPart]:
    """Return the visible rectangle of a Plane as two triangles with a front."""
    x, y = plane.size[0] / 2.0 * abs(scale[0]), plane.size[1] / 2.0 * abs(scale[1])
    a, b, c, d = (-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)
    return [_triangle(np.array(corners), pose) for corners in ((a, b, c), (a, c, d))]


def heights(part: ConvexPart) -> tuple[float, float]:
    """Return the lowest and highest z of a part."""
    if isinstance(part, Disc):
        reach = part.half + (part.radius if part.caps else 0.0)
        return part.z - reach, part.z + reach
    if isinstance(part, LyingCylinder):
        return part.z - part.radius, part.z + part.radius
    z = part.points[:, 2]
    return float(z.min()), float(z.max())


def projection(part: ConvexPart, low: float = -math.inf, high: float = math.inf) -> list[tuple[float, ...]]:
    """Return the outlines of the part between two heights, seen from above; for equal heights the section."""
    bottom, top = heights(part)
    if top < low or bottom > high:
        return []
    if isinstance(part, Disc):
        near = min(max(part.z, low), high)
        radius = part.radius
        if part.caps:
            over = max(0.0, abs(near - part.z) - part.half)
            radius = math.sqrt(max(0.0, radius * radius - over * over))
        return [(CIRCLE, part.x, part.y, radius, 0.0)] if radius > 0.0 else []
    if isinstance(part, LyingCylinder):
        return _projection_of_cylinder(part, min(max(part.z, low), high) - part.z)
    points = part.points
    found = [points[(points[:, 2] >= low) & (points[:, 2] <= high)]]
    a, b = points[part.edges[:, 0]], points[part.edges[:, 1]]
    for level in {low, high}:
        if math.isfinite(level):
            crosses = (a[:, 2] - level) * (b[:, 2] - level) < 0.0
            p, q = a[crosses], b[crosses]
            along = (level - p[:, 2]) / (q[:, 2] - p[:, 2])
            found.append(p + along[:, None] * (q - p))
    corners = convex_hull((x, y) for x, y, _ in np.concatenate(found).tolist())
    if len(corners) < 2:
        return []
    if len(corners) == 2:
        (x1, y1), (x2, y2) = corners
        if part.front is not None and (y2 - y1) * part.front[0] - (x2 - x1) * part.front[1] < 0.0:
            x1, y1, x2, y2 = x2, y2, x1, y1
        return [(SEGMENT, x1, y1, x2, y2)]
    return _polygon(corners)


def outline_boxes(outlines: FloatArray) -> FloatArray:
    """Return (n, 4) lowest x, y and highest x, y of outlines (n, 5)."""
    a, b, c, d = outlines[:, 1:].T
    round_ = outlines[:, 0] == CIRCLE
    low_x, high_x = np.where(round_, a - c, np.minimum(a, c)), np.where(round_, a + c, np.maximum(a, c))
    low_y, high_y = np.where(round_, b - c, np.minimum(b, d)), np.where(round_, b + c, np.maximum(b, d))
    return np.ascontiguousarray(np.stack([low_x, low_y, high_x, high_y], axis=1))


def farthest(outlines: FloatArray, x: float, y: float) -> float:
    """Return the largest distance of a point of the outlines (n, 5) from a point; 0 for none."""
    reach = 0.0
    for kind, a, b, c, d in outlines.tolist():
        if kind == CIRCLE:
            reach = max(reach, math.hypot(a - x, b - y) + c)
        else:
            reach = max(reach, math.hypot(a - x, b - y), math.hypot(c - x, d - y))
    return reach


def _polygon(corners: list[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Return the segments around counter-clockwise corners."""
    return [(SEGMENT, *p, *q) for p, q in zip(corners, [*corners[1:], corners[0]], strict=True)]


def _projection_of_cylinder(part: LyingCylinder, up: float) -> list[tuple[float, ...]]:
    """Return the rectangle of the section at a height `up`, m, above the axis."""
    wide = math.sqrt(max(0.0, part.radius * part.radius - up * up))
    if wide == 0.0:
        return []
    ax, ay = part.along_x * part.half, part.along_y * part.half
    bx, by = -part.along_y * wide, part.along_x * wide
    signs = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    return _polygon([(part.x + a * ax + b * bx, part.y + a * ay + b * by) for a, b in signs])


def _round(geometry: Cylinder | Cone | Capsule, pose: Pose, size: Vec3) -> list[ConvexPart]:
    radius = geometry.radius * size[0]
    half = geometry.height / 2.0 * size[2]
    if radius <= 0.0 or half <= 0.0:
        return []
    r = pose.rotation
    upright = math.hypot(r[2], r[5]) <= LEVEL and size[0] == size[1]
    if upright and not isinstance(geometry, Cone):
        return [Disc(*pose.position, radius, half, isinstance(geometry, Capsule))]
    if isinstance(geometry, Capsule):
        ends = [pose.apply((0.0, 0.0, end)) for end in (-half, half)]
        return [*_prism(radius, half, pose, size), *(Disc(*end, radius, 0.0, True) for end in ends)]
    return _prism(radius, half, pose, size, 0.0 if isinstance(geometry, Cone) else 1.0)


def _prism(radius: float, half: float, pose: Pose, size: Vec3, taper: float = 1.0) -> list[ConvexPart]:
    """Return the straight part of a cylinder, capsule or cone."""
    r = pose.rotation
    if taper == 1.0 and abs(r[8]) <= LEVEL and size[0] == size[1]:
        return [LyingCylinder(*pose.position, r[2], r[5], radius, half)]
    angles = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    ring = np.stack([np.cos(angles), np.sin(angles) * size[1] / size[0]], axis=1) * radius
    low = np.column_stack([ring, np.full(SIDES, -half)])
    high = np.column_stack([ring * taper, np.full(SIDES, half)])
    index = np.arange(SIDES)
    after = (index + 1) % SIDES
    edges = [(index, after), (index, index + SIDES), (index + SIDES, after + SIDES)]
    pairs = np.concatenate([np.stack(pair, axis=1) for pair in edges])
    return [_hull(np.concatenate([low, high]), pairs, pose)]


def _hull(points: FloatArray, edges: NDArray[np.int64], pose: Pose) -> Hull:
    return Hull(_placed(points, pose), edges)


def _triangle(corners: FloatArray, pose: Pose) -> Hull:
    points = _placed(corners, pose)
    x, y, z = np.cross(points[1] - points[0], points[2] - points[0]).tolist()
    return Hull(points, np.array([(0, 1), (1, 2), (2, 0)]), (x, y, z))


def _placed(points: FloatArray, pose: Pose) -> FloatArray:
    placed: FloatArray = points @ np.array(pose.rotation).reshape(3, 3).T + pose.position
    return placed
