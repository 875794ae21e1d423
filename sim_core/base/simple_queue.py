"""`queue.SimpleQueue.get` with a time limit that holds."""

from __future__ import annotations

import queue
from typing import TypeVar

T = TypeVar("T")


def take(source: queue.SimpleQueue[T], seconds: float) -> T:
    """Wait for the next thing in a queue that only this thread takes from.

    `get(timeout=…)` of CPython 3.11 may wait for ever: an earlier `get` that found something leaves a wake-up
    behind; the next one takes that for news, finds nothing, and if its time is over by then it goes on with a
    negative limit, which is none. A `get_nowait` on the empty queue uses the wake-up up.

    Raises:
        queue.Empty: nothing came within so many seconds.
    """
    try:
        return source.get_nowait()
    except queue.Empty:
        return source.get(timeout=seconds)
