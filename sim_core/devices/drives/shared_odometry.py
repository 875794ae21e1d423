"""Dead reckoning of all robots that the engine rolls, in one call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.state import State, Stateful
from sim_core.devices.base import Device
from sim_core.devices.drives import reckoning_kernel
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.odometry import OdometryState, WheelOdometry
from sim_core.devices.drives.planar_motion import Pose2d, Twist2d
from sim_core.devices.motors.motor import Motor
from sim_core.engines.rolling import Wheels


@dataclass(eq=False)
class OdometryTableState(State):
    """State of the dead reckoning of all robots, a row for each.

    Attributes:
        poses: (n, 3) x, y, yaw since the start; m and rad.
        twists: (n, 2) at the last update; m/s and rad/s.
        last: (n, 2) angle of the left and the right wheels at the last update, rad.
    """

    poses: FloatArray
    twists: FloatArray
    last: FloatArray


class OdometryTable(Stateful):
    """The state of `WheelOdometry` for all robots, a row for each."""

    state: OdometryTableState

    def __init__(self, wheels: Wheels) -> None:
        self._owners: Mapping[int, object] = {}
        self._kept: WeakKeyDictionary[object, tuple[FloatArray, FloatArray, FloatArray]] = WeakKeyDictionary()
        self._with_covariance: list[SharedOdometry] = []
        self._set_wheels_of_all(wheels)

    def _set_wheels_of_all(self, wheels: Wheels) -> None:
        self._wheels = wheels
        count = len(wheels.sizes)
        # the wheels of each robot one after another
        self._order = np.argsort(wheels.rows[:, 0], kind="stable")
        self._first = np.searchsorted(wheels.rows[self._order, 0], np.arange(count + 1))
        self.state = OdometryTableState(np.zeros((count, 3)), np.zeros((count, 2)), self._angles())

    def set_rows(
        self,
        wheels: Wheels,
        owners: Mapping[int, object],
        shared: Mapping[int, SharedOdometry],
        others: Collection[object],
    ) -> None:
        """Replace the rows; the state of known robots is kept, even if they were removed in between.

        Args:
            wheels: the present wheels.
            owners: the robot of each row.
            shared: the robots' odometry, by row.
            others: owners whose wheels were replaced.
        """
        state = self.state
        for row, owner in self._owners.items():
            if owner in others:
                self._update_one(row)
            self._kept[owner] = (state.poses[row], state.twists[row], state.last[row])
        self._set_wheels_of_all(wheels)
        state = self.state
        for row, owner in owners.items():
            if owner in self._kept:
                state.poses[row], state.twists[row], last = self._kept[owner]
                if owner not in others:
                    state.last[row] = last
        for row, odometry in shared.items():
            odometry.row = row
        self._owners = owners
        self._with_covariance = [each for each in shared.values() if each.keeps_covariance]

    def add_covariance_user(self, odometry: SharedOdometry) -> None:
        """Register an odometry that needs each piece of its robot's path, for its covariance."""
        if odometry not in self._with_covariance:
            self._with_covariance.append(odometry)

    def update_poses(self) -> None:
        """Compute poses and twists from how far the wheels turned since the last call."""
        state, wheels = self.state, self._wheels
        last = state.last.copy() if self._with_covariance else None
        for odometry in self._with_covariance:
            odometry.set_path_start(odometry.pose)
        reckoning_kernel.reckon_all(*wheels, state.last, state.poses, state.twists)
        if last is not None:
            for odometry in self._with_covariance:
                odometry.add_path(*(state.last[odometry.row] - last[odometry.row]).tolist())

    def _update_one(self, row: int) -> None:
        """Update one robot alone, as `update_poses`."""
        state = self.state
        last, poses, twists = state.last.copy(), state.poses.copy(), state.twists.copy()
        reckoning_kernel.reckon_all(*self._wheels, last, poses, twists)
        for odometry in (each for each in self._with_covariance if each.row == row):
            odometry.set_path_start(odometry.pose)
            odometry.add_path(*(last[row] - state.last[row]).tolist())
        state.last[row], state.poses[row], state.twists[row] = last[row], poses[row], twists[row]

    def restart_row(self, row: int, pose: Pose2d) -> None:
        """Start a robot's dead reckoning again from a pose."""
        positions, _, wheels, shares, _ = self._wheels
        last = [0.0, 0.0]
        for wheel in self._order[self._first[row] : self._first[row + 1]].tolist():
            _, side, axis = wheels[wheel].tolist()
            last[side] += shares.item(wheel) * positions.item(axis)
        self.state.last[row] = last
        self.state.poses[row] = pose
        self.state.twists[row] = 0.0

    def restart_all(self) -> None:
        """Start the dead reckoning of all robots again from the origin."""
        self.state.last[:] = self._angles()
        self.state.poses[:] = 0.0
        self.state.twists[:] = 0.0

    def _angles(self) -> FloatArray:
        """Return the present angles of the left and the right wheels, (n, 2), rad."""
        positions, _, rows, shares, sizes = self._wheels
        angles = np.zeros((len(sizes), 2))
        np.add.at(angles, (rows[:, 0], rows[:, 1]), shares * positions[rows[:, 2]])
        return angles


class SharedOdometry(WheelOdometry):
    """Odometry of one robot in the table; updating one updates all.

    Attributes:
        row: row of the table.
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
        return Pose2d(*self._table.state.poses[self.row].tolist())

    @property
    def twist(self) -> Twist2d:
        """Velocity at the last `update_pose`; m/s and rad/s."""
        return Twist2d(*self._table.state.twists[self.row].tolist())

    def update_pose(self) -> None:
        """Update all robots by how far their wheels turned since the last call."""
        self._table.update_poses()

    def set_drive(self, drive: DifferentialDrive, devices: Iterable[Device]) -> None:
        """Replace the drive; its wheels take effect with the next call of `OdometryTable.set_rows`."""
        self._set_wheels(drive, list(devices))
        if self.state.covariance is not None:
            self.state.covariance.separation = drive.track

    @property
    def keeps_covariance(self) -> bool:
        """True if the covariance of the pose is kept."""
        return self._noise is not None

    def keep_covariance(self, slip: float) -> None:
        """Keep the covariance of the pose from now on."""
        super().keep_covariance(slip)
        self._table.add_covariance_user(self)

    def set_path_start(self, pose: Pose2d) -> None:
        """Store the pose before the next piece of the path; called by the table."""
        self._start = pose

    def add_path(self, left: float, right: float) -> None:
        """Add how far the wheels have turned since then to the covariance, rad; called by the table."""
        if self.state.covariance is not None:
            radius = self.drive.wheel_radius
            self.state.covariance.add_path(self._start, left * radius, right * radius)

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start again from a pose, or from the origin."""
        self._table.restart_row(self.row, pose or Pose2d())
        self.state = OdometryState(self._positions(), covariance=self._exact_covariance(self.pose))


def can_share(drive: DifferentialDrive) -> bool:
    """Return True if the wheels' angles are those of their axes; encoders of DifferentialWheels add noise."""
    return all(isinstance(wheel.motor, Motor) for wheel in drive.left + drive.right)
