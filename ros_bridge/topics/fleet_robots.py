"""The robots of a fleet, including those that are held as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sim_core.model.robots import robot_names
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation


class FleetRobot(NamedTuple):
    """A robot of a fleet.

    Attributes:
        name: in the world file.
        robot: the robot; for one that exists only as a row of arrays, the robot it copies.
        row: in `RolledRobots`; None: it has none.
    """

    name: str
    robot: Robot
    row: int | None = None

    @property
    def is_copy(self) -> bool:
        """Whether it exists only as a row of arrays."""
        return self.name != self.robot.name


def fleet_robots(sim: Simulation, has: Callable[[str], bool]) -> list[FleetRobot]:
    """Return the robots of a world whose names the fleet includes, in file order."""
    names = [name for name in robot_names(sim.scene) if has(name)]
    robots, rolled = sim.robots, sim.rolled
    if rolled is None:
        return [FleetRobot(name, robots[name]) for name in names]
    copies = rolled.copies
    rows = copies.rows | {robot.name: row for row, robot in rolled.objects.items()}
    return [
        FleetRobot(name, robots[name] if name in robots else copies.template(rows[name]), rows.get(name))
        for name in names
    ]
