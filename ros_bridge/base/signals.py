"""Ctrl-C and the like as a request to end, never as an exception in the middle of a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled_signals() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Within it SIGINT, SIGTERM and SIGHUP ask for the end and do nothing else, however often they come.

    SIGHUP, of a terminal that is closed, not where it is ignored, as below `nohup`.

    Yields:
        Takes the function that ends the run; a signal that came earlier calls it at once.
    """
    asked = False
    end: Callable[[], None] | None = None

    def handle(number: int, frame: Any) -> None:
        nonlocal asked
        asked = True
        if end is not None:
            end()

    def take(function: Callable[[], None]) -> None:
        nonlocal end
        end = function
        if asked:
            function()

    before = []
    if threading.current_thread() is threading.main_thread():
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        before = [(number, signal.signal(number, handle)) for number in numbers]
    try:
        yield take
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def interrupt_once() -> Callable[[], None]:
    """For `handled_signals`, while something is made that can be left unfinished.

    Returns:
        Raises KeyboardInterrupt when it is called first, and does nothing from then on.
    """
    asked = False

    def interrupt() -> None:
        nonlocal asked
        if not asked:
            asked = True
            raise KeyboardInterrupt

    return interrupt
