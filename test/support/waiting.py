"""Waiting for what other processes, threads and browsers bring about."""

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT = 60.0
"""s of wall time; only a hang takes so long."""
Found = TypeVar("Found")


def wait_until(
    condition: Callable[[], Found], what: Callable[[], object] | str, pause: float = 0.02
) -> Found:
    """Ask again and again until the answer is true, and return it.

    Args:
        condition: is asked.
        what: is waited for, or is there instead; said by an AssertionError after LIMIT.
        pause: s between two questions.
    """
    end = time.monotonic() + LIMIT
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {LIMIT:g} s: {what() if callable(what) else what}"
        time.sleep(pause)
    return found
