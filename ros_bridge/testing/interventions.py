"""Detects changes of a running world other than commands to devices, such as moving a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim_core.base.outcome import Outcome
from sim_core.session.interventions import is_of_controller
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Note, Session


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
        self._inner, self._allowed = session.journal, set(allowed)
        self.found: list[str] = []
        session.journal = self

    def command(self, command: Command) -> None:
        """Note the command if it intervenes."""
        kinds = [type(each).__name__ for each in command.actions if not is_of_controller(each)]
        if kinds and command.sender not in self._allowed:
            self.found.append(f"{command.sender} requested {', '.join(kinds)}")
        if self._inner.is_on:
            self._inner.command(command)

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """Pass it on."""
        if self._inner.is_on:
            self._inner.outcome(command, outcome)

    def note_change(self, what: str, **details: Any) -> None:
        """Note the change, which came by no command."""
        self.found.append(what)
        self._inner.note_change(what, **details)

    def note(self, about: Note, text: str) -> None:
        """Pass it on."""
        self._inner.note(about, text)

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """Note that sim time is 0 again."""
        self.found.append(what)
        self._inner.restarts(what, before_ns, step_ns, **details)
