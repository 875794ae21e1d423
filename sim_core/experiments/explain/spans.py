"""How long something lasted, in parts."""

from __future__ import annotations


class Spans:
    """The spans of time in which a condition holds.

    Attributes:
        total_ns: length of all of them.
        longest_ns: length of the longest one.
        start_ns: when that began.
    """

    def __init__(self) -> None:
        self.total_ns = self.longest_ns = self.start_ns = 0
        self._present_ns = 0

    def count(self, holds: bool, now_ns: int, step_ns: int) -> None:
        """Note whether it held during the step that ended now."""
        if not holds:
            self._present_ns = 0
            return
        self.total_ns += step_ns
        self._present_ns += step_ns
        if self._present_ns > self.longest_ns:
            self.longest_ns, self.start_ns = self._present_ns, now_ns - self._present_ns
