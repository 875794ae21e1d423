"""Moves the body of a robot with a twist, independent of its wheels, as Gazebo's VelocityControl does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.errors import CommandError
from sim_core.base.geometry import rotate, scale, subtract
from sim_core.base.state import State
from sim_core.devices.command_checks import check_finite
from sim_core.session.players.playback import Playback, Player, PlayerSpec

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(eq=False)
class BodyTwistState(State):
    """Commanded speeds: forward and to the left, m/s, and counter-clockwise, rad/s; in the body's axes."""

    linear: float = 0.0
    lateral: float = 0.0
    angular: float = 0.0


class BodyTwistSpec(PlayerSpec):
    """Specification of a `BodyTwist`."""

    def player(self, robot: Robot, playback: Playback) -> BodyTwist:
        """Return the player."""
        return BodyTwist(robot, playback)


class BodyTwist(Player):
    """Sets the velocity of the body in each step, from the first command on; forces and gravity have no
    effect."""

    state: BodyTwistState

    def __init__(self, robot: Robot, playback: Playback) -> None:
        super().__init__(BodyTwistSpec(robot.name), playback)
        self._robot = robot
        self._editing = robot.world.can.editing  # None: only wheels can move the robot
        self.state = BodyTwistState()

    def move(self, linear: float, angular: float, lateral: float) -> None:
        """Set these speeds from the next step on.

        Raises:
            CommandError: a value is not finite, or the robot cannot be moved so; nothing changes.
        """
        name = self._robot.name
        for what, value in (("linear", linear), ("angular", angular), ("lateral", lateral)):
            check_finite(f"{name}: {what} velocity", value)
        if self._editing is None or not self._editing.moves_freely(self._robot.spec.id):
            raise CommandError(
                f"{name}: found no Physics, or the mode fast2d, in which a twist moves no body"
            )
        self.state = BodyTwistState(linear, lateral, angular)
        self._playback.start_player(self)

    def before_step(self, step_ns: int) -> bool:
        """Set the velocity for this step, minus what gravity will add."""
        if self._editing is None:
            return False
        state, robot = self.state, self._robot
        rotation = robot.frame.pose().rotation
        wanted = rotate(rotation, (state.linear, state.lateral, 0.0))
        fall = scale(robot.world.model.gravity, step_ns / 1e9)
        turn = rotate(rotation, (0.0, 0.0, state.angular))
        self._editing.set_velocity(robot.spec.id, subtract(wanted, fall), turn)
        return True
