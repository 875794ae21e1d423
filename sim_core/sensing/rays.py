"""Rays as devices request them, independent of the ray caster."""

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

    Sensors that request the same rays repeatedly should keep the object: batches recognise it in each step.

    Attributes:
        frame: the frame that origins and directions are given in; None: the world.
        origins: (n, 3) m.
        directions: (n, 3) unit vectors.
        max_range: length of the rays in m, from their origins.
        robot: the rays ignore bounding objects of this robot (None: they hit all).
        visible: hit visible shapes instead of bounding objects; then the robot's own shapes are hit too,
            except those of `carrier`.
        carrier: the solid, mostly the sensor itself, that `frame` belongs to, if it is known.
        start: m on the rays before which nothing is hit.
        hidden: geometries that they ignore.
        sees_through: they ignore bounding objects that are fully transparent; such visible shapes are always
            ignored.
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
    """Collects the rays of all sensors due in a step and casts them in one call.

    Attributes:
        requests: the requested rays, in order.
        distances: (N,) m from the origin to the first surface; inf where nothing was hit within the range.
        shapes: (N,) index of the shape in the caster's tables, -1 where nothing was hit.
    """

    requests: list[Rays]
    distances: FloatArray
    shapes: IntArray

    def clear(self) -> None:
        """Remove all rays and results."""
        self.requests = []
        self._count = 0

    def add_rays(self, rays: Rays) -> slice:
        """Request n rays.

        Returns:
            Their places in `distances`, `normals` and `shapes`.
        """
        first = self._count
        self._count = end = first + len(rays.origins)
        self.requests.append(rays)
        return slice(first, end)

    @abstractmethod
    def cast(self) -> None:
        """Compute what the rays hit; without rays this does nothing.

        The sensors' common batch is cast by the simulation. The results hold until the next cast.
        """

    @property
    @abstractmethod
    def normals(self) -> FloatArray:
        """Unit normals at the hits, (N, 3), world axes, on the side the ray came from; zero where nothing
        was hit."""

    @abstractmethod
    def record(self, ray: int) -> ShapeRecord | None:
        """Return the shape that a ray hit, None if it hit nothing."""

    def solid(self, ray: int) -> NodeId | None:
        """Return the solid of the shape that a ray hit; None: of no solid, or nothing was hit."""
        record = self.record(ray)
        return record.solid if record is not None else None

    def robot_hit(self, ray: int) -> NodeId | None:
        """Return the outermost robot of the shape that a ray hit; None: of no robot, or nothing was hit."""
        record = self.record(ray)
        return record.robot if record is not None else None


class RayCaster(Protocol):
    """Casts rays in a scene."""

    def batch(self) -> RayBatch:
        """Return the common ray batch, emptied."""

    def new_batch(self) -> RayBatch:
        """Return a separate ray batch."""

    def apply_edits(self, edits: Edits) -> None:
        """Update after edits of the scene."""
