"""Worker process of a sweep: receives runs from a pipe, one after the other, and returns their results.

    python -m sim_core.experiments.sweep.worker DESCRIPTOR PARENT

PARENT is the id of the parent process: the kernel ends the worker when that process ends.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from sim_core.base.machine import is_ended_with

OK, FAILED = "ok", "failed"


def main() -> int:
    """Execute runs until the pipe is closed."""
    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    if not is_ended_with(parent):
        return 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    os.dup2(2, 1)  # output of controllers must not be mixed with the output of the command
    link = Connection(descriptor)
    import sim_core.session.simulation  # noqa: F401  (may take seconds: now, not in the first run)

    link.send("ready")
    while True:
        try:
            job, run = link.recv()
        except (EOFError, OSError):
            return 0
        link.send(serve(job, run))


def serve(job: Any, run: Any) -> tuple[str, dict[str, Any], str]:
    """Return status, metrics and error text of a run; all exceptions of the run are returned as text."""
    from sim_core.experiments.sweep.user_code import one_line

    try:
        module, _, name = job.runner.partition(":")
        return OK, getattr(import_module(module), name)(job, run), ""
    except (Exception, SystemExit) as error:  # a failed run is a result
        return FAILED, {}, one_line(error)


if __name__ == "__main__":
    sys.exit(main())
