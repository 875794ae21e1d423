"""In which mode a simulation runs, and how long to wait before its next step."""

from __future__ import annotations

from ros_bridge.node.pacing import Pacer
from ros_bridge.node.status import SpeedMeter
from sim_core.base.clock import to_seconds

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
        self.speed = self._meter.look(now, now_ns)
