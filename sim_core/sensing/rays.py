"""Rays as devices ask for them: a protocol, which all ray casters meet."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.engines.world_view import Frame
from sim_core.model.changes import Edits
from sim_core.scene import Node

FloatArray = NDArray[np.float64]


class RayBatch(Protocol):
    """Collects the rays of all sensors due in a step, casts them in one call."""

    def clear(self) -> None:
        """Forget the rays asked for, and the results."""

    def cast(self) -> None:
        """Find what the rays meet; the common batch of the sensors is cast by the simulation."""

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
        """Ask for n rays.

        Args:
            frame: the frame that origins and directions are given in; None: the world.
            origins: (n, 3) m.
            directions: (n, 3) unit vectors.
            max_range: length of the rays in m, from their origins.
            robot: the rays do not see bounding objects of this robot (None: they see all).
            visible: meet the shapes that are seen instead of the bounding objects; then the robot's own
                shapes are seen too, save those of `carrier`.
            carrier: the solid, mostly the sensor itself, that `frame` belongs to, if it is known.
            start: m on the rays before which nothing is met.

        Returns:
            Where this sensor's answers will stand in `distances`, `normals`, `reflectances`.
        """

    @property
    def distances(self) -> FloatArray:
        """(N,) m from the origin to the first surface; inf where nothing was met within max_range."""

    @property
    def normals(self) -> FloatArray:
        """(N, 3) unit normals, world axes, on the side the ray came from; zero where nothing was met."""

    @property
    def shapes(self) -> NDArray[np.int64]:
        """(N,) index of the shape met in the ray scene's tables, -1 where nothing was met."""

    def solid(self, ray: int) -> Node | None:
        """The solid whose shape a ray met; None: of no solid, or nothing was met."""

    def robot(self, ray: int) -> Node | None:
        """The outermost robot of the shape that a ray met; None: of no robot, or nothing was met."""

    def reflectance(self, ray: int) -> float:
        """Infra-red reflectance factor of the surface that a ray met (Webots reference, DistanceSensor)."""


class RayCaster(Protocol):
    """What casts rays in a scene."""

    def batch(self) -> RayBatch:
        """The common collector of rays, emptied."""

    def new_batch(self) -> RayBatch:
        """A collector of rays of one's own."""

    def take_edits(self, edits: Edits) -> None:
        """Follow edits of the scene."""
