"""Limits on connections: those beyond the limit are closed, and one line reports it."""

from __future__ import annotations

import logging
import resource
import time

LOOP = "asyncio"
"""Logger of Python's event loop."""
_NO_DESCRIPTOR = "socket.accept() out of system resource"
_PERIOD = 60.0
"""Seconds between two equal lines."""


def max_connections() -> int:
    """Return the most connections of a server: half of this process's file descriptors (`ulimit -n`).

    The other half is for files, controllers and ROS.
    """
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


def too_many_connections(place: str, most: int) -> str:
    """Return the message about connections that are closed."""
    return f"{place}: found more than {most} connections, expected fewer; more are closed (ulimit -n)"


class _RateLimitFilter(logging.Filter):
    """Reduces the event loop's messages about refused connections to one line a minute."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._place, self._due = name, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        if not record.getMessage().startswith(_NO_DESCRIPTOR):
            return True
        if time.monotonic() < self._due:
            return False
        self._due = time.monotonic() + _PERIOD
        record.msg = f"{self._place}: no file descriptor for another connection (ulimit -n); it waits"
        record.args, record.exc_info, record.exc_text = (), None, None
        return True


def shorten_loop_messages(name: str) -> None:
    """Shorten messages of the event loop, which shows a traceback for each connection it cannot accept."""
    logging.getLogger(LOOP).addFilter(_RateLimitFilter(name))
