"""Execution of a sweep: its remaining runs, on workers, with a progress bar, until the end or Ctrl-C.

Each run that ends is appended to a journal as one line, from which an interrupted sweep continues.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from sim_core.base.errors import ConfigError
from sim_core.base.machine import processors
from sim_core.base.shown import raw, shown
from sim_core.experiments.sweep.effects import without_effect
from sim_core.experiments.sweep.page import write_sweep_page
from sim_core.experiments.sweep.plan import PlannedRun, make_runs
from sim_core.experiments.sweep.spec import Job, Spec
from sim_core.experiments.sweep.table import check_ending, make_rows, write_table
from sim_core.experiments.sweep.worker import OK
from sim_core.experiments.sweep.workers import LocalPool, RunOutcome


class Pool(Protocol):
    """A pool of workers that execute runs."""

    def start(self) -> None:
        """Prepare the workers."""

    def outcomes(self, job: Job, runs: Sequence[PlannedRun]) -> Iterator[RunOutcome | None]:
        """Execute all runs; yield each result when its run ends, and None from time to time."""

    def close(self) -> None:
        """End the remaining runs."""


class Summary(NamedTuple):
    """Result of a sweep."""

    results: Path
    runs: int
    """Number of runs of the whole sweep."""
    ended: int
    """Number of runs with a row in the table."""
    failed: list[int]
    """Rows of these that failed or exceeded the time limit."""
    interrupted: bool
    without_effect: list[str]
    """A line for each name that the sweep varies and that changes no result."""


def run_sweep(
    spec: Spec,
    *,
    workers: int | None = None,
    pool: Pool | None = None,
    results: Path | None = None,
    page: Path | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    quiet: bool = False,
) -> Summary:
    """Execute the runs that are not yet done, and write the table.

    Args:
        spec: spec from `read_spec`.
        workers: number of processes on this machine; None: one for each processor that this process may use.
        pool: another pool for the runs, such as a cluster.
        results: file of the table, instead of the spec's.
        page: file of an HTML page with plots; None: none.
        fresh: execute completed runs again.
        retry_failed: execute runs again that failed or exceeded the time limit.
        quiet: show no progress.

    Raises:
        ConfigError: the results cannot be written, or another sweep is writing them.
    """
    path = results or spec.results
    check_ending(path)
    runs = make_runs(spec)
    with stop_signals() as is_stopped, RunLog(path, fresh) as journal:
        known = journal.outcomes
        done = [
            run for run in runs if run.key in known and not (retry_failed and known[run.key].status != OK)
        ]
        by_key = {run.key: run for run in runs}
        for run in done:
            by_key.pop(run.key, None)
        left = list(by_key.values())
        if done and not quiet:
            there = f"{path}: {len(done)} of {len(runs)} runs were there"
            print(f"{there}, {len(left)} to do" if left else there, file=raw(sys.stderr))
        if left:
            count = min(workers or processors(), len(left))
            with (
                closing(pool or LocalPool(count)) as place,
                _progress(len(runs), len(runs) - len(left), quiet) as bar,
            ):
                place.start()
                for outcome in place.outcomes(spec.job, left):
                    if is_stopped():
                        break
                    if outcome is not None:
                        journal.add_run(by_key[outcome.key], outcome)
                        bar.show(by_key[outcome.key], outcome)
        columns, rows = make_rows(runs, known)
        write_table(path, columns, rows)
        failed = [row["run"] for row in rows if row["status"] != OK]
        if page is not None:
            write_sweep_page(page, spec.file, runs, known)
        return Summary(path, len(runs), len(rows), failed, is_stopped(), without_effect(runs, known))


@contextmanager
def stop_signals() -> Iterator[Any]:
    """Handle SIGINT and SIGTERM in a `with` block: yield a function that returns True after one of them."""
    stopped = False

    def stop(number: int, frame: Any) -> None:
        nonlocal stopped
        stopped = True

    before = []
    if threading.current_thread() is threading.main_thread():
        before = [(number, signal.signal(number, stop)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield lambda: stopped
    finally:
        for number, handler in before:
            signal.signal(number, handler)


class _Bar:
    """The progress bar, with a line for each run that failed."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._failed = 0

    def show(self, run: PlannedRun, outcome: RunOutcome) -> None:
        if outcome.status != OK:
            self._failed += 1
            self._bar.write(shown(f"{run}: {outcome.status}: {outcome.error}"), file=raw(sys.stderr))
            self._bar.set_postfix_str(f"{self._failed} failed", refresh=False)
        self._bar.update()


@contextmanager
def _progress(total: int, done: int, quiet: bool) -> Iterator[_Bar]:
    from tqdm import tqdm

    rare = {} if sys.stderr.isatty() else {"mininterval": 10.0, "miniters": 1}
    with tqdm(
        total=total, initial=done, unit="run", disable=quiet, file=raw(sys.stderr), dynamic_ncols=True, **rare
    ) as bar:
        yield _Bar(bar)


ENDING = ".runs"


class RunLog:
    """Journal: a file of ended runs beside the table, `results.csv.runs`.

    Attributes:
        outcomes: results by key of the run.
    """

    def __init__(self, results: Path, fresh: bool = False) -> None:
        """Open or create the journal; an incomplete last line is removed.

        Args:
            results: file of the table.
            fresh: delete its contents.

        Raises:
            ConfigError: it cannot be written, another sweep is writing it, or it is not a journal.
        """
        self.path = results.with_name(results.name + ENDING)
        self.outcomes: dict[str, RunOutcome] = {}
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

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # write errors were reported when the run was added
            self._file.close()

    def add_run(self, run: PlannedRun, outcome: RunOutcome) -> None:
        """Append a run; it is on the disk when this returns.

        Raises:
            ConfigError: it cannot be written, for example because the disk is full.
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
                outcome = RunOutcome(*(row[name] for name in ("key", "status", "metrics", "error", "wall")))
            except (ValueError, KeyError, TypeError):
                raise ConfigError(
                    f"{self.path}:{number}: found no run, expected one in each line (--fresh starts anew)"
                ) from None
            self.outcomes[outcome.key] = outcome
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
