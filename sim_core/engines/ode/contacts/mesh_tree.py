"""Compiled: a tree of boxes over the triangles of a mesh."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import types

from sim_core.base.compiled import compiled

LEAF = 4
"""A leaf holds at most so many triangles."""

_f2, _i1, _i2 = types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]


@compiled(types.int64(types.float64[:, :, ::1], _f2, _i2, _i1))
def build_tree(triangles: Any, bounds: Any, links: Any, order: Any) -> Any:
    """Sort triangles into a tree of boxes, halved along the longest side of the box of their centres.

    Args:
        triangles: (n, 3, 3).
        bounds: (2n, 6) out: least and greatest corner of each node.
        links: (2n, 2) out: of an inner node its first child (the other follows) and 0; of a leaf the first
            of its triangles in `order`, and how many they are.
        order: (n,) out.

    Returns:
        Number of nodes.
    """
    count = len(triangles)
    centres = np.empty((count, 3))
    for index in range(count):
        order[index] = index
        for k in range(3):
            centres[index, k] = triangles[index, 0, k] + triangles[index, 1, k] + triangles[index, 2, k]
    links[0, 0], links[0, 1] = 0, count
    nodes, at = 1, 0
    while at < nodes:
        start, size = links[at, 0], links[at, 1]
        longest, axis = -1.0, 0
        for k in range(3):
            low, high, least, greatest = inf, -inf, inf, -inf
            for place in range(start, start + size):
                index = order[place]
                for corner in range(3):
                    low = min(low, triangles[index, corner, k])
                    high = max(high, triangles[index, corner, k])
                least, greatest = min(least, centres[index, k]), max(greatest, centres[index, k])
            bounds[at, k], bounds[at, 3 + k] = low, high
            if greatest - least > longest:
                longest, axis = greatest - least, k
        if size > LEAF:
            part = order[start : start + size].copy()
            keys = np.empty(size)
            for place in range(size):
                keys[place] = centres[part[place], axis]
            sequence = np.argsort(keys, kind="mergesort")
            for place in range(size):
                order[start + place] = part[sequence[place]]
            half = size // 2
            links[nodes, 0], links[nodes, 1] = start, half
            links[nodes + 1, 0], links[nodes + 1, 1] = start + half, size - half
            links[at, 0], links[at, 1] = nodes, 0
            nodes += 2
        at += 1
    return nodes
