"""Stops a robot that is not told any more how to drive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.state import State
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.session.players.playback import Playback, Player, Score

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(eq=False)
class TimeoutState(State):
    """How long the last command is still in force, in sim time."""

    left_ns: int = 0


class TimeoutScore(Score):
    """The drive of a robot is to be stopped."""

    def player(self, robot: Robot, playback: Playback) -> DriveTimeout:
        """What stops it."""
        assert robot.drive is not None
        return DriveTimeout(robot.drive, playback)


class DriveTimeout(Player):
    """Stops the wheels of a drive a while after the last command, in sim time; a player of the simulation.

    The command is in force for all steps that start less than the timeout after it.
    """

    state: TimeoutState

    def __init__(self, drive: DifferentialDrive, playback: Playback) -> None:
        super().__init__(TimeoutScore(drive.name), playback)
        self._drive = drive
        self.state = TimeoutState()

    def restart(self, timeout_ns: int) -> None:
        """A command has come that takes effect with the step that starts now."""
        self.state.left_ns = timeout_ns
        self._playback.start(self)

    def before_step(self, step_ns: int) -> bool:
        """Stop the wheels if it is time to; False: then there is nothing more to wait for."""
        if self.state.left_ns > 0:
            self.state.left_ns -= step_ns
            return True
        self._drive.stop()
        return False
