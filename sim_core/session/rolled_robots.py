"""Robots that the engine rolls by itself, with their wheels and distance sensors in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.clock import SimClock
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, ConfigError, DeviceError, hint
from sim_core.base.ids import NodeId
from sim_core.base.state import Resettable, Stateful
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.drives.shared_odometry import OdometryTable, SharedOdometry, can_share
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.distance_bank import DistanceSensors
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.engines.rolling import Drivetrain, Rolling
from sim_core.engines.world_view import JointAxis
from sim_core.model.changes import Aspect, Edits
from sim_core.session.robot import Robot
from sim_core.session.robot_copies import RobotCopies


class RolledRobots(Resettable):
    """Passes robots with a differential drive to the engine, and gives their values as arrays.

    A row is a robot; copies (`SimulationConfig.instanced`) have only a row and no object.
    Returned arrays are copies, but for `places` and `motions`.

    Attributes:
        rolling: the engine's interface for rolling robots.
        arrays: its present arrays.
        objects: robots that have objects, by row.
        copies: the robots that have only a row.
        odometry: dead reckoning, one row per robot.
        distance_sensors: those whose rays lie in the plane.
    """

    def __init__(
        self,
        rolling: Rolling,
        robots: Iterable[Robot],
        config: SimulationConfig,
        clock: SimClock,
    ) -> None:
        """Pass the robots to the engine.

        Raises:
            SceneError, ConfigError: robots cannot be held as arrays.
        """
        self.rolling, self._config, self._clock = rolling, config, clock
        self.odometry = OdometryTable(rolling.arrays.wheels)
        self.distance_sensors = DistanceSensors(rolling, config)
        self._drives: dict[NodeId, Drivetrain] = {}
        self._robots = list(robots)
        self._rebuild()

    def apply_edits(self, robots: Iterable[Robot], edits: Edits) -> None:
        """Update after edits that the engine and the robots (all that exist) have applied already.

        Robots that remain keep their state; rows may change.
        """
        self._robots = list(robots)
        if all(edit.aspect in _POSES_ONLY for edit in edits):
            self.restored()
        else:
            self._rebuild()

    def restored(self) -> None:
        """Update after the engine's state was restored, perhaps with other robots."""
        if self.rolling.arrays is not self.arrays:
            self._rebuild()

    def _rebuild(self) -> None:
        """Pass the present robots to the engine and rebuild the tables."""
        before = self._drives
        by_node = {robot.node.id: robot for robot in self._robots}
        drives = ((robot, robot.drive) for robot in by_node.values())
        made = [_drive_of(robot, drive) for robot, drive in drives if drive is not None]
        self.rolling.set_drivetrains(made)
        self.arrays = arrays = self.rolling.arrays
        self._drives = {each.robot: each for each in made if each.robot in arrays.robots}
        self.objects = {row: by_node[node] for node, row in arrays.robots.items()}
        shared: dict[int, SharedOdometry] = {}
        for row, robot in self.objects.items():
            if robot.drive is not None and can_share(robot.drive):
                if not isinstance(robot.odometry, SharedOdometry):
                    robot.odometry = SharedOdometry(robot.drive, self.odometry, row)
                shared[row] = robot.odometry
        drives_of = {robot: self._drives[robot.node.id] for robot in self.objects.values()}
        others = {each for each, now in drives_of.items() if before.get(each.node.id, now) != now}
        self.odometry.set_rows(arrays.wheels, self.objects, shared, others)
        self.copies = RobotCopies(arrays, self.objects)
        self.copies.check_names(by_node.values(), self._config)
        self.distance_sensors.set_sensors(sensor for robot in self._robots for sensor in robot.sensors())
        self._check_sensors()

    def parts(self) -> tuple[Stateful, ...]:
        """Return the odometry and the sensors."""
        return self.odometry, self.distance_sensors

    @property
    def names(self) -> Sequence[str]:
        """Names of the robots, by row."""
        return self.arrays.names

    @property
    def places(self) -> FloatArray:
        """(n, 3) x, y of the axle centres in m, and unwrapped headings in rad; read-only."""
        return self.arrays.places

    @property
    def motions(self) -> FloatArray:
        """(n, 3) velocities of the axle centres in m/s, world axes, and rates of turn in rad/s."""
        return self.arrays.motions

    def values(self, sensor: str) -> FloatArray:
        """Return (n,) values of the distance sensors of that name; NaN for robots without one in the plane,
        and before the first sample.

        Raises:
            DeviceError: no robot has such a sensor; the message names the closest.
        """
        bank = self.distance_sensors
        known = bank.table.known
        if sensor not in known:
            names = ", ".join(known) or "none"
            raise DeviceError(
                f'no distance sensor "{sensor}" in the plane, there are {names}{hint(sensor, known)}'
            )
        rows = np.flatnonzero(bank.table.names == known.index(sensor))
        found = np.full(len(self.names), np.nan)
        found[bank.table.blocks[rows, 0]] = bank.values(self._clock.time_ns)[rows]
        return found

    def all_values(self) -> FloatArray:
        """Return (s,) values of all distance sensors in the plane, in the row order of
        `distance_sensors.table`."""
        return self.distance_sensors.values(self._clock.time_ns)

    def set_wheel_speeds(self, speeds: FloatArray) -> None:
        """Set wheel speeds from the next step on; speeds past the limit of a motor are clamped to it.

        Args:
            speeds: (n, 2) left and right of each robot, rad/s, forward positive.

        Raises:
            CommandError: the shape is wrong, or a number is not finite; nothing changes.
        """
        speeds, shape = np.asarray(speeds, float), (len(self.names), 2)
        if speeds.shape != shape or not np.isfinite(speeds).all():
            is_shape = speeds.shape == shape
            found = "numbers that are not finite" if is_shape else f"an array of shape {speeds.shape}"
            raise CommandError(f"wheel speeds: found {found}, expected finite numbers of shape {shape}")
        self.copies.set_speeds(self.copies.array, speeds[self.copies.array])
        for row, robot in self.objects.items():
            assert robot.drive is not None
            robot.drive.set_wheel_speeds(*speeds[row].tolist())

    def reset(self) -> None:
        """Reset odometry and the copies' sensors after the engine has been reset."""
        self.restored()
        self.odometry.restart_all()
        self.distance_sensors.clear_copies()

    def _check_sensors(self) -> None:
        """Check that all distance sensors of template robots have their rays in the plane."""
        for row in self.copies.template_rows:
            sensors = [each for each in self.objects[row].sensors() if isinstance(each, DistanceSensor)]
            rows = self.distance_sensors.rows_of(sensors)
            for sensor in (each for each in sensors if each not in rows):
                raise ConfigError(
                    f"{sensor.robot_name}/{sensor.name}: found a distance sensor whose rays are not in "
                    "the plane, which robots that are held as arrays cannot have; expected none (set "
                    "instanced: false)"
                )


_POSES_ONLY = (Aspect.POSE, Aspect.NOTE, Aspect.LIGHT)
"""Aspects of edits that change only poses, not rows or shapes."""


def _drive_of(robot: Robot, drive: DifferentialDrive) -> Drivetrain:
    sides = [[(_axis_of(wheel), wheel.sign) for wheel in side] for side in (drive.left, drive.right)]
    sizes = (drive.wheel_radius, drive.wheel_separation, drive.centre)
    return Drivetrain(robot.node.id, (sides[0], sides[1]), *sizes)


def _axis_of(wheel: SignedWheel) -> JointAxis:
    """Return the axis that a driven wheel turns."""
    motor = wheel.motor
    assert isinstance(motor, (Motor, DriveWheel)) and motor.axis is not None  # the engine has one for each
    return motor.axis
