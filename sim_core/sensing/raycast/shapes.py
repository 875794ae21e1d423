"""The shapes of a scene as the arrays that the kernels read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from sim_core.scene import Node
from sim_core.scene.meshes.geometry_walk import ShapeRecord
from sim_core.sensing.raycast import kernels
from sim_core.sensing.raycast.frames import FramePool
from sim_core.sensing.raycast.trees import Trees
from sim_core.sensing.raycast.triangles import triangles_of

MARGIN = 1.0 + 1e-6
"""Spheres round shapes are made larger by this, so that rounding never hides a shape."""


class ShapeTable:
    """Shapes of one kind, bounding or visible, and where they are now.

    Shapes that cannot move are posed once.

    Attributes:
        records: the geometry, solid and so on of each shape; indices of hits are indices into this.
        kinds, parameters, placed, owners, boxes, links, triangles: see `kernels.cast`.
    """

    def __init__(
        self,
        records: Iterable[ShapeRecord],
        pool: FramePool,
        identify: Callable[[Node | None], int],
        visible: bool,
    ) -> None:
        self.records = list(records)
        count = len(self.records)
        self.kinds = np.full(count, kernels.NOTHING, np.int64)
        self.parameters = np.zeros((count, 3))
        self.placed = np.zeros((count, 16))
        self.owners = np.array(
            [(identify(record.robot), identify(record.solid)) for record in self.records], np.int64
        ).reshape(count, 2)
        trees = Trees()
        bounds = np.zeros((count, 4))
        for index, record in enumerate(self.records):
            self._describe(index, record, visible, trees, bounds)
        self.boxes, self.links, self.triangles = trees.tables()
        self._bounds = bounds
        self._place_all(pool)

    def update(self, pool: FramePool) -> None:
        """Put the moving shapes where their frames are now."""
        if len(self._moving):
            kernels.place(pool.poses, self._moving, self._rows, self._offsets, self._bounds, self.placed)

    def _describe(
        self,
        index: int,
        record: ShapeRecord,
        visible: bool,
        trees: Trees,
        bounds: NDArray[np.float64],
    ) -> None:
        """Kind, parameters and surrounding sphere of a shape; a shape without extent is left out."""
        node = record.geometry
        kind, parameters, radius = _primitive(node, visible)
        if kind == kernels.NOTHING:
            mesh = triangles_of(node)
            if not len(mesh):
                return
            kind = kernels.TRIANGLES
            parameters = (float(trees.add(mesh)), 0.0, 0.0)
            low, high = mesh.min(axis=(0, 1)), mesh.max(axis=(0, 1))
            bounds[index, :3] = (low + high) / 2.0
            radius = float(np.linalg.norm(high - low)) / 2.0
        scale = tuple(abs(factor) for factor in record.scale)
        sizes = parameters[:2] if kind == kernels.RECTANGLE else parameters
        if not (all(map(math.isfinite, sizes)) and all(factor > 0.0 for factor in scale)):
            return
        bounds[index, 3] = radius * max(scale) * MARGIN
        self.kinds[index] = kind
        self.parameters[index] = parameters

    def _place_all(self, pool: FramePool) -> None:
        """Sort the shapes into still and moving ones, and put all where they are now."""
        count = len(self.records)
        self._offsets = np.zeros((count, 15))
        self._rows = np.zeros(count, np.int64)
        still: list[int] = []
        moving: list[int] = []
        for index, record in enumerate(self.records):
            row, below, moves = pool.solid(record.solid)
            offset = below * record.offset
            self._rows[index] = row
            self._offsets[index] = (*offset.position, *offset.rotation, *record.scale)
            if self.kinds[index] >= 0:
                (moving if moves else still).append(index)
        self._moving = np.array(still, np.int64)
        self.update(pool)
        self._moving = np.array(moving, np.int64)


def _primitive(node: Node, visible: bool) -> tuple[int, tuple[float, float, float], float]:
    """Kind, parameters and radius of the surrounding sphere; NOTHING: no primitive, or without extent."""
    nothing = (kernels.NOTHING, (0.0, 0.0, 0.0), 0.0)
    name = node.type_name
    if name == "Box":
        x, y, z = (size / 2.0 for size in node["size"])
        return (kernels.BOX, (x, y, z), math.hypot(x, y, z)) if min(x, y, z) > 0.0 else nothing
    if name == "Plane":
        if not visible:
            return kernels.HALF_SPACE, (0.0, 0.0, 0.0), math.inf
        x, y = (size / 2.0 for size in node["size"])
        return (kernels.RECTANGLE, (x, y, 0.0), math.hypot(x, y)) if min(x, y) > 0.0 else nothing
    if name not in ("Sphere", "Cylinder", "Capsule", "Cone"):
        return nothing
    radius: float = node["bottomRadius" if name == "Cone" else "radius"]
    half: float = 0.0 if name == "Sphere" else node["height"] / 2.0
    if radius <= 0.0 or (name != "Sphere" and half <= 0.0):
        return nothing
    if name == "Sphere":
        return kernels.SPHERE, (radius, 0.0, 0.0), radius
    if name == "Capsule":
        return kernels.CAPSULE, (radius, half, 0.0), radius + half
    kind = kernels.CYLINDER if name == "Cylinder" else kernels.CONE
    return kind, (radius, half, 0.0), math.hypot(radius, half)
