"""The ray caster: all rays of a step in one call of the compiled kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.reflectance import is_transparent
from sim_core.model.shapes import ShapeRecord, bounding_shapes, outermost_robot, visible_shapes
from sim_core.scene import Node, Scene
from sim_core.sensing.raycast import kernels
from sim_core.sensing.raycast.frames import Frame, FramePool
from sim_core.sensing.raycast.ray_records import RayRecords
from sim_core.sensing.raycast.shapes import ShapeTable

FloatArray = NDArray[np.float64]

KEPT_LAYOUTS = 64
"""A rotating lidar has one for each sector of its turn."""


class RayHits(NamedTuple):
    """What rays met; see `RayBatch` in `sim_core/sensing/rays.py`."""

    distances: FloatArray
    normals: FloatArray
    shapes: NDArray[np.int64]


class RayScene:
    """The shapes of a scene, ready for rays.

    Rays meet the bounding objects of solids, or the visible shapes.

    - A bounding object is met as by the rays of ODE: from inside, where the ray leaves it; a Plane is a half
      space. The bounding objects of one robot (of nested robots: the outermost) can be left out.
    - A visible shape is met from outside only, a Plane from above only and within its size. Fully transparent
      shapes are passed. The shapes of one solid can be left out.
    """

    def __init__(self, scene: Scene, frame_of: Callable[[Node], Frame]) -> None:
        self._scene = scene
        self._frame_of = frame_of
        self._identities: dict[Node, int] = {}
        self._tables: dict[bool, ShapeTable] = {}
        self.frames = FramePool(frame_of)
        self._batch = Batch(self)
        self._own: WeakSet[Batch] = WeakSet()

    def batch(self) -> Batch:
        """The collector of rays, emptied; one for each scene, so that nothing is allocated in each step."""
        self._batch.clear()
        return self._batch

    def new_batch(self) -> Batch:
        """A collector of rays of one's own, for who asks outside the sensors' common cast."""
        batch = Batch(self)
        self._own.add(batch)
        return batch

    def cast(
        self,
        origins: FloatArray,
        directions: FloatArray,
        max_range: float = math.inf,
        robot: Node | None = None,
        visible: bool = False,
    ) -> RayHits:
        """Cast rays given in the world, now.

        Args:
            origins: (n, 3) m.
            directions: (n, 3) unit vectors.
            max_range: length of the rays in m.
            robot: bounding objects of this robot are not met.
            visible: meet the visible shapes instead of the bounding objects.
        """
        batch = Batch(self)
        batch.add(None, origins, directions, max_range, robot, visible)
        batch.cast()
        return RayHits(batch.distances, batch.normals, batch.shapes)

    def refresh(self) -> None:
        """Read the scene again; to be called when shapes have changed or unmovable solids were moved."""
        self._tables.clear()
        self.frames = FramePool(self._frame_of)
        for batch in (self._batch, *self._own):
            batch.forget()

    def take_edits(self, edits: Edits) -> None:
        """Follow edits of the scene: in place, as far as that can be."""
        if not all(self._take_edit(edit) for edit in edits):
            self.refresh()

    def _take_edit(self, edit: Edit) -> bool:
        if edit.node is None or edit.aspect is Aspect.STRUCTURE:
            return False
        if edit.aspect is Aspect.POSE:
            self.frames.read_still(edit.node)
            for table in self._tables.values():
                table.place_still(self.frames)
        elif edit.aspect is Aspect.SIZE:
            return edit.node.is_a("Geometry") and self._renew(edit.node)
        elif edit.aspect is Aspect.LOOKS:
            shape = next(
                (each for each in (edit.node, *edit.node.ancestors()) if each.type_name == "Shape"), None
            )
            return shape is None or shape["geometry"] is None or self._renew(shape["geometry"])
        return True

    def _renew(self, geometry: Node) -> bool:
        return all(table.renew(geometry, self.frames) for table in self._tables.values())

    def table(self, visible: bool) -> ShapeTable:
        """The bounding or the visible shapes, made when first asked for."""
        table = self._tables.get(visible)
        if table is None:
            records = visible_shapes(self._scene) if visible else bounding_shapes(self._scene)
            if visible:
                records = (record for record in records if not is_transparent(record.appearance))
            table = self._tables[visible] = ShapeTable(records, self.frames, self.identify, visible)
        return table

    def identify(self, node: Node | None) -> int:
        """The number that stands for a robot or a solid in the tables; a lidar's head is the lidar."""
        if node is None:
            return kernels.NOTHING
        if node.parent_field == "rotatingHead" and node.parent is not None:
            node = node.parent
        return self._identities.setdefault(node, len(self._identities))


class _Block(NamedTuple):
    """Rays of one sensor; equal blocks in equal order share one layout."""

    frame: Frame | None
    origins: FloatArray
    directions: FloatArray
    max_range: float
    robot: Node | None
    visible: bool
    carrier: Node | None
    start: float


class _Layout:
    """What stays the same from step to step while the same sensors ask for the same rays."""

    def __init__(self, blocks: list[_Block], scene: RayScene) -> None:
        self.blocks = blocks  # holds the arrays and frames, so that their ids stay theirs
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
            robot = outermost_robot(block.robot) if block.robot is not None and not block.visible else None
            rows.append((start, end, scene.identify(robot), scene.identify(block.carrier), row))
            spread = float(np.linalg.norm(from_ - from_[0], axis=1).max())
            lengths.append((block.max_range, spread, block.start))
            start = end
        none = [np.empty((0, 3))]
        self.origins, self.directions = np.concatenate(origins or none), np.concatenate(directions or none)
        seen = np.array([block.visible for block in blocks], bool)
        self.parts = [
            (visible, np.array(rows, np.int64)[seen == visible], np.array(lengths)[seen == visible])
            for visible in (False, True)
            if (seen == visible).any()
        ]
        self.is_visible = np.repeat(seen, [len(block.origins) for block in blocks] or 0)
        self.distances, self.normals = np.empty(start), np.empty((start, 3))
        self.shapes, self.corners = np.empty(start, np.int64), np.empty(start, np.int64)

    def place_loose(self) -> None:
        """Turn the rays in frames that belong to no known solid into the world."""
        for frame, part, origins, directions in self._loose:
            position, rotation = frame.pose()
            turn = np.array(rotation).reshape(3, 3).T
            self.origins[part] = origins @ turn + position
            self.directions[part] = directions @ turn


def _in_frame(block: _Block, frames: FramePool) -> tuple[int, FloatArray, FloatArray]:
    """The row of the frame to use for a block (0: the world), its origins and directions in that frame."""
    origins, directions = block.origins.astype(np.float64), block.directions.astype(np.float64)
    if block.carrier is None:
        return 0, origins, directions
    row, offset, _ = frames.solid(block.carrier)
    rotation = np.array(offset.rotation).reshape(3, 3)
    return row, origins @ rotation.T + offset.position, directions @ rotation.T


class Batch(RayRecords):
    """Collects the rays of all due sensors and casts them at once (`RayBatch` in `sensing/rays.py`).

    The arrays given to `add` must not be changed afterwards: sensors keep theirs, and the batch recognises
    them from step to step. The result arrays hold until the next `cast`.
    """

    def __init__(self, scene: RayScene) -> None:
        self._scene = scene
        self._nothing = _Layout([], scene)
        self.forget()

    def forget(self) -> None:
        """Forget what is known about the sensors that asked before."""
        self._layouts: dict[tuple[object, ...], _Layout] = {}
        self.clear()

    def clear(self) -> None:
        """Forget the rays asked for, and the results."""
        self._key: list[object] = []
        self._asked: list[tuple[Any, ...]] = []
        self._count = 0
        self._layout = self._nothing
        self._has_normals = True

    def add(
        self,
        frame: Frame | None,
        origins: FloatArray,
        directions: FloatArray,
        max_range: float,
        robot: Node | None,
        visible: bool = False,
        carrier: Node | None = None,
        start: float = 0.0,
    ) -> slice:
        """Ask for n rays; see `RayBatch.add`. A frame of None is the world."""
        first = self._count
        count = len(origins)
        if count:
            self._key += (id(origins), id(directions), id(frame), max_range, robot, visible, carrier, start)
            self._asked.append((frame, origins, directions, max_range, robot, visible, carrier, start))
            self._count = first + count
        return slice(first, first + count)

    def cast(self) -> None:
        """Find what the rays meet; with no rays this does nothing."""
        if not self._asked:
            return
        scene = self._scene
        key = tuple(self._key)
        layout = self._layouts.get(key)
        if layout is None:
            if len(self._layouts) >= KEPT_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[key] = _Layout([_Block(*asked) for asked in self._asked], scene)
        tables = [scene.table(visible) for visible, _, _ in layout.parts]
        layout.place_loose()
        scene.frames.read()
        for (visible, rows, lengths), shapes in zip(layout.parts, tables, strict=True):
            shapes.update(scene.frames)
            kernels.cast(
                scene.frames.poses, rows, lengths, layout.origins, layout.directions, visible,
                shapes.kinds, shapes.parameters, shapes.placed, shapes.owners,
                shapes.boxes, shapes.links, shapes.triangles,
                layout.distances, layout.shapes, layout.corners,
            )  # fmt: skip
        self._layout = layout
        self._has_normals = False

    @property
    def distances(self) -> FloatArray:
        """(N,) m from the origin to the first surface; inf where nothing was met within the range."""
        return self._layout.distances

    @property
    def normals(self) -> FloatArray:
        """(N, 3) unit normals, world axes, on the side the ray came from; zero where nothing was met."""
        if not self._has_normals:
            self._find_normals()
        return self._layout.normals

    @property
    def shapes(self) -> NDArray[np.int64]:
        """(N,) index of the shape met in the table of its kind, -1 where nothing was met."""
        return self._layout.shapes

    def record(self, ray: int) -> ShapeRecord | None:
        """The shape that a ray met, None if it met nothing."""
        index = int(self._layout.shapes[ray])
        if index < 0:
            return None
        return self._scene.table(bool(self._layout.is_visible[ray])).records[index]

    def _find_normals(self) -> None:
        """The normals of the last cast; few sensors want them."""
        self._has_normals = True
        layout, scene = self._layout, self._scene
        for visible, rows, _ in layout.parts:
            shapes = scene.table(visible)
            kernels.find_normals(
                scene.frames.poses, rows, layout.origins, layout.directions,
                shapes.kinds, shapes.parameters, shapes.placed, shapes.triangles,
                layout.distances, layout.shapes, layout.corners, layout.normals,
            )  # fmt: skip
