"""In which mode a simulation runs, and when its next step may start."""

from __future__ import annotations

from sim_core.base.clock import to_seconds

CATCH_UP_FACTOR = 2.0
MAX_LAG = 0.25
"""Seconds of wall time that are made up for; more is lost."""
SLACK = 0.0001
"""Seconds that a step may start early: a shorter sleep is less exact than that."""


class Pacer:
    """Says how long to wait before each step, so that simulated time keeps a steady relation to wall time.

    Step k is due at `anchor + k·step/speed`: there is no drift, for the anchor does not move. Someone who is
    late catches up at no more than twice the speed, so that a hiccup makes no burst of steps. Someone who is
    too late to catch up soon starts from a new anchor, and the difference is counted as lost. It knows no
    clock: wall time in seconds is passed in.

    Attributes:
        speed: simulated seconds per second of wall time.
        lost: seconds of wall time by which the steps fell behind and were not made up for.
    """

    def __init__(self, step_seconds: float, speed: float = 1.0) -> None:
        self._step = step_seconds
        self.speed = speed
        self.lost = 0.0
        self._interval = step_seconds / speed
        self._anchor: float | None = None
        self._count = 0
        self._earliest = 0.0

    def restart(self, speed: float | None = None) -> None:
        """Count from the next step on; after a pause, a reset, or a change of speed."""
        if speed is not None:
            self.speed = speed
            self._interval = self._step / speed
        self._anchor = None

    def delay(self, now: float) -> float:
        """Seconds until the next step may start, 0 if it may start now."""
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
        """A step starts now."""
        self._count += 1
        self._earliest = max(self._earliest, now - SLACK) + self._interval / CATCH_UP_FACTOR


class SpeedMeter:
    """Simulated seconds per second of wall time between two calls."""

    def __init__(self) -> None:
        self._last: tuple[float, int] | None = None

    def restart(self) -> None:
        """Sim time jumps."""
        self._last = None

    def measure(self, now: float, time_ns: int) -> float:
        """The speed since the last call, at a wall time in seconds and a sim time in nanoseconds; first 0."""
        last, self._last = self._last, (now, time_ns)
        if last is None or now <= last[0]:
            return 0.0
        return to_seconds(time_ns - last[1]) / (now - last[0])


SHORTEST_LOOK = 0.0001
"""Seconds of wall time that the loop sleeps at least while it is ahead of real time."""


class RunMode:
    """`realtime`, `fast` or `paused`, and the steps that were asked for while paused.

    Attributes:
        name: the mode.
        running: the mode to go on in.
        steps_left: to be made while paused.
        pacer: keeps to the speed in the mode realtime.
        speed: simulated seconds per second of late, measured.
    """

    def __init__(self, name: str, speed: float, step_ns: int) -> None:
        self.name = name
        self.running = "realtime" if name == "paused" else name
        self.pacer = Pacer(to_seconds(step_ns), speed)
        self.speed = 0.0
        self._meter = SpeedMeter()
        self.steps_left = 0

    @property
    def stands(self) -> bool:
        """Paused, and no step is asked for."""
        return self.name == "paused" and self.steps_left == 0

    def set(self, name: str) -> None:
        """Change the mode; steps that were asked for are forgotten."""
        self.name = name
        if name != "paused":
            self.running = name
        self.restart()

    def ask_for_step(self) -> None:
        """One more step while paused."""
        self.steps_left += 1

    def delay(self, now: float, until_chore: float) -> float:
        """Seconds of wall time to sleep before looking again; 0: make the step now, it is counted."""
        if self.name == "realtime":
            delay = self.pacer.delay(now)
            if delay > 0.0:
                return min(delay, max(until_chore, SHORTEST_LOOK))
            self.pacer.started(now)
        elif self.name == "paused":
            self.steps_left -= 1
        return 0.0

    def restart(self) -> None:
        """Time has jumped, or it stood still: measure and pace anew."""
        self.steps_left = 0
        self.pacer.restart()
        self._meter.restart()

    def change_step(self, step_ns: int) -> None:
        """Another world has another step."""
        self.pacer = Pacer(to_seconds(step_ns), self.pacer.speed)
        self.restart()

    def measure(self, now: float, now_ns: int) -> None:
        """Look how fast it was since the last look."""
        self.speed = self._meter.measure(now, now_ns)
