"""Section of a scene at a height, for rays in that plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.ids import NodeId
from sim_core.engines.planar import ray_kernels as kernels
from sim_core.engines.planar.obstacles import make_grid, pose_at_start
from sim_core.engines.planar.robots import RobotTable
from sim_core.engines.planar.tree import PlanarTree
from sim_core.engines.rolling import Hits, RobotGrid, SliceConstants
from sim_core.model.appearance import infrared_factor, is_transparent
from sim_core.model.geometry import Plane
from sim_core.model.outlines import ConvexPart, farthest, parts_of, projection, rectangle
from sim_core.model.shapes import ShapeRecord
from sim_core.model.world_model import WorldModel

PartRow = tuple[float, ...]


class _PlacedPart(NamedTuple):
    """Convex part of a shape: in the world, or in the axes of the robot (row) that it is on."""

    part: ConvexPart
    record: ShapeRecord
    robot: int
    """-1: it is fixed."""


class PlanarSlice:
    """Outlines at one height, of bounding objects or of visible shapes; implements `Slice`.

    Shapes are at the start pose in their robot: joints other than wheels are ignored.

    Attributes:
        constants: its arrays.
        records: the shape of each outline, those of robots after the fixed ones.
    """

    def __init__(self, solids: list[_PlacedPart], height: float, visible: bool, robots: RobotTable) -> None:
        still: list[PartRow] = []
        records: list[ShapeRecord] = []
        own: dict[int, list[tuple[PartRow, ShapeRecord]]] = {link.row: [] for link in robots.links}
        for solid in solids:
            rows = projection(solid.part, height, height)
            if solid.robot < 0:
                still += rows
                records += [solid.record] * len(rows)
            else:
                own[solid.robot] += [(row, solid.record) for row in rows]
        outlines = np.array(still, float).reshape(-1, 5)
        of_robots = np.array([row for rows in own.values() for row, _ in rows], float).reshape(-1, 5)
        parts: IntArray = np.zeros((len(robots), 2), np.int64)
        extents = np.zeros(len(robots))
        end = 0
        for robot, among in own.items():
            start, end = end, end + len(among)
            parts[robot] = start, end
            extents[robot] = farthest(of_robots[start:end], 0.0, 0.0) * (1.0 + 1e-9)
        self.records = records + [record for rows in own.values() for _, record in rows]
        factors = np.array([infrared_factor(record.appearance) for record in self.records], float)
        self.constants = SliceConstants(
            visible, outlines, *make_grid(outlines), of_robots, parts[robots.templates],
            extents[robots.templates], factors,
        )  # fmt: skip

    def sort(self, places: FloatArray) -> RobotGrid:
        """Sort the present robots into the cells of a grid; see `Slice.sort`."""
        turns, grid = np.empty((len(places), 2)), np.empty(5)
        return RobotGrid(
            places, turns, grid, *kernels.sort_robots(places, self.constants.extents, turns, grid)
        )

    def cast(
        self, rows: IntArray, blocks: IntArray, ranges: FloatArray, origins: FloatArray,
        directions: FloatArray, robots: RobotGrid, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast rays in this plane; see `Slice.cast`."""
        own = self.constants
        kernels.cast(
            rows, blocks, ranges, origins, directions, own.visible,
            own.outlines, own.grid, own.start, own.items,
            *robots, own.robot_outlines, own.parts, own.extents,
            hits.distances, hits.normals, hits.met,
        )  # fmt: skip

    def cast_copies(
        self,
        copies: IntArray,
        rows: IntArray,
        blocks: IntArray,
        ranges: FloatArray,
        origins: FloatArray,
        directions: FloatArray,
        places: FloatArray,
        turns: FloatArray,
        hits: Hits,
    ) -> None:
        """Cast rays in this plane in copies of the world; see `Slice.cast_copies`."""
        own = self.constants
        kernels.cast_copies(
            copies, rows, blocks, ranges, origins, directions, own.visible,
            own.outlines, own.grid, own.start, own.items,
            places, turns, own.robot_outlines, own.parts, own.extents,
            hits.distances, hits.normals, hits.met,
        )  # fmt: skip


class Slices:
    """Slices of a scene, each made when its height is first needed."""

    def __init__(self, tree: PlanarTree, model: WorldModel, robots: RobotTable) -> None:
        self._tree = tree
        self._model = model
        self._robots = robots
        self._solids: dict[bool, list[_PlacedPart]] = {}
        self._made: dict[tuple[float, bool, frozenset[NodeId], bool], PlanarSlice] = {}

    def slice_at(
        self, height: float, visible: bool, hidden: frozenset[NodeId], sees_through: bool
    ) -> PlanarSlice:
        """Return the slice at a height in m, rounded to a nanometre, without hidden solids; see `Rays`."""
        key = (round(height, 9), visible, hidden, sees_through)
        if key not in self._made:
            if visible not in self._solids:
                self._solids[visible] = list(self._read(visible))
            passes = visible or sees_through
            solids = [
                each
                for each in self._solids[visible]
                if each.record.node not in hidden and not (passes and is_transparent(each.record.appearance))
            ]
            self._made[key] = PlanarSlice(solids, height, visible, self._robots)
        return self._made[key]

    def _read(self, visible: bool) -> list[_PlacedPart]:
        rows = {link.solid: link.row for link in self._robots.links}
        found = []
        for record in (self._model.visible if visible else self._model.bounding).records:
            row = rows.get(record.robot) if record.robot is not None else None
            pose = pose_at_start(self._tree, record, self._robots, row) * record.offset
            if visible and isinstance(record.geometry, Plane):
                parts = rectangle(record.geometry, pose, record.scale)
            else:
                parts = parts_of(record.geometry, pose, record.scale)
            found += [_PlacedPart(part, record, -1 if row is None else row) for part in parts]
        return found
