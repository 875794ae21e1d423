"""What a benchmark finds: one number a line, beside what was wanted and what others need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Figure:
    """A number that was measured.

    Attributes:
        what: of what, in a few words.
        value: the number.
        unit: its unit; one that ends with `/s` is better the greater it is, as `times real time` is.
        goal: what is wanted at least, or at most; None: nothing.
        peer: who does the same; empty: nobody was asked.
        ratio: how many times as good as the peer: over 1 is better.
        x: where it stands in the plot of its section; None: nowhere.
    """

    what: str
    value: float
    unit: str
    goal: float | None = None
    peer: str = ""
    ratio: float | None = None
    x: float | None = None

    @property
    def grows(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s") or self.unit.startswith("times")

    @property
    def holds(self) -> bool | None:
        """Whether it is as good as wanted; None: nothing is wanted."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.grows else self.value <= self.goal


class Benchmark(Protocol):
    """A module of this folder that has figures."""

    def figures(self, seconds: float) -> Iterator[Figure]:
        """Measure, one figure after another, some `seconds` of wall time for each."""
        ...
