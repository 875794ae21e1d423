"""The battery of a robot: what its processor and its devices draw, until it is empty."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim_core.devices.base import Device
from sim_core.devices.field_checks import number_at_least, refuse
from sim_core.scene import Node

ROUNDING = 1e-6
"""Part of a step's energy below which what is left is the rounding error of the sum."""


class Battery:
    """Energy in J, drawn in each step: energy -= (cpuConsumption + Σ power of the devices)·step.

    With a constant power P it is empty at the end of the first step at or after E/P. See Webots reference,
    Robot.

    Attributes:
        capacity: J when full.
        charge_power: W that it takes on a charger.
        consumption: W drawn in the last step.
        received: J taken from a charger in the last step.
        emptied_ns: sim time at which it ran dry last.
    """

    def __init__(self, node: Node, devices: Iterable[Device]) -> None:
        """Read the robot's `battery` and `cpuConsumption`.

        Raises:
            DeviceError: a value is not possible.
        """
        self._start, self.capacity, self.charge_power = battery_values(node)
        self._processor = number_at_least(node, "cpuConsumption", 0.0)
        self._devices = tuple(device for device in devices if type(device).power is not Device.power)
        self._energy, self._rest = self._start, 0.0
        self.consumption = self.received = 0.0
        self.emptied_ns = 0

    @property
    def energy(self) -> float:
        """J left, never below 0."""
        return self._energy

    @property
    def level(self) -> float:
        """Energy as a part of the capacity."""
        return self._energy / self.capacity

    @property
    def is_empty(self) -> bool:
        """Nothing is left: the robot is off."""
        return self._energy == 0.0

    def drain(self, seconds: float, time_ns: int = 0) -> None:
        """Draw what robot and devices used in a step of this length that ends at this sim time."""
        self.received = self.consumption = 0.0
        if self._energy == 0.0:
            return
        self.consumption = self._processor + sum(device.power for device in self._devices)
        used = self.consumption * seconds
        if used < 0.0:  # motors with a negative consumptionFactor fill it, as far as there is room
            used = -max(0.0, min(-used, self.capacity - self._energy))
        self._add(-used)
        if self._energy <= ROUNDING * used:
            self._energy = self._rest = 0.0
            self.emptied_ns = time_ns

    def charge(self, energy: float) -> float:
        """Take up to this much energy in J, as far as there is room; returns what was taken."""
        taken = max(0.0, min(energy, self.capacity - self._energy))
        full = taken < energy
        self._add(taken)
        if full:
            self._energy, self._rest = max(self._energy, self.capacity), 0.0
        self.received += taken
        return taken

    def reset(self) -> None:
        """The energy of the field."""
        self._energy, self._rest = self._start, 0.0
        self.consumption = self.received = 0.0
        self.emptied_ns = 0

    def _add(self, energy: float) -> None:
        """Sum with Kahan's compensation: millions of small steps lose nothing."""
        part = energy - self._rest
        total = self._energy + part
        self._rest = (total - self._energy) - part
        self._energy = total


def find_battery(node: Node, devices: Iterable[Device]) -> Battery | None:
    """The battery of a robot; None if its field is empty: its energy has no end."""
    return Battery(node, devices) if node["battery"] else None


def battery_values(node: Node) -> tuple[float, float, float]:
    """Energy in J, capacity in J and power in W of the `battery` field of a Robot or a Charger.

    Raises:
        DeviceError: not two or three finite numbers, of 0 or more, with a capacity above 0. Without the
            third, the power is 0: it cannot be charged, or charge.
    """
    values: list[float] = node["battery"]
    expected = "three numbers of 0 or more: energy in J, capacity in J (above 0), charging power in W"
    possible = len(values) in (2, 3) and all(math.isfinite(value) and value >= 0.0 for value in values)
    if not possible or values[1] == 0.0:
        raise refuse(node, "battery", values, expected)
    return values[0], values[1], values[2] if len(values) == 3 else 0.0
