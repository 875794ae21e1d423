"""Robots that the engine rolls by itself: what their wheels and distance sensors tell, of all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, ConfigError, DeviceError, hint
from sim_core.base.state import Stateful
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.drives.shared_odometry import OdometryTable, SharedOdometry, can_share
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.distance_bank import DistanceSensors
from sim_core.engines.rolling import Drive, FloatArray, Ints, Rolling
from sim_core.engines.world_view import JointAxis
from sim_core.session.robot import Robot


class _Wheels(NamedTuple):
    """Wheels of robots that are no objects.

    Attributes:
        robots: (m,) the row of the robot of each.
        sides: (m,) 0 left, 1 right.
        axes: (m,) numbers of their axes.
        signs: (m,) of the angle that drives forward.
        fastest: (m,) rad/s.
    """

    robots: Ints
    sides: Ints
    axes: Ints
    signs: FloatArray
    fastest: FloatArray


class RolledRobots(Stateful):
    """Lets the robots roll that have a differential drive, and tells of all of them in arrays.

    A row is a robot; those that are held as arrays (`SimulationConfig.instanced`) are nothing but a row.
    Arrays that are returned are copies, but for `places` and `motions`, which are to be read alone.

    Attributes:
        rolling: the engine's part.
        names: of the robots, by row.
        objects: of the rows that have one: the robot.
        odometry: dead reckoning, a row for each.
        distance_sensors: those that look along the plane.
    """

    def __init__(
        self,
        rolling: Rolling,
        robots: Iterable[Robot],
        config: SimulationConfig,
        now_ns: Callable[[], int],
    ) -> None:
        """Let them roll.

        Raises:
            SceneError, ConfigError: robots cannot be held as arrays.
        """
        self.rolling, self._now_ns = rolling, now_ns
        by_node = {robot.node.id: robot for robot in robots}
        drives = ((robot, robot.drive) for robot in by_node.values())
        rolling.take([_drive_of(robot, drive) for robot, drive in drives if drive is not None])
        self.names: Sequence[str] = rolling.names
        self.odometry = OdometryTable(rolling.wheels)
        self.objects: dict[int, Robot] = {}
        for node, row in rolling.robots.items():
            robot = self.objects[row] = by_node[node]
            if robot.drive is not None and can_share(robot.drive):
                robot.odometry = SharedOdometry(robot.drive, self.odometry, row)
        self._copies: Ints = np.flatnonzero(rolling.likes != np.arange(len(rolling.likes)))
        self._check_names(by_node.values())
        self._wheels = self._wheels_of_copies()
        sensors = [sensor for robot in by_node.values() for sensor in robot.sensors()]
        self.distance_sensors = DistanceSensors(rolling, sensors, config)

    def parts(self) -> tuple[Stateful, ...]:
        """The odometry and the sensors."""
        return self.odometry, self.distance_sensors

    @property
    def places(self) -> FloatArray:
        """(n, 3) x, y of the axle centres in m, and headings in rad, which do not wrap."""
        return self.rolling.places

    @property
    def motions(self) -> FloatArray:
        """(n, 3) velocities of the axle centres in m/s, world axes, and rates of turn in rad/s."""
        return self.rolling.motions

    def values(self, sensor: str) -> FloatArray:
        """(n,) the values of the distance sensors of that name; NaN for robots that have none in the plane,
        and before the first sample.

        Raises:
            DeviceError: no robot has one; names the closest.
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
        found[bank.table.blocks[rows, 0]] = bank.values(self._now_ns())[rows]
        return found

    def all_values(self) -> FloatArray:
        """(s,) the values of all distance sensors in the plane, a row each as in `distance_sensors.table`."""
        return self.distance_sensors.values(self._now_ns())

    def set_wheel_speeds(self, speeds: FloatArray) -> None:
        """Turn the wheels from the next step on; what is past the limit of a motor takes the limit.

        Args:
            speeds: (n, 2) left and right of each robot, rad/s, forward positive.

        Raises:
            CommandError: another shape, or a number that is not finite; nothing changes.
        """
        speeds = np.asarray(speeds, float)
        if speeds.shape != (len(self.names), 2) or not np.isfinite(speeds).all():
            found = f"an array of shape {speeds.shape}" if speeds.ndim != 2 else "numbers that are not finite"
            if speeds.ndim == 2 and speeds.shape != (len(self.names), 2):
                found = f"an array of shape {speeds.shape}"
            expected = f"finite numbers of shape ({len(self.names)}, 2)"
            raise CommandError(f"wheel speeds: found {found}, expected {expected}")
        robots, sides, axes, signs, fastest = self._wheels
        self.rolling.commands[axes] = np.clip(signs * speeds[robots, sides], -fastest, fastest)
        for row, robot in self.objects.items():
            assert robot.drive is not None
            robot.drive.set_wheel_speeds(*speeds[row].tolist())

    def reset(self) -> None:
        """The engine has been put back to its start: so is what is told of robots that are no objects."""
        self.odometry.restart_all(self._copies)
        self.distance_sensors.forget_copies()

    def settle(self) -> None:
        """The world is about to be changed: measure what may be asked for afterwards."""
        self.distance_sensors.settle(self._now_ns())

    def _check_names(self, robots: Iterable[Robot]) -> None:
        """Each robot is known by its name."""
        if not len(self._copies):
            return
        seen = {robot.name for robot in robots}
        for row in self._copies.tolist():
            if self.names[row] in seen:
                raise ConfigError(
                    f'instanced: found a second robot named "{self.names[row]}", expected a name of its own '
                    "(instanced: false gives it one)"
                )
            seen.add(self.names[row])

    def _wheels_of_copies(self) -> _Wheels:
        """The wheels of the robots that are no objects; their motors are like those of others."""
        wheels, likes = self.rolling.wheels, self.rolling.likes
        limits: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
        for row in np.unique(likes[self._copies]).tolist():
            drive = self.objects[row].drive
            assert drive is not None
            for side, signed in enumerate((drive.left, drive.right)):
                limits[row, side] = [_limits_of(self.objects[row], wheel) for wheel in signed]
        mine = np.flatnonzero(likes[wheels.rows[:, 0]] != wheels.rows[:, 0])
        robots, sides, axes = wheels.rows[mine].T
        known = np.array(
            [each for row in likes[self._copies].tolist() for side in (0, 1) for each in limits[row, side]]
        ).reshape(-1, 3)
        order = np.lexsort((axes, sides, robots))
        robots, sides, axes = robots[order], sides[order], axes[order]
        self.rolling.accelerations[axes] = known[:, 2]
        return _Wheels(robots, sides, axes, known[:, 0], known[:, 1])


def _limits_of(robot: Robot, wheel: SignedWheel) -> tuple[float, float, float]:
    """Sign, highest speed and acceleration of a wheel that others are like.

    Raises:
        ConfigError: its motor is such that no array can stand for it.
    """
    motor = wheel.motor
    problem = None
    if robot.battery is not None:
        problem = "a battery"
    elif not isinstance(motor, Motor):
        problem = "a DifferentialWheels node"
    elif math.isfinite(motor.limits.min_position) or math.isfinite(motor.limits.max_position):
        problem = f'a motor "{motor.name}" with limits of its position'
    elif len(motor.coupled) > 1:
        problem = f'a coupled motor "{motor.name}"'
    if problem is not None:
        raise ConfigError(
            f"{robot.name}: found {problem}, which robots that are held as arrays cannot have; expected none "
            "(instanced: false writes them out)"
        )
    assert isinstance(motor, Motor)
    return wheel.sign, motor.max_velocity, motor.state.control.acceleration


def _drive_of(robot: Robot, drive: DifferentialDrive) -> Drive:
    sides = [[(_axis_of(wheel), wheel.sign) for wheel in side] for side in (drive.left, drive.right)]
    sizes = (drive.wheel_radius, drive.wheel_separation, drive.centre)
    return Drive(robot.node.id, (sides[0], sides[1]), *sizes)


def _axis_of(wheel: SignedWheel) -> JointAxis:
    """The axis that a driven wheel turns."""
    motor = wheel.motor
    assert isinstance(motor, (Motor, DriveWheel)) and motor.axis is not None  # the engine has one for each
    return motor.axis
