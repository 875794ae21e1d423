"""Journal of the simulation node, which writes to its recording if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ros_bridge.recorder.changes import COMMAND, NOTE, OUTCOME, described_command
from ros_bridge.topics.publishing import Port
from sim_core.base.errors import OdesimError
from sim_core.base.outcome import Done, Outcome, Refused
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Note
from sim_core.session.simulation import Simulation


class RunJournal(Journal):
    """Passes commands, outcomes and changes with their times to a recording, if there is one.

    Attributes:
        has_failed: whether not all could be written.
    """

    def __init__(self, recording: Any, sim: Simulation) -> None:
        """`recording`: a `recording.BagRecording` or None; `sim`: simulation of the run."""
        self.has_failed = False
        self._recording = recording
        self._sim = sim

    @property
    def is_on(self) -> bool:  # type: ignore[override] # until it is closed
        """Whether there is a recording."""
        return self._recording is not None

    @property
    def make_port(self) -> Callable[..., Port]:
        """Function that makes the ports of topics, with recording if there is one."""
        return Port if self._recording is None else self._recording.make_port

    def command(self, command: Command) -> None:
        """Record a command; one that was received as a message is recorded as a message of its topic."""
        if self._recording is None:
            return
        if command.form is not None:
            self._recording.command(command.sender, command.form, self._sim.time_ns)
        else:
            self._recording.note_change(self._sim.time_ns, COMMAND, **described_command(command))

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """Record the outcome of the last command if it was refused or limited."""
        if self._recording is not None and not isinstance(outcome, Done):
            kind = "refused" if isinstance(outcome, Refused) else "clamped"
            details = {"from": command.sender, kind: outcome.text}
            self._recording.note_change(self._sim.time_ns, OUTCOME, **details)

    def note_change(self, what: str, **details: Any) -> None:
        """Record a change that was not made through a topic; the details are JSON values."""
        if self._recording is not None:
            self._recording.note_change(self._sim.time_ns, what, **details)

    def note(self, about: Note, text: str) -> None:
        """Something is noted in words that a replay does not need."""
        self.note_change(NOTE, about=about, text=text)

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """Record a change that sets sim time to 0: the sim time before, and the length of a step."""
        if self._recording is not None:
            self._recording.note_change(before_ns, what, **details)
            self._recording.restarted(before_ns, step_ns)

    def close(self, say: Callable[[str], Any]) -> None:
        """Close the recording; `say` is called with a line about data that could not be written."""
        recording, self._recording = self._recording, None
        if recording is None:
            return
        try:
            recording.close(self._sim.time_ns)
        except OdesimError as error:
            self.has_failed = True
            say(str(error))
