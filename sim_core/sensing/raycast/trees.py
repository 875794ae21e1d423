"""The trees of the meshes of a table, in common arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_core.model.bvh import bvh_of
from sim_core.model.geometry import Triangles


class Trees:
    """Collects them, see `bvh.py`; a branch's nodes and a leaf's triangles are counted on."""

    def __init__(self) -> None:
        # The kernels want arrays that are not empty.
        self._boxes = [np.zeros((1, 6))]
        self._links = [np.zeros((1, 3), np.int64)]
        self._triangles: list[Triangles] = [np.zeros((1, 3, 3))]
        self._nodes = self._count = 1

    def add(self, mesh: Triangles) -> int:
        """Make the tree of a mesh of one or more triangles; returns its root."""
        tree, root = bvh_of(mesh), self._nodes
        links = tree.links.copy()
        links[:, 0] += np.where(links[:, 1] > 0, self._count, root)
        self._boxes.append(tree.boxes)
        self._links.append(links)
        self._triangles.append(tree.triangles)
        self._nodes += len(links)
        self._count += len(mesh)
        return root

    def tables(self) -> tuple[NDArray[np.float64], NDArray[np.int64], Triangles]:
        """Boxes, links and triangles as `kernels.cast` takes them."""
        return (
            np.concatenate(self._boxes),
            np.concatenate(self._links),
            np.ascontiguousarray(np.concatenate(self._triangles)),
        )
