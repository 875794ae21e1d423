"""How much of a run is over, for who sits at a terminal."""

from __future__ import annotations

import sys
from typing import Any

from sim_core.base.shown import raw


class ProgressBar:
    """A line on the terminal that says how much sim time is over, and how long the rest will take.

    Args:
        seconds: sim time until the end. Where standard error is no terminal nothing is shown.
    """

    def __init__(self, seconds: float) -> None:
        from tqdm import tqdm

        layout = "{percentage:3.0f}%|{bar}| {n:.1f}/{total:.1f} s [{elapsed}<{remaining}]"
        self._bar: Any = tqdm(
            total=seconds, file=raw(sys.stderr), disable=None, leave=False, bar_format=layout
        )

    def show(self, time_ns: int) -> None:
        """Sim time is this."""
        if not self._bar.disable:
            self._bar.n = min(time_ns / 1e9, self._bar.total)
            self._bar.refresh()

    def close(self) -> None:
        """Take the line away."""
        self._bar.close()
