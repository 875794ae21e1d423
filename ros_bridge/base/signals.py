"""Ctrl-C and similar signals as a request to end, never as an exception in the middle of a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled_signals() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Make SIGINT, SIGTERM and SIGHUP only request the end within the context, however often they arrive.

    SIGHUP, sent when a terminal is closed, is left alone if it is ignored, as under `nohup`.

    Yields:
        A function that sets the function to call; a signal that arrived earlier calls it at once.
    """
    is_requested = False
    end: Callable[[], None] | None = None

    def handle(number: int, frame: Any) -> None:
        nonlocal is_requested
        is_requested = True
        if end is not None:
            end()

    def set_end(function: Callable[[], None]) -> None:
        nonlocal end
        end = function
        if is_requested:
            function()

    before = []
    if threading.current_thread() is threading.main_thread():
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        before = [(number, signal.signal(number, handle)) for number in numbers]
    try:
        yield set_end
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def interrupt_once() -> Callable[[], None]:
    """Return an end function for `handled_signals`, for work that can be interrupted.

    Returns:
        A function that raises KeyboardInterrupt at its first call, and does nothing afterwards.
    """
    is_requested = False

    def interrupt() -> None:
        nonlocal is_requested
        if not is_requested:
            is_requested = True
            raise KeyboardInterrupt

    return interrupt
