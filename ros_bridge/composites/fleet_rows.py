"""Rows of numbers of a fleet's robots: from arrays, or robot by robot.

Both ways give bitwise equal results: the formulas are those of `BaseOdometry` and of the robots' frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ros_bridge.topics.fleet_robots import FleetRobot
from ros_bridge.topics.frames import BaseOdometry
from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.geometry import Pose, cos_sin, quaternion_from_rotation, rotate_back
from sim_core.recording.quaternion_kernel import quaternions_from_rotations
from sim_core.session.robot import Robot
from sim_core.session.rolled_robots import RolledRobots


class FleetSources(NamedTuple):
    """Sources of the numbers of robots.

    Attributes:
        places: (k,) indices of the rows that come as arrays.
        arrays: returns these rows, (k, c).
        others: index of each other row with its source.
    """

    places: IntArray
    arrays: Callable[[], FloatArray]
    others: Sequence[tuple[int, Callable[[], Sequence[float]]]]

    def __len__(self) -> int:
        return len(self.places) + len(self.others)

    def write_rows(self, rows: FloatArray, _: int) -> None:
        """Write the present numbers to (n, c)."""
        if len(self.places):
            rows[self.places] = self.arrays()
        for place, numbers in self.others:
            rows[place] = numbers()


class FleetRows:
    """Rows of a fleet's messages."""

    def __init__(self, robots: Sequence[FleetRobot], rolled: RolledRobots | None) -> None:
        """`rolled`: holds the robots that are arrays."""
        self._robots, self._rolled = robots, rolled
        driven = [each for each in robots if each.robot.odometry is not None]
        self._driven, self._shared, self._reckoned = _apart(
            driven, [each.robot.odometry is not None and each.robot.odometry.is_shared for each in driven]
        )
        centres = [each.robot.drive.centre[:2] for each in driven if each.robot.drive is not None]
        self._centres: FloatArray = np.array(centres, float).reshape(-1, 2)[self._shared]
        self._rest, self._rolling, self._rows = _apart(robots, [each.row is not None for each in robots])

    def odometry(self) -> FleetSources:
        """Return the source of (d, 7) base poses of robots with a drive, as `BaseOdometry.pose`."""
        return FleetSources(
            self._shared, self._base_poses, [(k, partial(_seven, each.pose)) for k, each in self._others()]
        )

    def odometry_twists(self) -> FleetSources:
        """Return the source of their (d, 3) twists: m/s along x and y, rad/s about z, in base axes."""
        return FleetSources(
            self._shared, self._base_twists, [(k, partial(_three, each)) for k, each in self._others()]
        )

    def poses(self) -> FleetSources:
        """Return the source of the robots' (n, 7) poses in the world."""
        others = [(k, partial(_seven, each.robot.frame.pose)) for k, each in self._rest]
        return FleetSources(self._rolling, self._true_poses, others)

    def twists(self) -> FleetSources:
        """Return the source of (n, 6) twists: m/s along x, y, z, rad/s about x, y, z, in base axes."""
        return FleetSources(
            self._rolling, self._true_twists, [(k, partial(_six, each.robot)) for k, each in self._rest]
        )

    def _others(self) -> list[tuple[int, BaseOdometry]]:
        return [(place, BaseOdometry(each.robot)) for place, each in self._driven]

    def _base_poses(self) -> FloatArray:
        assert self._rolled is not None
        x, y, yaw = self._rolled.odometry.state.poses[self._reckoned].T
        at_x, at_y = self._centres.T
        c, s = cos_sin(yaw)
        zero, one = np.zeros_like(c), np.ones_like(c)
        turned = np.stack([c, -s, zero, s, c, zero, zero, zero, one], axis=1)
        x, y = c * -at_x + -s * -at_y + (x + at_x), s * -at_x + c * -at_y + (y + at_y)
        return np.hstack([np.stack([x, y, zero], axis=1), quaternions_from_rotations(turned)])

    def _base_twists(self) -> FloatArray:
        assert self._rolled is not None
        linear, angular = self._rolled.odometry.state.twists[self._reckoned].T
        at_x, at_y = self._centres.T
        return np.stack([linear + angular * at_y, -angular * at_x, angular], axis=1)

    def _true_poses(self) -> FloatArray:
        assert self._rolled is not None
        positions, rotations = self._rolled.rolling.poses()
        return np.hstack([positions, quaternions_from_rotations(rotations)])[self._rows]

    def _true_twists(self) -> FloatArray:
        assert self._rolled is not None
        _, rotations = self._rolled.rolling.poses()
        r = rotations.T
        turned = [
            r[k] * x + r[k + 3] * y + r[k + 6] * z
            for x, y, z in (each.T for each in self._rolled.rolling.velocities())
            for k in range(3)
        ]
        return np.stack(turned, axis=1)[self._rows]


def _apart(
    robots: Sequence[FleetRobot], rolled: Sequence[bool]
) -> tuple[list[tuple[int, FleetRobot]], IntArray, IntArray]:
    """Return robots outside the arrays with their indices; indices of the others, and their rows."""
    pairs = list(zip(enumerate(robots), rolled, strict=True))
    inside = [(place, each.row) for (place, each), is_rolled in pairs if is_rolled]
    places, rows = np.array(inside, np.int64).reshape(-1, 2).T
    return [each for each, is_rolled in pairs if not is_rolled], places, rows


def _seven(pose: Callable[[], Pose]) -> tuple[float, ...]:
    """Return x, y, z in m, and a quaternion x, y, z, w."""
    position, rotation = pose()
    return (*position, *quaternion_from_rotation(rotation))


def _three(odometry: BaseOdometry) -> tuple[float, ...]:
    linear, angular = odometry.twist()
    return linear[0], linear[1], angular[2]


def _six(robot: Robot) -> tuple[float, ...]:
    frame = robot.frame
    rotation = frame.pose().rotation
    linear, angular = frame.linear_velocity(), frame.angular_velocity()
    return (*rotate_back(rotation, linear), *rotate_back(rotation, angular))
