"""Rays as devices ask for them, whoever casts them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import Frame
from sim_core.model.changes import Edits
from sim_core.model.shapes import ShapeRecord


class Rays(NamedTuple):
    """The rays of one sensor; the arrays must not be changed.

    Who asks for the same rays again and again keeps them: batches recognise them from step to step.

    Attributes:
        frame: the frame that origins and directions are given in; None: the world.
        origins: (n, 3) m.
        directions: (n, 3) unit vectors.
        max_range: length of the rays in m, from their origins.
        robot: the rays do not see bounding objects of this robot (None: they see all).
        visible: meet the shapes that are seen instead of the bounding objects; then the robot's own
            shapes are seen too, save those of `carrier`.
        carrier: the solid, mostly the sensor itself, that `frame` belongs to, if it is known.
        start: m on the rays before which nothing is met.
        hidden: geometries that they do not meet.
        sees_through: they do not meet bounding objects that are wholly transparent; such visible shapes no
            ray meets.
    """

    frame: Frame | None
    origins: FloatArray
    directions: FloatArray
    max_range: float
    robot: NodeId | None
    visible: bool = False
    carrier: NodeId | None = None
    start: float = 0.0
    hidden: frozenset[NodeId] = frozenset()
    sees_through: bool = False


class RayBatch(ABC):
    """Collects the rays of all sensors due in a step, casts them in one call.

    Attributes:
        asked: the rays asked for, in order.
        distances: (N,) m from the origin to the first surface; inf where nothing was met within the range.
        shapes: (N,) index of the shape met in the tables of who casts, -1 where nothing was met.
    """

    asked: list[Rays]
    distances: FloatArray
    shapes: IntArray

    def clear(self) -> None:
        """Forget the rays asked for, and the results."""
        self.asked = []
        self._count = 0

    def add(self, rays: Rays) -> slice:
        """Ask for n rays.

        Returns:
            Where their answers will stand in `distances`, `normals`, `shapes`.
        """
        first = self._count
        self._count = end = first + len(rays.origins)
        self.asked.append(rays)
        return slice(first, end)

    @abstractmethod
    def cast(self) -> None:
        """Find what the rays meet; with no rays this does nothing.

        The common batch of the sensors is cast by the simulation. The results hold until the next cast.
        """

    @property
    @abstractmethod
    def normals(self) -> FloatArray:
        """(N, 3) unit normals, world axes, on the side the ray came from; zero where nothing was met."""

    @abstractmethod
    def record(self, ray: int) -> ShapeRecord | None:
        """The shape that a ray met, None if it met nothing."""

    def solid(self, ray: int) -> NodeId | None:
        """The solid whose shape a ray met; None: of no solid, or nothing was met."""
        record = self.record(ray)
        return record.solid if record is not None else None

    def robot(self, ray: int) -> NodeId | None:
        """The outermost robot of the shape that a ray met; None: of no robot, or nothing was met."""
        record = self.record(ray)
        return record.robot if record is not None else None


class RayCaster(Protocol):
    """What casts rays in a scene."""

    def batch(self) -> RayBatch:
        """The common collector of rays, emptied."""

    def new_batch(self) -> RayBatch:
        """A collector of rays of one's own."""

    def apply_edits(self, edits: Edits) -> None:
        """Follow edits of the scene."""
