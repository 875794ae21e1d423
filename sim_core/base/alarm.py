"""Due times of objects, in integer nanoseconds of sim time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

NEVER = 1 << 62
"""Sim time in ns that is never reached."""


class Alarm:
    """Next due time of an object; reports when that time changes.

    Attributes:
        next_ns: sim time of the next call; a plain attribute because each step reads it. Set it with `set`.
        changed: called after each change with the new time, if set.
    """

    def __init__(self, next_ns: int = NEVER) -> None:
        self.next_ns = next_ns
        self.changed: Callable[[int], object] | None = None

    def set(self, next_ns: int) -> None:
        """Set the due time."""
        if next_ns != self.next_ns:
            self.next_ns = next_ns
            if self.changed is not None:
                self.changed(next_ns)


class TimedCalls:
    """Calls that are made when they are due; one comparison tells whether any may be.

    Attributes:
        next_ns: no call is due earlier. It may be too early after an alarm was postponed, until `make`.
    """

    def __init__(self, calls: Iterable[tuple[Alarm, Callable[[int], object]]] = ()) -> None:
        """Create the list from pairs of alarm and function; the alarms belong to this list from now on."""
        self._calls = list(calls)
        for alarm, _ in self._calls:
            alarm.changed = self._changed
        self._find_next()

    def make(self, now_ns: int) -> None:
        """Make all due calls, with the sim time."""
        for alarm, call in self._calls:
            if now_ns >= alarm.next_ns:
                call(now_ns)
        self._find_next()

    def _find_next(self) -> None:
        self.next_ns = min([alarm.next_ns for alarm, _ in self._calls], default=NEVER)

    def _changed(self, next_ns: int) -> None:
        if next_ns < self.next_ns:
            self.next_ns = next_ns
