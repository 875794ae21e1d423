"""Due times of the frames of a recording."""

from __future__ import annotations

import math
from fractions import Fraction

NS_PER_S = 1_000_000_000


class FrameClock:
    """Counts sim time from the start of a recording, across resets, and its frames.

    Frame k is due at k/rate; if a long step passes several, only the last is taken.

    Args:
        time_ns: present sim time, which is 0 of the recording.
        rate: frames per second of sim time.
    """

    def __init__(self, time_ns: int, rate: float) -> None:
        self._interval = NS_PER_S / Fraction(rate).limit_denominator(1_000_000)
        self._last_ns = time_ns
        self._due_ns = 0
        self.elapsed_ns = 0

    def next_frame(self, time_ns: int) -> int | None:
        """Return the number of the frame that is due now; None: it has been taken already.

        Args:
            time_ns: sim time; less than before after a reset, which takes no time.
        """
        self.elapsed_ns += max(0, time_ns - self._last_ns)
        self._last_ns = time_ns
        if self.elapsed_ns < self._due_ns:
            return None
        frame = int(self.elapsed_ns // self._interval)
        self._due_ns = math.ceil((frame + 1) * self._interval)
        return frame

    def count(self) -> int:
        """Return the number of frames that begin before now."""
        return math.ceil(self.elapsed_ns / self._interval)
