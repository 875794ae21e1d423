"""When the next step may start, so that simulated time keeps a steady relation to wall time.

Step k is due at `anchor + k·step/speed`: there is no drift, for the anchor does not move. Someone who is late
catches up at no more than twice the speed, so that a hiccup makes no burst of steps. Someone who is
too late to catch up soon starts from a new anchor, and the difference is counted as lost.
"""

from __future__ import annotations

CATCH_UP_FACTOR = 2.0
MAX_LAG = 0.25
"""Seconds of wall time that are made up for; more is lost."""
SLACK = 0.0001
"""Seconds that a step may start early: a shorter sleep is less exact than that."""


class Pacer:
    """Says how long to wait before each step. Knows no clock: wall time in seconds is passed in.

    Attributes:
        speed: simulated seconds per second of wall time.
        lost: seconds of wall time by which the steps fell behind and were not made up for.
    """

    def __init__(self, step_seconds: float, speed: float = 1.0) -> None:
        self._step = step_seconds
        self.speed = speed
        self.lost = 0.0
        self._interval = step_seconds / speed
        self._anchor: float | None = None
        self._count = 0
        self._earliest = 0.0

    def restart(self, speed: float | None = None) -> None:
        """Count from the next step on; after a pause, a reset, or a change of speed."""
        if speed is not None:
            self.speed = speed
            self._interval = self._step / speed
        self._anchor = None

    def delay(self, now: float) -> float:
        """Seconds until the next step may start, 0 if it may start now."""
        if self._anchor is None:
            self._anchor, self._count, self._earliest = now, 0, now
        due = self._anchor + self._count * self._interval
        if now - due > MAX_LAG:
            self.lost += now - due
            self._anchor += now - due
            due = now
        wait = max(due, self._earliest) - now
        return wait if wait > SLACK else 0.0

    def started(self, now: float) -> None:
        """A step starts now."""
        self._count += 1
        self._earliest = max(self._earliest, now - SLACK) + self._interval / CATCH_UP_FACTOR
