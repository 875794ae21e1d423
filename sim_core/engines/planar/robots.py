"""Robots that drive in the fast 2D mode: their poses as arrays, and their discs for collisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose, Vec3, cos_sin, multiply, rotate, yaw_of
from sim_core.engines.planar import wheel_kernels
from sim_core.engines.planar.axes import AxisTable, PlanarAxis
from sim_core.engines.planar.tree import PlanarLink
from sim_core.engines.rolling import Drivetrain
from sim_core.model.outlines import ConvexPart, farthest, heights, outline_boxes, projection

FOOT = 0.1
"""Fraction of a robot's height, from below, without collisions: for floors, sills and wheel contacts."""


class Footprint(NamedTuple):
    """Collision shape of a robot: a disc, and the heights between which it can hit objects.

    Attributes:
        x, y: centre from the axle centre, in the axes of the robot, m.
        radius: m; 0: without bounding object, it hits nothing.
        low, high: z in the world, m.
    """

    x: float = 0.0
    y: float = 0.0
    radius: float = 0.0
    low: float = 0.0
    high: float = 0.0


def footprint_of(parts: Sequence[ConvexPart]) -> Footprint:
    """Return the disc around the centre of the bounding box of all parts; parts are in the axes of the
    robot."""
    rows = [row for part in parts for row in projection(part)]
    if not rows:
        return Footprint()
    outlines = np.array(rows)
    boxes = outline_boxes(outlines)
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    x, y = ((low + high) / 2.0).tolist()
    levels = [heights(part) for part in parts]
    bottom, top = min(level[0] for level in levels), max(level[1] for level in levels)
    return Footprint(x, y, farthest(outlines, x, y), bottom + FOOT * (top - bottom), top)


class RollingRobot(NamedTuple):
    """Robot that rolls.

    Attributes:
        like: index of its template, the robot with an object that it equals.
        start: start pose of a copy; None: it is the template itself.
    """

    template: int
    start: Pose | None = None


class RobotTable:
    """Robots that drive; a row i belongs to one. Only robots with objects have a link.

    Attributes:
        links, drives: of the robots with objects, in row order.
        templates: (n,) row of the robot that each equals; its own row if it has an object.
        places: (n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap.
        motions: (n, 3) velocity of the axle centre in m/s, world axes, and rate of turn in rad/s.
        pushed: (n,) True if an obstacle was in its way in the last step.
        start: (n, 3) places at the start.
        wheels, shares, sizes: see `motion_kernels.roll`.
        fixed: see `wheel_kernels.poses_of`.
        placements: (n, 4) see `wheel_kernels.place_of`.
    """

    def __init__(
        self,
        driven: Sequence[tuple[PlanarLink, Drivetrain]] = (),
        robots: Sequence[RollingRobot] = (),
        axes: AxisTable | None = None,
    ) -> None:
        """Lay out the rows.

        Args:
            driven: the robots with objects.
            members: all robots, in row order.
            axes: table to which the wheels of copies are added.
        """
        rows = np.flatnonzero([member.start is None for member in robots])
        template = np.array([member.template for member in robots], np.int64)
        self.links, self.drives = [link for link, _ in driven], [drive for _, drive in driven]
        self.templates: NDArray[np.int64] = rows[template]
        for row, link in zip(rows.tolist(), self.links, strict=True):
            link.robots, link.row = self, row
        bodies = [_body_pose(*each) for each in driven]
        frames = [member.start or self.links[member.template].start for member in robots]
        pairs = zip(frames, robots, strict=True)
        starts = [_place(frame, bodies[member.template]) for frame, member in pairs]
        self.start: FloatArray = np.array(starts, float).reshape(-1, 3)
        fixed = [
            (*bodies[member.template].position[:2], place[2], frame.rotation[0], frame.rotation[3])
            for member, place, frame in zip(robots, starts, frames, strict=True)
        ]
        self.fixed: FloatArray = np.array(fixed, float).reshape(-1, 5)
        placements = [
            (yaw_of(frame.rotation), *bodies[member.template].position[:2], place[2])
            for member, place, frame in zip(robots, starts, frames, strict=True)
        ]
        self.placements: FloatArray = np.array(placements, float).reshape(-1, 4)
        self._arms: FloatArray = np.array([bodies[member.template].position for member in robots]).reshape(
            -1, 3
        )
        self._heights: FloatArray = np.array([frame.position[2] for frame in frames], float)
        self._rotations: FloatArray = np.array([frame.rotation for frame in frames]).reshape(-1, 9)
        self._bodies = dict(zip(rows.tolist(), bodies, strict=True))
        self._frames = {link.row: link.start for link in self.links}
        sizes = np.array([(drive.radius, drive.separation) for _, drive in driven]).reshape(-1, 2)
        self.sizes = sizes[template]
        self._set_wheels(rows, self.drives, axes)
        self.places = self.start.copy()
        self.motions = np.zeros_like(self.places)
        self.pushed = np.zeros(len(robots), np.bool_)

    def _set_wheels(
        self, rows: NDArray[np.int64], drives: Sequence[Drivetrain], axes: AxisTable | None
    ) -> None:
        """Lay out the wheels of the robots with objects, then those of copies."""
        wheels: list[tuple[int, int, int]] = []
        shares: list[float] = []
        for row, drive in zip(rows.tolist(), drives, strict=True):
            for side, signed in enumerate(drive.sides):
                for axis, sign in signed:
                    assert isinstance(axis, PlanarAxis)  # other engines' axes never get here
                    wheels.append((row, side, axis.row))
                    shares.append(sign / len(signed))
        self.wheels = np.array(wheels, np.int64).reshape(-1, 3)
        self.shares = np.array(shares)
        if axes is None or len(self.templates) == len(rows):
            return
        written, own = self.wheels, np.arange(len(self.templates))
        all_wheels, all_shares = [written], [self.shares]
        for row in rows.tolist():
            mine = np.flatnonzero(written[:, 0] == row)
            others = own[(self.templates == row) & (own != row)]
            more = np.tile(written[mine], (len(others), 1))
            more[:, 0] = np.repeat(others, len(mine))
            all_wheels.append(more)
            all_shares.append(np.tile(self.shares[mine], len(others)))
        self.wheels, self.shares = np.concatenate(all_wheels), np.concatenate(all_shares)
        added = self.wheels[len(written) :]
        added[:, 2] = axes.repeat(added[:, 2])

    def __len__(self) -> int:
        return len(self.templates)

    def reset(self) -> None:
        """Reset all robots to the start, at rest."""
        self.places[:] = self.start
        self.motions[:] = 0.0
        self.pushed[:] = False

    def frame_at_start(self, row: int) -> Pose:
        """Return X_WH of the axle centre's frame: on the ground (z 0), upright, with the robot's heading."""
        x, y, heading = self.start[row].tolist()
        c, s = math.cos(heading), math.sin(heading)
        return Pose((x, y, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))

    def own_pose(self, link: PlanarLink, row: int) -> Pose:
        """Return X_HL at the start of a link that is the robot of a row, or is connected to it by joints."""
        if link.robots is self and link.row == row:
            return self._bodies[row]
        return rounded_pose(self.frame_at_start(row).inverse() * link.start)

    def pose_of(self, row: int) -> Pose:
        """Return the present X_WB of the frame of a robot with an object."""
        x, y, heading = self.places[row].tolist()
        body, start = self._bodies[row], self._frames[row]
        arm_x, arm_y = body.position[0], body.position[1]
        c, s = math.cos(heading), math.sin(heading)
        position = (x + c * arm_x - s * arm_y, y + s * arm_x + c * arm_y, start.position[2])
        turn = heading - self.start.item(row, 2)
        if turn == 0.0:
            return Pose(position, start.rotation)
        c, s = math.cos(turn), math.sin(turn)
        return Pose(position, multiply((c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), start.rotation))

    def velocity(self, row: int) -> tuple[Vec3, Vec3]:
        """Return the velocity of the origin of the robot's frame, m/s, and angular velocity, rad/s; world
        axes."""
        vx, vy, turn = self.motions[row].tolist()
        arm_x, arm_y, _ = self._bodies[row].position
        heading = self.places.item(row, 2)
        c, s = math.cos(heading), math.sin(heading)
        x, y = c * arm_x - s * arm_y, s * arm_x + c * arm_y
        return (vx - turn * y, vy + turn * x, 0.0), (0.0, 0.0, turn)

    def poses(self) -> tuple[FloatArray, FloatArray]:
        """Return (n, 3) positions of the frames of all robots, and (n, 9) their rotations, as `pose`, now."""
        x, y, heading = self.places.T
        arm_x, arm_y, _ = self._arms.T
        c, s = cos_sin(heading)
        positions = (x + c * arm_x - s * arm_y, y + s * arm_x + c * arm_y, self._heights)
        c, s = cos_sin(heading - self.start[:, 2])
        r = self._rotations.T
        turned = np.concatenate([c * r[:3] - s * r[3:6], s * r[:3] + c * r[3:6], r[6:]])
        return np.stack(positions, axis=1), turned.T + 0.0  # no -0, as when poses are multiplied

    def velocities(self) -> tuple[FloatArray, FloatArray]:
        """Return (n, 3) velocities of the origins of all frames, and (n, 3) angular velocities, as
        `velocity`."""
        vx, vy, turn = self.motions.T
        arm_x, arm_y, _ = self._arms.T
        c, s = cos_sin(self.places[:, 2])
        x, y, zero = c * arm_x - s * arm_y, s * arm_x + c * arm_y, np.zeros_like(turn)
        return np.stack([vx - turn * y, vy + turn * x, zero], axis=1), np.stack([zero, zero, turn], axis=1)

    def put(self, row: int, pose: Pose) -> None:
        """Move a robot's frame to the position and heading of a pose; height and tilt are kept."""
        self.places[row] = self.place_at(row, pose)

    def place_at(self, row: int, pose: Pose) -> FloatArray:
        """Return the row of `places` for a robot whose frame is at the position and heading of a pose."""
        place = np.empty(3)
        x, y, _ = pose.position
        wheel_kernels.place_of(x, y, yaw_of(pose.rotation), self.placements[row], place)
        return place


SNAP = 12
"""Number of decimals of values in the frame of a robot: in m, a picometre. Robots that are equal except for
their poses are then equal to the last bit, without rounding errors of their poses."""


def rounded_pose(pose: Pose) -> Pose:
    """Return a pose without the rounding errors of its last digits."""
    x, y, z = (round(value, SNAP) + 0.0 for value in pose.position)
    a, b, c, d, e, f, g, h, i = (round(value, SNAP) + 0.0 for value in pose.rotation)
    return Pose((x, y, z), (a, b, c, d, e, f, g, h, i))


def _body_pose(link: PlanarLink, drive: Drivetrain) -> Pose:
    """Return X_HB of the frame of a robot with an object, from the frame of its axle centre."""
    x, y, _ = rotate(link.start.rotation, drive.centre)
    heading = yaw_of(link.start.rotation)
    c, s = math.cos(heading), math.sin(heading)
    level = multiply((c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0), link.start.rotation)
    return rounded_pose(Pose((-c * x - s * y, s * x - c * y, link.start.position[2]), level))


def _place(start: Pose, body: Pose) -> tuple[float, float, float]:
    """Return x, y of the axle centre and heading of a robot whose frame is at a pose; `body`: X_HB."""
    heading = yaw_of(start.rotation)
    c, s = math.cos(heading), math.sin(heading)
    arm_x, arm_y, _ = body.position
    return start.position[0] - c * arm_x + s * arm_y, start.position[1] - s * arm_x - c * arm_y, heading
