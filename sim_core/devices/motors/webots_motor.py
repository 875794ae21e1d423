"""Webots' semantics of motor commands, for controllers that import `controller` (Webots reference, Motor)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sim_core.devices.base import Actuator, DeviceState
from sim_core.devices.command_checks import check_finite, clamped
from sim_core.devices.commands import Number, command


@dataclass(frozen=True, slots=True)
class MotorCommand:
    """Last commands of a motor in Webots' semantics; each part stays until it is set again.

    Attributes:
        position: rad or m; infinite: turn at the velocity; None: hold the present position.
        velocity: rad/s or m/s; None: the highest.
        is_effort: a torque or force was set after the position, and applies until the next position.
    """

    position: float | None = None
    velocity: float | None = None
    is_effort: bool = False


@dataclass(eq=False)
class WebotsMotorState(DeviceState):
    """Last commands of a motor in Webots' semantics."""

    wish: MotorCommand = MotorCommand()


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
            position = check_finite(self._says("position"), position)
        self._share(MotorCommand(position, self.state.wish.velocity))
        return self._follow_wish()

    @command(meets_faults=False, velocity=Number("rad/s or m/s"))
    def set_webots_velocity(self, velocity: float) -> str | None:
        """Set the velocity, or the speed limit on the way to a position."""
        velocity, message = self._within_limit(check_finite(self._says("velocity"), velocity))
        wish = self.state.wish
        self._share(MotorCommand(wish.position, velocity, wish.is_effort))
        return message if wish.is_effort else self._follow_wish() or message

    @command(meets_faults=False, effort=Number("N·m or N"))
    def set_webots_effort(self, effort: float) -> str | None:
        """Apply a torque or force until the next position."""
        message = self.set_effort(effort)
        self._share(MotorCommand(self.state.wish.position, self.state.wish.velocity, True))
        return message

    def new_controller(self) -> None:
        """Clear the commands of the previous controller; the motor continues its motion."""
        self.state.wish = MotorCommand()

    def _share(self, wish: MotorCommand) -> None:
        for motor in self.coupled:
            motor.state.wish = wish

    def _says(self, what: str) -> str:
        return f"{self.robot_name}/{self.name}: {what}"

    def _within_limit(self, velocity: float) -> tuple[float, str | None]:
        """Return the velocity within the limit, and a message if it was clamped."""
        unit = "m/s" if self.is_linear else "rad/s"
        return clamped(self._says("velocity"), velocity, self.max_velocity, unit)

    def _follow_wish(self) -> str | None:
        wish = self.state.wish
        velocity = self.max_velocity if wish.velocity is None else wish.velocity
        if wish.position is None:
            return None
        if math.isinf(wish.position):
            return self.set_velocity(-velocity if self.turns_back and wish.position < 0.0 else velocity)
        return self.set_position(wish.position, abs(velocity))
