"""Log lines about a run: at its first step, and at its end with its sim time and speed."""

from __future__ import annotations

import time
from collections.abc import Callable

from ros_bridge.base.progress import ProgressBar
from sim_core.base.clock import to_seconds


class RunReport:
    """Two log lines about a run.

    Args:
        log: receives the lines.
        step_ns: length of a step.
        start_ns: sim time at which the run begins.
        bar: shows the progress of the run; None: there is none.
    """

    def __init__(
        self,
        log: Callable[[str], object],
        step_ns: int,
        start_ns: int = 0,
        bar: ProgressBar | None = None,
    ) -> None:
        self._bar = bar
        self._log = log
        self._step_ns = step_ns
        self._start_ns = start_ns
        self._made = time.monotonic()
        self._moving: tuple[float, int] | None = None

    def log_start(self, now: float, time_ns: int) -> None:
        """Log the first step.

        Args:
            now: wall time as returned by `time.monotonic`.
            time_ns: sim time; if it has decreased, after a reset, counting restarts.
        """
        if self._bar is not None:
            self._bar.show_time(time_ns - self._start_ns)
        moves = time_ns not in (0, self._start_ns)
        if self._moving is None and moves:
            self._log(f"running, the first step {now - self._made:.1f} s after the world was built")
        if moves and (self._moving is None or time_ns < self._moving[1]):
            self._moving = (now, time_ns)

    def log_end(self, time_ns: int) -> None:
        """Log the sim time reached, and the speed since the first update after the first step."""
        if self._bar is not None:
            self._bar.show_time(time_ns - self._start_ns)
            self._bar.close()
        text = f"end at {to_seconds(time_ns):.3f} s, after {time_ns // self._step_ns} steps"
        if self._moving is not None and (wall := time.monotonic() - self._moving[0]) > 0.0:
            speed = to_seconds(time_ns - self._moving[1]) / wall
            if speed > 0.0:
                text += f", {speed:.2f} times real time"
        self._log(text)
