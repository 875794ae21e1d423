"""Charger: a battery in the world that robots take energy from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim_core.base.geometry import Vec3, norm, scale, subtract
from sim_core.base.state import State, Stateful
from sim_core.devices.energy.battery import battery_values
from sim_core.devices.field_checks import number_at_least
from sim_core.devices.light.led import lit_parts
from sim_core.engines.world_view import World
from sim_core.scene import Node, Scene
from sim_core.session.robot import Robot

KEPT = 1.1
"""A robot that is being charged may be so many times the radius away before it is let go."""


@dataclass(eq=False)
class ChargerState(State):
    """What is in a charger: J, and the name of the robot that is being charged."""

    energy: float
    robot: str | None = None


class Charger(Stateful):
    """Collects energy by itself and gives it to one robot at a time.

    In each step of length h:

    - no robot is there: energy += power·h, up to the capacity;
    - a robot with a battery is there: it takes min(its own charging power·h, what the charger has, what it
      has room for), and the charger loses exactly that.

    A robot is there from the step on in which its origin comes within `radius` of the charger's, in space,
    until it is more than 1.1·radius away; of several the first in file order. See Webots reference, Charger.
    (Webots itself lets a robot begin only at a full charger, and throws away what is left in the charger when
    the robot leaves; its manual says neither, and here no energy gets lost.)

    Attributes:
        name: the `name` field.
        capacity: J when full.
        power: W collected while no robot is there.
        radius: m.
        appearances: of the shapes in the first child, which glow with `colour`.
    """

    state: ChargerState

    def __init__(self, node: Node, world: World) -> None:
        """Read the fields.

        Raises:
            DeviceError: a value is not possible.
        """
        self.node = node
        self.name: str = node["name"]
        self._start, self.capacity, self.power = battery_values(node)
        self.radius = number_at_least(node, "radius", 0.0)
        self._frame = world.frame(node)
        self._step = world.step_ns / 1e9
        self._carrier = next((each for each in node.ancestors() if each.is_a("Robot")), None)
        self.appearances = [part for part in lit_parts(node["children"][:1]) if not part.is_a("Light")]
        self._glow: Vec3 = node["emissiveColor"]
        self._is_gradual: bool = node["gradual"]
        self.reset()

    @property
    def robot(self) -> str | None:
        """Name of the robot that is being charged, or None."""
        return self.state.robot

    @property
    def energy(self) -> float:
        """J left."""
        return self.state.energy

    @property
    def colour(self) -> Vec3:
        """What the indicator glows with: emissiveColor, in part or (`gradual` FALSE) only when full."""
        part = min(1.0, self.level) if self._is_gradual else float(self.level >= 1.0)
        return scale(self._glow, part)

    @property
    def level(self) -> float:
        """Energy as a part of the capacity."""
        return self.energy / self.capacity

    def step(self, robots: Sequence[Robot]) -> None:
        """Collect or give energy for one step."""
        state = self.state
        robot = self._visitor(robots)
        state.robot = None if robot is None else robot.name
        if robot is None or robot.battery is None:
            state.energy = max(state.energy, min(self.capacity, state.energy + self.power * self._step))
            return
        battery = robot.battery
        state.energy -= battery.charge(min(battery.charge_power * self._step, state.energy))

    def reset(self) -> None:
        """The energy of the field, and no robot."""
        self.state = ChargerState(self._start)

    def _visitor(self, robots: Sequence[Robot]) -> Robot | None:
        present = next((robot for robot in robots if robot.name == self.state.robot), None)
        if present is not None and self._distance(present) <= KEPT * self.radius:
            return present
        return next((robot for robot in robots if self._distance(robot) <= self.radius), None)

    def _distance(self, robot: Robot) -> float:
        if robot.node is self._carrier:
            return float("inf")  # a charger does not charge the robot that carries it
        return norm(subtract(robot.frame.pose().position, self._frame.pose().position))


def find_chargers(scene: Scene, world: World) -> list[Charger]:
    """All chargers of a world in file order; one without `battery` values does nothing and is not there."""
    nodes = [node for node in scene.walk() if node.type_name == "Charger" and node["battery"]]
    return [Charger(node, world) for node in nodes]
