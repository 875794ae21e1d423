"""Reports empty batteries, and ends the robot's controller, as described in Webots' manual.

A controller that uses the module `controller` gets an answer for the step in which the battery ran dry, with
0 J left, and -1 for its next one; then it has a second of wall time to end by itself. One that uses topics is
ended at once.
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
    """Checks the robots that have a battery.

    Args:
        warn: receives one line when a robot is switched off or on again.
        lockstep: does not wait for robots without energy.
        api: of the controllers that use the module `controller`.
        controllers: processes to end and to restart; None: none were started.
    """

    def __init__(
        self, warn: Callable[[str], Any], lockstep: LockStep, api: ControllerApi, controllers: Any = None
    ) -> None:
        self._warn = warn
        self._lockstep = lockstep
        self._api = api
        self._controllers = controllers
        self._off: set[str] = set()

    def check_power(self, robots: Iterable[Robot], now_ns: int) -> None:
        """Check which robots have been switched off or on since the last call."""
        for robot in robots:
            if robot.battery is not None and robot.battery.is_empty is not (robot.name in self._off):
                self._changed(robot, robot.battery, to_seconds(now_ns))
        for name in self._off:
            if name in self._lockstep:
                self._lockstep.stop_waiting_for([name])  # again, because a last answer may have arrived

    def restart_controllers(self) -> None:
        """Restart the controllers that were ended: the simulation is back at its start."""
        for name in sorted(self._off):
            self._api.end_controllers(name)
            if self._controllers is not None:
                self._controllers.start_again(name)
        self._off.clear()

    def _changed(self, robot: Robot, battery: Battery, now: float) -> None:
        if robot.name in self._off:
            self._off.remove(robot.name)
            self._warn(f"{robot.name}: the battery has energy again at {now:g} s; its devices are on")
            return
        self._off.add(robot.name)
        grace = GRACE if self._api.end_after_step(robot.name) else 0.0
        ended = self._controllers is not None and self._controllers.end_controller(robot.name, grace)
        rest = "; its controller was ended" if ended else ""
        dry = to_seconds(battery.emptied_ns)
        self._warn(f"{robot.name}: the battery is empty at {dry:g} s; its devices are off{rest}")
