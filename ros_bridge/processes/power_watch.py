"""Says when a battery is empty, and ends the robot's controller, as Webots' manual has it.

A controller that uses the module `controller` is answered the step in which the battery ran dry, with the 0 J
that are left, and gets -1 for its next one; then it has a second of wall time to end by itself. One that
speaks on topics is asked to end at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ros_bridge.controller_api.api import ControllerApi
from sim_core.base.clock import to_seconds
from sim_core.devices.energy.battery import Battery
from sim_core.session.lockstep import LockStep
from sim_core.session.robot import Robot

GRACE = 1.0
"""Seconds of wall time that a controller has to end by itself after its robot's battery ran dry."""


class PowerWatch:
    """Looks at the robots that have a battery.

    Args:
        warn: gets one line when a robot goes off or on again.
        lockstep: an empty robot is not waited for.
        api: of the controllers that use the module `controller`.
        controllers: processes to end and to start again; None: none were started.
    """

    def __init__(
        self, warn: Callable[[str], Any], lockstep: LockStep, api: ControllerApi, controllers: Any = None
    ) -> None:
        self._warn = warn
        self._lockstep = lockstep
        self._api = api
        self._controllers = controllers
        self._off: set[str] = set()

    def check(self, robots: Iterable[Robot], now_ns: int) -> None:
        """See which robots have gone off or on since the last call."""
        for robot in robots:
            if robot.battery is not None and robot.battery.is_empty is not (robot.name in self._off):
                self._changed(robot, robot.battery, to_seconds(now_ns))
        for name in self._off:
            if name in self._lockstep:
                self._lockstep.leave_behind([name])  # also after a last answer that was on its way

    def restart(self) -> None:
        """The simulation is back at its start: the controllers that were ended run again."""
        for name in sorted(self._off):
            self._api.dismiss(name)
            if self._controllers is not None:
                self._controllers.start_again(name)
        self._off.clear()

    def _changed(self, robot: Robot, battery: Battery, now: float) -> None:
        if robot.name in self._off:
            self._off.remove(robot.name)
            self._warn(f"{robot.name}: there is energy in the battery again at {now:g} s: its devices work")
            return
        self._off.add(robot.name)
        grace = GRACE if self._api.dismiss_next(robot.name) else 0.0
        ended = self._controllers is not None and self._controllers.end(robot.name, grace)
        rest = ", its controller was ended" if ended else ""
        dry = to_seconds(battery.emptied_ns)
        self._warn(f"{robot.name}: the battery is empty at {dry:g} s: its devices are off{rest}")
