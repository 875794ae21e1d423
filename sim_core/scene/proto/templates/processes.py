"""The processes that run templates, of which one stays idle between loads: to start one takes 60 ms.

A load has its process for itself, from its first template to its end. Each job has a fresh interpreter, and
the process keeps nothing of it (`worker.py`). One in which a template failed, hit a limit or was interrupted
is not used again. So this Python process has one idle process of templates at most, whatever it loads, which
ends with it: by `atexit`, and in any case because nobody holds the other end of its stdin any more.
"""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from pathlib import Path

from sim_core.scene.json_worker import JsonWorker

_idle: list[JsonWorker] = []


def take_worker() -> JsonWorker:
    """Return a process that nobody else uses: the idle one, or a new one.

    Raises:
        WorkerError: it does not start.
    """
    while _idle:
        try:
            worker = _idle.pop()
        except IndexError:  # another thread was quicker
            break
        if worker.is_running:
            return worker
        worker.close()
    return JsonWorker(Path(__file__).with_name("worker.py"), cwd="/")


def give_back(worker: JsonWorker) -> None:
    """Keep a process for the next load, unless there is one already."""
    if _idle or not worker.is_running:
        worker.close()
    else:
        _idle.append(worker)


def _end() -> None:
    with suppress(KeyboardInterrupt):  # a second Ctrl-C: the process ends by its stdin then
        while _idle:
            _idle.pop().close()


atexit.register(_end)
os.register_at_fork(
    after_in_child=_idle.clear
)  # the process is the parent's, and this closes the pipes to it
