"""The recordings of a simulation that are going on: at most one movie and one animation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sim_core.base.errors import CommandError, OdesimError
from sim_core.base.machine import release_memory
from sim_core.base.shown import to_stderr
from sim_core.recording.filmed import Filmed


class Recording(Protocol):
    """Something that looks at the world after each step and ends as a file."""

    @property
    def path(self) -> Path:
        """The file."""

    def after_step(self, time_ns: int) -> None:
        """A step has ended; raises OdesimError if the recording cannot go on."""

    def flush(self) -> None:
        """Take in what is on the way."""

    def close(self) -> str:
        """Finish the file; says in a line what it is."""


class Recordings:
    """Starts and ends recordings; one that fails ends and lets the simulation go on.

    Attributes:
        running: by kind, "movie" or "animation".
        failures: why recordings ended before they should.
        tell: gets a line for each recording that ended with the simulation.
        warn: gets a line for each that failed.
    """

    def __init__(self, sim: Filmed) -> None:
        self._sim = sim
        self.running: dict[str, Recording] = {}
        self.failures: list[str] = []
        self.tell: Callable[[str], object] = lambda line: None
        self.warn: Callable[[str], object] = to_stderr

    def start(self, kind: str, file: str | Path, **how: Any) -> None:
        """Begin a "movie" or an "animation"; further arguments are those of `Movie` and `Animation`.

        Raises:
            CommandError: one of this kind is being made.
            ConfigError, DeviceError: it is not possible.
        """
        if kind in self.running:
            file = self.running[kind].path
            raise CommandError(f"the {kind} {file} is being made, expected none: stop it first")
        if kind == "movie":
            from sim_core.recording.movie import Movie as Kind
        else:
            from sim_core.recording.animation import Animation as Kind  # type: ignore[assignment]
        self.running[kind] = Kind(self._sim, file, **how)
        self._listen()

    def stop(self, kind: str) -> str:
        """End a recording and finish its file; says in a line what it is.

        Raises:
            CommandError: there is none of this kind.
            ConfigError: its file cannot be written.
        """
        recording = self.running.pop(kind, None)
        if recording is None:
            raise CommandError(f"no {kind} is being made, expected one that was started")
        self._listen()
        try:
            return recording.close()
        finally:
            del recording
            release_memory()

    def flush(self) -> None:
        """Time is about to go back: take in what is on the way."""
        for recording in self.running.values():
            recording.flush()

    def close(self) -> None:
        """The simulation is over: finish all files."""
        for kind in list(self.running):
            try:
                self.tell(self.stop(kind))
            except OdesimError as error:
                self._fail(str(error))

    def _after_step(self, time_ns: int) -> None:
        for kind, recording in list(self.running.items()):
            try:
                recording.after_step(time_ns)
            except OdesimError as error:
                self._fail(str(error))
                del self.running[kind]
                self._listen()

    def _fail(self, why: str) -> None:
        self.failures.append(why)
        self.warn(why)

    def _listen(self) -> None:
        """Hear of steps only while something is recorded."""
        watchers = self._sim.watchers
        if self.running and self._after_step not in watchers:
            watchers.append(self._after_step)
        elif not self.running and self._after_step in watchers:
            watchers.remove(self._after_step)
