"""Detects changes of a running world other than commands to devices, such as moving a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim_core.base.clock import to_seconds
from sim_core.base.outcome import Outcome
from sim_core.session.controller_commands import ControllerAction
from sim_core.session.pipeline import Action, Command
from sim_core.session.robot_commands import DriveCopies, FleetAction, RobotAction, TurnCopies, TurnJoints
from sim_core.session.session import Journal, Session
from sim_core.session.world_commands import SetField

OF_CONTROLLERS = (RobotAction, ControllerAction, FleetAction, TurnJoints, TurnCopies, DriveCopies)
"""Actions on the devices of robots; all others change the world or the run."""


class InterventionLog(Journal):
    """Journal that notes interventions, and forwards everything to the former journal.

    Attributes:
        found: a text for each intervention.
    """

    is_on = True

    def __init__(self, session: Session, allowed: Sequence[str]) -> None:
        """Replace the journal of a session.

        Args:
            session: of the run.
            allowed: senders that may intervene, such as the robot of a supervisor.
        """
        self._session, self._inner, self._allowed = session, session.journal, set(allowed)
        self.found: list[str] = []
        session.journal = self

    def command(self, command: Command) -> None:
        """Note the command if it intervenes."""
        kinds = [type(each).__name__ for each in command.actions if not _is_of_controller(each)]
        if kinds and command.sender not in self._allowed:
            self._note(f"{command.sender} requested {', '.join(kinds)}", self._session.sim.time_ns)
        if self._inner.is_on:
            self._inner.command(command)

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """Pass it on."""
        if self._inner.is_on:
            self._inner.outcome(command, outcome)

    def note_change(self, what: str, **details: Any) -> None:
        """Note the change, which came by no command."""
        self._note(what, self._session.sim.time_ns)
        self._inner.note_change(what, **details)

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """Note that sim time is 0 again."""
        self._note(what, before_ns)
        self._inner.restarts(what, before_ns, step_ns, **details)

    def _note(self, what: str, time_ns: int) -> None:
        self.found.append(f"{what} at {to_seconds(time_ns):g} s")


def _is_of_controller(action: Action) -> bool:
    """Return whether any controller may request it: robots write their own field `customData`."""
    is_own_data = isinstance(action, SetField) and action.field == "customData"
    return is_own_data or isinstance(action, OF_CONTROLLERS)
