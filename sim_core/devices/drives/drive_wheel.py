"""One of the two wheels of a DifferentialWheels robot: its speed, its angle and its encoder."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.state import State, Stateful
from sim_core.devices.command_checks import check_finite, clamped
from sim_core.devices.motors.effort_feedback import EffortFeedback
from sim_core.devices.motors.motor_control import MotorControl
from sim_core.engines.world_view import JointAxis

if TYPE_CHECKING:
    from sim_core.devices.drives.differential_wheels import DifferentialWheels


@dataclass(eq=False)
class DriveWheelState(State):
    """How a wheel turns.

    Attributes:
        control: the limit of its acceleration, without physics.
        angle: true angle turned since the start, rad.
        target: speed commanded, rad/s.
        velocity: true speed without physics, rad/s.
        measured: angle as the encoder counts it, rad.
        encoder_zero: that at which the encoder reads 0.
    """

    control: MotorControl
    angle: float = 0.0
    target: float = 0.0
    velocity: float = 0.0
    measured: float = 0.0
    encoder_zero: float = 0.0


class DriveWheel(Stateful):
    """One of the two wheels; angles and speeds are positive forward.

    Attributes:
        name: `left wheel` or `right wheel`.
        multiplier: 1; motors have others.
        axis: what the world turns; None without physics.
    """

    state: DriveWheelState

    def __init__(
        self, name: str, robot: DifferentialWheels, axis: JointAxis | None, shown: JointAxis | None = None
    ) -> None:
        """`axis`: what turns the wheel, with physics; `shown`: without, what only shows that it turns."""
        self.name = name
        self.multiplier = 1.0
        self._robot = robot
        self.axis = axis
        self._shown = shown
        self._feedback = EffortFeedback(axis, robot.world) if axis is not None else None
        self.state = self.initial()

    def initial(self) -> DriveWheelState:
        """Standing still, at the angle of its axis; the encoder reads 0."""
        angle = self.axis.position if self.axis is not None else 0.0
        return DriveWheelState(MotorControl(self._robot.step_seconds, (1.0, 0.0, 0.0)), angle)

    def parts(self) -> tuple[Stateful, ...]:
        """What measures its torque."""
        return () if self._feedback is None else (self._feedback,)

    @property
    def angle(self) -> float:
        """True angle turned since the start, rad."""
        return self.state.angle

    @property
    def position(self) -> float:
        """Angle turned since the start as the encoder measures it, with its noise, rad."""
        self._robot.count()
        return self.state.measured

    @property
    def velocity(self) -> float:
        """True speed, rad/s."""
        return self.state.velocity if self.axis is None else self.axis.velocity

    @property
    def effort(self) -> float:
        """Torque of the motor in the last step, N·m, measured from the first call on; 0 without physics."""
        return self._feedback.read() if self._feedback is not None else 0.0

    @property
    def max_velocity(self) -> float:
        """Highest speed, rad/s."""
        return self._robot.max_speed

    @property
    def target_velocity(self) -> float:
        """Speed last commanded, rad/s."""
        return self.state.target

    @property
    def encoder(self) -> float:
        """Reading of the encoder in increments; NaN if the encoders are not simulated."""
        if not self._robot.has_encoders:
            return math.nan
        return (self.position - self.state.encoder_zero) * self._robot.encoder_resolution

    def set_velocity(self, velocity: float) -> str | None:
        """Command the robot to turn this wheel at rad/s, as `turn_at`, through its faults."""
        return self._robot.set_wheel_velocity(self.name, velocity)

    def turn_at(self, velocity: float) -> str | None:
        """Turn at rad/s from the next step on.

        Returns:
            One line if the speed was clamped, else None.

        Raises:
            CommandError: not finite; nothing changes.
        """
        what = f"{self._robot.robot_name}/{self.name}: velocity"
        velocity = check_finite(what, velocity)
        self.state.target, message = clamped(what, velocity, self.max_velocity, "rad/s")
        self._robot.wake()
        return message

    def set_encoder(self, reading: float) -> None:
        """Make the encoder read this number of increments now."""
        if self._robot.has_encoders and self._robot.encoder_resolution > 0.0:
            self.state.encoder_zero = self.position - reading / self._robot.encoder_resolution

    def reset(self) -> None:
        """Stand still at angle and encoder 0."""
        self.state = self.initial()
        if self._feedback is not None:
            self._feedback.reset()

    def next_speed(self) -> float:
        """Speed of this step without physics, before slip, rad/s."""
        self.state.control.acceleration = self._robot.max_acceleration
        return self.state.control.hold_velocity(self.state.target)

    def turn(self, speed: float, noise: float) -> None:
        """Without physics: turn for one step; `noise` is the factor of the encoder."""
        state = self.state
        self._show(speed)
        state.angle += speed * self._robot.step_seconds
        state.measured += speed * self._robot.step_seconds * noise

    def hold(self) -> None:
        """Without physics: stand still before an obstacle."""
        self._show(0.0)
        self.state.control.restart()

    def drive(self, axis: JointAxis, slip: float, max_torque: float) -> None:
        """With physics: ask for this step's speed; `slip` is its factor."""
        axis.drive(self.state.target * slip, max_torque)

    def count(self, axis: JointAxis, noise: float) -> None:
        """With physics: take in how far the wheel turned; `noise` is the factor of the encoder."""
        state = self.state
        angle = axis.position
        state.measured += (angle - state.angle) * noise
        state.angle = angle

    def _show(self, speed: float) -> None:
        if self._shown is not None and speed != self.state.velocity:
            self._shown.drive(speed, math.inf)
        self.state.velocity = speed
