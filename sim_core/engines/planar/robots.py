"""The robots that drive in the fast 2D mode: their places as arrays, and their discs for collisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim_core.base.geometry import Pose, Vec3, multiply, rotate, yaw_of
from sim_core.engines.planar.axes import PlanarAxis
from sim_core.engines.planar.tree import PlanarLink
from sim_core.engines.rolling import Drive
from sim_core.model.outlines import Part, farthest, heights, outline_boxes, shadow

FOOT = 0.1
"""Part of a robot's height, from below, in which it meets no obstacles: floors, sills and wheel contacts."""


class Footprint(NamedTuple):
    """What a robot is for collisions: a disc, and the heights between which it meets things.

    Attributes:
        x, y: centre from the axle centre, in the axes of the robot, m.
        radius: m; 0: no bounding object, it meets nothing.
        low, high: z in the world, m.
    """

    x: float = 0.0
    y: float = 0.0
    radius: float = 0.0
    low: float = 0.0
    high: float = 0.0


def footprint_of(parts: Sequence[Part]) -> Footprint:
    """The disc round the middle of the box round all parts; parts are in the axes of the robot."""
    rows = [row for part in parts for row in shadow(part)]
    if not rows:
        return Footprint()
    outlines = np.array(rows)
    boxes = outline_boxes(outlines)
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    x, y = ((low + high) / 2.0).tolist()
    levels = [heights(part) for part in parts]
    bottom, top = min(level[0] for level in levels), max(level[1] for level in levels)
    return Footprint(x, y, farthest(outlines, x, y), bottom + FOOT * (top - bottom), top)


class RobotTable:
    """The robots that drive; a row i belongs to one.

    Attributes:
        links: the link of each.
        places: (n, 3) x, y of the axle centre in m, and heading in rad, which does not wrap.
        motions: (n, 3) velocity of the axle centre in m/s, world axes, and rate of turn in rad/s.
        pushed: (n,) something was in its way in the last step.
        wheels, shares, sizes: see `motion_kernels.roll`.
    """

    def __init__(self, driven: Sequence[tuple[PlanarLink, Drive]] = ()) -> None:
        self.links: list[PlanarLink] = []
        wheels: list[tuple[int, int, int]] = []
        shares: list[float] = []
        sizes: list[tuple[float, float]] = []
        start: list[tuple[float, float, float]] = []
        self._arms: list[tuple[float, float]] = []
        for row, (link, drive) in enumerate(driven):
            link.robots, link.row = self, row
            self.links.append(link)
            for side, signed in enumerate(drive.sides):
                for axis, sign in signed:
                    assert isinstance(axis, PlanarAxis)  # they are all of this engine
                    wheels.append((row, side, axis.row))
                    shares.append(sign / len(signed))
            sizes.append((drive.radius, drive.separation))
            heading = yaw_of(link.start.rotation)
            x, y, _ = rotate(link.start.rotation, drive.centre)
            c, s = math.cos(heading), math.sin(heading)
            self._arms.append((c * x + s * y, c * y - s * x))
            start.append((link.start.position[0] + x, link.start.position[1] + y, heading))
        self.wheels = np.array(wheels, np.int64).reshape(-1, 3)
        self.shares = np.array(shares)
        self.sizes = np.array(sizes).reshape(-1, 2)
        self._start = np.array(start).reshape(-1, 3)
        self.places = self._start.copy()
        self.motions = np.zeros_like(self.places)
        self.pushed = np.zeros(len(self.links), np.bool_)

    def __len__(self) -> int:
        return len(self.links)

    def reset(self) -> None:
        """All robots back to the start, at rest."""
        self.places[:] = self._start
        self.motions[:] = 0.0
        self.pushed[:] = False

    def frame_at_start(self, row: int) -> Pose:
        """X_WH of the axle centre's frame: on the ground (z 0), upright, with the robot's heading."""
        x, y, heading = self._start[row].tolist()
        c, s = math.cos(heading), math.sin(heading)
        return Pose((x, y, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))

    def pose(self, row: int) -> Pose:
        """X_WB of the robot's own frame now."""
        x, y, heading = self.places[row].tolist()
        start = self.links[row].start
        arm_x, arm_y = self._arms[row]
        c, s = math.cos(heading), math.sin(heading)
        position = (x - c * arm_x + s * arm_y, y - s * arm_x - c * arm_y, start.position[2])
        turn = heading - self._start.item(row, 2)
        if turn == 0.0:
            return Pose(position, start.rotation)
        c, s = math.cos(turn), math.sin(turn)
        return Pose(position, multiply((c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), start.rotation))

    def velocity(self, row: int) -> tuple[Vec3, Vec3]:
        """Velocity of the origin of the robot's frame, m/s, and angular velocity, rad/s; world axes."""
        vx, vy, turn = self.motions[row].tolist()
        arm_x, arm_y = self._arms[row]
        heading = self.places.item(row, 2)
        c, s = math.cos(heading), math.sin(heading)
        x, y = c * arm_x - s * arm_y, s * arm_x + c * arm_y
        return (vx + turn * y, vy - turn * x, 0.0), (0.0, 0.0, turn)

    def put(self, row: int, pose: Pose) -> None:
        """Put a robot's frame at the position and heading of a pose; height and tilt stay."""
        start = self.links[row].start
        heading = yaw_of(pose.rotation)
        turned = heading - yaw_of(start.rotation)
        arm_x, arm_y = self._arms[row]
        heading = self._start.item(row, 2) + turned
        c, s = math.cos(heading), math.sin(heading)
        x, y = pose.position[0] + c * arm_x - s * arm_y, pose.position[1] + s * arm_x + c * arm_y
        self.places[row] = (x, y, heading)
