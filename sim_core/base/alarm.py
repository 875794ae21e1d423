"""When somebody is due next, in integer nanoseconds of sim time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

NEVER = 1 << 62
"""A sim time that does not come, in ns."""


class Alarm:
    """Says when somebody is due next, and tells who waits for that when it is another time.

    Attributes:
        next_ns: sim time from which on he is; a plain attribute, for each step reads it. Changed by `set`.
        changed: called after each change with the time of before and that of now, if somebody waits.
    """

    def __init__(self, next_ns: int = NEVER) -> None:
        self.next_ns = next_ns
        self.changed: Callable[[int, int], object] | None = None

    def set(self, next_ns: int) -> None:
        """He is due at this time."""
        before_ns = self.next_ns
        if next_ns != before_ns:
            self.next_ns = next_ns
            if self.changed is not None:
                self.changed(before_ns, next_ns)


class Calls:
    """What is called when it is due: nobody is asked before the first of all is.

    Attributes:
        next_ns: when that is.
    """

    def __init__(self, calls: Iterable[tuple[Alarm, Callable[[int], object]]] = ()) -> None:
        """Each with the alarm that says when it is due; it waits for no other calls from now on."""
        self._calls = list(calls)
        for alarm, _ in self._calls:
            alarm.changed = self._changed
        self.next_ns = min((alarm.next_ns for alarm, _ in self._calls), default=NEVER)

    def make(self, now_ns: int) -> None:
        """Make those that are due, with the sim time."""
        for alarm, call in self._calls:
            if now_ns >= alarm.next_ns:
                call(now_ns)

    def _changed(self, before_ns: int, now_ns: int) -> None:
        if now_ns <= self.next_ns:
            self.next_ns = now_ns
        elif before_ns <= self.next_ns:  # the first of all is later than it was
            self.next_ns = min([alarm.next_ns for alarm, _ in self._calls])
