"""Conversion of separate triangles to a mesh with shared points."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.model.geometry import Triangles

CACHE_SIZE = 64
_cache: OrderedDict[bytes, WeldedMesh] = OrderedDict()


class WeldedMesh(NamedTuple):
    """Mesh as unique points and triangles between them.

    Attributes:
        points: (k, 3) m. corners: (n, 3) point indices; degenerate triangles are kept.
        is_closed: True if each edge has a triangle on both sides, with the same orientation.
    """

    points: NDArray[np.float64]
    corners: NDArray[np.uint32]
    is_closed: bool


def welded(triangles: Triangles) -> WeldedMesh:
    """Return a mesh with shared points; cached for equal meshes."""
    digest = hashlib.sha1(triangles.tobytes(), usedforsecurity=False).digest()
    found = _cache.pop(digest, None)
    if found is None:
        points, corners = _unique_points(triangles)
        found = WeldedMesh(points, corners.astype(np.uint32), _is_closed(corners))
    _cache[digest] = found
    if len(_cache) > CACHE_SIZE:
        _cache.popitem(last=False)
    return found


def _unique_points(triangles: Triangles) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the points in the order of x, y and z, and the triangles between them.

    It is what `np.unique` of the rows gives, several times faster: sorting columns is.
    """
    flat = triangles.reshape(-1, 3)
    order = np.lexsort(flat.T[::-1])
    ordered = flat[order]
    is_new = np.ones(len(flat), bool)
    np.any(ordered[1:] != ordered[:-1], axis=1, out=is_new[1:])
    numbers = np.empty(len(flat), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ordered[is_new], numbers.reshape(-1, 3)


def _is_closed(corners: NDArray[np.int64]) -> bool:
    """Return whether each edge is traversed as often in one direction as in the other."""
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    different = start != end
    count = int(corners.max()) + 1
    forth = np.sort((start * count + end)[different])
    back = np.sort((end * count + start)[different])
    return bool(np.array_equal(forth, back))
