"""Robots that an engine rolls by itself as their wheels turn, all at once, and the plane they roll in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import JointAxis
from sim_core.model.shapes import ShapeRecord

FloatArray = NDArray[np.float64]
Ints = NDArray[np.int64]
NOTHING = -1
"""In `Hits.met`: a ray has met nothing."""


class Drive(NamedTuple):
    """How a robot rolls: two sides of wheels with motors.

    Attributes:
        robot: its node.
        sides: the axes of the left and of the right wheels, each with its sign: of the angle
            that drives forward.
        radius: of the wheels, m.
        separation: m between the left and the right wheels.
        centre: the point midway between the wheels, in the robot's frame, m.
    """

    robot: NodeId
    sides: tuple[Sequence[tuple[JointAxis, float]], Sequence[tuple[JointAxis, float]]]
    radius: float
    separation: float
    centre: Vec3


class Wheels(NamedTuple):
    """The driven wheels of all robots that roll, as arrays that steps change.

    Attributes:
        positions, velocities: (k,) of all axes of the world, rad and rad/s.
        rows: (m, 3) of each wheel: row of its robot, side (0 left, 1 right), number of its axis.
        shares: (m,) sign of the wheel, divided by the number of wheels on its side.
        sizes: (n, 2) radius and separation of the wheels of each robot, m.
    """

    positions: FloatArray
    velocities: FloatArray
    rows: Ints
    shares: FloatArray
    sizes: FloatArray


class Hits(NamedTuple):
    """What rays met.

    Attributes:
        distances: (r,) m; inf: nothing.
        normals: (r, 2) unit vectors in the plane; zero: nothing.
        met: (r,) index in `Slice.records`; NOTHING: nothing.
    """

    distances: FloatArray
    normals: FloatArray
    met: Ints

    @classmethod
    def of(cls, count: int) -> Hits:
        """Room for some rays."""
        return cls(np.full(count, np.inf), np.zeros((count, 2)), np.full(count, NOTHING, np.int64))


class Slice(Protocol):
    """The world cut at a height."""

    @property
    def records(self) -> Sequence[ShapeRecord]:
        """The shapes that rays can meet."""

    @property
    def factors(self) -> FloatArray:
        """Infra-red reflection factor of each of them."""

    def cast(
        self, rows: Ints, blocks: Ints, ranges: FloatArray, origins: FloatArray, directions: FloatArray,
        places: FloatArray, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast rays in this plane.

        Args:
            rows: of `blocks`, which are to be cast.
            blocks: (b, 3) row of a robot, whose shapes are not met; the first and the end of its rays.
            ranges: (b,) m.
            origins, directions: (r, 2) from the axle centre, in the axes of the robot; m, and unit vectors.
            places: as `Rolling.places`.
            hits: of all rays; those that are cast are filled in.
        """


class Rolling(Protocol):
    """The robots that roll; a row belongs to one."""

    def take(self, drives: Sequence[Drive]) -> None:
        """Let these robots roll, in this order, before the first step; those that cannot are left out."""

    @property
    def robots(self) -> Sequence[NodeId]:
        """The robots that roll, by row."""

    @property
    def places(self) -> FloatArray:
        """(n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap."""

    @property
    def wheels(self) -> Wheels:
        """Their wheels."""

    def carried(self, node: NodeId) -> tuple[int, Pose] | None:
        """The row of the robot that a node is fixed to, and its pose from the axle centre, z from the ground.

        None: it is fixed to no robot that rolls.
        """

    def slice(self, height: float, visible: bool, hidden: frozenset[NodeId] = frozenset()) -> Slice:
        """What rays meet at a height in m above z 0: visible shapes, or bounding objects."""
