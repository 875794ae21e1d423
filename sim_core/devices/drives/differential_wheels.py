"""DifferentialWheels: a robot with two wheels, in worlds from before Webots R2021b.

It drives in one of two ways (Webots R2018 reference, DifferentialWheels):

- with a Physics node in it and in its wheels, the child Solids named "left wheel" and "right wheel": motors
  turn the wheels with at most `maxForce` N·m, and contacts move the robot;
- without: the robot itself moves in its x-y plane, by `axleLength`, `wheelRadius` and `maxAcceleration`. It
  never slips along an obstacle: when something blocks it, it stands still and its encoders do not count.

In the fast 2D mode the engine moves both kinds (docs/fast2d.md); `maxForce` is ignored. Slip and encoder
noise are uniform: a factor 1 + noise·u, u in (-1, 1), for each wheel and each step.
"""

from __future__ import annotations

import math

from sim_core.base.errors import CommandError, DeviceError
from sim_core.base.state import Stateful
from sim_core.devices.base import Actuator, Device, DeviceContext
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Number, Text, command
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.drives.planar_motion import PlanarBase, Twist2d, twist_from_wheels
from sim_core.devices.field_checks import (
    DISABLED,
    finite_number,
    number_at_least,
    number_or_off,
    positive_number,
)
from sim_core.devices.noise import Noise
from sim_core.engines.world_view import JointAxis
from sim_core.model.device_spec import DeviceSpec, DrivenSolid, NodeSpec
from sim_core.model.kinematics import WHEELS

LEFT_WHEEL, RIGHT_WHEEL = WHEELS


class DifferentialWheels(Actuator):
    """The two wheels of a DifferentialWheels robot.

    Attributes:
        left, right: the wheels.
        wheel_radius: m.
        axle_length: distance between the wheels, m. With physics both are taken from the wheels' bounding
            objects where possible, as the fields are then ignored.
        encoder_noise: half the width of the uniform factor of the angle that an encoder counts in a step.
        has_encoders: False if encoderNoise or encoderResolution is -1.
    """

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.max_speed = number_at_least(spec, "maxSpeed", 0.0)
        self.max_acceleration = number_at_least(spec, "maxAcceleration", 0.0)
        self.wheel_radius = number_at_least(spec, "wheelRadius", 0.0)
        self.axle_length = number_at_least(spec, "axleLength", 0.0)
        self.encoder_resolution = number_or_off(spec, "encoderResolution")
        encoder_noise = number_or_off(spec, "encoderNoise")
        self.has_encoders = encoder_noise != DISABLED and self.encoder_resolution != DISABLED
        self.encoder_noise = encoder_noise if self.has_encoders else 0.0
        self._slip_noise = number_at_least(spec, "slipNoise", 0.0)
        self._max_torque = number_at_least(spec, "maxForce", 0.0)
        self._speed_unit = number_at_least(spec, "speedUnit", 0.0)
        self._consumption = finite_number(spec, "motorConsumption")
        self._noise = Noise(context.seed)
        self._base: PlanarBase | None = None
        self._axes: tuple[JointAxis, JointAxis] | None = None
        left, right = spec.turned
        for solid in filter(None, spec.turned):
            _check_physics(solid.spec, spec)
        if spec["physics"] is None:
            self.wheel_radius = positive_number(spec, "wheelRadius")
            self.axle_length = positive_number(spec, "axleLength")
            if self.world.can.rolling is not None:  # the engine turns its wheels and moves it
                self._axes = (self.world.axis(spec.id, 0), self.world.axis(spec.id, 1))
        if self._axes is None and spec["physics"] is None:
            self._base = PlanarBase(spec, self.world)
            shown = [self.world.axis(each.spec.id) if each is not None else None for each in spec.turned]
            self.left = DriveWheel(LEFT_WHEEL, self, None, shown[0])
            self.right = DriveWheel(RIGHT_WHEEL, self, None, shown[1])
        else:
            if self._axes is None:
                self._axes = self._find_wheel_axes(left, right)
            self.left = DriveWheel(LEFT_WHEEL, self, self._axes[0])
            self.right = DriveWheel(RIGHT_WHEEL, self, self._axes[1])
        self._reset_wheels()

    @property
    def commanded_devices(self) -> tuple[Device, ...]:
        """The device alone."""
        return (self,)

    def parts(self) -> tuple[Stateful, ...]:
        """Return the wheels, and the base that moves the robot without physics."""
        wheels = (self.left, self.right)
        return wheels if self._base is None else (*wheels, self._base)

    @property
    def is_dynamic(self) -> bool:
        """True if the engine turns the wheels, which move the robot; False if it is moved without physics."""
        return self._axes is not None

    @property
    def power(self) -> float:
        """Power drawn now, W: motorConsumption while a wheel has a target speed, else 0.

        (As the manuals say; R2018a multiplied it by the mean speed of the wheels in rad/s.)
        """
        return self._consumption if self.left.target_velocity or self.right.target_velocity else 0.0

    @property
    def left_encoder(self) -> float:
        """Reading of the left encoder, increments; NaN if not simulated."""
        return self.left.encoder

    @property
    def right_encoder(self) -> float:
        """Reading of the right encoder, increments; NaN if not simulated."""
        return self.right.encoder

    @command(wheel=Text(), velocity=Number("rad/s"))
    def set_wheel_velocity(self, wheel: str, velocity: float) -> str | None:
        """Turn one wheel, `left wheel` or `right wheel`; all other commands to the wheels call this one.

        Returns:
            A message if the speed was clamped, else None.

        Raises:
            CommandError: not finite, or no such wheel; nothing changes.
        """
        if wheel not in (LEFT_WHEEL, RIGHT_WHEEL):
            expected = f'"{LEFT_WHEEL}" or "{RIGHT_WHEEL}"'
            raise CommandError(f'{self.robot_name}: found "{wheel}", expected {expected}')
        return (self.left if wheel == LEFT_WHEEL else self.right).set_own_velocity(velocity)

    @command(meets_faults=False, left=Number("speedUnit"), right=Number("speedUnit"))
    def set_speed(self, left: float, right: float) -> str | None:
        """Set both speeds in units of `speedUnit` rad/s; otherwise as `set_wheel_speeds`."""
        return self.set_wheel_speeds(
            check_finite(f"{self.robot_name}: left speed", left) * self._speed_unit,
            check_finite(f"{self.robot_name}: right speed", right) * self._speed_unit,
        )

    @command(meets_faults=False, left=Number("rad/s"), right=Number("rad/s"))
    def set_wheel_speeds(self, left: float, right: float) -> str | None:
        """Turn the wheels at rad/s from the next step on, at most at `maxSpeed`.

        Returns:
            A message if a speed was clamped, else None.

        Raises:
            CommandError: a speed is not finite; nothing changes.
        """
        left = check_finite(f"{self.robot_name}: left speed", left)
        right = check_finite(f"{self.robot_name}: right speed", right)
        messages = self.left.set_velocity(left), self.right.set_velocity(right)
        return messages[0] or messages[1]

    @command(meets_faults=False, left=Number(), right=Number())
    def set_encoders(self, left: float, right: float) -> None:
        """Set the present readings of the encoders, in increments."""
        left = check_finite(f"{self.robot_name}: left encoder", left)
        right = check_finite(f"{self.robot_name}: right encoder", right)
        self.left.set_encoder(left)
        self.right.set_encoder(right)

    def stop(self) -> None:
        """Set the wheel speeds to 0."""
        self.set_wheel_speeds(0.0, 0.0)

    def deactivate(self) -> None:
        """Release the motors of the wheels; a robot without physics stands still."""
        if self._base is not None:
            self._base.move(Twist2d(0.0, 0.0))
            self.left.hold()
            self.right.hold()
        for axis in self._axes or ():
            axis.release()

    def before_step(self) -> bool:
        """Turn the wheels for this step; return False when they stand still or their speed is constant."""
        if self._base is not None:
            return self._move(self._base)
        self.update_encoders()
        if self._axes is not None:
            slip = self._factors(self._slip_noise, 0)
            self.left.drive_axis(self._axes[0], slip[0], self._max_torque)
            self.right.drive_axis(self._axes[1], slip[1], self._max_torque)
        is_driven = self.left.target_velocity != 0.0 or self.right.target_velocity != 0.0
        return self.encoder_noise > 0.0 or (is_driven and self._slip_noise > 0.0)

    def read_start(self) -> None:
        """Set the encoders' angles to those of the wheels."""
        for wheel in (self.left, self.right):
            wheel.state.angle = wheel.initial().angle

    def update_encoders(self) -> None:
        """Update the encoders by what the engine turned; a second call at the same time changes nothing."""
        if self._axes is not None:
            noise = self._factors(self.encoder_noise, 2)
            self.left.update_encoder(self._axes[0], noise[0])
            self.right.update_encoder(self._axes[1], noise[1])

    def reset(self) -> None:
        """Stand still, with the angles and the encoders at 0."""
        super().reset()
        if self._base is not None:
            self._base.reset()
        self._reset_wheels()
        self.wake()

    def _move(self, base: PlanarBase) -> bool:
        """Move the robot for one step without physics; return True if it must be called in the next step
        too."""
        wanted = self.left.next_speed(), self.right.next_speed()
        slip = self._factors(self._slip_noise, 0)
        speeds = wanted[0] * slip[0], wanted[1] * slip[1]
        if base.move(twist_from_wheels(*speeds, self.wheel_radius, self.axle_length)):
            noise = self._factors(self.encoder_noise, 2)
            self.left.turn(speeds[0], noise[0])
            self.right.turn(speeds[1], noise[1])
        else:
            self.left.hold()
            self.right.hold()
        return any((*wanted, self.left.target_velocity, self.right.target_velocity))

    def _factors(self, noise: float, first: int) -> tuple[float, float]:
        """Return 1 + noise·u for the left and the right wheel, u uniform in (-1, 1), now.

        Uniform numbers are made from normal ones by the normal distribution function: u = erf(n/√2).
        """
        if noise == 0.0:
            return 1.0, 1.0
        numbers = self._noise.normals(self.world.clock.time_ns, first + 2)[first:]
        left, right = (1.0 + noise * math.erf(number / math.sqrt(2.0)) for number in numbers)
        return left, right

    def _find_wheel_axes(
        self, left: DrivenSolid | None, right: DrivenSolid | None
    ) -> tuple[JointAxis, JointAxis]:
        """Return the axes of the wheels; their shapes replace the sizes in the fields."""
        if left is None or right is None:
            name = LEFT_WHEEL if left is None else RIGHT_WHEEL
            raise DeviceError(
                f'{self.spec.where}: no child Solid named "{name}", expected one, as the robot has Physics'
            )
        if left.wheel is not None and right.wheel is not None:
            self.wheel_radius = (left.wheel.radius + right.wheel.radius) / 2.0
            self.axle_length = abs(left.wheel.centre[1] - right.wheel.centre[1])
        return self.world.axis(left.spec.id), self.world.axis(right.spec.id)

    def _reset_wheels(self) -> None:
        self.left.reset()
        self.right.reset()


def _check_physics(solid: NodeSpec, robot: NodeSpec) -> None:
    """Raise DeviceError if a wheel has Physics and the robot has none, or the other way round."""
    if (solid["physics"] is None) != (robot["physics"] is None):
        found = "no Physics" if solid["physics"] is None else "Physics"
        raise DeviceError(f'{solid.where}: "{solid["name"]}" has {found}, expected the same as in the robot')
