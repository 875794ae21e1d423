"""Ray caster: all rays of a step in one call of the compiled kernel."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakSet

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import Frame, World
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.shapes import ShapeRecord
from sim_core.sensing.raycast import kernels
from sim_core.sensing.raycast.frames import FramePool
from sim_core.sensing.raycast.shapes import ShapeTable, ignored_group_of
from sim_core.sensing.rays import RayBatch, Rays

KEPT_LAYOUTS = 64
"""Number of stored layouts; a rotating lidar has one for each sector of a revolution."""


KEPT_TABLES = 16
"""Number of stored tables, one for each set of hidden geometries."""


class RayFilter(NamedTuple):
    """Selection of the shapes that rays hit, see `Rays`."""

    visible: bool
    hidden: frozenset[NodeId] = frozenset()
    sees_through: bool = False


class RayScene:
    """The shapes of a scene, prepared for rays.

    Rays hit the bounding objects of solids, or the visible shapes.

    - A bounding object is hit as by the rays of ODE: from inside, where the ray leaves it; a Plane is a half
      space. The bounding objects of one robot (of nested robots: the outermost) can be ignored, and those
      that are fully transparent.
    - A visible shape is hit from outside only, a Plane from above only and within its size. Fully transparent
      shapes are ignored. The shapes of one solid can be ignored.

    Attributes:
        world: the world with the shapes.
        frames: frames of the shapes.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._tables: dict[RayFilter, ShapeTable] = {}
        self.frames = FramePool(world)
        self._batch = SceneBatch(self)
        self._own: WeakSet[SceneBatch] = WeakSet()

    def batch(self) -> SceneBatch:
        """Return the common ray batch, emptied; one for each scene, so that steps allocate no memory."""
        self._batch.clear()
        return self._batch

    def new_batch(self) -> SceneBatch:
        """Return a separate ray batch, for rays outside the sensors' common cast."""
        batch = SceneBatch(self)
        self._own.add(batch)
        return batch

    def read_model(self) -> None:
        """Read the model again, after static solids were moved or the model was replaced."""
        self._tables.clear()
        self.frames = FramePool(self.world)
        for batch in (self._batch, *self._own):
            batch.clear_cache()

    def apply_edits(self, edits: Edits) -> None:
        """Update after edits of the scene, in place where possible."""
        if not all(self._take_edit(edit) for edit in edits):
            self.read_model()

    def _take_edit(self, edit: Edit) -> bool:
        if edit.aspect is Aspect.STRUCTURE:
            return False
        if edit.aspect is Aspect.POSE:
            self.frames.read_static(edit.solids)
            for table in self._tables.values():
                table.place_static(self.frames)
        elif edit.aspect in (Aspect.SIZE, Aspect.LOOKS):
            geometry = edit.geometry
            tables = self._tables.values()
            return geometry is None or all(table.update_geometry(geometry, self.frames) for table in tables)
        return True

    def table(self, seen: RayFilter) -> ShapeTable:
        """Return the table of the selected shapes, made at the first call."""
        table = self._tables.get(seen)
        if table is None:
            if len(self._tables) >= KEPT_TABLES:
                self._tables = {}
            table = self._tables[seen] = ShapeTable(self.world.model, self.frames, *seen)
        return table

    def tables_of(self, layout: _RayLayout) -> list[ShapeTable]:
        """Return the tables of the parts of a layout, found again only after tables were discarded."""
        if layout.tables_of is not self._tables:
            layout.tables = [self.table(seen) for seen, _, _ in layout.parts]
            layout.tables_of = self._tables
        return layout.tables

    def identify(self, block: Rays) -> tuple[int, int]:
        """Return the numbers in the tables of the robot and the solid that rays ignore."""
        model, robot = self.world.model, block.robot
        outermost = model.solid(robot).robot if robot is not None and not block.visible else None
        return outermost or kernels.NOTHING, ignored_group_of(model, block.carrier)


class _RayLayout:
    """Arrays that stay the same from step to step while the same sensors request the same rays."""

    def __init__(self, requests: list[Rays], scene: RayScene) -> None:
        self.requests = requests  # stored, so that no other object gets their ids
        self.tables: list[ShapeTable] = []
        self.tables_of: object = None
        blocks = [each for each in requests if len(each.origins)]
        self._loose: list[tuple[Frame, slice, FloatArray, FloatArray]] = []
        origins, directions = [], []
        rows: list[tuple[int, int, int, int, int]] = []
        lengths: list[tuple[float, float, float]] = []
        start = 0
        for block in blocks:
            end = start + len(block.origins)
            row, from_, to = _in_frame(block, scene.frames)
            if block.carrier is None and block.frame is not None:
                self._loose.append((block.frame, slice(start, end), from_, to))
            origins.append(from_)
            directions.append(to)
            rows.append((start, end, *scene.identify(block), row))
            spread = float(np.linalg.norm(from_ - from_[0], axis=1).max())
            lengths.append((block.max_range, spread, block.start))
            start = end
        none = [np.empty((0, 3))]
        self.origins, self.directions = np.concatenate(origins or none), np.concatenate(directions or none)
        seen = [RayFilter(block.visible, block.hidden, block.sees_through) for block in blocks]
        kinds = list(dict.fromkeys(seen))
        which = np.array([kinds.index(each) for each in seen], np.int64)
        self.parts = [
            (kind, np.array(rows, np.int64)[which == number], np.array(lengths)[which == number])
            for number, kind in enumerate(kinds)
        ]
        self._kinds = np.repeat(which, [len(block.origins) for block in blocks])
        self.distances, self.normals = np.empty(start), np.empty((start, 3))
        self.shapes, self.corners = np.empty(start, np.int64), np.empty(start, np.int64)

    def seen(self, ray: int) -> RayFilter:
        """Return the selection of shapes that a ray can hit."""
        return self.parts[self._kinds[ray]][0]

    def place_loose(self) -> None:
        """Transform rays in frames that belong to no known solid into the world."""
        for frame, part, origins, directions in self._loose:
            position, rotation = frame.pose()
            turn = np.array(rotation).reshape(3, 3).T
            self.origins[part] = origins @ turn + position
            self.directions[part] = directions @ turn


def _in_frame(block: Rays, frames: FramePool) -> tuple[int, FloatArray, FloatArray]:
    """Return the row of the frame to use for a block (0: the world), its origins and directions in that
    frame."""
    origins, directions = block.origins.astype(np.float64), block.directions.astype(np.float64)
    if block.carrier is None:
        return 0, origins, directions
    row, offset, _ = frames.solid(block.carrier)
    rotation = np.array(offset.rotation).reshape(3, 3)
    return row, origins @ rotation.T + offset.position, directions @ rotation.T


class SceneBatch(RayBatch):
    """Casts rays at the shapes of a `RayScene`."""

    def __init__(self, scene: RayScene) -> None:
        self._scene = scene
        self._nothing = _RayLayout([], scene)
        self.clear_cache()

    def clear_cache(self) -> None:
        """Discard all stored layouts."""
        self._layouts: dict[tuple[int, ...], _RayLayout] = {}
        self.clear()

    def clear(self) -> None:
        """Remove all rays and results."""
        super().clear()
        self._set_results(self._nothing, has_normals=True)

    def cast(self) -> None:
        """Compute what the rays hit, see `RayBatch.cast`."""
        if not self._count:
            return
        scene = self._scene
        key = tuple(map(id, self.requests))
        layout = self._layouts.get(key)
        if layout is None:
            if len(self._layouts) >= KEPT_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[key] = _RayLayout(self.requests, scene)
        tables = scene.tables_of(layout)
        layout.place_loose()
        scene.frames.update_poses()
        for (seen, rows, lengths), shapes in zip(layout.parts, tables, strict=True):
            shapes.update_poses(scene.frames)
            kernels.cast(
                scene.frames.poses, rows, lengths, layout.origins, layout.directions, seen.visible,
                shapes.kinds, shapes.parameters, shapes.placed, shapes.owners,
                shapes.boxes, shapes.links, shapes.triangles,
                layout.distances, layout.shapes, layout.corners,
            )  # fmt: skip
        self._set_results(layout, has_normals=False)

    @property
    def normals(self) -> FloatArray:
        """Unit normals at the hits, see `RayBatch.normals`; computed at the first access."""
        if not self._has_normals:
            self._find_normals()
        return self._layout.normals

    def record(self, ray: int) -> ShapeRecord | None:
        """Return the shape that a ray hit, see `RayBatch.record`."""
        index = int(self.shapes[ray])
        return self._scene.table(self._layout.seen(ray)).records[index] if index >= 0 else None

    def _set_results(self, layout: _RayLayout, has_normals: bool) -> None:
        self._layout, self._has_normals = layout, has_normals
        self.distances, self.shapes = layout.distances, layout.shapes

    def _find_normals(self) -> None:
        """Compute the normals of the last cast; few sensors need them."""
        self._has_normals = True
        layout, scene = self._layout, self._scene
        for seen, rows, _ in layout.parts:
            shapes = scene.table(seen)
            kernels.find_normals(
                scene.frames.poses, rows, layout.origins, layout.directions,
                shapes.kinds, shapes.parameters, shapes.placed, shapes.triangles,
                layout.distances, layout.shapes, layout.corners, layout.normals,
            )  # fmt: skip
