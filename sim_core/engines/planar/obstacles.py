"""Obstacles of robots: fixed outlines, sorted into the cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotate
from sim_core.engines.planar import motion_kernels as kernels
from sim_core.engines.planar.robots import Footprint, RobotTable, footprint_of
from sim_core.engines.planar.tree import PlanarTree
from sim_core.model.geometry import Plane
from sim_core.model.outlines import ConvexPart, heights, outline_boxes, parts_of, projection
from sim_core.model.shapes import ShapeRecord

UP = 0.999
"""Cosine of the tilt up to which a Plane is ground to drive on."""


class Obstacles:
    """Bounding objects as obstacles of robots.

    A robot can hit objects between a tenth of its height and its top; the outlines are made for each such
    slab that occurs. Planes are the ground: they are no obstacles.

    Attributes:
        discs, slabs, outlines, outline_slabs, grid, start, items: see `motion_kernels.roll`.
        footprints: of each robot that has an object, by row.
        warnings: shapes that are no obstacles although they collide in ODE.
    """

    def __init__(self, tree: PlanarTree, shapes: Iterable[ShapeRecord], robots: RobotTable) -> None:
        """Create the obstacles; `shapes`: those of all bounding objects."""
        self.warnings: list[SceneError] = []
        rows = {link.solid: link.row for link in robots.links}
        own: dict[int, list[ConvexPart]] = {row: [] for row in rows.values()}
        still: list[ConvexPart] = []
        for record in shapes:
            row = rows.get(record.robot) if record.robot is not None else None
            pose = pose_at_start(tree, record, robots, row) * record.offset
            if row is not None:
                own[row] += parts_of(record.geometry, pose, record.scale)
            elif isinstance(record.geometry, Plane):
                self._check_plane(record, pose)
            else:
                still += parts_of(record.geometry, pose, record.scale)
        self.footprints = {row: footprint_of(parts) for row, parts in own.items()}
        slabs = {_slab(foot): None for foot in self.footprints.values() if foot.radius > 0.0}
        numbers = {slab: number for number, slab in enumerate(slabs)}
        self.discs = np.zeros((len(robots), 3))
        self.slabs = np.full(len(robots), -1, np.int64)
        for row, foot in self.footprints.items():
            self.discs[row], self.slabs[row] = foot[:3], numbers.get(_slab(foot), -1)
        self.discs, self.slabs = self.discs[robots.templates], self.slabs[robots.templates]
        found = [
            (row, number)
            for (low, high), number in numbers.items()
            for part in still
            if heights(part)[0] < high and heights(part)[1] > low
            for row in projection(part, low, high)
        ]
        self.outlines = np.array([row for row, _ in found], float).reshape(-1, 5)
        self.outline_slabs = np.array([number for _, number in found], np.int64)
        self.grid, self.start, self.items = make_grid(self.outlines)
        self._warn_of_overlaps(robots)

    def _check_plane(self, record: ShapeRecord, pose: Pose) -> None:
        if rotate(pose.rotation, (0.0, 0.0, 1.0))[2] < UP:
            text = "in fast 2D a Plane is ground, and one that is not level is no obstacle"
            self.warnings.append(SceneError(*record.source, text))

    def _warn_of_overlaps(self, robots: RobotTable) -> None:
        """Add one warning for robots that overlap a wall at the start: their first step pushes them out."""
        inside = kernels.stuck(
            robots.start, self.discs, self.slabs,
            self.outlines, self.outline_slabs, self.grid, self.start, self.items,
        )  # fmt: skip
        rows = np.flatnonzero(inside).tolist()
        if rows:
            by_row = {link.row: link.record for link in robots.links}
            found = [by_row[robots.templates.item(row)] for row in rows]
            names = ", ".join(
                body.name if row in by_row else f"one like {body.name}"
                for row, body in zip(rows[:5], found, strict=False)
            ) + (", …" if len(rows) > 5 else "")
            text = f"the discs of robots overlap walls at the start, so they are pushed away: {names}"
            self.warnings.append(SceneError(*found[0].label.source, text))


def make_grid(outlines: FloatArray) -> tuple[FloatArray, np.ndarray, np.ndarray]:
    """Return a grid over outlines (n, 5), about two cells per outline, and the items of its cells (see
    `fill_grid`)."""
    grid = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    if not len(outlines):
        return grid, np.zeros(2, np.int64), np.zeros(0, np.int64)
    boxes = outline_boxes(outlines)
    rim = 1e-9 * float(np.abs(boxes).max())  # objects on the border of a cell are in both
    boxes += (-rim, -rim, rim, rim)
    (x0, y0), (x1, y1) = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    wide, high = x1 - x0, y1 - y0
    cells = min(2.0 * len(outlines) + 4.0, 1e6)
    size = max(1e-6, float(np.sqrt(wide * high / cells)), wide / cells, high / cells)
    grid[:] = (x0, y0, size, np.floor(wide / size) + 1.0, np.floor(high / size) + 1.0)
    start, items = kernels.fill_grid(boxes, grid, True, outlines)
    return grid, start, items


def pose_at_start(tree: PlanarTree, record: ShapeRecord, robots: RobotTable, row: int | None = None) -> Pose:
    """Return X_WS, with joints at the start, of the solid of a shape, or of the world; for a shape on a
    driving robot (row) X_HS, from the frame of its axle centre."""
    link, pose = (tree.placement(record.solid) if record.solid is not None else None) or (None, Pose())
    if link is None:
        return pose
    return (link.pose_at_rest() if row is None else robots.own_pose(link, row)) * pose


def _slab(foot: Footprint) -> tuple[float, float]:
    """Return the heights between which a robot can hit objects, rounded to 0.1 mm, so that equal robots share
    them."""
    return round(foot.low, 4), round(foot.high, 4)
