"""Sends readings again to controllers that are waited for, in case that one was lost on its way.

How long a controller is given first is learnt as TCP learns it (RFC 6298, with Karn's rule): twice what it
took last time that nothing had to be sent again, the double of each time given before otherwise. So one that
thinks for long is soon left in peace, and one that is quick gets what it lost after a second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

FIRST = 1.0
"""Seconds of wall time that a controller is given at least: one that knows nothing of repetitions, and
decides anew at each, should see none unless something was lost."""
LONGEST = 5.0
"""Seconds of wall time between two repetitions at most."""


@dataclass
class _Controller:
    """What is known of a robot's controllers."""

    patience: float = FIRST
    """Seconds until the next repetition."""
    time_ns: int = -1
    """Sim time that they were waited for at the last look; -1: they were not."""
    since: float = 0.0
    """When that wait began."""
    last: float = 0.0
    """When readings were sent last."""
    repeated: bool = False
    answers: int = 0
    """To how many sim times since the last look."""
    answered_ns: int = -1
    """The last of them."""

    def learn(self, now: float) -> None:
        """The wait is over."""
        if self.answers > 1:  # between two looks: it is quick
            self.patience = FIRST
        elif self.time_ns >= 0 and not self.repeated:
            self.patience = min(max(FIRST, 2.0 * (now - self.since)), LONGEST)
        self.time_ns, self.answers = -1, 0


class Repetition:
    """Looks who is waited for, and for how long.

    Args:
        send_again: sends what was published of a robot at a sim time again.
    """

    def __init__(self, send_again: Callable[[str, int], None]) -> None:
        self._send_again = send_again
        self._known: dict[str, _Controller] = {}

    def answered(self, robot: str, time_ns: int) -> None:
        """A controller of a robot has answered a sim time."""
        known = self._known.get(robot)
        if known is not None and known.answered_ns != time_ns:
            known.answered_ns = time_ns
            known.answers += 1

    def look(self, now: float, now_ns: int, missing: Collection[str]) -> None:
        """See to those who are waited for; to be called some ten times a second.

        Args:
            now: wall time as `time.monotonic` gives it.
            now_ns: sim time.
            missing: robots that have not answered it.
        """
        waited_for = set(missing)
        for name, known in self._known.items():
            if known.time_ns != now_ns or name not in waited_for:
                known.learn(now)
        for name in missing:
            known = self._known.setdefault(name, _Controller())
            if known.time_ns != now_ns:
                known.time_ns, known.since, known.last, known.repeated = now_ns, now, now, False
            elif now - known.last >= known.patience:
                self._send_again(name, now_ns)
                known.patience = min(2.0 * known.patience, LONGEST)
                known.last, known.repeated = now, True
