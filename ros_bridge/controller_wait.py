"""Waiting for the controllers of robots in lock-step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.lockstep import LockStep
from ros_bridge.parameters import BridgeParams
from ros_bridge.repetition import Repetition
from sim_core.clock import to_seconds


class ControllerWait:
    """Knows who is waited for, and says, once for each, who is late.

    Attributes:
        robots: those waited for at present.
    """

    def __init__(
        self,
        lockstep: LockStep,
        api: ControllerApi,
        params: BridgeParams,
        topic_of: Callable[[str], str],
        warn: Callable[[str], Any],
        send_again: Callable[[str, int], None],
    ) -> None:
        """Nobody is waited for yet.

        Args:
            lockstep, api: know who has answered.
            params: how long to wait.
            topic_of: on which topic a robot's answers come.
            warn: says a line.
            send_again: sends what was published of a robot at the present time again.
        """
        self.robots: list[str] = []
        self._lockstep, self._api, self._params = lockstep, api, params
        self._topic_of, self._warn = topic_of, warn
        self._since = 0.0
        self._named: set[str] = set()
        self._repetition = Repetition(send_again)

    def is_needed(self, now_ns: int) -> bool:
        """Whether the next step must wait for somebody."""
        lockstep = self._lockstep
        if self._api.computing or (now_ns >= lockstep.next_ns and lockstep.missing(now_ns)):
            return True
        if self.robots:
            self.robots = []
        return False

    def goes_on(self, now_ns: int, now: float) -> bool:
        """Note who is missing; True if the time is over after which the world goes on without them."""
        missing = [*self._lockstep.missing(now_ns), *self._api.computing]
        if not self.robots:
            self._since = now
        self.robots = missing
        self._since = max(self._since, self._api.heard)
        limit = self._params.lockstep_timeout
        if now - self._since < limit:
            return False
        goes_on = self._params.lockstep_on_timeout == "continue"
        for name in [name for name in missing if name not in self._named]:
            self._named.add(name)
            place = "Robot.step()" if name in self._api.computing else self._topic_of(name)
            self._warn(
                f"lock-step: no answer from {name} on {place} to time {to_seconds(now_ns):g} s "
                f"for {limit:g} s; " + ("going on without it" if goes_on else "waiting on")
            )
        if goes_on:
            self._lockstep.leave_behind([name for name in missing if name in self._lockstep])
            self._api.leave_behind(missing)
        return goes_on

    def answered(self, robot: str, time_ns: int) -> None:
        """It is there: it will be named again if it is late again."""
        self._named.discard(robot)
        self._repetition.answered(robot, time_ns)

    def repeat(self, now: float, now_ns: int) -> None:
        """Send readings again to those who have been waited for too long; to be called ten times a second."""
        self._repetition.look(now, now_ns, self._lockstep.missing(now_ns))

    def restart(self) -> None:
        """Time is 0."""
        self.robots = []
        self._named.clear()
