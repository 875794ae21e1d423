"""Bounding volume hierarchies: trees of boxes around the triangles of meshes, for rays and contacts."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.base.compiled import compiled
from sim_core.model.geometry import Triangles

LEAF = 4
"""Maximum number of triangles of a leaf."""


class Bvh(NamedTuple):
    """Tree of one mesh for compiled loops; each branch has half of the triangles of its parent.

    Attributes:
        boxes: (m, 6) lowest and highest corner of each node, slightly enlarged; the root is node 0.
        links: (m, 3) for a leaf its first triangle, their number, and an axis; for a branch the index of the
            first of its two children (the second follows), 0, and the axis of the split.
        triangles: (n, 3, 3) of the mesh, in leaf order.
        order: (n,) their indices in the mesh.
    """

    boxes: FloatArray
    links: NDArray[np.int64]
    triangles: Triangles
    order: NDArray[np.int64]


def bvh_of(mesh: Triangles) -> Bvh:
    """Build the tree of one or more triangles."""
    count = len(mesh)
    a, b, c = mesh[:, 0], mesh[:, 1], mesh[:, 2]
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    boxes, links, order = np.empty((2 * count, 6)), np.empty((2 * count, 3), np.int64), np.arange(count)
    made = grow_bvh(low, high, a + b + c, boxes, links, order)
    return Bvh(boxes[:made], links[:made], np.ascontiguousarray(mesh[order]), order)


_matrix, _ints, _int_table = types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]


@compiled(types.int64(_matrix, _matrix, _matrix, _matrix, _int_table, _ints))
def grow_bvh(low: Any, high: Any, centres: Any, boxes: Any, links: Any, order: Any) -> Any:
    """Split triangles repeatedly across the longest side of the bounding box of their centres.

    Args:
        low, high: (n, 3) corners of each triangle's bounding box.
        centres: (n, 3) their centres, times three.
        boxes, links: (2n, 6) and (2n, 3), output: see `Bvh`.
        order: (n,) 0 to n - 1; output: see `Bvh`.

    Returns:
        The number of nodes.
    """
    links[0, 0], links[0, 1] = 0, len(order)
    waiting = np.zeros(64, np.int64)  # stack of nodes to be split; a tree has fewer than 64 levels
    made, ahead = 1, 1
    while ahead > 0:
        ahead -= 1
        node = waiting[ahead]
        first, count = links[node, 0], links[node, 1]
        longest, across = -1.0, 0
        for axis in range(3):
            lowest, highest, least, greatest = inf, -inf, inf, -inf
            for k in order[first : first + count]:
                lowest, highest = min(lowest, low[k, axis]), max(highest, high[k, axis])
                least, greatest = min(least, centres[k, axis]), max(greatest, centres[k, axis])
            pad = 1e-9 * (abs(lowest) + abs(highest))
            boxes[node, axis], boxes[node, 3 + axis] = lowest - pad, highest + pad
            if greatest - least > longest:
                longest, across = greatest - least, axis
        links[node, 2] = across
        if count > LEAF:
            part = order[first : first + count]
            keys = np.empty(count)
            for k in range(count):
                keys[k] = centres[part[k], across]
            part[:] = part[np.argsort(keys, kind="mergesort")]
            half = count // 2
            links[made, 0], links[made, 1] = first, half
            links[made + 1, 0], links[made + 1, 1] = first + half, count - half
            links[node, 0], links[node, 1] = made, 0
            waiting[ahead], waiting[ahead + 1] = made, made + 1
            made, ahead = made + 2, ahead + 2
    return made
