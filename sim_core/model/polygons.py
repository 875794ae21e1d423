"""Triangulation of polygons, and normals at the corners of triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Corner = tuple[int, int, int]


def triangulated(points: NDArray[np.float64], polygon: Sequence[int]) -> list[Corner]:
    """Triangulate a plane polygon that does not intersect itself, keeping its orientation.

    A convex polygon becomes a fan about its first corner; others are split by ear clipping (Meisters 1975). A
    polygon for which this fails, because it intersects itself or has no area, becomes a fan too.

    Args:
        points: (n, 3) all points.
        polygon: indices of the corners, without repeating the first one at the end.
    """
    count = len(polygon)
    if count < 3:
        return []
    fan = [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, count - 1)]
    if count == 3:
        return fan
    ring = points[list(polygon)]
    if _are_convex(ring[None]).all():
        return fan
    corners = _in_its_plane(ring)
    left = list(range(count))
    ears: list[Corner] = []
    while len(left) > 3:
        position = _ear(corners, left)
        if position is None:
            return fan
        a, b, c = left[position - 1], left[position], left[(position + 1) % len(left)]
        ears.append((polygon[a], polygon[b], polygon[c]))
        del left[position]
    return [*ears, (polygon[left[0]], polygon[left[1]], polygon[left[2]])]


def corners_of_triangles(points: NDArray[np.float64], index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (n, 3) triangles of a list of polygons, in order, as positions in the list.

    Polygons of equal length are processed together; only non-convex ones are processed one by one. Polygons
    with points that do not exist are left out.

    Args:
        points: (k, 3) all points.
        index: (m,) point indices; a negative one ends a polygon.
    """
    ends = np.flatnonzero(np.append(index, -1) < 0)
    starts = np.append(0, ends[:-1] + 1)
    lengths = ends - starts
    polygons, triangles = [np.empty(0, dtype=np.int64)], [np.empty((0, 3), dtype=np.int64)]
    long_enough = lengths >= 3
    is_closed = np.zeros(len(lengths), dtype=bool)  # the first corner is repeated at the end
    is_closed[long_enough] = index[starts[long_enough]] == index[ends[long_enough] - 1]
    lengths -= is_closed & (lengths > 3)
    for count in np.unique(lengths[long_enough]):
        own = np.flatnonzero(lengths == count)
        places = starts[own, None] + np.arange(count)
        exists = (index[places] < len(points)).all(axis=1)
        own, places = own[exists], places[exists]
        rings = points[index[places]]
        fans = [places[:, [0, k, k + 1]] for k in range(1, count - 1)]
        cut = np.stack(fans, axis=1)
        for row in np.flatnonzero(~_are_convex(rings)):
            cut[row] = [[places[row, k] for k in each] for each in triangulated(rings[row], range(count))]
        polygons.append(np.repeat(own, count - 2))
        triangles.append(cut.reshape(-1, 3))
    return np.concatenate(triangles)[np.argsort(np.concatenate(polygons), kind="stable")]


def _are_convex(rings: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return (n,) whether each of (n, k, 3) polygons is convex; triangles are."""
    if rings.shape[1] == 3:
        return np.ones(len(rings), dtype=bool)
    corners = _in_its_plane(rings)
    turns = _turns(np.roll(corners, 1, axis=-2), corners, np.roll(corners, -1, axis=-2))
    convex: NDArray[np.bool_] = np.all(turns >= 0.0, axis=-1)
    return convex


def _in_its_plane(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (..., n, 2) the corners in coordinates of their plane, anticlockwise; the normal is Newell's."""
    normal = np.cross(corners, np.roll(corners, -1, axis=-2)).sum(axis=-2)
    drop = np.argmax(abs(normal), axis=-1)[..., None]
    kept = (drop + np.array([1, 2])) % 3
    flat = np.take_along_axis(corners, kept[..., None, :], axis=-1)
    is_upright = np.take_along_axis(normal, drop, axis=-1)[..., None] >= 0.0
    return np.where(is_upright, flat, flat[..., ::-1])


def _turns(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return twice the signed area of each triangle: positive if a, b, c turn left."""
    u, v = b - a, c - a
    area: NDArray[np.float64] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return area


def _ear(corners: NDArray[np.float64], left: list[int]) -> int | None:
    """Return the position in `left` of a corner whose triangle contains no other corner."""
    for position in range(len(left)):
        a, b, c = left[position - 1], left[position], left[(position + 1) % len(left)]
        p, q, r = corners[a], corners[b], corners[c]
        if _turns(p, q, r) <= 0.0:
            continue
        others = corners[[k for k in left if k not in (a, b, c)]]
        inside = (_turns(p, q, others) >= 0.0) & (_turns(q, r, others) >= 0.0) & (_turns(r, p, others) >= 0.0)
        same = (others == p).all(axis=1) | (others == q).all(axis=1) | (others == r).all(axis=1)
        if not (inside & ~same).any():
            return position
    return None


SAME = 1e-4
"""Normals that differ by less are regarded as equal, so that triangles of a flat face count only once."""


def face_normals(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n, 3) unit normals of (n, 3, 3) triangles; 0 for triangles without area."""
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths: NDArray[np.float64] = np.linalg.norm(across, axis=1, keepdims=True)
    found: NDArray[np.float64] = across / np.where(lengths > 0.0, lengths, 1.0)
    return found


def smooth_normals(
    faces: NDArray[np.float64], points: NDArray[np.int64], crease_angle: float
) -> NDArray[np.float64]:
    """Return (n, 3, 3) normals at the corners of triangles.

    The normal at a corner is the mean of the different normals of those triangles at the same point whose
    angle to the corner's own triangle is less than the crease angle, in rad. (VRML97, IndexedFaceSet, and
    Webots' rule that equal normals count once.)

    Args:
        faces: (n, 3) unit normals of the triangles.
        points: (n, 3) point indices of their corners.
    """
    count = len(faces)
    corner_at = points.ravel()
    order = np.argsort(corner_at, kind="stable")
    _, first, sizes = np.unique(corner_at[order], return_index=True, return_counts=True)
    # Pairs of each corner with each corner at the same point, including itself.
    per_corner = np.repeat(sizes, sizes)
    corners = np.repeat(order, per_corner)
    within = np.arange(len(corners)) - np.repeat(np.cumsum(per_corner) - per_corner, per_corner)
    others = order[np.repeat(np.repeat(first, sizes), per_corner) + within] // 3
    near = np.einsum("ij,ij->i", faces[corners // 3], faces[others]) > math.cos(min(crease_angle, math.pi))
    corners, others = corners[near], others[near]
    rounded = np.rint(faces[others] / SAME).astype(np.int64)
    _, kept = np.unique(np.column_stack([corners, rounded]), axis=0, return_index=True)
    sums = np.zeros((3 * count, 3))
    np.add.at(sums, corners[kept], faces[others[kept]])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    own = np.repeat(faces, 3, axis=0)
    return np.where(lengths > 0.0, sums / np.where(lengths > 0.0, lengths, 1.0), own).reshape(count, 3, 3)
