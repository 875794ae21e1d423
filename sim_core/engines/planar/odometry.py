"""Dead reckoning of all robots of the fast 2D mode at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.devices.drives.planar_motion import Pose2d, Twist2d
from sim_core.devices.motors.motor import Motor
from sim_core.engines.planar import wheel_kernels
from sim_core.engines.planar.axes import AxisTable
from sim_core.engines.planar.robots import RobotTable


class OdometryTable:
    """What `WheelOdometry` keeps, a row for each robot.

    Attributes:
        poses: (n, 3) x, y, yaw since the start. twists: (n, 2) m/s, rad/s at the last update.
        last: (n, 2) angle of the left and the right wheels at the last update, rad.
    """

    def __init__(self, axes: AxisTable, robots: RobotTable) -> None:
        self._axes = axes
        self._robots = robots
        self.poses = np.zeros((len(robots), 3))
        self.twists = np.zeros((len(robots), 2))
        self.last = self._angles()
        self._followers: list[PlanarOdometry] = []

    def follow(self, odometry: PlanarOdometry) -> None:
        """Tell a robot's odometry of each way that its wheels have rolled."""
        if odometry not in self._followers:
            self._followers.append(odometry)

    def update(self) -> None:
        """Take in how far the wheels turned since the last call."""
        robots = self._robots
        last = self.last.copy() if self._followers else None
        for odometry in self._followers:
            odometry.start_from(odometry.pose)
        wheel_kernels.reckon(
            self._axes.position, self._axes.velocity, robots.wheels, robots.shares, robots.sizes,
            self.last, self.poses, self.twists,
        )  # fmt: skip
        if last is not None:
            for odometry in self._followers:
                odometry.rolled(*(self.last[odometry.row] - last[odometry.row]).tolist())

    def restart(self, row: int, pose: Pose2d) -> None:
        """Start a robot's reckoning anew from a pose."""
        self.last[row] = self._angles()[row]
        self.poses[row] = pose
        self.twists[row] = 0.0

    def _angles(self) -> Any:
        """(n, 2) angle of the left and the right wheels now, rad."""
        angles = np.zeros((len(self._robots), 2))
        wheels = self._robots.wheels
        turned = self._robots.shares * self._axes.position[wheels[:, 2]]
        np.add.at(angles, (wheels[:, 0], wheels[:, 1]), turned)
        return angles


class PlanarOdometry(WheelOdometry):
    """A row of the table; whoever updates one updates all.

    Attributes:
        row: of the table.
    """

    is_shared = True

    def __init__(self, drive: DifferentialDrive, table: OdometryTable, row: int) -> None:
        self._table = table
        self.row = row
        self._start = Pose2d()
        super().__init__(drive)

    @property
    def pose(self) -> Pose2d:
        """Pose since the start or the last `reset`; m, m, rad."""
        return Pose2d(*self._table.poses[self.row].tolist())

    @property
    def twist(self) -> Twist2d:
        """Velocity at the last `update`; m/s and rad/s."""
        return Twist2d(*self._table.twists[self.row].tolist())

    def update(self) -> None:
        """Take in how far the wheels of all robots turned since the last call."""
        self._table.update()

    def keep_covariance(self, slip: float) -> None:
        """From now on know how wrong the pose may be."""
        super().keep_covariance(slip)
        self._table.follow(self)

    def start_from(self, pose: Pose2d) -> None:
        """For the table: the pose before the next way rolled."""
        self._start = pose

    def rolled(self, left: float, right: float) -> None:
        """For the table: how far the wheels have turned from there, rad."""
        if self.state.covariance is not None:
            radius = self._drive.wheel_radius
            self.state.covariance.add(self._start, left * radius, right * radius)

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start anew from a pose, or from the origin."""
        self._table.restart(self.row, pose or Pose2d())
        self.state.covariance = self._no_errors(self.pose)


def can_share(drive: DifferentialDrive) -> bool:
    """Whether the wheels' angles are those of their axes: encoders of DifferentialWheels add noise."""
    return all(isinstance(wheel.motor, Motor) for wheel in drive.left + drive.right)
