"""Shutdown with a time limit, whatever the middleware does.

DDS may hang during shutdown, above all after a peer was killed: at that time everything of our own has ended,
so nothing is lost by not waiting for the rest.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

END_LIMIT = 0.4
"""Seconds of wall time for each part of ROS to end."""
LAST_LIMIT = 15.0
"""Seconds of wall time after which the process ends with an error although ROS holds Python's lock; on a busy
machine a shorter time would take what is slow for what hangs."""


def call_within(seconds: float, *actions: Callable[[], Any]) -> bool:
    """Call functions in order in another thread; return False if they take longer, and abandon them."""

    def act() -> None:
        for action in actions:
            action()

    thread = threading.Thread(target=act, name="ending", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no memory for a thread
        return False
    thread.join(seconds)
    return not thread.is_alive()


def shut_down(node: Any) -> None:
    """Destroy a node and shut down its own context; end the process if ROS hangs."""
    with time_limit(LAST_LIMIT):
        call_within(END_LIMIT, node.destroy_node, node.context.try_shutdown)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Exit the process with code 1 if the context takes longer.

    `call_within` does not help if DDS hangs while it holds Python's lock: then no other thread can run. The
    thread that waits here is not a Python thread.
    """
    with suppress(OSError):  # the output is closed or the disk is full, which was reported when printing
        sys.stdout.flush()
        sys.stderr.flush()
    with open(os.devnull, "w") as nowhere:
        with suppress(RuntimeError):  # no memory for a thread: then there is no limit
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def end_process(code: int) -> NoReturn:
    """Exit at once: output is flushed, but no library is shut down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
