"""Ray casting in the plane, one device at a time: lidars and other devices."""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.engines.rolling import Hits, RobotGrid, Rolling, Slice
from sim_core.model.changes import Edits
from sim_core.model.shapes import ShapeRecord
from sim_core.sensing.raycast.ray_scene import RayScene, SceneBatch
from sim_core.sensing.rays import RayBatch, Rays

LEVEL_PART = math.cos(math.pi / 4.0)
"""Length of the level part of a ray from which on it is treated as level."""


class FlatRays(NamedTuple):
    """Rays fixed to a robot, projected into the plane.

    Attributes:
        robot: row of the robot.
        height: height of the device, m above z 0.
        origins, directions: (n, 2) from the axle centre, in the axes of the robot; m, and unit vectors.
    """

    robot: int
    height: float
    origins: FloatArray
    directions: FloatArray


def flatten(carried: tuple[int, Pose] | None, origins: FloatArray, directions: FloatArray) -> FlatRays | None:
    """Project a device's rays into the plane at its height; `carried` as returned by `Rolling.carried`.

    Returns:
        None if the device is not fixed to a driving robot, or a ray is more than 45° off level.
    """
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
    """Ray caster of the fast 2D mode: rays of devices on robots are cast in the plane, all others in
    space."""

    def __init__(self, rolling: Rolling, space: RayScene) -> None:
        self.rolling = rolling
        self.space = space
        self._batch = PlanarBatch(self, self.space.batch())
        self._own: WeakSet[PlanarBatch] = WeakSet()

    def apply_edits(self, edits: Edits) -> None:
        """Update after edits of the scene."""
        self.space.apply_edits(edits)
        for batch in (self._batch, *self._own):
            batch.clear_cache()

    def batch(self) -> PlanarBatch:
        """Return the common ray batch, emptied."""
        self._batch.clear()
        return self._batch

    def new_batch(self) -> PlanarBatch:
        """Return a separate ray batch."""
        batch = PlanarBatch(self, self.space.new_batch())
        self._own.add(batch)
        return batch


class Block(NamedTuple):
    """Rays of one device in the plane.

    Attributes:
        plane: slice that they lie in.
        table, ranges: of the one block, as for `Slice.cast`.
        rays: the rays.
        hits: their hits.
        start: m on the rays before which nothing is hit; distances are counted from there.
    """

    plane: Slice
    table: Any
    ranges: FloatArray
    rays: FlatRays
    hits: Hits
    start: float


def block_of(rolling: Rolling, request: Rays) -> Block | None:
    """Return rays projected into the plane; None: they are cast in space."""
    sees_own_robot = request.robot is None and not request.visible
    if request.carrier is None or sees_own_robot or not len(request.origins):
        return None
    directions = np.asarray(request.directions, float)
    carried = rolling.carried(request.carrier)
    rays = flatten(carried, request.origins + request.start * directions, directions)
    if rays is None:
        return None
    table = np.array([(rays.robot, 0, len(request.origins))], np.int64)
    plane = rolling.slice(rays.height, request.visible, request.hidden, request.sees_through)
    ranges = np.array([request.max_range - request.start])
    return Block(plane, table, ranges, rays, Hits.empty(len(request.origins)), request.start)


_ROW = np.zeros(1, np.int64)
KEPT = 1024
"""Number of blocks that a batch stores; a rotating lidar has one for each sector of a revolution."""


class PlanarBatch(RayBatch):
    """Casts rays of devices on robots in the plane, where the own robot is ignored."""

    def __init__(self, scene: PlanarRays, space: SceneBatch) -> None:
        self._scene = scene
        self._space = space
        self._known: dict[int, tuple[Block | None, Rays]] = {}
        self.distances, self.shapes = np.empty(0), np.empty(0, np.int64)
        self._normals = np.empty((0, 3))
        self.clear()

    def clear(self) -> None:
        """Remove all rays and results."""
        super().clear()
        self._parts: list[tuple[slice, Block | slice]] = []

    def clear_cache(self) -> None:
        """Discard stored blocks after changes of the plane or of the devices."""
        self._known.clear()

    def cast(self) -> None:
        """Compute what the rays hit, see `RayBatch.cast`."""
        if not self.requests:
            return
        if len(self.distances) != self._count:
            self.distances, self.shapes = np.empty(self._count), np.empty(self._count, np.int64)
            self._normals = np.zeros((self._count, 3))
        self._split_requests()
        places = self._scene.rolling.arrays.places
        robots: dict[int, RobotGrid] = {}
        distances, normals, shapes = self.distances, self._normals, self.shapes
        for own, part in self._parts:
            if isinstance(part, slice):
                distances[own] = self._space.distances[part]
                normals[own] = self._space.normals[part]
                shapes[own] = self._space.shapes[part]
                continue
            rays, hits = part.rays, part.hits
            plane = part.plane
            if id(plane) not in robots:
                robots[id(plane)] = plane.sort(places)
            plane.cast(_ROW, part.table, part.ranges, rays.origins, rays.directions, robots[id(plane)], hits)
            distances[own] = hits.distances + part.start
            normals[own, :2] = hits.normals
            normals[own, 2] = 0.0
            shapes[own] = hits.met

    @property
    def normals(self) -> FloatArray:
        """Unit normals at the hits, see `RayBatch.normals`."""
        return self._normals

    def record(self, ray: int) -> ShapeRecord | None:
        """Return the shape that a ray hit, see `RayBatch.record`."""
        own, part = next(item for item in self._parts if item[0].start <= ray < item[0].stop)
        if isinstance(part, slice):
            return self._space.record(part.start + ray - own.start)
        index = int(part.hits.met[ray - own.start])
        return part.plane.records[index] if index >= 0 else None

    def _split_requests(self) -> None:
        """Split the rays into those in the plane and those in space, and cast the latter."""
        self._space.clear()
        self._parts = []
        start = 0
        for rays in self.requests:
            known = self._known.get(id(rays))
            if known is None:
                if len(self._known) >= KEPT:
                    self._known.clear()
                known = self._known[id(rays)] = (
                    block_of(self._scene.rolling, rays),
                    rays,
                )  # stored, so that no other object gets its id
            own = slice(start, start := start + len(rays.origins))
            self._parts.append((own, known[0] or self._space.add_rays(rays)))
        self._space.cast()
