"""The rotating head of a lidar: which columns of the scan it passes, and when."""

from __future__ import annotations

import math
from typing import NamedTuple

ALMOST = 1e-6
"""Part of a column by which rounding may be short of it."""


class Sweep(NamedTuple):
    """The columns passed between two times, counted on from the first revolution.

    Attributes:
        first, end: columns k with first ≤ k < end; k modulo the number of columns is the place in the scan.
    """

    first: int
    end: int


class LidarHead:
    """Turns counter-clockwise from straight ahead, at a frequency that may change.

    Column k of n is passed when the head has turned by k/n of a revolution.
    """

    def __init__(self, columns: int, frequency: float) -> None:
        self._columns = columns
        self._default = frequency
        self.reset()

    @property
    def frequency(self) -> float:
        """Revolutions per second."""
        return self._frequency

    def reset(self) -> None:
        """Ahead, at the frequency of the start."""
        self._frequency = self._default
        self._since_ns = 0
        self._turned = 0.0
        self._before: tuple[int, float, float] = (0, 0.0, self._default)

    def clock_restarted(self, before_ns: int) -> None:
        """It turns on."""
        since, turned, frequency = self._before
        self._before = (since - before_ns, turned, frequency)
        self._since_ns -= before_ns

    def set_frequency(self, frequency: float, now_ns: int) -> None:
        """Turn at another frequency in Hz from a sim time on."""
        turned = self.turns(now_ns)
        self._before = (self._since_ns, self._turned, self._frequency)
        self._since_ns, self._turned, self._frequency = now_ns, turned, frequency

    def turns(self, time_ns: int) -> float:
        """Revolutions made by a sim time that is not before the last change of frequency but one."""
        since, turned, frequency = self._since_ns, self._turned, self._frequency
        if time_ns < since:
            since, turned, frequency = self._before
        return turned + frequency * ((time_ns - since) * 1e-9)

    def sweep(self, start_ns: int, end_ns: int) -> Sweep:
        """The columns passed from one sim time to another; of a revolution or more the last complete one."""
        first, end = self._passed(start_ns), self._passed(end_ns)
        if end - first >= self._columns:
            end -= end % self._columns
            first = end - self._columns
        return Sweep(first, end)

    def _passed(self, time_ns: int) -> int:
        return math.floor(self.turns(time_ns) * self._columns + ALMOST)
