"""The runs that have ended, one line each, appended as they end: what a killed sweep goes on from."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from sim_core.base.errors import ConfigError
from sim_core.experiments.sweep.plan import Run
from sim_core.experiments.sweep.workers import Outcome

ENDING = ".runs"


class Journal:
    """A file of ended runs beside the table, `results.csv.runs`.

    Attributes:
        outcomes: by the keys of their runs.
    """

    def __init__(self, results: Path, fresh: bool = False) -> None:
        """Open it, or make it; what a kill left of a last line is cut off.

        Args:
            results: the table that it belongs to.
            fresh: forget what is in it.

        Raises:
            ConfigError: it cannot be written, another sweep is writing it, or it is no journal.
        """
        self.path = results.with_name(results.name + ENDING)
        self.outcomes: dict[str, Outcome] = {}
        try:
            results.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise ConfigError(f"{self.path}: found another sweep writing it, expected to be alone") from None
        try:
            if fresh:
                self._file.truncate(0)
            else:
                self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what cannot be written was said when it was added
            self._file.close()

    def add(self, run: Run, outcome: Outcome) -> None:
        """Append a run; it is on the disk when this returns.

        Raises:
            ConfigError: the disk is full, or the like.
        """
        self.outcomes[run.key] = outcome
        row: dict[str, Any] = {"world": run.world, "seed": run.seed, "parameters": run.parameters}
        line = json.dumps(vars(outcome) | row, default=str) + "\n"
        try:
            self._file.write(line.encode())
            self._file.flush()
            os.fdatasync(self._file.fileno())
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _read(self) -> None:
        self._file.seek(0)
        text = self._file.read()
        whole = text.rfind(b"\n") + 1
        for number, line in enumerate(text[:whole].splitlines(), 1):
            try:
                row = json.loads(line)
                outcome = Outcome(*(row[name] for name in ("key", "status", "metrics", "error", "wall")))
            except (ValueError, KeyError, TypeError):
                raise ConfigError(
                    f"{self.path}:{number}: found no run, expected one in each line (--fresh starts anew)"
                ) from None
            self.outcomes[outcome.key] = outcome
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
