"""What robots run into: outlines that stand still, sorted into the cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotate
from sim_core.engines.planar import motion_kernels as kernels
from sim_core.engines.planar.robots import Footprint, RobotTable, footprint_of
from sim_core.engines.planar.tree import PlanarTree
from sim_core.model.geometry import Plane
from sim_core.model.outlines import FloatArray, Part, heights, outline_boxes, parts_of, shadow
from sim_core.model.shapes import ShapeRecord

UP = 0.999
"""Cosine of the tilt up to which a Plane is ground to drive on."""


class Obstacles:
    """Bounding objects as the robots meet them.

    A robot meets what lies between the tenth of its height and its top; the outlines of that are made for
    each such slab that occurs. Planes are the ground: nothing runs into them.

    Attributes:
        discs, slabs, outlines, outline_slabs, grid, start, items: see `motion_kernels.roll`.
        footprints: of each robot.
        warnings: shapes that no robot meets although they collide elsewhere.
    """

    def __init__(self, tree: PlanarTree, shapes: Iterable[ShapeRecord], robots: RobotTable) -> None:
        """`shapes`: those of all bounding objects."""
        self.warnings: list[SceneError] = []
        rows = {link.solid: row for row, link in enumerate(robots.links)}
        own: list[list[Part]] = [[] for _ in rows]
        still: list[Part] = []
        for record in shapes:
            row = rows.get(record.robot) if record.robot is not None else None
            pose = pose_at_start(tree, record) * record.offset
            if row is not None:
                into = robots.frame_at_start(row).inverse()
                own[row] += parts_of(record.geometry, into * pose, record.scale)
            elif isinstance(record.geometry, Plane):
                self._check_plane(record, pose)
            else:
                still += parts_of(record.geometry, pose, record.scale)
        self.footprints = [footprint_of(parts) for parts in own]
        self.discs = np.array([foot[:3] for foot in self.footprints], float).reshape(-1, 3)
        slabs = {_slab(foot): None for foot in self.footprints if foot.radius > 0.0}
        numbers = {slab: number for number, slab in enumerate(slabs)}
        self.slabs = np.array([numbers.get(_slab(foot), -1) for foot in self.footprints], np.int64)
        found = [
            (row, number)
            for (low, high), number in numbers.items()
            for part in still
            if heights(part)[0] < high and heights(part)[1] > low
            for row in shadow(part, low, high)
        ]
        self.outlines = np.array([row for row, _ in found], float).reshape(-1, 5)
        self.outline_slabs = np.array([number for _, number in found], np.int64)
        self.grid, self.start, self.items = make_grid(self.outlines)
        self._say_what_overlaps(robots)

    def _check_plane(self, record: ShapeRecord, pose: Pose) -> None:
        if rotate(pose.rotation, (0.0, 0.0, 1.0))[2] < UP:
            text = "in fast 2D a Plane is ground, and one that is not level is no obstacle"
            self.warnings.append(SceneError(*record.source, text))

    def _say_what_overlaps(self, robots: RobotTable) -> None:
        """One line for robots that stand in a wall at the start: their first step pushes them out."""
        inside = []
        for row, foot in enumerate(self.footprints):
            x, y, _ = robots.frame_at_start(row).apply((foot.x, foot.y, 0.0))
            mine = self.outlines[self.outline_slabs == self.slabs[row]] if foot.radius > 0.0 else ()
            if any(kernels.gap(outline, x, y) < foot.radius - 1e-9 for outline in mine):
                inside.append(robots.links[row].record)
        if inside:
            names = ", ".join(body.name for body in inside[:5]) + (", …" if len(inside) > 5 else "")
            text = f"the discs of robots overlap walls at the start, so they are pushed away: {names}"
            self.warnings.append(SceneError(*inside[0].label.source, text))


def make_grid(outlines: FloatArray) -> tuple[FloatArray, np.ndarray, np.ndarray]:
    """A grid over outlines (n, 5), about two cells for each, and what is in its cells (see `fill_grid`)."""
    grid = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    if not len(outlines):
        return grid, np.zeros(2, np.int64), np.zeros(0, np.int64)
    boxes = outline_boxes(outlines)
    rim = 1e-9 * float(np.abs(boxes).max())  # what lies on the border of a cell is in both
    boxes += (-rim, -rim, rim, rim)
    (x0, y0), (x1, y1) = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    wide, high = x1 - x0, y1 - y0
    cells = min(2.0 * len(outlines) + 4.0, 1e6)
    size = max(1e-6, float(np.sqrt(wide * high / cells)), wide / cells, high / cells)
    grid[:] = (x0, y0, size, np.floor(wide / size) + 1.0, np.floor(high / size) + 1.0)
    start, items = kernels.fill_grid(boxes, grid, True, outlines)
    return grid, start, items


def pose_at_start(tree: PlanarTree, record: ShapeRecord) -> Pose:
    """X_WS at the start of the solid that a shape is on; of the world, if it is on none."""
    link, pose = (tree.place(record.solid) if record.solid is not None else None) or (None, Pose())
    return link.start * pose if link is not None else pose


def _slab(foot: Footprint) -> tuple[float, float]:
    """The heights between which a robot meets things, to the tenth of a millimetre: equal robots share."""
    return round(foot.low, 4), round(foot.high, 4)
