"""One of the two wheels of a DifferentialWheels robot: speed, angle and encoder."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.state import Resettable, State, Stateful
from sim_core.devices.command_checks import check_finite, clamped
from sim_core.devices.motors.effort_feedback import EffortFeedback
from sim_core.devices.motors.motor_control import MotorControl
from sim_core.engines.world_view import JointAxis

if TYPE_CHECKING:
    from sim_core.devices.drives.differential_wheels import DifferentialWheels


@dataclass(eq=False)
class DriveWheelState(State):
    """State of a wheel.

    Attributes:
        control: limits the acceleration, without physics.
        angle: true angle turned since the start, rad.
        target: commanded speed, rad/s.
        velocity: true speed without physics, rad/s.
        measured: angle as the encoder counts it, rad.
        encoder_zero: measured angle at which the encoder reads 0, rad.
    """

    control: MotorControl
    angle: float = 0.0
    target: float = 0.0
    velocity: float = 0.0
    measured: float = 0.0
    encoder_zero: float = 0.0


class DriveWheel(Resettable):
    """One of the two wheels; angles and speeds are positive forward.

    Attributes:
        name: `left wheel` or `right wheel`.
        multiplier: 1; only other motors have one.
        axis: joint axis that the engine turns; None without physics.
    """

    state: DriveWheelState

    def __init__(
        self, name: str, robot: DifferentialWheels, axis: JointAxis | None, shown: JointAxis | None = None
    ) -> None:
        """Make a wheel.

        Args:
            name: `left wheel` or `right wheel`.
            robot: the robot.
            axis: axis of the wheel, with physics.
            shown: axis that only shows the rotation, without physics.
        """
        self.name = name
        self.multiplier = 1.0
        self._robot = robot
        self.axis = axis
        self._shown = shown
        self._feedback = EffortFeedback(axis, robot.world) if axis is not None else None
        self.state = self.initial()

    def initial(self) -> DriveWheelState:
        """Return the state at rest, at the angle of its axis; the encoder reads 0."""
        angle = self.axis.position if self.axis is not None else 0.0
        return DriveWheelState(MotorControl(self._robot.step_seconds, (1.0, 0.0, 0.0)), angle)

    def parts(self) -> tuple[Stateful, ...]:
        """Return the torque measurement, with physics."""
        return () if self._feedback is None else (self._feedback,)

    @property
    def angle(self) -> float:
        """True angle turned since the start, rad."""
        return self.state.angle

    @property
    def position(self) -> float:
        """Angle turned since the start as the encoder measures it, with its noise, rad."""
        self._robot.update_encoders()
        return self.state.measured

    @property
    def velocity(self) -> float:
        """True speed, rad/s."""
        return self.state.velocity if self.axis is None else self.axis.velocity

    @property
    def effort(self) -> float:
        """Torque of the motor in the last step, N·m, measured from the first call on; 0 without physics."""
        return self._feedback.latest_effort() if self._feedback is not None else 0.0

    @property
    def max_velocity(self) -> float:
        """Highest speed, rad/s."""
        return self._robot.max_speed

    @property
    def target_velocity(self) -> float:
        """Last commanded speed, rad/s."""
        return self.state.target

    @property
    def encoder(self) -> float:
        """Reading of the encoder in increments; NaN if the encoders are not simulated."""
        if not self._robot.has_encoders:
            return math.nan
        return (self.position - self.state.encoder_zero) * self._robot.encoder_resolution

    def set_velocity(self, velocity: float) -> str | None:
        """Turn at rad/s, as `set_own_velocity`, by the robot's command, to which its faults apply."""
        return self._robot.set_wheel_velocity(self.name, velocity)

    def set_own_velocity(self, velocity: float) -> str | None:
        """Turn at rad/s from the next step on.

        Returns:
            A message if the speed was clamped, else None.

        Raises:
            CommandError: not finite; nothing changes.
        """
        what = f"{self._robot.robot_name}/{self.name}: velocity"
        velocity = check_finite(what, velocity)
        self.state.target, message = clamped(what, velocity, self.max_velocity, "rad/s")
        self._robot.wake()
        return message

    def set_encoder(self, reading: float) -> None:
        """Set the present reading of the encoder, in increments."""
        if self._robot.has_encoders and self._robot.encoder_resolution > 0.0:
            self.state.encoder_zero = self.position - reading / self._robot.encoder_resolution

    def reset(self) -> None:
        """Stand still with angle and encoder at 0."""
        self.state = self.initial()
        if self._feedback is not None:
            self._feedback.reset()

    def next_speed(self) -> float:
        """Return the speed of this step without physics, before slip, rad/s."""
        self.state.control.acceleration = self._robot.max_acceleration
        return self.state.control.hold_velocity(self.state.target)

    def turn(self, speed: float, noise: float) -> None:
        """Turn for one step, without physics; `noise` is the factor of the encoder."""
        state = self.state
        self._show(speed)
        state.angle += speed * self._robot.step_seconds
        state.measured += speed * self._robot.step_seconds * noise

    def hold(self) -> None:
        """Stand still in front of an obstacle, without physics."""
        self._show(0.0)
        self.state.control.start_from()

    def drive_axis(self, axis: JointAxis, slip: float, max_torque: float) -> None:
        """Set this step's speed of the axis, with physics; `slip` is its factor."""
        axis.drive(self.state.target * slip, max_torque)

    def update_encoder(self, axis: JointAxis, noise: float) -> None:
        """Update the encoder by how far the wheel turned, with physics; `noise` is the factor of the
        encoder."""
        state = self.state
        angle = axis.position
        state.measured += (angle - state.angle) * noise
        state.angle = angle

    def _show(self, speed: float) -> None:
        if self._shown is not None and speed != self.state.velocity:
            self._shown.drive(speed, math.inf)
        self.state.velocity = speed
