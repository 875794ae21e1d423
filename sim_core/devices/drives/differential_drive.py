"""Drive of a differential robot: from a twist to the speeds of its wheels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Protocol

from sim_core.base.config import DriveConfig, check_names
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import ZERO, Vec3
from sim_core.devices.base import Device
from sim_core.devices.command_checks import check_finite
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.drives.planar_motion import Twist2d, twist_from_wheels
from sim_core.devices.drives.speed_limits import NO_LIMITS, SpeedLimits, limits_in
from sim_core.devices.motors.motor import Motor
from sim_core.model.device_spec import NodeSpec
from sim_core.model.wheels import PARALLEL, WheelGeometry

PAIR_TOLERANCE = 0.02
"""Relative difference of the distance between wheels up to which two wheels are a pair."""


class WheelMotor(Protocol):
    """A wheel with a motor: a RotationalMotor, or a wheel of DifferentialWheels."""

    name: str
    multiplier: float

    @property
    def position(self) -> float:
        """Angle turned, rad, continuous, as the robot itself measures it."""

    @property
    def velocity(self) -> float:
        """Angular velocity, rad/s."""

    @property
    def max_velocity(self) -> float:
        """Highest angular velocity, rad/s."""

    def set_velocity(self, velocity: float) -> str | None:
        """Turn at a speed in rad/s from the next step on."""


@dataclass(frozen=True, slots=True)
class SignedWheel:
    """A driven wheel and its direction: sign +1 if a positive angle drives forward, else -1."""

    motor: WheelMotor
    sign: float = 1.0

    def set_speed(self, speed: float) -> str | None:
        """Turn at rad/s, forward positive; divided by the motor's multiplier, which the motor applies
        again."""
        return self.motor.set_velocity(self.sign * speed / self.motor.multiplier)


@dataclass(frozen=True)
class DifferentialDrive:
    """The two sides of a differential robot; drives with the same wheels and sizes are equal.

    Speeds and angles are positive forward: a rotation about the robot's +y axis.

    Attributes:
        name: name of the robot, for messages.
        left, right: the wheels of each side.
        wheel_radius: m.
        wheel_separation: m between the mid-planes of the left and the right wheels.
        centre: the point midway between the wheels, in the robot's frame, m.
        limits: limits of speeds in m/s and of the rate of turn, used by motion controllers (see
            `leading.py`).
    """

    name: str
    left: tuple[SignedWheel, ...]
    right: tuple[SignedWheel, ...]
    wheel_radius: float
    wheel_separation: float
    centre: Vec3 = ZERO
    limits: tuple[SpeedLimits, SpeedLimits] = (NO_LIMITS, NO_LIMITS)

    @property
    def max_wheel_speed(self) -> float:
        """Speed that all wheels can reach, rad/s."""
        return min(wheel.motor.max_velocity for wheel in self.left + self.right)

    @property
    def track(self) -> float:
        """Path difference of the right and the left side, m, in a turn of 1 rad."""
        return self.wheel_separation

    def set_twist(self, linear: float, angular: float, lateral: float = 0.0) -> str | None:
        """Drive at `linear` m/s forward and `angular` rad/s counter-clockwise from the next step on.

        The wheels turn at (linear ∓ angular·separation/2)/radius; if that is past a limit both are slowed in
        proportion, so that the robot stays on its curve. `lateral`, m/s to the left, has no effect.

        Returns:
            A message if it was slowed, else None.

        Raises:
            CommandError: a value is not finite; nothing changes.
        """
        linear = check_finite(f"{self.name}: linear velocity", linear)
        angular = check_finite(f"{self.name}: angular velocity", angular)
        turn = angular * self.wheel_separation / 2.0
        left, right = (linear - turn) / self.wheel_radius, (linear + turn) / self.wheel_radius
        fastest, limit = max(abs(left), abs(right)), self.max_wheel_speed
        message = None
        if fastest > limit:
            message = (
                f"{self.name}: velocity {linear:g} m/s, {angular:g} rad/s needs a wheel speed of "
                f"{fastest:g} rad/s, past the limit {limit:g} rad/s, slowed"
            )
            left, right = left * (limit / fastest), right * (limit / fastest)
        self._command(left, right)
        return message

    def set_wheel_speeds(self, left: float, right: float) -> str | None:
        """Turn the wheels at rad/s, forward positive; each side is clamped separately.

        Returns:
            A message if a speed was clamped, else None.

        Raises:
            CommandError: a value is not finite; nothing changes.
        """
        left = check_finite(f"{self.name}: left wheel speed", left)
        right = check_finite(f"{self.name}: right wheel speed", right)
        return self._command(left, right)

    def stop(self) -> None:
        """Set the wheel speeds to 0."""
        self._command(0.0, 0.0)

    def wheel_positions(self) -> tuple[float, float]:
        """Return the angles of the left and the right side, rad, forward positive, mean of each side's
        wheels."""
        return _position(self.left), _position(self.right)

    def wheel_velocities(self) -> tuple[float, float]:
        """Return the speeds of the left and the right side, rad/s, forward positive, mean of each side's
        wheels."""
        return _velocity(self.left), _velocity(self.right)

    def lateral_distance(self) -> float:
        """Return how far the wheels have moved the robot to its left, m; always 0 for a differential
        robot."""
        return 0.0

    def twist(self) -> Twist2d:
        """Return the twist that follows from the wheels' speeds."""
        return twist_from_wheels(*self.wheel_velocities(), self.wheel_radius, self.wheel_separation)

    def _command(self, left: float, right: float) -> str | None:
        messages = [wheel.set_speed(left) for wheel in self.left]
        messages += [wheel.set_speed(right) for wheel in self.right]
        return next((message for message in messages if message), None)


def _position(side: Sequence[SignedWheel]) -> float:
    """Return the mean angle of a side's wheels; plain loops, as hundreds of robots call this many times a
    second."""
    angle = 0.0
    for wheel in side:
        angle += wheel.sign * wheel.motor.position
    return angle / len(side)


def _velocity(side: Sequence[SignedWheel]) -> float:
    """Return the mean speed of a side's wheels, as `_position`."""
    speed = 0.0
    for wheel in side:
        speed += wheel.sign * wheel.motor.velocity
    return speed / len(side)


def find_differential_drive(
    robot: NodeSpec, devices: Iterable[Device], config: DriveConfig | None = None
) -> DifferentialDrive | None:
    """Return the differential drive of a robot, or None if it has none.

    A drive is the first of: the motors that `config` names; the wheels of a DifferentialWheels robot; the
    only pair of RotationalMotors whose wheels are coaxial along the robot's y axis, of one radius, and
    symmetrical about its x-z plane; several such pairs one behind the other, all of one radius and one track,
    that turn without limits, when there is no other driven wheel (skid-steer). Wheels without motors, such as
    casters, are ignored.

    Raises:
        ConfigError: `config` names a motor that does not exist, or a size is missing that the wheels' shapes
            do not give.
    """
    devices = list(devices)
    motors = [device for device in devices if isinstance(device, Motor)]
    if config is not None:
        return _named_drive(robot, motors, config)
    for device in devices:
        if isinstance(device, DifferentialWheels):
            if device.wheel_radius == 0.0 or device.axle_length == 0.0:
                return None  # with physics the fields may be 0, and shapes such as meshes give no radius
            sides = (SignedWheel(device.left),), (SignedWheel(device.right),)
            return DifferentialDrive(device.robot_name, *sides, device.wheel_radius, device.axle_length)
    axles = _axles(_wheels_across(motors))
    # kinematic robots have two wheels
    if isinstance(axles, str) or (len(axles) > 1 and robot["physics"] is None):
        return None
    return _drive_of(robot, [left for _, left in axles], [right for right, _ in axles])


def explain_missing_drive(devices: Iterable[Device]) -> str | None:
    """Explain why a robot whose motors turn wheels has no drive; None: no motor turns a wheel."""
    wheels = _wheels_across([device for device in devices if isinstance(device, Motor)])
    found = _axles(wheels)
    return found if wheels and isinstance(found, str) else None


def _wheels_across(motors: Iterable[Motor]) -> list[tuple[Motor, WheelGeometry]]:
    """Return the driven wheels whose axes lie across the robot."""
    wheels = [(motor, geometry) for motor in motors if (geometry := _wheel_of(motor)) is not None]
    return [(motor, geometry) for motor, geometry in wheels if abs(geometry.axis[1]) >= PARALLEL]


_Axle = tuple[tuple[Motor, WheelGeometry], tuple[Motor, WheelGeometry]]
"""The right wheel and the left one."""


def _axles(wheels: Sequence[tuple[Motor, WheelGeometry]]) -> list[_Axle] | str:
    """Return the pairs of wheels that drive a robot, or the reason why these wheels do not."""
    pairs = [
        (a, b) if a[1].centre[1] < b[1].centre[1] else (b, a)
        for a, b in combinations(wheels, 2)
        if _are_pair(a[1], b[1]) and a[0] not in b[0].coupled  # coupled wheels have no speeds of their own
    ]
    if len(pairs) == 1:
        return pairs
    names = ", ".join(f'"{motor.name}"' for motor, _ in wheels)
    if not pairs:
        return (
            f"no two of the wheels of {names} are opposite each other, of one radius, and at the same "
            "distance from the middle"
        )
    used = [motor.name for pair in pairs for motor, _ in pair]
    if len(used) != len(set(used)) or len(used) != len(wheels):
        return f"the wheels of {names} are not all in pairs of one radius, one axle behind the other"
    first = pairs[0]
    if not all(_are_alike(first, pair) for pair in pairs):
        return f"the axles of {names} differ in radius or track"
    if any(math.isfinite(limit) for motor, _ in wheels for limit in _range(motor)):
        return f"not all of {names} turn without limits"
    return pairs


def _range(motor: Motor) -> tuple[float, float]:
    return motor.limits.min_position, motor.limits.max_position


def _are_alike(a: _Axle, b: _Axle) -> bool:
    """Return True if two axles have wheels of the same radius and the same track."""
    (radius, track), (other, others) = (
        (right[1].radius, left[1].centre[1] - right[1].centre[1]) for right, left in (a, b)
    )
    return abs(radius - other) <= 1e-3 * radius and abs(track - others) <= PAIR_TOLERANCE * track


def _are_pair(a: WheelGeometry, b: WheelGeometry) -> bool:
    """Return True if two wheels are coaxial, of one radius, one left and one right at the same distance."""
    separation = abs(a.centre[1] - b.centre[1])
    tolerance = PAIR_TOLERANCE * separation
    return (
        a.centre[1] * b.centre[1] < 0.0
        and abs(a.centre[1] + b.centre[1]) <= tolerance
        and abs(a.centre[0] - b.centre[0]) <= tolerance
        and abs(a.centre[2] - b.centre[2]) <= tolerance
        and abs(a.radius - b.radius) <= 1e-3 * a.radius
    )


def _named_drive(robot: NodeSpec, motors: Sequence[Motor], config: DriveConfig) -> DifferentialDrive:
    by_name = {motor.name: motor for motor in motors}
    what = f"{robot['name']}.{config.name}"
    check_names(f"{what}.left", config.left, by_name)
    check_names(f"{what}.right", config.right, by_name)
    left = [(by_name[name], _wheel_of(by_name[name])) for name in config.left]
    right = [(by_name[name], _wheel_of(by_name[name])) for name in config.right]
    drive = _drive_of(robot, left, right, config.wheel_radius, config.wheel_separation, config.name)
    return replace(drive, limits=limits_in(config))


_SizedMotor = tuple[Motor, WheelGeometry | None]


def _drive_of(
    robot: NodeSpec,
    left: Sequence[_SizedMotor],
    right: Sequence[_SizedMotor],
    radius: float | None = None,
    separation: float | None = None,
    config_name: str = DriveConfig.name,
) -> DifferentialDrive:
    """Make a drive of these wheels; sizes that are None are taken from the wheels' shapes."""
    known_left = [geometry for _, geometry in left if geometry is not None]
    known_right = [geometry for _, geometry in right if geometry is not None]
    known = known_left + known_right
    if radius is None:
        if not known:
            raise ConfigError(missing_size_message(robot, f"{config_name}.wheel_radius"))
        radius = fmean(geometry.radius for geometry in known)
    centre = ZERO
    if known_left and known_right:
        y_left = fmean(geometry.centre[1] for geometry in known_left)
        y_right = fmean(geometry.centre[1] for geometry in known_right)
        centre = (fmean(geometry.centre[0] for geometry in known), (y_left + y_right) / 2.0, 0.0)
        separation = y_left - y_right if separation is None else separation
    if separation is None or separation <= 0.0:
        raise ConfigError(missing_size_message(robot, f"{config_name}.wheel_separation"))
    sides = [tuple(SignedWheel(motor, _sign(wheel)) for motor, wheel in side) for side in (left, right)]
    return DifferentialDrive(robot["name"], sides[0], sides[1], radius, separation, centre)


def missing_size_message(robot: NodeSpec, field: str) -> str:
    """Return the message for a size that is neither given nor derivable from the shapes."""
    return (
        f"{robot.where}: {robot['name']}.{field}: found none, expected a length in m, "
        f"as it does not follow from the shapes and places of the wheels"
    )


def _wheel_of(motor: Motor) -> WheelGeometry | None:
    return motor.spec.axis.wheel if motor.spec.axis is not None else None


def _sign(geometry: WheelGeometry | None) -> float:
    """Return +1 if the wheel's axis points to the left, so that a positive angle drives forward, else -1."""
    return -1.0 if geometry is not None and geometry.axis[1] < 0.0 else 1.0
