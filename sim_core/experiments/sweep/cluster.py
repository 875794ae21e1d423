"""Runs of a sweep on the workers of a dask cluster.

Each thread of a dask worker starts its own worker process, as on one machine: so a run that hangs
or crashes affects no other run. odesim, the world and the spec's folder must exist there too, at the same
paths.
"""

from __future__ import annotations

import queue
import re
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from sim_core.base.errors import ConfigError
from sim_core.base.simple_queue import get_within
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import Job
from sim_core.experiments.sweep.user_code import one_line
from sim_core.experiments.sweep.worker import FAILED
from sim_core.experiments.sweep.workers import RunOutcome, Worker, WorkersEndedError

CONNECT_LIMIT = 10.0
"""Seconds within which the scheduler must answer."""
_here = threading.local()
_lock = threading.Lock()
_workers: dict[str, list[Worker]] = {}
"""In a dask worker: the processes of each sweep."""


def call(sweep: str, job: Job, run: PlannedRun) -> RunOutcome:
    """Execute a run in the process of this thread (called in a dask worker)."""
    workers: dict[str, Worker] = _here.__dict__.setdefault("workers", {})
    if sweep not in workers:
        for old in workers.values():  # of sweeps that have ended, or that share the cluster with this one
            old.close()
        workers.clear()
        workers[sweep] = Worker()
        with _lock:
            _workers.setdefault(sweep, []).append(workers[sweep])
    try:
        return workers[sweep].call(job, run)
    except WorkersEndedError:  # another sweep has ended it meanwhile
        workers.pop(sweep, None)
        return RunOutcome(run.key, FAILED, {}, "the sweep was ended", 0.0)


def end(sweep: str) -> None:
    """End the processes of a sweep (called in a dask worker)."""
    with _lock:
        workers = _workers.pop(sweep, [])
    for worker in workers:
        worker.close()


class ClusterPool:
    """Pool of the workers of a dask scheduler."""

    def __init__(self, address: str) -> None:
        """Connect to the scheduler.

        Args:
            address: address of the scheduler, `tcp://host:8786` or `host:8786`.

        Raises:
            ConfigError: dask.distributed is not installed, or no scheduler answers.
        """
        if not re.fullmatch(r"(\w+://)?.+:\d{1,5}", address):  # dask would fail late, and not clean up
            raise ConfigError(f'--scheduler: found "{address}", expected host:port or tcp://host:port')
        try:
            from distributed import Client
        except ImportError:
            raise ConfigError(
                "--scheduler needs dask.distributed, which is not installed (pip install distributed)"
            ) from None
        try:
            self._client: Any = Client(address, timeout=CONNECT_LIMIT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            reason = "no answer" if isinstance(error, (OSError, TimeoutError)) else one_line(error)
            raise ConfigError(
                f"--scheduler: found {reason} at {address}, expected a dask scheduler, as in tcp://host:8786"
            ) from None
        self._sweep = uuid.uuid4().hex
        self._futures: list[Any] = []

    def start(self) -> None:
        """Do nothing: workers join and leave the cluster independently."""

    def outcomes(self, job: Job, runs: Sequence[PlannedRun]) -> Iterator[RunOutcome | None]:
        """Execute all runs; yield each result when its run ends, and None from time to time."""
        ended: queue.SimpleQueue[tuple[PlannedRun, Any]] = queue.SimpleQueue()
        for run in runs:
            future = self._client.submit(call, self._sweep, job, run, pure=False)
            self._futures.append(future)
            future.add_done_callback(lambda done, run=run: ended.put((run, done)))
        left = len(runs)
        while left:
            try:
                run, future = get_within(ended, 0.2)
            except queue.Empty:
                yield None
                continue
            left -= 1
            error = future.exception() if future.status != "finished" else None
            if future.status == "finished":
                yield future.result()
            else:
                text = one_line(error) if error is not None else "it was cancelled"
                yield RunOutcome(run.key, FAILED, {}, f"the cluster did not execute the run: {text}", 0.0)

    def close(self) -> None:
        """End the remaining runs, and disconnect from the cluster."""
        with suppress(Exception):  # it may have ended already
            self._client.cancel(self._futures)
            self._client.run(end, self._sweep)
        with suppress(Exception):
            self._client.close(timeout=2.0)
