"""What the simulation node notes for its recording, if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ros_bridge.recorder.changes import COMMAND, NOTE, OUTCOME, told_command
from ros_bridge.topics.publishing import Port
from sim_core.base.errors import OdesimError
from sim_core.base.outcome import Done, Outcome, Refused
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Note
from sim_core.session.simulation import Simulation


class RunNotes(Journal):
    """Passes on to a recording what happens, and when; without a recording nothing.

    Attributes:
        has_failed: not all of it could be written.
    """

    def __init__(self, recording: Any, sim: Simulation) -> None:
        """`recording`: `recording.Recording` or None; `sim`: of the run."""
        self.has_failed = False
        self._recording = recording
        self._sim = sim

    @property
    def is_on(self) -> bool:  # type: ignore[override] # until it is closed
        """There is a recording."""
        return self._recording is not None

    @property
    def make_port(self) -> Callable[..., Port]:
        """Makes the ports of topics, recorded ones too."""
        return Port if self._recording is None else self._recording.make_port

    def command(self, command: Command) -> None:
        """A command that came as a message is kept as that, on its topic."""
        if self._recording is None:
            return
        if command.form is not None:
            self._recording.command(command.sender, command.form, self._sim.time_ns)
        else:
            self._recording.change(self._sim.time_ns, COMMAND, **told_command(command))

    def outcome(self, command: Command, outcome: Outcome) -> None:
        """What came of the command before, if not what was asked for."""
        if self._recording is not None and not isinstance(outcome, Done):
            kind = "refused" if isinstance(outcome, Refused) else "clamped"
            told = {"from": command.sender, kind: outcome.text}
            self._recording.change(self._sim.time_ns, OUTCOME, **told)

    def change(self, what: str, **details: Any) -> None:
        """The world is changed by something that came on no topic; the details are what JSON can hold."""
        if self._recording is not None:
            self._recording.change(self._sim.time_ns, what, **details)

    def note(self, about: Note, text: str) -> None:
        """Something is noted in words that a replay does not need."""
        self.change(NOTE, about=about, text=text)

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        """The world was changed at a sim time, when its steps had a length, so that sim time is 0 again."""
        if self._recording is not None:
            self._recording.change(before_ns, what, **details)
            self._recording.restarted(before_ns, step_ns)

    def close(self, say: Callable[[str], Any]) -> None:
        """The run is over; `say` is told what could not be written."""
        recording, self._recording = self._recording, None
        if recording is None:
            return
        try:
            recording.close(self._sim.time_ns)
        except OdesimError as error:
            self.has_failed = True
            say(str(error))
