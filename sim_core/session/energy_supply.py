"""Chargers, and the energy flow of batteries and chargers in each step."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sim_core.base.geometry import Vec3, norm, scale, subtract
from sim_core.base.state import Resettable, State
from sim_core.devices.energy.battery import Battery, battery_values
from sim_core.devices.field_checks import number_at_least
from sim_core.engines.world_view import World
from sim_core.model.objects import ChargerSpec
from sim_core.session.robot import Robot


@dataclass(eq=False)
class EnergyState(State):
    """True if robots are to be switched on or off in the next step."""

    is_due: bool = False


class EnergySupply(Resettable):
    """Drains batteries and lets chargers fill them after each physics step, before sensors are sampled.

    Sensors of a robot with an empty battery stop in the same step; its actuators stop, and a recharged robot
    starts again, in phase 1 of the next step.
    """

    state: EnergyState
    acts: bool
    """True if there is something to do in each step; a plain attribute because each step reads it."""

    def __init__(self, chargers: list[Charger], step_ns: int) -> None:
        self._chargers, self._step_ns = chargers, step_ns
        self.acts = bool(chargers)
        self.state = EnergyState()
        self._batteries: dict[Robot, Battery] = {}

    def add_robot(self, robot: Robot) -> None:
        """Start to drain and charge the battery of a robot."""
        if robot.battery is not None:
            self._batteries[robot] = robot.battery
            self.acts = True
            robot.update_power()

    def remove_robot(self, robot: Robot) -> None:
        """Stop to handle the battery of a robot."""
        self._batteries.pop(robot, None)

    def set_order(self, robots: Collection[Robot]) -> None:
        """Set the order in which chargers search robots; `robots` are all that exist."""
        self._batteries = {robot: self._batteries[robot] for robot in robots if robot in self._batteries}

    def update_power(self) -> None:
        """Phase 1: switch robots on or off whose batteries became empty or were charged in the previous
        step."""
        self.state.is_due = False
        for robot in self._batteries:
            robot.update_power()

    def reset(self) -> None:
        """Clear pending switches."""
        self.state = EnergyState()

    def after_step(self, now_ns: int) -> None:
        """Account for the energy of the physics step that ended at this sim time."""
        for battery in self._batteries.values():
            battery.drain(self._step_ns / 1e9, now_ns)
        if self._chargers:
            robots = list(self._batteries)
            for charger in self._chargers:
                charger.exchange_energy(robots)
        for robot, battery in self._batteries.items():
            if robot.is_on is battery.is_empty:
                self.state.is_due = True
                if robot.is_on:
                    robot.stop_sensors()


RELEASE_FACTOR = 1.1
"""A robot stays connected to its charger up to this multiple of the radius."""


@dataclass(eq=False)
class ChargerState(State):
    """Energy in a charger, J, and the name of the robot that is being charged."""

    energy: float
    robot: str | None = None


class Charger(Resettable):
    """Collects energy and gives it to one robot at a time.

    In each step of length h:

    - no robot is in range: energy += power·h, up to the capacity;
    - a robot with a battery is in range: it receives min(its own charging power·h, the charger's energy, the
      free capacity of the battery), and the charger loses exactly that.

    A robot is in range from the step on in which the distance of its origin from the charger's is at most
    `radius`, until it is more than 1.1·radius; of several, the first in file order. See Webots reference,
    Charger. (Webots itself starts only at a full charger, and discards the rest of its energy when the robot
    leaves; its manual says neither, and here no energy is lost.)

    Attributes:
        name: the `name` field.
        capacity: J when full.
        power: W collected while no robot is there.
        radius: m.
        appearances: of the shapes in the first child, which glow with `colour`.
    """

    state: ChargerState

    def __init__(self, spec: ChargerSpec, world: World) -> None:
        """Read the fields of the node.

        Raises:
            DeviceError: a value is impossible.
        """
        self.name: str = spec["name"]
        self._start, self.capacity, self.power = battery_values(spec)
        self.radius = number_at_least(spec, "radius", 0.0)
        self._frame = world.frame(spec.id)
        self._step = world.clock.step_ns / 1e9
        self._carrier = spec.carrier
        self.appearances = [part.id for part in spec.lit if not part.is_a("Light")]
        self._glow: Vec3 = spec["emissiveColor"]
        self._is_gradual: bool = spec["gradual"]
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
        """Colour of the indicator: emissiveColor, in part or (`gradual` FALSE) only when full."""
        part = min(1.0, self.level) if self._is_gradual else float(self.level >= 1.0)
        return scale(self._glow, part)

    @property
    def level(self) -> float:
        """Energy as a fraction of the capacity."""
        return self.energy / self.capacity

    def exchange_energy(self, robots: Sequence[Robot]) -> None:
        """Collect or give energy for one step."""
        state = self.state
        robot = self._robot_in_range(robots)
        state.robot = None if robot is None else robot.name
        if robot is None or robot.battery is None:
            state.energy = max(state.energy, min(self.capacity, state.energy + self.power * self._step))
            return
        battery = robot.battery
        state.energy -= battery.charge(min(battery.charge_power * self._step, state.energy))

    def reset(self) -> None:
        """Reset to the energy of the field, without a robot."""
        self.state = ChargerState(self._start)

    def _robot_in_range(self, robots: Sequence[Robot]) -> Robot | None:
        present = next((robot for robot in robots if robot.name == self.state.robot), None)
        if present is not None and self._distance(present) <= RELEASE_FACTOR * self.radius:
            return present
        return next((robot for robot in robots if self._distance(robot) <= self.radius), None)

    def _distance(self, robot: Robot) -> float:
        if robot.spec.id == self._carrier:
            return float("inf")  # a charger does not charge the robot that carries it
        return norm(subtract(robot.frame.pose().position, self._frame.pose().position))


def find_chargers(world: World) -> list[Charger]:
    """Return all chargers of a world in file order; those with an empty `battery` field have no effect and
    are left out."""
    return [Charger(spec, world) for spec in world.model.chargers() if spec["battery"]]
