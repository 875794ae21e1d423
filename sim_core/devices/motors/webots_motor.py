"""Webots' semantics of motor commands, for controllers that import `controller` (Webots reference, Motor)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from sim_core.devices.base import Actuator, DeviceState
from sim_core.devices.command_checks import check_finite, clamped
from sim_core.devices.commands import Number, command


class MotorCommand(NamedTuple):
    """Last commands of a motor in Webots' semantics; each part stays until it is set again.

    Attributes:
        position: rad or m; infinite: turn at the velocity; None: hold the present position.
        velocity: rad/s or m/s; None: the highest.
        is_effort: a torque or force was set after the position, and applies until the next position.
    """

    position: float | None = None
    velocity: float | None = None
    is_effort: bool = False


NO_COMMAND = MotorCommand()


@dataclass(eq=False)
class WebotsMotorState(DeviceState):
    """Last commands of a motor in Webots' semantics."""

    webots_command: MotorCommand = NO_COMMAND


class WebotsMotor(Actuator, ABC):
    """A motor with a position and a velocity, each of which stays until set again.

    It moves to a finite position at the velocity's magnitude; with an infinite position of either sign it
    turns at the velocity. Until a position is set it holds its position. All this is executed by the other
    commands of the motor, which do not depend on it.

    Attributes:
        turns_back: with a position of -inf it turns in the other direction, as a Servo does.
        coupled: the motors that execute commands to this one, itself among them, and share its state.
    """

    state: WebotsMotorState
    coupled: Sequence[WebotsMotor]
    turns_back: ClassVar[bool] = False

    @property
    @abstractmethod
    def max_velocity(self) -> float:
        """Highest speed, rad/s or m/s."""

    @property
    @abstractmethod
    def is_linear(self) -> bool:
        """True: m, m/s and N; False: rad, rad/s and N·m."""

    @abstractmethod
    def set_velocity(self, velocity: float) -> str | None:
        """Turn (or move) at a velocity."""

    @abstractmethod
    def set_position(self, position: float, velocity: float | None = None) -> str | None:
        """Go to a position."""

    @abstractmethod
    def set_effort(self, effort: float) -> str | None:
        """Apply a torque or force."""

    @command(meets_faults=False, position=Number("rad or m"))
    def set_webots_position(self, position: float) -> str | None:
        """Go to a position, or turn at the velocity if it is infinite."""
        if not (isinstance(position, float) and math.isinf(position)):
            position = self._finite("position", position)
        self._share_command(MotorCommand(position, self.state.webots_command.velocity))
        return self._execute_command()

    @command(meets_faults=False, velocity=Number("rad/s or m/s"))
    def set_webots_velocity(self, velocity: float) -> str | None:
        """Set the velocity, or the speed limit on the way to a position."""
        velocity, message = self._within_limit(self._finite("velocity", velocity))
        webots_command = self.state.webots_command
        self._share_command(MotorCommand(webots_command.position, velocity, webots_command.is_effort))
        return message if webots_command.is_effort else self._execute_command() or message

    @command(meets_faults=False, effort=Number("N·m or N"))
    def set_webots_effort(self, effort: float) -> str | None:
        """Apply a torque or force until the next position."""
        message = self.set_effort(effort)
        self._share_command(
            MotorCommand(self.state.webots_command.position, self.state.webots_command.velocity, True)
        )
        return message

    def on_new_controller(self) -> None:
        """Clear the commands of the previous controller; the motor continues its motion."""
        self.state.webots_command = NO_COMMAND

    def _share_command(self, webots_command: MotorCommand) -> None:
        for motor in self.coupled:
            motor.state.webots_command = webots_command

    def _label(self, what: str) -> str:
        return f"{self.robot_name}/{self.name}: {what}"

    def _finite(self, what: str, value: float) -> float:
        """Return a command's value as a float if it is finite; see `check_finite`."""
        if type(value) is float and math.isfinite(value):
            return value
        return check_finite(self._label(what), value)

    def _within_limit(self, velocity: float) -> tuple[float, str | None]:
        """Return the velocity within the limit, and a message if it was clamped."""
        if abs(velocity) <= self.max_velocity:
            return velocity, None
        unit = "m/s" if self.is_linear else "rad/s"
        return clamped(self._label("velocity"), velocity, self.max_velocity, unit)

    def _execute_command(self) -> str | None:
        webots_command = self.state.webots_command
        velocity = self.max_velocity if webots_command.velocity is None else webots_command.velocity
        if webots_command.position is None:
            return None
        if math.isinf(webots_command.position):
            return self.set_velocity(
                -velocity if self.turns_back and webots_command.position < 0.0 else velocity
            )
        return self.set_position(webots_command.position, abs(velocity))
