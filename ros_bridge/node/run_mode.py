"""Mode of a run, and the time at which its next step may start."""

from __future__ import annotations

import math

from sim_core.base.clock import to_seconds

CATCH_UP_FACTOR = 2.0
MAX_LAG = 0.25
"""Longest delay in seconds of wall time that is caught up; longer delays are lost."""
SLACK = 0.0001
"""Seconds that a step may start early, as sleeping is not more exact."""


class Pacer:
    """Computes the delay before each step, so that sim time keeps a steady ratio to wall time.

    Step k is due at `anchor + k·step/speed`: there is no drift, because the anchor does not move. After a
    delay it catches up at no more than twice the speed, so that there is no burst of steps. After a delay
    that is too long a new anchor is set, and the difference is counted as lost. It reads no clock: wall time
    in seconds is passed in.

    Attributes:
        speed: target, simulated seconds per second of wall time.
        lost: seconds of wall time by which the steps fell behind and that were not caught up.
    """

    def __init__(self, step_seconds: float, speed: float = 1.0) -> None:
        self._step = step_seconds
        self.speed = speed
        self.lost = 0.0
        self._interval = step_seconds / speed
        self._anchor: float | None = None
        self._count = 0
        self._earliest = 0.0

    def set_speed(self, speed: float | None = None) -> None:
        """Count from the next step on, after a pause, a reset, or a change of speed."""
        if speed is not None:
            self.speed = speed
            self._interval = self._step / speed
        self._anchor = None

    def delay(self, now: float) -> float:
        """Return the seconds until the next step may start, 0 if it may start now."""
        if self._anchor is None:
            self._anchor, self._count, self._earliest = now, 0, now
        due = self._anchor + self._count * self._interval
        if now - due > MAX_LAG:
            self.lost += now - due
            self._anchor += now - due
            due = now
        wait = max(due, self._earliest) - now
        return wait if wait > SLACK else 0.0

    def started(self, now: float) -> None:
        """Count a step that starts now."""
        self._count += 1
        self._earliest = max(self._earliest, now - SLACK) + self._interval / CATCH_UP_FACTOR


class SpeedMeter:
    """Measures simulated seconds per second of wall time between two calls."""

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None

    def discard_last(self) -> None:
        """Forget the last call: sim time has jumped."""
        self._last = None

    def measure(self, now: float, time_ns: int) -> float:
        """Return the speed since the last call, from wall time in seconds and sim time in ns; at first 0."""
        last, self._last = self._last, (now, time_ns)
        if last is None or now <= last[0]:
            return 0.0
        return to_seconds(time_ns - last[1]) / (now - last[0])


SHORTEST_PAUSE = 0.0001
"""Shortest sleep of the loop while it is ahead of real time, seconds of wall time."""


class RunMode:
    """The mode `realtime`, `fast` or `paused`, and the steps requested while paused.

    Attributes:
        name: the mode.
        running: mode after the next resume.
        steps_left: steps to be made while paused.
        pacer: paces the steps in the mode realtime.
        speed: last measured speed, simulated seconds per second.
    """

    def __init__(self, name: str, speed: float, step_ns: int) -> None:
        self.name = name
        self.running = "realtime" if name == "paused" else name
        self.pacer = Pacer(to_seconds(step_ns), speed)
        self.speed = 0.0
        self._meter = SpeedMeter()
        self.steps_left = 0

    @property
    def is_standing(self) -> bool:
        """Whether it is paused and no step is requested."""
        return self.name == "paused" and self.steps_left == 0

    def set_mode(self, name: str) -> None:
        """Change the mode; requested steps are dropped."""
        self.name = name
        if name != "paused":
            self.running = name
        self.restart_pacing()

    def request_step(self) -> None:
        """Request one more step while paused."""
        self.steps_left += 1

    def delay(self, now: float, until_chore: float) -> float:
        """Return the seconds to sleep before the next call; 0: make a step now, which is counted."""
        if self.name == "realtime":
            delay = self.pacer.delay(now)
            if delay > 0.0:
                return min(delay, max(until_chore, SHORTEST_PAUSE))
            self.pacer.started(now)
        elif self.name == "paused":
            self.steps_left -= 1
        return 0.0

    def spare(self, now: float) -> float | None:
        """Return the seconds for which the next step has to wait anyway; None: steps never wait."""
        if self.is_standing:
            return math.inf
        return self.pacer.delay(now) if self.name == "realtime" else None

    def restart_pacing(self) -> None:
        """Restart pacing and measurement: time has jumped or stood still."""
        self.steps_left = 0
        self.pacer.set_speed()
        self._meter.discard_last()

    def change_step(self, step_ns: int) -> None:
        """Set another length of a step, for another world."""
        self.pacer = Pacer(to_seconds(step_ns), self.pacer.speed)
        self.restart_pacing()

    def measure(self, now: float, now_ns: int) -> None:
        """Measure the speed since the last measurement."""
        self.speed = self._meter.measure(now, now_ns)
