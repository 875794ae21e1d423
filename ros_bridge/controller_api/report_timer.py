"""Times at which numbers that are no readings are reported to a controller."""

from __future__ import annotations

import math


class ReportTimer:
    """Due at the multiples of a period after its start, once each.

    Attributes:
        start_ns: sim time from which the period counts.
        value: the number that was reported last.
    """

    def __init__(self, period_ns: int, start_ns: int) -> None:
        self._period_ns, self.start_ns = period_ns, start_ns
        self._last = 0
        self.value = math.nan

    def is_due(self, now_ns: int) -> bool:
        """Return whether a report is due; it is then made."""
        count = (now_ns - self.start_ns) // self._period_ns
        if count == self._last or count <= 0:
            return False
        self._last = count
        return True
