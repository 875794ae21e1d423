"""Leads the drive of a robot to a speed as fast as its limits allow."""

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

FREE = (NO_LIMITS, NO_LIMITS)
"""Of a drive that needs no ramp."""


@dataclass(eq=False)
class RampState(State):
    """Speeds forward and to the left, m/s, and of the turn, rad/s.

    Attributes:
        target: those wanted.
        now, before: told last, and in the step before that.
        is_new: they are wanted since the last step.
    """

    target: Vec3 = ZERO
    now: Vec3 = ZERO
    before: Vec3 = ZERO
    is_new: bool = False


class RampSpec(PlayerSpec):
    """The drive of a robot is to have a speed."""

    def player(self, robot: Robot, playback: Playback) -> DriveRamp:
        """What leads it there."""
        return DriveRamp(robot, playback)


class DriveRamp(Player):
    """Tells the drive of a robot another speed in each step until it has the one that is wanted.

    It plays until the robot is to stand still: so a run that goes on from a file knows how fast it drives.
    """

    state: RampState

    def __init__(self, robot: Robot, playback: Playback) -> None:
        super().__init__(RampSpec(robot.name), playback)
        self._robot = robot
        self.state = RampState()

    def lead_to(self, drive: DifferentialDrive, target: Vec3) -> str | None:
        """Go to these finite speeds from the step on that comes, after all who play already.

        Returns:
            One line if one of them is past a limit, else None.
        """
        self.state.target, self.state.is_new = target, True
        self._playback.start(self)
        for value, limits in zip(target, _of_each(drive.limits), strict=True):
            low, high = limits.velocity
            if not low <= value <= high:
                return f"{drive.name}: velocity {value:g} is past the limits {low:g} and {high:g}, clamped"
        return None

    def before_step(self, step_ns: int) -> bool:
        """Tell the speeds of this step; False: the robot stands, as it is to."""
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
        told = (forward, left, turn)
        if told != state.now or state.is_new:
            drive.set_twist(forward, turn, left)
        state.before, state.now, state.is_new = state.now, told, False
        return any((*state.target, *state.now, *state.before))

    def reset(self) -> None:
        """Stop; the robot stands."""
        super().reset()
        self.state = RampState()


def _of_each(limits: tuple[SpeedLimits, SpeedLimits]) -> tuple[SpeedLimits, SpeedLimits, SpeedLimits]:
    """Those of the three speeds of a ramp."""
    return limits[0], limits[0], limits[1]
