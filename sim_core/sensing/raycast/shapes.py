"""The shapes of a scene as arrays for the kernels."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.model.appearance import is_transparent
from sim_core.model.bvh import bvh_of
from sim_core.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, Plane, Sphere, TriangleMesh
from sim_core.model.shapes import ShapeRecord
from sim_core.model.world_model import WorldModel
from sim_core.sensing.raycast import kernels
from sim_core.sensing.raycast.frames import FramePool

MARGIN = 1.0 + 1e-6
"""Factor that enlarges bounding spheres, so that rounding never hides a shape."""


class ShapeTable:
    """Shapes of one kind, bounding or visible, and their present poses.

    Shapes that cannot move are placed only once.

    Attributes:
        records: record of each shape; indices of hits are indices into this list, which has no hidden shapes.
        kinds, parameters, placed, owners, boxes, links, triangles: see `kernels.cast`.
    """

    def __init__(
        self,
        model: WorldModel,
        pool: FramePool,
        visible: bool,
        hidden: frozenset[NodeId] = frozenset(),
        sees_through: bool = False,
    ) -> None:
        self._sees_through = visible or sees_through
        self._shapes = model.visible if visible else model.bounding
        self._hidden = hidden
        self.records = [
            record
            for record in self._shapes.records
            if record.node not in hidden and not self._is_passed(record)
        ]
        count = len(self.records)
        self.kinds = np.full(count, kernels.NOTHING, np.int64)
        self.parameters = np.zeros((count, 3))
        self.placed = np.zeros((count, 16))
        self.owners = np.array(
            [
                (record.robot or kernels.NOTHING, ignored_group_of(model, record.solid))
                for record in self.records
            ],
            np.int64,
        ).reshape(count, 2)
        trees = MeshTrees()
        bounds = np.zeros((count, 4))
        for index, record in enumerate(self.records):
            self._describe(index, record, visible, trees, bounds)
        self.boxes, self.links, self.triangles = trees.tables()
        self._bounds = bounds
        self._visible = visible
        self._places = {record.node: index for index, record in enumerate(self.records)}
        self._place_all(pool)

    def update_geometry(self, geometry: NodeId, pool: FramePool) -> bool:
        """Update size and appearance of a geometry; return False if the table must be made again for it."""
        index = self._places.get(geometry)
        record = self._shapes.find_shape(geometry)
        if index is None or record is None:
            return record is None or geometry in self._hidden or self._is_passed(record)
        if self._is_passed(record):
            return False
        before = self.records[index]
        kind, parameters, radius = _primitive(record.geometry, self._visible)
        is_plain = kind != kernels.NOTHING and all(map(math.isfinite, parameters))
        if record.geometry != before.geometry and (kind != self.kinds[index] or not is_plain):
            return False
        self.records[index] = record
        if record.geometry == before.geometry:
            return True
        self.parameters[index] = parameters
        self._bounds[index, 3] = radius * max(map(abs, record.scale)) * MARGIN
        self.place_static(pool)
        return True

    def place_static(self, pool: FramePool) -> None:
        """Update the poses of static shapes."""
        kernels.place(pool.poses, self._static, self._rows, self._offsets, self._bounds, self.placed)

    def update_poses(self, pool: FramePool) -> None:
        """Update the poses of moving shapes."""
        if len(self._moving):
            kernels.place(pool.poses, self._moving, self._rows, self._offsets, self._bounds, self.placed)

    def _is_passed(self, record: ShapeRecord) -> bool:
        return self._sees_through and is_transparent(record.appearance)

    def _describe(
        self, index: int, record: ShapeRecord, visible: bool, trees: MeshTrees, bounds: FloatArray
    ) -> None:
        """Set kind, parameters and bounding sphere of a shape; a shape without extent is skipped."""
        kind, parameters, radius = _primitive(record.geometry, visible)
        if kind == kernels.NOTHING:
            if not isinstance(record.geometry, TriangleMesh) or not len(record.geometry.triangles):
                return
            mesh = record.geometry.triangles
            kind = kernels.TRIANGLES
            parameters = (float(trees.add_mesh(mesh)), 0.0, 0.0)
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
        """Split the shapes into static and moving ones, and place all."""
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
        self._static = np.array(still, np.int64)
        self._moving = np.array(moving, np.int64)
        self.place_static(pool)


def ignored_group_of(model: WorldModel, solid: NodeId | None) -> int:
    """Return the number of a solid in the tables; rays that ignore it ignore all shapes with this number."""
    return kernels.NOTHING if solid is None else model.solid(solid).whole


def _primitive(geometry: Geometry | None, visible: bool) -> tuple[int, Vec3, float]:
    """Return kind, parameters and radius of the bounding sphere; NOTHING: not a primitive, or without
    extent."""
    match geometry:
        case Box(size) if min(size) > 0.0:
            x, y, z = (length / 2.0 for length in size)
            return kernels.BOX, (x, y, z), math.hypot(x, y, z)
        case Plane() if not visible:
            return kernels.HALF_SPACE, (0.0, 0.0, 0.0), math.inf
        case Plane(size) if min(size) > 0.0:
            x, y = (length / 2.0 for length in size)
            return kernels.RECTANGLE, (x, y, 0.0), math.hypot(x, y)
        case Sphere(radius) if radius > 0.0:
            return kernels.SPHERE, (radius, 0.0, 0.0), radius
        case Capsule(radius, height) if min(radius, height) > 0.0:
            return kernels.CAPSULE, (radius, height / 2.0, 0.0), radius + height / 2.0
        case Cylinder(radius, height) | Cone(radius, height) if min(radius, height) > 0.0:
            kind = kernels.CYLINDER if isinstance(geometry, Cylinder) else kernels.CONE
            return kind, (radius, height / 2.0, 0.0), math.hypot(radius, height / 2.0)
    return kernels.NOTHING, (0.0, 0.0, 0.0), 0.0


class MeshTrees:
    """The trees of the meshes of a table, in common arrays.

    They are as made by `bvh.py`, but the numbers of nodes and triangles are offset by those of the meshes
    before.
    """

    def __init__(self) -> None:
        # The kernels need arrays that are not empty.
        self._boxes = [np.zeros((1, 6))]
        self._links = [np.zeros((1, 3), np.int64)]
        self._triangles: list[FloatArray] = [np.zeros((1, 3, 3))]
        self._nodes = self._count = 1

    def add_mesh(self, mesh: FloatArray) -> int:
        """Add the tree of a mesh of one or more triangles; return its root."""
        tree, root = bvh_of(mesh), self._nodes
        links = tree.links.copy()
        links[:, 0] += np.where(links[:, 1] > 0, self._count, root)
        self._boxes.append(tree.boxes)
        self._links.append(links)
        self._triangles.append(tree.triangles)
        self._nodes += len(links)
        self._count += len(mesh)
        return root

    def tables(self) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return boxes, links and triangles as arguments of `kernels.cast`."""
        return (
            np.concatenate(self._boxes),
            np.concatenate(self._links),
            np.ascontiguousarray(np.concatenate(self._triangles)),
        )
