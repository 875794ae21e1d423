"""Accelerates the drive of a robot to a speed within its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.geometry import ZERO, Vec3
from sim_core.base.state import State
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.drives.speed_limits import NO_LIMITS, SpeedLimits
from sim_core.session.players.playback import Playback, Player, PlayerSpec

if TYPE_CHECKING:
    from sim_core.session.robot import Robot

UNLIMITED = (NO_LIMITS, NO_LIMITS)
"""Limits of a drive that needs no ramp."""


@dataclass(eq=False)
class RampState(State):
    """Speeds forward and to the left, m/s, and counter-clockwise, rad/s.

    Attributes:
        target: commanded speeds.
        now, before: speeds of the last step, and of the step before.
        is_new: True if `target` was set since the last step.
    """

    target: Vec3 = ZERO
    now: Vec3 = ZERO
    before: Vec3 = ZERO
    is_new: bool = False


class RampSpec(PlayerSpec):
    """Specification of a `DriveRamp`."""

    def player(self, robot: Robot, playback: Playback) -> DriveRamp:
        """Return the player."""
        return DriveRamp(robot, playback)


class DriveRamp(Player):
    """Changes the speed of a robot's drive in each step until the target is reached.

    It plays until the robot is to stand still, so that a run continued from a file knows the robot's speed.
    """

    state: RampState

    def __init__(self, robot: Robot, playback: Playback) -> None:
        super().__init__(RampSpec(robot.name), playback)
        self._robot = robot
        self.state = RampState()

    def set_target(self, drive: DifferentialDrive, target: Vec3) -> str | None:
        """Set the target, finite, from the next step on; the ramp plays after all players that play already.

        Returns:
            One line if a speed exceeds a limit, else None.
        """
        self.state.target, self.state.is_new = target, True
        self._playback.start_player(self)
        for value, limits in zip(target, _of_each(drive.limits), strict=True):
            low, high = limits.velocity
            if not low <= value <= high:
                return f"{drive.name}: velocity {value:g} is past the limits {low:g} and {high:g}, clamped"
        return None

    def before_step(self, step_ns: int) -> bool:
        """Set the speeds of this step; False: the robot stands and is to stand."""
        drive, state = self._robot.drive, self.state
        if drive is None:
            return False
        step = step_ns / 1e9
        forward, left, turn = (
            limits.next(target, now, before, step)
            for target, now, before, limits in zip(
                state.target, state.now, state.before, _of_each(drive.limits), strict=True
            )
        )
        command = (forward, left, turn)
        if command != state.now or state.is_new:
            drive.set_twist(forward, turn, left)
        state.before, state.now, state.is_new = state.now, command, False
        return any((*state.target, *state.now, *state.before))

    def reset(self) -> None:
        """Stop the ramp, with the robot at rest."""
        super().reset()
        self.state = RampState()


def _of_each(limits: tuple[SpeedLimits, SpeedLimits]) -> tuple[SpeedLimits, SpeedLimits, SpeedLimits]:
    """Return the limits of the three speeds."""
    return limits[0], limits[0], limits[1]
