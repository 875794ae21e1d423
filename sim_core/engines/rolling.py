"""Interface of robots that an engine rolls by itself, all at once, and of the plane in which they roll."""

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
"""Value of `Hits.met` for a ray that hit nothing."""


class Drivetrain(NamedTuple):
    """Drivetrain of a robot: two sides of wheels with motors.

    Attributes:
        robot: its node.
        sides: the axes of the left and of the right wheels, each with the sign of the angle that drives
            forward.
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
    """Driven wheels of all rolling robots, as arrays that steps change.

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
    """Hits of rays.

    Attributes:
        distances: (r,) m; inf: none.
        normals: (r, 2) unit vectors in the plane; zero: none.
        met: (r,) index in `Slice.records`; NOTHING: none.
    """

    distances: FloatArray
    normals: FloatArray
    met: IntArray

    @classmethod
    def empty(cls, count: int) -> Hits:
        """Return empty arrays for a number of rays."""
        return cls(np.full(count, np.inf), np.zeros((count, 2)), np.full(count, NOTHING, np.int64))


class RobotGrid(NamedTuple):
    """Robots at one moment, sorted into a grid for the rays of one slice.

    Attributes:
        places: (n, 3) as `RollingArrays.places`.
        turns: (n, 2) cosine and sine of their headings.
        grid, start, items: (5,), (cells + 1,), (i,): the cells into which they are sorted.
    """

    places: FloatArray
    turns: FloatArray
    grid: FloatArray
    start: IntArray
    items: IntArray


class Slice(Protocol):
    """Section of the world at a height."""

    @property
    def records(self) -> Sequence[ShapeRecord]:
        """The shapes that rays can hit."""

    @property
    def constants(self) -> SliceConstants:
        """Its arrays."""

    def sort(self, places: FloatArray) -> RobotGrid:
        """Sort the present robots; valid until the next step."""

    def cast(
        self, rows: IntArray, blocks: IntArray, ranges: FloatArray, origins: FloatArray,
        directions: FloatArray, robots: RobotGrid, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast rays in this plane; threads may cast different rows at the same time.

        Args:
            rows: rows of `blocks` to cast.
            blocks: (b, 3) row of a robot, whose shapes are ignored; index of the first and the end of its
                rays.
            ranges: (b,) m.
            origins, directions: (r, 2) from the axle centre, in the axes of the robot; m, and unit vectors.
            robots: from `sort`.
            hits: of all rays; those of the cast rays are set.
        """

    def cast_copies(
        self, copies: IntArray, rows: IntArray, blocks: IntArray, ranges: FloatArray, origins: FloatArray,
        directions: FloatArray, places: FloatArray, turns: FloatArray, hits: Hits,
    ) -> None:  # fmt: skip
        """Cast the same rays in some copies of the world; other threads may cast in others at the same time.

        Args:
            copies: indices of the copies.
            places: as `RolledCopies.places`.
            turns: (c, n, 2) output: cosine and sine of the headings.
            hits: of all rays in each copy, (c, r), (c, r, 2), (c, r); those of the cast rays are set.
            rows, blocks, ranges, origins, directions: as in `cast`, the same in all copies.
        """


class SliceConstants(NamedTuple):
    """A slice as arrays; see `engines/planar/ray_kernels.py`.

    Attributes:
        visible: True: visible shapes, which are hit from outside only.
        factors: infra-red reflection factor of each outline.
    """

    visible: bool
    outlines: FloatArray
    grid: FloatArray
    start: IntArray
    items: IntArray
    robot_outlines: FloatArray
    parts: IntArray
    extents: FloatArray
    factors: FloatArray


class CopyConstants(NamedTuple):
    """What is equal in all copies of a world; see `engines/planar/motion_kernels.py` and
    `engines/planar/wheel_kernels.py`.

    Attributes:
        start_places, start_position: (n, 3) of the robots, (k,) of the axes.
    """

    start_places: FloatArray
    start_position: FloatArray
    acceleration: FloatArray
    stops: FloatArray
    wheels: IntArray
    shares: FloatArray
    sizes: FloatArray
    discs: FloatArray
    slabs: IntArray
    walls: FloatArray
    wall_slabs: IntArray
    grid: FloatArray
    start: IntArray
    items: IntArray
    fixed: FloatArray
    placements: FloatArray


class RolledCopies(Protocol):
    """Copies of a world with rolling robots, stepped together; each gives exactly the results of a single
    world."""

    @property
    def places(self) -> FloatArray:
        """(c, n, 3) as `RollingArrays.places`, for each copy."""

    def constants(self) -> CopyConstants:
        """Return what is equal in all copies, for other processors."""

    def put(self, copy: int, robot: int, pose: Pose) -> None:
        """Move a robot, by row, to the position and heading of a pose."""

    def reset(self, copies: IntArray) -> None:
        """Reset some copies to the start, to the last bit."""

    def turn(self, commands: FloatArray) -> FloatArray:
        """Turn all axes of all copies for some steps.

        Args:
            commands: (t, c, k) rad/s or m/s commanded to each axis in each step.

        Returns:
            (t, c, k) resulting velocities.
        """

    def roll(self, copies: IntArray, velocities: FloatArray) -> None:
        """Move the robots of some copies for some steps; other threads may move others at the same time.

        Args:
            copies: indices of the copies.
            velocities: from `turn`.
        """

    def poses(self) -> FloatArray:
        """Return (c, n, 4) x, y of the frames of all robots in m, and x, y of their x axes; a new array."""


class RollingArrays(NamedTuple):
    """Rolling robots, a row each, and the axes of the world; steps change the arrays.

    Attributes:
        robots: rows of the robots that have objects, by node.
        names: of the robots, by row.
        templates: (n,) row of the robot that each equals but for its pose; its own row if it has an object.
        places: (n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap.
        motions: (n, 3) velocity of the axle centre in m/s, world axes, and rate of turn in rad/s.
        wheels: their wheels, with the positions and velocities of all axes.
        commands: (k,) commanded velocity of each axis, rad/s; may be written for axes without a motor object.
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
    """Rolling robots of an engine; a row belongs to one robot."""

    def set_drivetrains(self, drives: Sequence[Drivetrain]) -> None:
        """Set the rolling robots, in this order, before the first step; robots that cannot roll are left
        out."""

    @property
    def arrays(self) -> RollingArrays:
        """Their arrays; replaced when rows, wheels or slices change."""

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """Return (n, 3) positions of the robots' frames in m, (n, 9) their rotations by rows; new arrays."""

    def velocities(self) -> tuple[FloatArray, FloatArray]:
        """Return (n, 3) velocities of the origins of the robots' frames in m/s, (n, 3) angular velocities in
        rad/s, in world axes; new arrays."""

    def row_of(self, axis: JointAxis) -> int | None:
        """Return the index of an axis in these arrays; None: it is not in them."""

    def copies(self, seconds: float, count: int) -> RolledCopies:
        """Return copies of the world at its start; `seconds`: step length."""

    def carried(self, node: NodeId) -> tuple[int, Pose] | None:
        """Return the row of the robot to which a node is fixed, and its pose relative to the axle centre, z
        from the ground.

        None: it is not fixed to a rolling robot.
        """

    def slice(
        self,
        height: float,
        visible: bool,
        hidden: frozenset[NodeId] = frozenset(),
        sees_through: bool = False,
    ) -> Slice:
        """Return the section at a height in m above z 0: of visible shapes, or of bounding objects; see
        `Rays`."""
