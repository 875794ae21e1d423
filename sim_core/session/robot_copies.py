"""Robots that are held as rows of arrays (`SimulationConfig.instanced`), and their wheels."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.devices.command_checks import clamped
from sim_core.devices.drives.differential_drive import SignedWheel
from sim_core.devices.motors.motor import Motor
from sim_core.engines.rolling import RollingArrays
from sim_core.session.robot import Robot


class RobotCopies:
    """Commands wheels of copies as the motors of their template robots would do it.

    Wheel k is item k of the columns; the wheels of a robot are adjacent, left before right.

    Attributes:
        array, rows: rows of the copies, (c,), and rows by robot name.
        axes: (m,) axis numbers of the wheels.
    """

    def __init__(self, arrays: RollingArrays, objects: Mapping[int, Robot]) -> None:
        """Select the copies among the rolling robots; `objects` are the robots that have objects, by row.

        Raises:
            ConfigError: a motor of a template cannot be represented by arrays.
        """
        self._arrays, self._objects = arrays, objects
        self.array: IntArray = np.flatnonzero(arrays.templates != np.arange(len(arrays.templates)))
        self.rows = {arrays.names[row]: row for row in self.array.tolist()}
        robots, sides, axes = arrays.wheels.rows.T
        mine = np.flatnonzero(arrays.templates[robots] != robots)
        mine = mine[np.lexsort((axes[mine], sides[mine], robots[mine]))]
        self._robots, self._sides, self.axes = robots[mine], sides[mine], axes[mine]
        self._motors: dict[int, list[Motor]] = {}
        self._slowest = np.full(len(arrays.templates), math.inf)
        limits: dict[int, list[tuple[float, ...]]] = {}
        for row in np.unique(arrays.templates[self.array]).tolist():
            drive = objects[row].drive
            assert drive is not None
            self._slowest[arrays.templates == row] = drive.max_wheel_speed
            wheels = drive.left + drive.right
            self._motors[row] = [_motor_of(objects[row], wheel) for wheel in wheels]
            pairs = zip(wheels, self._motors[row], strict=True)
            limits[row] = [
                (wheel.sign, motor.multiplier, motor.max_velocity, motor.state.control.acceleration)
                for wheel, motor in pairs
            ]
        template_rows = arrays.templates[self.array].tolist()
        known = np.array([each for row in template_rows for each in limits[row]]).reshape(-1, 4).T.copy()
        self._signs, self._multipliers, self._fastest, arrays.accelerations[self.axes] = known
        self._first = np.searchsorted(self._robots, np.arange(len(arrays.templates) + 1))
        self._wheel_of = np.full(len(arrays.commands), -1)
        self._wheel_of[self.axes] = np.arange(len(self.axes))

    def check_names(self, robots: Collection[Robot], config: SimulationConfig) -> None:
        """Check that names are unique, and that no settings are given for a template robot.

        Raises:
            ConfigError: they are not, or there are.
        """
        seen = {robot.name for robot in robots}
        for name in (self._arrays.names[row] for row in self.array.tolist()):
            if name in seen:
                raise ConfigError(
                    f'instanced: found a second robot named "{name}", expected a name of its own '
                    "(instanced: false gives it one)"
                )
            seen.add(name)
        for row in self._motors:
            robot = self._objects[row].name
            if robot in config.robots:
                where = next((each for name, each in config.places.items() if f".{robot}." in name), robot)
                raise ConfigError(
                    f'{where}: found settings of "{robot}", which robots that are held as arrays equal; '
                    "expected none (set instanced: false)"
                )

    @property
    def template_rows(self) -> Collection[int]:
        """Rows of the template robots of the copies."""
        return self._motors.keys()

    def template(self, row: int) -> Robot:
        """Return the template of a copy: equal but for name and pose."""
        return self._objects[self._arrays.templates.item(row)]

    def wheels(self, row: int) -> list[tuple[Motor, int]]:
        """Return the driven wheels of a copy: motor of the template, and axis number of the copy."""
        motors = self._motors[self._arrays.templates.item(row)]
        return list(zip(motors, self.axes[self._first[row] : self._first[row + 1]].tolist(), strict=True))

    def turn(self, axes: IntArray, velocities: FloatArray) -> str | None:
        """Set wheel velocities as `Motor.set_velocity` does.

        Args:
            axes: (w,) axis numbers.
            velocities: (w,) finite, rad/s.

        Returns:
            One line if one of them was clamped, else None.
        """
        return self._turn(self._wheel_of[axes], velocities)

    def set_twists(self, rows: IntArray, linear: FloatArray, angular: FloatArray) -> str | None:
        """Set twists as `DifferentialDrive.set_twist` does; finite, m/s and rad/s, one per row."""
        radius, separation = self._arrays.wheels.sizes[rows].T
        turn = angular * separation / 2.0
        speeds = np.stack([(linear - turn) / radius, (linear + turn) / radius], axis=1)
        fastest = np.abs(speeds).max(axis=1)
        limits = self._slowest[rows]
        past = np.flatnonzero(fastest > limits)
        speeds[past] *= (limits[past] / fastest[past])[:, None]
        self.set_speeds(rows, speeds)
        if not len(past):
            return None
        k = past.item(0)
        return (
            f"{self._arrays.names[rows[k]]}: velocity {linear[k]:g} m/s, {angular[k]:g} rad/s needs a wheel "
            f"speed of {fastest[k]:g} rad/s, past the limit {limits[k]:g} rad/s, slowed"
        )

    def set_speeds(self, rows: IntArray, speeds: FloatArray) -> None:
        """Set wheel speeds of robots; (n, 2) rad/s, forward positive, left and right of each row."""
        wheel_speeds = np.full((len(self._arrays.templates), 2), np.nan)
        wheel_speeds[rows] = speeds
        forward = wheel_speeds[self._robots, self._sides]
        wheels = np.flatnonzero(~np.isnan(forward))
        self._turn(wheels, self._signs[wheels] * forward[wheels] / self._multipliers[wheels])

    def _turn(self, wheels: IntArray, velocities: FloatArray) -> str | None:
        turned, fastest = velocities * self._multipliers[wheels], self._fastest[wheels]
        self._arrays.commands[self.axes[wheels]] = np.clip(turned, -fastest, fastest)
        past = np.flatnonzero(np.abs(turned) > fastest)
        if not len(past):
            return None
        row = self._robots.item(wheels[past[0]])
        motor, _ = self.wheels(row)[wheels.item(past[0]) - self._first.item(row)]
        what = f"{self._arrays.names[row]}/{motor.name}: velocity"
        return clamped(what, turned.item(past[0]), motor.max_velocity, "rad/s")[1]


def _motor_of(robot: Robot, wheel: SignedWheel) -> Motor:
    """Return the motor of a template's wheel.

    Raises:
        ConfigError: it cannot be represented by arrays.
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
            "(set instanced: false)"
        )
    assert isinstance(motor, Motor)
    return motor
