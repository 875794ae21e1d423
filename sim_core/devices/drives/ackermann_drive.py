"""Drive of a car: from a twist to the angles of its steered wheels and the speeds of its driven wheels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from sim_core.base.config import AckermannConfig, check_names
from sim_core.base.errors import ConfigError
from sim_core.devices.command_checks import check_finite
from sim_core.devices.drives.ackermann import steering_angles
from sim_core.devices.drives.differential_drive import (
    PAIR_TOLERANCE,
    DifferentialDrive,
    find_differential_drive,
    missing_size_message,
)
from sim_core.devices.motors.motor import Motor
from sim_core.model.device_spec import NodeSpec
from sim_core.model.wheels import WheelGeometry

MAX_ANGLE = math.pi / 2.0
"""Largest angle of steered wheels, rad, whatever the limits of their motors."""


@dataclass(frozen=True, slots=True)
class SteeredWheel:
    """A wheel that turns about a vertical axis; sign +1 if a positive angle steers left, else -1."""

    motor: Motor
    sign: float = 1.0

    @property
    def angle(self) -> float:
        """Steering angle, rad, positive to the left."""
        return self.sign * self.motor.position

    @property
    def max_angle(self) -> float:
        """Angle that the wheel reaches on both sides, rad."""
        low, high = self.motor.limits.min_position, self.motor.limits.max_position
        return max(0.0, min(-low, high, MAX_ANGLE))

    def steer(self, angle: float) -> str | None:
        """Turn to an angle in rad, positive to the left; the motor multiplies by its multiplier."""
        return self.motor.set_position(self.sign * angle / self.motor.multiplier)


@dataclass(frozen=True, kw_only=True)
class AckermannDrive(DifferentialDrive):
    """A car: two sides of driven wheels on a fixed axle, and two steered wheels.

    Its wheels roll without slip when all axles meet in one point, at 1/κ to the left of the middle of the
    fixed axle, κ being the curvature of the path of that middle: a wheel at (L, y) from it then stands at the
    angle atan2(κ·L, 1 − κ·y), and one of radius r on the fixed axle turns at v·(1 − κ·y)/r.

    Attributes:
        steered: the steered wheels, left and right.
        wheelbase: L, m from the fixed to the steered axle; negative if the rear wheels steer.
        steering_separation: m between the pivots of the steered wheels.
        min_radius: smallest radius of the path of that middle, m.
    """

    steered: tuple[SteeredWheel, SteeredWheel]
    wheelbase: float
    steering_separation: float
    min_radius: float = 0.0

    @property
    def max_curvature(self) -> float:
        """Largest curvature in 1/m that the steering limits and the smallest radius allow on both sides."""
        angle = min(wheel.max_angle for wheel in self.steered)
        if angle == 0.0:
            return 0.0
        radius = abs(self.wheelbase) / math.tan(angle) + self.steering_separation / 2.0
        return 1.0 / max(radius, self.min_radius)

    def steering_angles(self, curvature: float) -> tuple[float, float]:
        """Return the angles of the left and the right steered wheel, rad, positive to the left, for κ in
        1/m."""
        return steering_angles(curvature, self.wheelbase, self.steering_separation)

    def set_twist(self, linear: float, angular: float, lateral: float = 0.0) -> str | None:
        """Drive at `linear` m/s forward and `angular` rad/s counter-clockwise from the next step on.

        A curve too narrow for the steering becomes the narrowest possible one, at the commanded speed; a
        speed too high for the wheels is lowered, on the same curve. A car that stands cannot turn: with
        `linear` 0 the wheels stop and keep their angles.

        Returns:
            A message if the motion differs from the command, else None.

        Raises:
            CommandError: a value is not finite; nothing changes.
        """
        linear = check_finite(f"{self.name}: linear velocity", linear)
        angular = check_finite(f"{self.name}: angular velocity", angular)
        if linear == 0.0:
            self.stop()
            if angular == 0.0:
                return None
            return f"{self.name}: found {angular:g} rad/s at 0 m/s, a car cannot turn on the spot, stopped"
        curvature, narrowest, message = angular / linear, self.max_curvature, None
        if abs(curvature) > narrowest:
            message = (
                f"{self.name}: velocity {linear:g} m/s, {angular:g} rad/s needs a curve of radius "
                f"{abs(linear / angular):.3g} m, steered to the narrowest, {1.0 / narrowest:.3g} m"
            )
            curvature = math.copysign(narrowest, curvature)
        for wheel, angle in zip(self.steered, self.steering_angles(curvature), strict=True):
            wheel.steer(angle)
        return super().set_twist(linear, curvature * linear) or message


def car_from_config(robot: NodeSpec, motors: Mapping[str, Motor], config: AckermannConfig) -> AckermannDrive:
    """Make the drive of a car from its settings.

    Raises:
        ConfigError: a motor does not exist, or a size is missing that the wheels' shapes do not give.
    """
    check_names(f"{robot['name']}.ackermann.steering", config.steering, motors)
    fixed = find_differential_drive(robot, motors.values(), config)
    assert fixed is not None  # named motors either give a drive or raise an error
    sides = [(motors[name], _steered_wheel(motors[name])) for name in config.steering]
    if config.wheelbase is None or config.steering_separation is None:
        known = [(motor, geometry) for motor, geometry in sides if geometry is not None]
        if len(known) < 2:
            field = "wheelbase" if config.wheelbase is None else "steering_separation"
            raise ConfigError(missing_size_message(robot, f"ackermann.{field}"))
        found = make_car(fixed, known[0], known[1])
        wheelbase = found.wheelbase if config.wheelbase is None else config.wheelbase
        separation = config.steering_separation or found.steering_separation
    else:
        wheelbase, separation = config.wheelbase, config.steering_separation
    left, right = (SteeredWheel(motor, _sign(geometry)) for motor, geometry in sides)
    return replace(
        _make_drive(fixed, (left, right), wheelbase, separation), min_radius=config.min_radius or 0.0
    )


Steering = tuple[Motor, WheelGeometry]
"""A motor that steers, and the wheel that it steers."""


def steering_pairs(motors: Iterable[Motor]) -> list[tuple[Steering, Steering]]:
    """Return pairs of motors that steer two wheels opposite each other, the left one first.

    They have vertical axes, symmetrical about the robot's x-z plane, and joints that hold a wheel each: a
    Hinge2Joint, or a HingeJoint with another HingeJoint at its end.
    """
    wheels = [(motor, geometry) for motor in motors if (geometry := _steered_wheel(motor)) is not None]
    return [
        (a, b) if a[1].centre[1] > b[1].centre[1] else (b, a)
        for a, b in combinations(wheels, 2)
        if _are_pair(a[1], b[1])
    ]


def make_car(fixed: DifferentialDrive, left: Steering, right: Steering) -> AckermannDrive:
    """Make the drive of a car from its driven wheels and the motors that steer the other two."""
    wheels = SteeredWheel(left[0], _sign(left[1])), SteeredWheel(right[0], _sign(right[1]))
    middle = (left[1].centre[0] + right[1].centre[0]) / 2.0
    return _make_drive(fixed, wheels, middle - fixed.centre[0], left[1].centre[1] - right[1].centre[1])


def _make_drive(
    fixed: DifferentialDrive, steered: tuple[SteeredWheel, SteeredWheel], wheelbase: float, separation: float
) -> AckermannDrive:
    own = fixed.name, fixed.left, fixed.right, fixed.wheel_radius, fixed.wheel_separation, fixed.centre
    return AckermannDrive(
        *own, fixed.limits, steered=steered, wheelbase=wheelbase, steering_separation=separation
    )


def _steered_wheel(motor: Motor) -> WheelGeometry | None:
    place = motor.spec.axis
    return place.steered if place is not None and place.key[1] == 0 else None


def _are_pair(a: WheelGeometry, b: WheelGeometry) -> bool:
    separation = abs(a.centre[1] - b.centre[1])
    tolerance = PAIR_TOLERANCE * separation
    return a.centre[1] * b.centre[1] < 0.0 and all(
        abs(difference) <= tolerance
        for difference in (a.centre[1] + b.centre[1], a.centre[0] - b.centre[0], a.radius - b.radius)
    )


def _sign(geometry: WheelGeometry | None) -> float:
    """Return +1 if the axis points up, so that a positive angle steers left, else -1."""
    return -1.0 if geometry is not None and geometry.axis[2] < 0.0 else 1.0
