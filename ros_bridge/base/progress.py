"""Progress bar of a run in a terminal."""

from __future__ import annotations

import sys
from typing import Any

from sim_core.base.shown import raw


class ProgressBar:
    """A line in the terminal with the elapsed sim time and the estimated remaining time.

    Args:
        seconds: sim time until the end. Nothing is shown if standard error is not a terminal.
    """

    def __init__(self, seconds: float) -> None:
        from tqdm import tqdm

        layout = "{percentage:3.0f}%|{bar}| {n:.1f}/{total:.1f} s [{elapsed}<{remaining}]"
        self._bar: Any = tqdm(
            total=seconds, file=raw(sys.stderr), disable=None, leave=False, bar_format=layout
        )

    def show_time(self, time_ns: int) -> None:
        """Show a sim time."""
        if not self._bar.disable:
            self._bar.n = min(time_ns / 1e9, self._bar.total)
            self._bar.refresh()

    def close(self) -> None:
        """Remove the line."""
        self._bar.close()
