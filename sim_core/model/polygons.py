"""Polygons in space cut into triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Corner = tuple[int, int, int]


def triangulated(points: NDArray[np.float64], polygon: Sequence[int]) -> list[Corner]:
    """Triangles of a plane polygon that does not cut itself, with its sense of rotation.

    A convex polygon becomes a fan about its first corner; from another one ears are cut (Meisters 1975).
    What cannot be cut, for it cuts itself or has no area, becomes a fan too.

    Args:
        points: (n, 3) all points.
        polygon: indices of the corners, without the first one again at the end.
    """
    count = len(polygon)
    if count < 3:
        return []
    fan = [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, count - 1)]
    if count == 3:
        return fan
    corners = _in_its_plane(points[list(polygon)])
    after = np.roll(corners, -1, axis=0)
    if (_turns(np.roll(corners, 1, axis=0), corners, after) >= 0.0).all():
        return fan
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


def _in_its_plane(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 2) the corners in coordinates of their plane, anticlockwise; the normal is Newell's."""
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, following).sum(axis=0)
    drop = int(np.argmax(abs(normal)))
    flat = corners[:, [(drop + 1) % 3, (drop + 2) % 3]]
    return flat if normal[drop] >= 0.0 else flat[:, ::-1]


def _turns(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the signed area of each triangle: above 0 where a, b, c turn left."""
    u, v = b - a, c - a
    area: NDArray[np.float64] = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return area


def _ear(corners: NDArray[np.float64], left: list[int]) -> int | None:
    """Position in `left` of a corner whose triangle holds no other corner."""
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
