"""Worker processes, controlled from the parent process, and a pool of them on this machine."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sim_core.base.errors import OdesimError
from sim_core.base.simple_queue import get_within
from sim_core.experiments.sweep.plan import PlannedRun
from sim_core.experiments.sweep.spec import Job
from sim_core.experiments.sweep.worker import FAILED

CODE = Path(__file__).resolve().parents[3]
START_LIMIT = 300.0
"""Seconds for a worker to start; the very first one may have to compile the ray kernels."""
THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "LP_NUM_THREADS",
)  # fmt: skip
"""Numbers of threads of numeric libraries, and of Mesa's software renderer: one for each worker."""
TIMEOUT = "timeout"


@dataclass(frozen=True)
class RunOutcome:
    """Result of a run.

    Attributes:
        key: key of the run.
        status: ok, failed or timeout.
        metrics: metrics by column name.
        error: one line, or empty.
        wall: wall time of the run in s.
    """

    key: str
    status: str
    metrics: dict[str, Any]
    error: str
    wall: float


class WorkersEndedError(OdesimError):
    """The workers were ended by `close` during a run."""


class Worker:
    """A worker process; a new one is started if it is lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Connection | None = None
        self._is_ready = self._is_closed = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process if it is not running; it is ready some seconds later.

        Raises:
            WorkersEndedError: `close` was called before.
        """
        with self._lock:
            if self._is_closed:
                raise WorkersEndedError("the workers were ended")
            if self._process is not None:
                return
            self._process, self._link = start_worker("sim_core.experiments.sweep.worker", os.getpid())
            self._is_ready = False

    def call(self, job: Job, run: PlannedRun) -> RunOutcome:
        """Execute a run in the process; a failure of the process is a result, too.

        Raises:
            WorkersEndedError: `close` was called during the run.
        """
        begin = time.monotonic()
        try:
            self.start()
            link = self._link
            assert link is not None  # after start
            if not self._is_ready:
                if not link.poll(START_LIMIT):
                    return self._lost_outcome(
                        run, FAILED, f"a worker did not start in {START_LIMIT:g} s", begin
                    )
                link.recv()
                self._is_ready = True
                begin = time.monotonic()
            link.send((job, run))
            if not link.poll(job.limit):
                return self._lost_outcome(
                    run, TIMEOUT, f"it took longer than the limit of {job.limit:g} s", begin
                )
            status, metrics, error = link.recv()
        except (EOFError, OSError):
            return self._lost_outcome(run, FAILED, "", begin)
        return RunOutcome(run.key, status, metrics, error, time.monotonic() - begin)

    def close(self) -> None:
        """End the process now, and all its child processes; may be called from another thread, and twice."""
        with self._lock:
            self._is_closed = True
            self._kill()

    def _lost_outcome(self, run: PlannedRun, status: str, error: str, begin: float) -> RunOutcome:
        with self._lock:
            if self._is_closed:
                raise WorkersEndedError("the workers were ended")
            code = self._kill()
            if not error:
                how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
                error = f"the process of the run ended: {how}"
            self._process = self._link = None
        return RunOutcome(run.key, status, {}, error, time.monotonic() - begin)

    def _kill(self) -> int:
        process = self._process
        if process is None:
            return 0
        # a process that is ending by itself returns its own exit code
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.0 if self._is_closed else 0.2)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        for left in Path(tempfile.gettempdir()).glob(f"{folder_prefix(process.pid)}*"):
            shutil.rmtree(left, ignore_errors=True)
        return code


def start_worker(
    module: str, number: int, inherited: Sequence[int] = ()
) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a process that runs a module of odesim; return it and our end of a pipe to it.

    Args:
        module: module; its arguments are the file descriptor of its end of the pipe, and the number.
        number: second argument of the module.
        inherited: additional file descriptors that the process inherits.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(number)],
            pass_fds=[theirs.fileno(), *inherited],
            env=worker_environment(),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is handled by the parent process
        )
    return process, Connection(ours.detach())


def folder_prefix(pid: int) -> str:
    """Return the prefix of the names of a worker's temporary folders."""
    return f"odesim-batch-{pid}-"


def worker_environment() -> dict[str, str]:
    """Return the environment of a worker: our code, one thread, and the same order of sets in all workers."""
    path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH", "")]))
    return {**dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0", **os.environ, "PYTHONPATH": path}


class LocalPool:
    """Workers on this machine, with one thread of this process for each."""

    def __init__(self, count: int) -> None:
        self._workers = [Worker() for _ in range(count)]
        self._runs: queue.SimpleQueue[tuple[Job, PlannedRun] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[RunOutcome | BaseException] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the processes, so that they become ready in the background."""
        for worker in self._workers:
            worker.start()
            thread = threading.Thread(target=self._serve, args=(worker,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def outcomes(self, job: Job, runs: Sequence[PlannedRun]) -> Iterator[RunOutcome | None]:
        """Execute all runs; yield each result when its run ends, and None from time to time.

        It must be iterated to its end before it is called again; `start` must be called before.
        """
        for run in runs:
            self._runs.put((job, run))
        left = len(runs)
        while left:
            try:
                outcome = get_within(self._outcomes, 0.2)
            except queue.Empty:
                yield None
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            left -= 1
            yield outcome

    def close(self) -> None:
        """End all workers now."""
        for worker in self._workers:
            worker.close()
            self._runs.put(None)
        for thread in self._threads:
            thread.join(5.0)

    def _serve(self, worker: Worker) -> None:
        while (work := self._runs.get()) is not None:
            try:
                self._outcomes.put(worker.call(*work))
            except WorkersEndedError:
                return
            except BaseException as error:  # raised where the outcomes are waited for
                self._outcomes.put(error)
                return
