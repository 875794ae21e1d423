"""What a benchmark finds: one number a line, beside what others need on the same machine in the same run.

What is wanted is a ratio to one of these, so that it holds on a slow machine as on a quick one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A number that was measured.

    Attributes:
        what: of what, in a few words.
        value: the number.
        unit: its unit.
        peer: what it is compared with, measured in the same run; empty: nothing.
        ratio: how many times as good as the peer: over 1 is better.
        goal: the ratio that is wanted at least; None: nothing is.
        x: where it stands in the plot of its section; None: nowhere.
        limit: what takes the processor time; empty: that was not sampled.
    """

    what: str
    value: float
    unit: str
    peer: str = ""
    ratio: float | None = None
    goal: float | None = None
    x: float | None = None
    limit: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether it is as good as wanted; None: nothing is wanted."""
        return None if self.goal is None or self.ratio is None else self.ratio >= self.goal
