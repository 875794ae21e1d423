"""Ending in time, whatever the middleware does.

DDS may hang while it is taken down, above all after a peer was killed: what must end by itself has ended by
then, so nothing is lost by not waiting for the rest.
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


def within(seconds: float, *actions: Callable[[], Any]) -> bool:
    """Do things one after the other in another thread; False if they took longer, and are left behind."""

    def act() -> None:
        for action in actions:
            action()

    thread = threading.Thread(target=act, name="ending", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # there is no memory for one
        return False
    thread.join(seconds)
    return not thread.is_alive()


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """End the process with exit code 1 if what is done within it takes longer.

    `within` cannot help where DDS hangs and holds Python's lock meanwhile: then no other thread can run. The
    thread that waits here is not one of Python's.
    """
    with suppress(OSError):  # nobody reads it any more, the disk is full: whoever printed it has said so
        sys.stdout.flush()
        sys.stderr.flush()
    with open(os.devnull, "w") as nowhere:
        with suppress(RuntimeError):  # there is no memory for it: then nobody watches
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def end_process(code: int) -> NoReturn:
    """End this process now: what is printed is out, but no library takes itself down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
