"""Running recordings of a simulation: at most one movie and one animation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sim_core.base.errors import CommandError, OdesimError
from sim_core.base.machine import release_memory
from sim_core.base.shown import to_stderr
from sim_core.recording.recorded_simulation import RecordedSimulation


class Recording(Protocol):
    """A recording that is called after each step and ends with a file."""

    @property
    def path(self) -> Path:
        """The file."""

    def after_step(self, time_ns: int) -> None:
        """Record the world after a step; raise OdesimError if the recording cannot continue."""

    def wait_for_pictures(self) -> None:
        """Wait for pending pictures."""

    def close(self) -> str:
        """Finish the file; return a line that describes it."""


class Recordings:
    """Starts and stops recordings; a recording that fails stops, and the simulation continues.

    Attributes:
        running: by kind, "movie" or "animation".
        failures: reasons why recordings stopped early.
        report: called with a line for each recording that ended with the simulation.
        warn: called with a line for each that failed.
    """

    def __init__(self, sim: RecordedSimulation) -> None:
        self._sim = sim
        self.running: dict[str, Recording] = {}
        self.failures: list[str] = []
        self.report: Callable[[str], object] = lambda line: None
        self.warn: Callable[[str], object] = to_stderr

    def start_recording(self, kind: str, file: str | Path, **how: Any) -> None:
        """Start a "movie" or an "animation"; further arguments are those of `Movie` and `Animation`.

        Raises:
            CommandError: a recording of this kind is running.
            ConfigError, DeviceError: an argument is not possible.
        """
        if kind in self.running:
            file = self.running[kind].path
            raise CommandError(f"the {kind} {file} is being recorded; stop it first")
        if kind == "movie":
            from sim_core.recording.movie import Movie as Kind
        else:
            from sim_core.recording.animation import Animation as Kind  # type: ignore[assignment]
        self.running[kind] = Kind(self._sim, file, **how)
        self._update_watchers()

    def stop_recording(self, kind: str) -> str:
        """Stop a recording and finish its file; return a line that describes it.

        Raises:
            CommandError: no recording of this kind is running.
            ConfigError: its file cannot be written.
        """
        recording = self.running.pop(kind, None)
        if recording is None:
            raise CommandError(f"no {kind} is being recorded; start one first")
        self._update_watchers()
        try:
            return recording.close()
        finally:
            del recording
            release_memory()

    def wait_for_pictures(self) -> None:
        """Wait for pending pictures, before sim time is set back."""
        for recording in self.running.values():
            recording.wait_for_pictures()

    def close(self) -> None:
        """Finish all files at the end of the simulation."""
        for kind in list(self.running):
            try:
                self.report(self.stop_recording(kind))
            except OdesimError as error:
                self._fail(str(error))

    def _after_step(self, time_ns: int) -> None:
        for kind, recording in list(self.running.items()):
            try:
                recording.after_step(time_ns)
            except OdesimError as error:
                self._fail(str(error))
                del self.running[kind]
                self._update_watchers()

    def _fail(self, why: str) -> None:
        self.failures.append(why)
        self.warn(why)

    def _update_watchers(self) -> None:
        """Receive steps only while something is recorded."""
        watchers = self._sim.watchers
        if self.running and self._after_step not in watchers:
            watchers.append(self._after_step)
        elif not self.running and self._after_step in watchers:
            watchers.remove(self._after_step)
