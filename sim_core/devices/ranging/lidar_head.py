"""Rotating head of a lidar: which columns it passes, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.state import State

TOLERANCE = 1e-6
"""Fraction of a column as tolerance for rounding errors."""


class Sweep(NamedTuple):
    """The columns passed between two times, numbered from the first revolution on.

    Attributes:
        first, end: columns k with first ≤ k < end; k modulo the number of columns is the place in the scan.
    """

    first: int
    end: int


@dataclass(eq=False)
class LidarHead(State):
    """A head that turns counter-clockwise from straight ahead, at a frequency that may change.

    Column k of n is passed when the head has turned by k/n of a revolution. All times are elapsed times.

    Attributes:
        columns: columns of a revolution.
        frequency: revolutions per second.
        since_ns, turned: time of the last change of frequency, and revolutions made by then.
        before: the same, and the frequency, of the change before.
    """

    columns: int
    frequency: float
    since_ns: int = 0
    turned: float = 0.0
    before: tuple[int, float, float] = (0, 0.0, math.nan)

    def set_frequency(self, frequency: float, elapsed_ns: int) -> None:
        """Turn at another frequency in Hz from a time on."""
        turned = self.turns(elapsed_ns)
        self.before = (self.since_ns, self.turned, self.frequency)
        self.since_ns, self.turned, self.frequency = elapsed_ns, turned, frequency

    def turns(self, elapsed_ns: int) -> float:
        """Return the revolutions made by a time, which is not before the last change of frequency but one."""
        since, turned, frequency = self.since_ns, self.turned, self.frequency
        if elapsed_ns < since:
            since, turned, frequency = self.before
        return turned + frequency * ((elapsed_ns - since) * 1e-9)

    def sweep(self, start_ns: int, end_ns: int) -> Sweep:
        """Return the columns passed from one time to another; of a revolution or more the last complete
        one."""
        first, end = self._passed(start_ns), self._passed(end_ns)
        if end - first >= self.columns:
            end -= end % self.columns
            first = end - self.columns
        return Sweep(first, end)

    def _passed(self, elapsed_ns: int) -> int:
        return math.floor(self.turns(elapsed_ns) * self.columns + TOLERANCE)
