"""`queue.SimpleQueue.get` with a reliable timeout."""

from __future__ import annotations

import queue
from typing import TypeVar

T = TypeVar("T")


def get_within(source: queue.SimpleQueue[T], seconds: float) -> T:
    """Wait for the next item of a queue from which only this thread reads.

    `get(timeout=…)` of CPython 3.11 may wait for ever: an earlier `get` that found an item leaves a wake-up;
    the next one uses it, finds nothing, and if its time is over by then continues with a negative timeout,
    which means none. A `get_nowait` on the empty queue consumes the wake-up.

    Raises:
        queue.Empty: no item arrived within `seconds`.
    """
    try:
        return source.get_nowait()
    except queue.Empty:
        return source.get(timeout=seconds)
