"""Robots that an engine rolls by itself as their wheels turn, all at once, and the plane they roll in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import JointAxis
from sim_core.model.shapes import ShapeRecord

NOTHING = -1
"""In `Hits.met`: a ray has met nothing."""


class Drivetrain(NamedTuple):
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
        positions, velocities: (k,) of all axes of the world, rad and rad/s, m and m/s.
        rows: (m, 3) of each wheel: row of its robot, side (0 left, 1 right), number of its axis.
        shares: (m,) sign of the wheel, divided by the number of wheels on its side.
        sizes: (n, 2) radius and separation of the wheels of each robot, m.
    """

    positions: FloatArray
    velocities: FloatArray
    rows: IntArray
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
    met: IntArray

    @classmethod
    def of(cls, count: int) -> Hits:
        """Room for some rays."""
        return cls(np.full(count, np.inf), np.zeros((count, 2)), np.full(count, NOTHING, np.int64))


class Sorted(NamedTuple):
    """The robots of one moment, sorted for the rays of one slice.

    Attributes:
        places: (n, 3) as `RollingArrays.places`.
        turns: (n, 2) cosine and sine of their headings.
        grid, start, items: (5,), (cells + 1,), (i,): the cells they are sorted into.
    """

    places: FloatArray
    turns: FloatArray
    grid: FloatArray
    start: IntArray
    items: IntArray


class Slice(Protocol):
    """The world cut at a height."""

    @property
    def records(self) -> Sequence[ShapeRecord]:
        """The shapes that rays can meet."""

    @property
    def factors(self) -> FloatArray:
        """Infra-red reflection factor of each of them."""

    def sort(self, places: FloatArray) -> Sorted:
        """Sort the robots of now; for all that is cast before the next step."""

    def cast(
        self, rows: IntArray, blocks: IntArray, ranges: FloatArray, origins: FloatArray,
        directions: FloatArray, robots: Sorted, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast rays in this plane; threads may cast different rows at the same time.

        Args:
            rows: of `blocks`, which are to be cast.
            blocks: (b, 3) row of a robot, whose shapes are not met; the first and the end of its rays.
            ranges: (b,) m.
            origins, directions: (r, 2) from the axle centre, in the axes of the robot; m, and unit vectors.
            robots: what `sort` gave.
            hits: of all rays; those that are cast are filled in.
        """

    def cast_copies(
        self, copies: IntArray, rows: IntArray, blocks: IntArray, ranges: FloatArray, origins: FloatArray,
        directions: FloatArray, places: FloatArray, turns: FloatArray, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast the same rays in some copies of the world; other threads may cast in others meanwhile.

        Args:
            copies: which.
            places: as `RolledCopies.places`.
            turns: (c, n, 2) out: cosine and sine of the headings.
            hits: of all rays in each copy, (c, r), (c, r, 2), (c, r); those that are cast are filled in.
            rows, blocks, ranges, origins, directions: as of `cast`, the same in all copies.
        """


class RolledCopies(Protocol):
    """Copies of a world in which robots roll, stepped together: each is to the bit what it is alone."""

    @property
    def places(self) -> FloatArray:
        """(c, n, 3) as `RollingArrays.places`, of each copy."""

    def put(self, copy: int, robot: int, pose: Pose) -> None:
        """Put a robot, by its row, at the position and heading of a pose."""

    def reset(self, copies: IntArray) -> None:
        """Take some copies back to the start, to the last bit."""

    def turn(self, commands: FloatArray) -> FloatArray:
        """Turn all axes of all copies for some steps.

        Args:
            commands: (t, c, k) rad/s or m/s that each axis is driven at in each step.

        Returns:
            (t, c, k) at which they turn.
        """

    def roll(self, copies: IntArray, velocities: FloatArray) -> None:
        """Let the robots of some copies roll for some steps; other threads may roll others meanwhile.

        Args:
            copies: which.
            velocities: as `turn` gives them.
        """

    def poses(self) -> FloatArray:
        """(c, n, 4) x, y of the frames of all robots in m, and x, y of their x axes; new at each call."""


class RollingArrays(NamedTuple):
    """The robots that roll, a row each, and the axes of the world; steps change the arrays.

    Attributes:
        robots: the rows of those that are written out, in their order.
        names: of the robots, by row.
        templates: (n,) row of the robot that each equals but for its pose; its own row if it has an object.
        places: (n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap.
        motions: (n, 3) velocity of the axle centre in m/s, world axes, and rate of turn in rad/s.
        wheels: their wheels, with the positions and velocities of all axes.
        commands: (k,) velocity asked of each axis, rad/s; to be written to where no motor does.
        accelerations: (k,) limit of the change of velocity of each axis, rad/s²; inf: none.
    """

    robots: Mapping[NodeId, int]
    names: Sequence[str]
    templates: IntArray
    places: FloatArray
    motions: FloatArray
    wheels: Wheels
    commands: FloatArray
    accelerations: FloatArray


class Rolling(Protocol):
    """The robots that roll; a row belongs to one."""

    def set_drivetrains(self, drives: Sequence[Drivetrain]) -> None:
        """Let these robots roll, in this order, before the first step; those that cannot are left out."""

    @property
    def arrays(self) -> RollingArrays:
        """What they are now; another record once rows, wheels or slices are others: then ask again."""

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """(n, 3) positions of the robots' frames in m, (n, 9) their rotations by rows; new at each call."""

    def velocities(self) -> tuple[FloatArray, FloatArray]:
        """(n, 3) velocities of the origins of the robots' frames in m/s, (n, 3) angular ones in rad/s, in the
        axes of the world; new at each call."""

    def row_of(self, axis: JointAxis) -> int | None:
        """The number of an axis in these arrays; None: it is in none of them."""

    def copies(self, seconds: float, count: int) -> RolledCopies:
        """So many copies of the world as it starts; `seconds`: of a step."""

    def carried(self, node: NodeId) -> tuple[int, Pose] | None:
        """The row of the robot that a node is fixed to, and its pose from the axle centre, z from the ground.

        None: it is fixed to no robot that rolls.
        """

    def slice(
        self,
        height: float,
        visible: bool,
        hidden: frozenset[NodeId] = frozenset(),
        sees_through: bool = False,
    ) -> Slice:
        """What rays meet at a height in m above z 0: visible shapes, or bounding objects; see `Rays`."""
