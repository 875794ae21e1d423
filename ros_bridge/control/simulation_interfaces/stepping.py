"""StepSimulation and SimulateSteps: a number of steps while the simulation is paused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ros_bridge.control.runner import Runner
from sim_core.base.errors import CommandError
from sim_core.base.inbox import Inbox

CHECK_PERIOD = 0.2
"""Seconds of wall time between two checks whether the steps were cancelled."""
PAUSED = "paused"


class Steps:
    """Requested steps; `start_steps`, `cancel` and `check_interruption` are called between two steps.

    Attributes:
        completed: steps that have been made.
        total: steps that were requested.
        refusal: why they were not all made; None: they were, or are being made.
        is_cancelled: whether they were cancelled on request.
    """

    def __init__(
        self, runner: Runner, inbox: Inbox, total: int, report_progress: Callable[[int, int], Any] | None
    ) -> None:
        """`report_progress(completed, remaining)` is called at the end of each step."""
        self._runner, self._inbox, self._report_progress = runner, inbox, report_progress
        self._sim: Any = None
        self.completed, self.total = 0, total
        self.refusal: CommandError | None = None
        self.is_cancelled = False
        self._done = threading.Event()

    def start_steps(self) -> None:
        """Let the node make the steps."""
        if self._runner.mode != PAUSED:
            found = f"found the mode {self._runner.mode}, expected paused"
            self.refuse(CommandError(found))
        elif self._runner.steps_left:
            self.refuse(CommandError("other steps are being made, expected the simulation to stand"))
        elif self.total == 0:
            self._done.set()
        else:
            self._sim = self._runner.session.sim
            self._sim.watchers.append(self._stepped)
            self._runner.steps_left = self.total

    def _stepped(self, _: int) -> None:
        if self._done.is_set():
            return
        self.completed += 1
        if self._report_progress is not None:
            self._report_progress(self.completed, self.total - self.completed)
        if self.completed == self.total:
            self._inbox.put(self._end)  # after the readings of the last step have been published

    def check_interruption(self) -> None:
        """Check whether somebody has reset or resumed the simulation."""
        if not self._done.is_set() and self._runner.steps_left < self.total - self.completed:
            self.refuse(
                CommandError(
                    f"ended after {self.completed} of {self.total} steps: paused, resumed or reset meanwhile"
                )
            )

    def cancel(self) -> None:
        """Make no more steps."""
        if self._done.is_set():
            return
        self.is_cancelled = True
        self._runner.steps_left = 0
        text = f"cancelled after {self.completed} of {self.total} steps"
        self.refuse(CommandError(text))

    def refuse(self, refusal: CommandError) -> None:
        """Give up; may be called from any thread."""
        if not self._done.is_set():
            self.refusal = refusal
            self._end()

    def _end(self) -> None:
        if self._sim is not None and self._stepped in self._sim.watchers:
            self._sim.watchers.remove(self._stepped)
        self._done.set()

    def wait(self, is_cancelled: Callable[[], bool], is_closed: Callable[[], bool]) -> None:
        """Wait for the end; for other threads only."""
        while not self._done.wait(CHECK_PERIOD):
            if is_closed():
                self.refusal = CommandError("the simulation is ending")
                return
            self._inbox.put(self.cancel if is_cancelled() else self.check_interruption)
