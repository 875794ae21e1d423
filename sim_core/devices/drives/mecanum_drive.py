"""Drive of a robot on four Mecanum wheels, which moves forward, sideways and turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sim_core.base.config import MecanumConfig
from sim_core.base.errors import ConfigError
from sim_core.devices.command_checks import check_finite
from sim_core.devices.drives.differential_drive import (
    DifferentialDrive,
    find_differential_drive,
    missing_size_message,
)
from sim_core.devices.drives.planar_motion import Twist2d
from sim_core.devices.motors.motor import Motor
from sim_core.model.device_spec import NodeSpec


@dataclass(frozen=True, kw_only=True)
class MecanumDrive(DifferentialDrive):
    """A drive with two wheels on each side, the front one first, whose rollers lie at ±45°.

    For a twist (v, w, ω) of the middle, forward, to the left and counter-clockwise, with k half of the sum of
    separation and wheelbase, the wheels turn at (v ∓ w - k·ω)/radius on the left and (v ± w + k·ω)/radius on
    the right, the upper sign that of the front ones (gz-sim, MecanumDrive).

    Attributes:
        wheelbase: m between the front and the back axle.
    """

    wheelbase: float

    @property
    def track(self) -> float:
        """Path difference of the right and the left side, m, in a turn of 1 rad: 2·k."""
        return self.wheel_separation + self.wheelbase

    def set_twist(self, linear: float, angular: float, lateral: float = 0.0) -> str | None:
        """Drive forward and to the left at m/s and counter-clockwise at rad/s from the next step on.

        If a wheel cannot turn so fast all are slowed in proportion.

        Returns:
            A message if it was slowed, else None.

        Raises:
            CommandError: a value is not finite; nothing changes.
        """
        linear = check_finite(f"{self.name}: linear velocity", linear)
        lateral = check_finite(f"{self.name}: lateral velocity", lateral)
        angular = check_finite(f"{self.name}: angular velocity", angular)
        turn = angular * self.track / 2.0
        left = (linear - lateral - turn, linear + lateral - turn)
        right = (linear + lateral + turn, linear - lateral + turn)
        speeds = [speed / self.wheel_radius for speed in (*left, *right)]
        fastest, limit = max(map(abs, speeds)), self.max_wheel_speed
        message = None
        if fastest > limit:
            message = (
                f"{self.name}: velocity {linear:g} and {lateral:g} m/s, {angular:g} rad/s needs a wheel "
                f"speed of {fastest:g} rad/s, past the limit {limit:g} rad/s, slowed"
            )
            speeds = [speed * (limit / fastest) for speed in speeds]
        for wheel, speed in zip(self.left + self.right, speeds, strict=True):
            wheel.set_speed(speed)
        return message

    def lateral_distance(self) -> float:
        """Return how far the wheels have moved the robot to its left, m."""
        front_left, back_left, front_right, back_right = (
            wheel.sign * wheel.motor.position for wheel in self.left + self.right
        )
        return self.wheel_radius * (front_right - front_left + back_left - back_right) / 4.0

    def twist(self) -> Twist2d:
        """Return the twist that follows from the wheels' speeds."""
        front_left, back_left, front_right, back_right = (
            wheel.sign * wheel.motor.velocity for wheel in self.left + self.right
        )
        quarter = self.wheel_radius / 4.0
        return Twist2d(
            quarter * (front_left + front_right + back_left + back_right),
            quarter * 2.0 * (front_right - front_left + back_right - back_left) / self.track,
            quarter * (front_right - front_left + back_left - back_right),
        )


def mecanum_drive_from_config(
    robot: NodeSpec, motors: Mapping[str, Motor], config: MecanumConfig
) -> MecanumDrive:
    """Make the drive of a robot with Mecanum wheels from its settings.

    Raises:
        ConfigError: a motor does not exist, or a size is missing that the wheels' shapes do not give.
    """
    sides = find_differential_drive(robot, motors.values(), config)
    assert sides is not None  # named motors either give a drive or raise an error
    own = sides.name, sides.left, sides.right, sides.wheel_radius, sides.wheel_separation, sides.centre
    wheelbase = _wheelbase(robot, motors, config) if config.wheelbase is None else config.wheelbase
    return MecanumDrive(*own, sides.limits, wheelbase=wheelbase)


def _wheelbase(robot: NodeSpec, motors: Mapping[str, Motor], config: MecanumConfig) -> float:
    """Return the distance from the left back wheel to the left front one, m."""
    axes = [motors[name].spec.axis for name in config.left]
    front, back = (axis.wheel if axis is not None else None for axis in axes)
    if front is None or back is None or front.centre[0] <= back.centre[0]:
        raise ConfigError(missing_size_message(robot, f"{config.name}.wheelbase"))
    return front.centre[0] - back.centre[0]
