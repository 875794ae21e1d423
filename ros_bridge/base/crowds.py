"""More connections than a process has descriptors for: who comes too late is let go, and one line says so."""

from __future__ import annotations

import logging
import resource
import time

LOOP = "asyncio"
"""The log of Python's event loop."""
_NO_DESCRIPTOR = "socket.accept() out of system resource"
_PERIOD = 60.0
"""Seconds between two lines that say the same."""


def most_connections() -> int:
    """How many a server may have at once: half of the descriptors that this process may open (`ulimit -n`).

    The other half is for its files, its controllers and ROS.
    """
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


def too_many(place: str, most: int) -> str:
    """Who comes beyond that many is let go."""
    return f"{place}: found more than {most} connections, expected fewer; more are let go (ulimit -n)"


class _Sparing(logging.Filter):
    """Has the event loop say once a minute, in one line, that no connection can be accepted."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._place, self._due = name, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is said."""
        if not record.getMessage().startswith(_NO_DESCRIPTOR):
            return True
        if time.monotonic() < self._due:
            return False
        self._due = time.monotonic() + _PERIOD
        record.msg = f"{self._place}: found no descriptor for one more connection (ulimit -n); it waits"
        record.args, record.exc_info, record.exc_text = (), None, None
        return True


def let_loop_say_in_a_line(name: str) -> None:
    """Of each connection that cannot be accepted the event loop would show a traceback, a hundred times."""
    logging.getLogger(LOOP).addFilter(_Sparing(name))
