"""Rate-limited log of the outcomes of commands on topics, whose senders get no answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from sim_core.base.outcome import DONE, Clamped, Outcome, Refused

WARNING_PERIOD = 5.0
"""Seconds of wall time between two warnings about one sender."""


class OutcomeLog:
    """Logs refusals, rate-limited for each sender, and clamped values, once for each sender."""

    def __init__(
        self,
        warn: Callable[[str], Any],
        period: float = WARNING_PERIOD,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`warn` receives the lines; `period`: seconds of wall time between two lines about refusals."""
        self._warn, self._period, self._clock = warn, period, clock
        self._last: dict[str, float] = {}
        self._clamped: set[str] = set()

    def log(self, sender: str, outcome: Outcome) -> None:
        """Log the outcome of a sender's command."""
        if outcome is DONE:
            return
        if isinstance(outcome, Refused):
            now = self._clock()
            if now - self._last.get(sender, -math.inf) >= self._period:
                self._last[sender] = now
                self._warn(f"{sender}: refused: {outcome.text}")
        elif isinstance(outcome, Clamped) and sender not in self._clamped:
            self._clamped.add(sender)
            self._warn(f"{sender}: {outcome.text} (logged once)")
