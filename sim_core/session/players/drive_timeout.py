"""Stops a robot that is not told any more how to drive."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.state import State
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.session.players.playback import Playback, Player


@dataclass(eq=False)
class TimeoutState(State):
    """Sim time at which the wheels stop."""

    end_ns: int = 0


class DriveTimeout(Player):
    """Stops the wheels of a drive a while after the last command, in sim time; a player of the simulation.

    The command is in force for all steps that start less than the timeout after it.
    """

    state: TimeoutState

    def __init__(self, drive: DifferentialDrive, playback: Playback, timeout_ns: int) -> None:
        self._drive = drive
        self._playback = playback
        self._timeout_ns = timeout_ns
        self.state = TimeoutState()

    def restart(self, now_ns: int) -> None:
        """A command has come that takes effect with the step that starts now."""
        self.state.end_ns = now_ns + self._timeout_ns
        self._playback.start(self)

    def before_step(self, time_ns: int, step_ns: int) -> bool:
        """Stop the wheels if it is time to; False: then there is nothing more to wait for."""
        if time_ns < self.state.end_ns:
            return True
        self._drive.stop()
        return False

    def reset(self) -> None:
        """The world begins anew, with wheels that stand."""

    def clock_restarted(self, before_ns: int) -> None:
        """The command came so much earlier."""
        self.state.end_ns -= before_ns
