"""Rays of single devices in the plane: lidars and what else asks for rays one device at a time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim_core.engines.rolling import FloatArray, Hits, Rolling, Slice
from sim_core.engines.world_view import Frame
from sim_core.model.changes import Edits
from sim_core.model.shapes import ShapeRecord
from sim_core.scene import Node
from sim_core.sensing.raycast import RayScene
from sim_core.sensing.raycast.ray_records import RayRecords
from sim_core.sensing.raycast.ray_scene import Batch

LEVEL_PART = math.cos(math.pi / 4.0)
"""Length of the level part of a ray from which on it is taken as level."""


class FlatRays(NamedTuple):
    """Rays fixed to a robot, laid into the plane.

    Attributes:
        robot: row.
        height: of the device, m above z 0.
        origins, directions: (n, 2) from the axle centre, in the axes of the robot; m, and unit vectors.
    """

    robot: int
    height: float
    origins: FloatArray
    directions: FloatArray


def flatten(rolling: Rolling, device: Node, origins: FloatArray, directions: FloatArray) -> FlatRays | None:
    """Rays of a device, given in its frame, laid into the plane at its height.

    Returns:
        None if the device is not fixed to a robot that drives, or a ray is more than 45° off level.
    """
    carried = rolling.carried(device)
    if carried is None:
        return None
    row, own = carried
    turn = np.array(own.rotation).reshape(3, 3).T
    placed = origins @ turn + own.position
    turned = directions @ turn
    level = np.hypot(turned[:, 0], turned[:, 1])
    if not (level >= LEVEL_PART).all():
        return None
    flat = turned[:, :2] / level[:, None]
    return FlatRays(row, own.position[2], np.ascontiguousarray(placed[:, :2]), np.ascontiguousarray(flat))


class PlanarRays:
    """The ray caster of the fast 2D mode: rays of devices on robots in the plane, all others in space."""

    def __init__(self, rolling: Rolling, space: RayScene) -> None:
        self.rolling = rolling
        self.space = space
        self._batch = PlanarBatch(self, self.space.batch())

    def take_edits(self, edits: Edits) -> None:
        """Nothing: what stands still stays as it is in this mode."""

    def batch(self) -> PlanarBatch:
        """The collector of rays, emptied."""
        self._batch.clear()
        return self._batch

    def new_batch(self) -> PlanarBatch:
        """A collector of rays of one's own."""
        return PlanarBatch(self, self.space.new_batch())


class _Block(NamedTuple):
    """Rays of one device in the plane."""

    plane: Slice
    table: Any
    ranges: FloatArray
    rays: FlatRays
    hits: Hits
    start: float


_ROW = np.zeros(1, np.int64)
KEPT = 1024
"""Blocks that a batch remembers; a rotating lidar has one for each sector of its turn."""


class PlanarBatch(RayRecords):
    """Collects rays and casts them at once; meets `RayBatch`."""

    def __init__(self, scene: PlanarRays, space: Batch) -> None:
        self._scene = scene
        self._space = space
        self._known: dict[tuple[Any, ...], tuple[_Block | None, tuple[Any, ...]]] = {}
        self.clear()

    def clear(self) -> None:
        """Forget the rays asked for, and the results."""
        self._space.clear()
        self._asked: list[tuple[slice, _Block | slice]] = []
        self._count = 0
        self._hits: tuple[Any, Any, Any] = (np.empty(0), np.empty((0, 3)), np.empty(0, np.int64))

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
        """Ask for n rays; see `RayBatch.add`. In the plane the own robot is never met."""
        mine = slice(self._count, self._count + len(origins))
        self._count = mine.stop
        key = (id(origins), id(directions), max_range, visible, carrier, start)
        if key not in self._known:
            if len(self._known) >= KEPT:
                self._known.clear()
            block = self._block(origins, directions, max_range, visible, carrier, start)
            self._known[key] = (block, (origins, directions))  # held, so that the ids stay theirs
        block = self._known[key][0] if visible or robot is not None else None
        asked = block or self._space.add(
            frame, origins, directions, max_range, robot, visible, carrier, start
        )
        self._asked.append((mine, asked))
        return mine

    def cast(self) -> None:
        """Find what the rays meet."""
        if not self._asked:
            return
        if len(self._hits[0]) != self._count:
            self._hits = (
                np.empty(self._count), np.zeros((self._count, 3)), np.empty(self._count, np.int64)
            )  # fmt: skip
        if any(isinstance(asked, slice) for _, asked in self._asked):
            self._space.cast()
        places = self._scene.rolling.places
        distances, normals, shapes = self._hits
        for mine, asked in self._asked:
            if isinstance(asked, slice):
                distances[mine] = self._space.distances[asked]
                normals[mine] = self._space.normals[asked]
                shapes[mine] = self._space.shapes[asked]
                continue
            rays, hits = asked.rays, asked.hits
            asked.plane.cast(_ROW, asked.table, asked.ranges, rays.origins, rays.directions, places, hits)
            distances[mine] = hits.distances + asked.start
            normals[mine, :2] = hits.normals
            normals[mine, 2] = 0.0
            shapes[mine] = hits.met

    @property
    def distances(self) -> FloatArray:
        """(N,) m; inf where nothing was met within the range."""
        return self._hits[0]

    @property
    def normals(self) -> FloatArray:
        """(N, 3) unit normals, world axes; zero where nothing was met."""
        return self._hits[1]

    @property
    def shapes(self) -> Any:
        """(N,) index of what was met in the tables of its slice or of the ray scene, -1: nothing."""
        return self._hits[2]

    def record(self, ray: int) -> ShapeRecord | None:
        """The shape that a ray met, None if it met nothing."""
        mine, asked = next(item for item in self._asked if item[0].start <= ray < item[0].stop)
        if isinstance(asked, slice):
            return self._space.record(asked.start + ray - mine.start)
        index = int(asked.hits.met[ray - mine.start])
        return asked.plane.records[index] if index >= 0 else None

    def _block(
        self,
        origins: FloatArray,
        directions: FloatArray,
        max_range: float,
        visible: bool,
        carrier: Node | None,
        start: float,
    ) -> _Block | None:
        """The rays laid into the plane; None: they are cast in space."""
        if carrier is None or not len(origins):
            return None
        directions = np.asarray(directions, float)
        rays = flatten(self._scene.rolling, carrier, origins + start * directions, directions)
        if rays is None:
            return None
        table = np.array([(rays.robot, 0, len(origins))], np.int64)
        plane = self._scene.rolling.slice(rays.height, visible)
        return _Block(plane, table, np.array([max_range - start]), rays, Hits.of(len(origins)), start)
