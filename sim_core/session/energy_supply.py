"""What batteries and chargers do in each step."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.schedule import Schedule
from sim_core.base.state import State, Stateful
from sim_core.devices.energy.battery import Battery
from sim_core.session.charger import Charger
from sim_core.session.duties import Task
from sim_core.session.robot import Robot


@dataclass(eq=False)
class EnergyState(State):
    """Whether robots are to be put on or off in the next step."""

    is_due: bool = False


class EnergySupply(Stateful):
    """Drains batteries and lets chargers fill them at the end of each step; who is on changes in the next."""

    state: EnergyState

    def __init__(self, chargers: list[Charger], step_ns: int) -> None:
        self._chargers, self._step_ns = chargers, step_ns
        self.state = EnergyState()
        self._batteries: dict[Robot, Battery] = {}
        self._is_scheduled = False

    def take_in(self, robot: Robot) -> None:
        """A robot is there from now on."""
        if robot.battery is not None:
            self._batteries[robot] = robot.battery
            robot.switch()

    def let_go_of(self, robot: Robot) -> None:
        """A robot is no longer there."""
        self._batteries.pop(robot, None)

    def schedule(self, tasks: Schedule[Task]) -> None:
        """Have it done in each step, as soon as there is something to do."""
        if (self._batteries or self._chargers) and not self._is_scheduled:
            tasks.add(self._act, self._step_ns)
            self._is_scheduled = True

    def switch(self) -> None:
        """Phase 1: put the robots on or off whose batteries ran dry, or were charged, in the step before."""
        self.state.is_due = False
        for robot, battery in self._batteries.items():
            if robot.is_on is battery.is_empty:
                robot.switch()

    def reset(self) -> None:
        """Nobody is to be put on or off."""
        self.state = EnergyState()

    def _act(self, now_ns: int) -> None:
        for battery in self._batteries.values():
            battery.drain(self._step_ns / 1e9, now_ns)
        if self._chargers:
            robots = list(self._batteries)
            for charger in self._chargers:
                charger.step(robots)
        self.state.is_due = any(robot.is_on is battery.is_empty for robot, battery in self._batteries.items())
