"""Dead reckoning of all robots that the engine rolls, at once."""

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
    """What the wheels of all robots told, a row for each.

    Attributes:
        poses: (n, 3) x, y, yaw since the start; m and rad.
        twists: (n, 2) at the last update; m/s and rad/s.
        last: (n, 2) angle of the left and the right wheels at the last update, rad.
    """

    poses: FloatArray
    twists: FloatArray
    last: FloatArray


class OdometryTable(Stateful):
    """What `WheelOdometry` keeps, a row for each robot."""

    state: OdometryTableState

    def __init__(self, wheels: Wheels) -> None:
        self._owners: Mapping[int, object] = {}
        self._kept: WeakKeyDictionary[object, tuple[FloatArray, FloatArray, FloatArray]] = WeakKeyDictionary()
        self._followers: list[SharedOdometry] = []
        self._begin(wheels)

    def _begin(self, wheels: Wheels) -> None:
        self._wheels = wheels
        count = len(wheels.sizes)
        self._order = np.argsort(wheels.rows[:, 0], kind="stable")  # the wheels of a robot together
        self._first = np.searchsorted(wheels.rows[self._order, 0], np.arange(count + 1))
        self.state = OdometryTableState(np.zeros((count, 3)), np.zeros((count, 2)), self._angles())

    def take(
        self,
        wheels: Wheels,
        owners: Mapping[int, object],
        shared: Mapping[int, SharedOdometry],
        others: Collection[object],
    ) -> None:
        """Have other rows, in which those go on that were there before, also if they have been away.

        Args:
            wheels: of now.
            owners: whose rows they are.
            shared: who shares the table, by row.
            others: those owners whose wheels are others than before.
        """
        state = self.state
        for row, owner in self._owners.items():
            if owner in others:
                self._update_one(row)
            self._kept[owner] = (state.poses[row], state.twists[row], state.last[row])
        self._begin(wheels)
        state = self.state
        for row, owner in owners.items():
            if owner in self._kept:
                state.poses[row], state.twists[row], last = self._kept[owner]
                if owner not in others:
                    state.last[row] = last
        for row, odometry in shared.items():
            odometry.row = row
        self._owners = owners
        self._followers = [each for each in shared.values() if each.knows_errors]

    def follow(self, odometry: SharedOdometry) -> None:
        """Tell a robot's odometry of each way that its wheels have rolled."""
        if odometry not in self._followers:
            self._followers.append(odometry)

    def update(self) -> None:
        """Take in how far the wheels turned since the last call."""
        state, wheels = self.state, self._wheels
        last = state.last.copy() if self._followers else None
        for odometry in self._followers:
            odometry.start_from(odometry.pose)
        reckoning_kernel.reckon(*wheels, state.last, state.poses, state.twists)
        if last is not None:
            for odometry in self._followers:
                odometry.rolled(*(state.last[odometry.row] - last[odometry.row]).tolist())

    def _update_one(self, row: int) -> None:
        """As `update`, of one robot alone."""
        state = self.state
        last, poses, twists = state.last.copy(), state.poses.copy(), state.twists.copy()
        reckoning_kernel.reckon(*self._wheels, last, poses, twists)
        for odometry in (each for each in self._followers if each.row == row):
            odometry.start_from(odometry.pose)
            odometry.rolled(*(last[row] - state.last[row]).tolist())
        state.last[row], state.poses[row], state.twists[row] = last[row], poses[row], twists[row]

    def restart(self, row: int, pose: Pose2d) -> None:
        """Start a robot's reckoning anew from a pose."""
        positions, _, wheels, shares, _ = self._wheels
        last = [0.0, 0.0]
        for wheel in self._order[self._first[row] : self._first[row + 1]].tolist():
            _, side, axis = wheels[wheel].tolist()
            last[side] += shares.item(wheel) * positions.item(axis)
        self.state.last[row] = last
        self.state.poses[row] = pose
        self.state.twists[row] = 0.0

    def restart_all(self) -> None:
        """Start the reckoning of all robots anew from the origin."""
        self.state.last[:] = self._angles()
        self.state.poses[:] = 0.0
        self.state.twists[:] = 0.0

    def _angles(self) -> FloatArray:
        """(n, 2) angle of the left and the right wheels now, rad."""
        positions, _, rows, shares, sizes = self._wheels
        angles = np.zeros((len(sizes), 2))
        np.add.at(angles, (rows[:, 0], rows[:, 1]), shares * positions[rows[:, 2]])
        return angles


class SharedOdometry(WheelOdometry):
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
        return Pose2d(*self._table.state.poses[self.row].tolist())

    @property
    def twist(self) -> Twist2d:
        """Velocity at the last `update`; m/s and rad/s."""
        return Twist2d(*self._table.state.twists[self.row].tolist())

    def update(self) -> None:
        """Take in how far the wheels of all robots turned since the last call."""
        self._table.update()

    def follow(self, drive: DifferentialDrive, devices: Iterable[Device]) -> None:
        """Go on with other wheels, from when `OdometryTable.take` is told of them."""
        self._take(drive, list(devices))
        if self.state.covariance is not None:
            self.state.covariance.separation = drive.track

    @property
    def knows_errors(self) -> bool:
        """Somebody wants to know how wrong the pose may be."""
        return self._noise is not None

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
            radius = self.drive.wheel_radius
            self.state.covariance.add(self._start, left * radius, right * radius)

    def reset(self, pose: Pose2d | None = None) -> None:
        """Start anew from a pose, or from the origin."""
        self._table.restart(self.row, pose or Pose2d())
        self.state = OdometryState(self._positions(), covariance=self._no_errors(self.pose))


def can_share(drive: DifferentialDrive) -> bool:
    """Whether the wheels' angles are those of their axes: encoders of DifferentialWheels add noise."""
    return all(isinstance(wheel.motor, Motor) for wheel in drive.left + drive.right)
