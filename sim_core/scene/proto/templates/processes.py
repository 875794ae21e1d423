"""Processes that run templates. One stays idle between loads, because a start takes 60 ms.

A load uses one process exclusively, from its first template to its end. Each job has a new interpreter, and
the process keeps no data of it (`worker.py`). A process in which a template failed, reached a limit or was
interrupted is not used again. So this Python process has at most one idle process of templates. It ends with
this process: by `atexit`, and in any case because its stdin is closed.
"""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from pathlib import Path

from sim_core.scene.json_worker import JsonWorker

_idle: list[JsonWorker] = []


def take_worker() -> JsonWorker:
    """Return a process that is not in use: the idle one, or a new one.

    Raises:
        WorkerError: the process does not start.
    """
    while _idle:
        try:
            worker = _idle.pop()
        except IndexError:  # another thread has taken it
            break
        if worker.is_running:
            return worker
        worker.close()
    return JsonWorker(Path(__file__).with_name("worker.py"), cwd="/")


def release_worker(worker: JsonWorker) -> None:
    """Keep a process for the next load if there is no idle one, else end it."""
    if _idle or not worker.is_running:
        worker.close()
    else:
        _idle.append(worker)


def _end() -> None:
    with suppress(KeyboardInterrupt):  # a second Ctrl-C: the process then ends because its stdin is closed
        while _idle:
            _idle.pop().close()


atexit.register(_end)
os.register_at_fork(
    after_in_child=_idle.clear
)  # the process belongs to the parent, and this closes the pipes to it
