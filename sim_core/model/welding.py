"""Triangles that share their points."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.model.geometry import Triangles

MOST_KEPT = 64
_kept: OrderedDict[bytes, Welded] = OrderedDict()


class Welded(NamedTuple):
    """A mesh as points, each once, and triangles between them.

    Attributes:
        points: (k, 3) m. corners: (n, 3) indices of points; a triangle that loses a corner stays.
        is_closed: each edge has a triangle on either side, of the same orientation.
    """

    points: NDArray[np.float64]
    corners: NDArray[np.uint32]
    is_closed: bool


def welded(triangles: Triangles) -> Welded:
    """A mesh with common points; remembered for equal meshes."""
    digest = hashlib.sha1(triangles.tobytes(), usedforsecurity=False).digest()
    found = _kept.pop(digest, None)
    if found is None:
        points, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
        corners = numbers.reshape(-1, 3)
        found = Welded(points, corners.astype(np.uint32), _is_closed(corners))
    _kept[digest] = found
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return found


def _is_closed(corners: NDArray[np.int64]) -> bool:
    """Whether each edge is run through as often in one direction as in the other."""
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    different = start != end
    count = int(corners.max()) + 1
    forth = np.sort((start * count + end)[different])
    back = np.sort((end * count + start)[different])
    return bool(np.array_equal(forth, back))
