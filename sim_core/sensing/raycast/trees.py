"""Trees of boxes round the triangles of meshes, so that a ray looks at few of them."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from sim_core.base.compiled import compiled
from sim_core.model.geometry import Triangles

LEAF = 4
"""A leaf holds at most so many triangles."""
WAITING = 128
"""More nodes than this never wait to be made."""


class Trees:
    """The trees of all meshes of a table, in common arrays."""

    def __init__(self) -> None:
        # The kernels want arrays that are not empty.
        self._boxes = [np.zeros((1, 6))]
        self._links = [np.zeros((1, 3), np.int64)]
        self._triangles: list[Triangles] = [np.zeros((1, 3, 3))]
        self._nodes = self._count = 1

    def add(self, mesh: Triangles) -> int:
        """Make the tree of a mesh of one or more triangles; returns its root."""
        count = len(mesh)
        order = np.empty(count, np.int64)
        boxes, links = np.empty((2 * count, 6)), np.empty((2 * count, 3), np.int64)
        low, high = (np.ascontiguousarray(end) for end in (mesh.min(axis=1), mesh.max(axis=1)))
        made = grow_tree(low, high, order, boxes, links)
        is_leaf = links[:made, 1] > 0
        links[:made, 0] += np.where(is_leaf, self._count, self._nodes)
        root = self._nodes
        self._boxes.append(boxes[:made])
        self._links.append(links[:made])
        self._triangles.append(mesh[order])
        self._nodes += made
        self._count += count
        return root

    def tables(self) -> tuple[NDArray[np.float64], NDArray[np.int64], Triangles]:
        """Boxes, links and triangles as `kernels.cast` takes them."""
        return (
            np.concatenate(self._boxes),
            np.concatenate(self._links),
            np.ascontiguousarray(np.concatenate(self._triangles)),
        )


_MATRIX = types.Array(float64, 2, "C")
_INTS = types.Array(int64, 1, "C")
_INT_TABLE = types.Array(int64, 2, "C")


@compiled(int64(_MATRIX, _MATRIX, _INTS, _MATRIX, _INT_TABLE))
def grow_tree(low, high, order, boxes, links):  # type: ignore[no-untyped-def]
    """Sort triangles into a tree of boxes; a branch is halved at the middle of its longest side.

    Args:
        low, high: (n, 3) corners of the box round each triangle.
        order: (n,) out: the triangles in the order of the leaves.
        boxes: (2n, 6) out: lowest and highest corner of each node, a little enlarged; the root is node 0.
        links: (2n, 3) out: of a leaf its first triangle (in the new order) and how many there are; of a
            branch the first of its two nodes, which follow each other, 0, and the axis that it is cut across.

    Returns:
        The number of nodes.
    """
    for k in range(len(order)):
        order[k] = k
    spans = np.empty((WAITING, 3), np.int64)  # node, first, end: still to be made
    spans[0, 0], spans[0, 1], spans[0, 2] = 0, 0, len(order)
    waiting = 1
    made = 1
    while waiting > 0:
        waiting -= 1
        node, first, end = spans[waiting, 0], spans[waiting, 1], spans[waiting, 2]
        longest = -1.0
        across = 0
        for axis in range(3):
            a, b = math.inf, -math.inf
            c, d = math.inf, -math.inf
            for k in order[first:end]:
                a, b = min(a, low[k, axis]), max(b, high[k, axis])
                middle = low[k, axis] + high[k, axis]
                c, d = min(c, middle), max(d, middle)
            pad = 1e-9 * (abs(a) + abs(b))
            boxes[node, axis], boxes[node, 3 + axis] = a - pad, b + pad
            if d - c > longest:
                longest = d - c
                across = axis
        if end - first <= LEAF:
            links[node, 0], links[node, 1], links[node, 2] = first, end - first, 0
            continue
        part = order[first:end].copy()
        middles = np.empty(len(part))
        for k in range(len(part)):
            middles[k] = low[part[k], across] + high[part[k], across]
        order[first:end] = part[np.argsort(middles)]
        half = (first + end) // 2
        links[node, 0], links[node, 1], links[node, 2] = made, 0, across
        spans[waiting, 0], spans[waiting, 1], spans[waiting, 2] = made, first, half
        spans[waiting + 1, 0], spans[waiting + 1, 1], spans[waiting + 1, 2] = made + 1, half, end
        waiting += 2
        made += 2
    return made
