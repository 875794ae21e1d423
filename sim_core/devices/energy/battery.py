"""Battery of a robot: supplies its processor and its devices until it is empty."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sim_core.base.state import Resettable, State
from sim_core.devices.base import Device
from sim_core.devices.field_checks import field_error, number_at_least
from sim_core.model.device_spec import NodeSpec

ROUNDING = 1e-6
"""Fraction of a step's energy below which the remaining energy is a rounding error of the sum."""


@dataclass(eq=False)
class BatteryState(State):
    """State of a battery.

    Attributes:
        energy: remaining energy, J.
        rest: error of the sum over the steps, J (Kahan's compensation).
        consumption: W drawn in the last step.
        received: J taken from a charger in the last step.
        emptied_ns: sim time at which it last became empty.
    """

    energy: float
    rest: float = 0.0
    consumption: float = 0.0
    received: float = 0.0
    emptied_ns: int = 0


class Battery(Resettable):
    """Energy in J, drawn in each step: energy -= (cpuConsumption + Σ power of the devices)·step.

    With a constant power P it is empty at the end of the first step at or after E/P. See Webots reference,
    Robot.

    Attributes:
        capacity: energy when full, J.
        charge_power: largest power that it accepts from a charger, W.
    """

    state: BatteryState

    def __init__(self, robot: NodeSpec, devices: Iterable[Device]) -> None:
        """Read the robot's `battery` and `cpuConsumption`.

        Raises:
            DeviceError: a value is not possible.
        """
        self._start, self.capacity, self.charge_power = battery_values(robot)
        self._processor = number_at_least(robot, "cpuConsumption", 0.0)
        self._devices = tuple(device for device in devices if type(device).power is not Device.power)
        self.reset()

    @property
    def energy(self) -> float:
        """Remaining energy, J, never below 0."""
        return self.state.energy

    @property
    def consumption(self) -> float:
        """Power drawn in the last step, W."""
        return self.state.consumption

    @property
    def received(self) -> float:
        """Energy taken from a charger in the last step, J."""
        return self.state.received

    @property
    def emptied_ns(self) -> int:
        """Sim time at which it last became empty."""
        return self.state.emptied_ns

    @property
    def level(self) -> float:
        """Energy as a fraction of the capacity."""
        return self.state.energy / self.capacity

    @property
    def is_empty(self) -> bool:
        """True if no energy remains and the robot is off."""
        return self.state.energy == 0.0

    def drain(self, seconds: float, time_ns: int = 0) -> None:
        """Draw the energy used by robot and devices in a step of this length that ends at this sim time."""
        state = self.state
        state.received = state.consumption = 0.0
        if state.energy == 0.0:
            return
        state.consumption = self._processor + sum(device.power for device in self._devices)
        used = state.consumption * seconds
        if used < 0.0:  # motors with a negative consumptionFactor charge the battery, up to its capacity
            used = -max(0.0, min(-used, self.capacity - state.energy))
        self._add(-used)
        if state.energy <= ROUNDING * used:
            state.energy = state.rest = 0.0
            state.emptied_ns = time_ns

    def set_energy(self, energy: float) -> None:
        """Set the energy, J."""
        self.state.energy, self.state.rest = energy, 0.0

    def charge(self, energy: float) -> float:
        """Add up to this much energy in J, limited by the capacity; return what was added."""
        state = self.state
        taken = max(0.0, min(energy, self.capacity - state.energy))
        full = taken < energy
        self._add(taken)
        if full:
            state.energy, state.rest = max(state.energy, self.capacity), 0.0
        state.received += taken
        return taken

    def reset(self) -> None:
        """Return to the energy of the field."""
        self.state = BatteryState(self._start)

    def _add(self, energy: float) -> None:
        """Add energy with Kahan's compensation, so that millions of small steps lose nothing."""
        state = self.state
        part = energy - state.rest
        total = state.energy + part
        state.rest = (total - state.energy) - part
        state.energy = total


def find_battery(robot: NodeSpec, devices: Iterable[Device]) -> Battery | None:
    """Return the battery of a robot; None if the field is empty, which means unlimited energy."""
    return Battery(robot, devices) if robot["battery"] else None


def battery_values(spec: NodeSpec) -> tuple[float, float, float]:
    """Return energy in J, capacity in J and power in W of the `battery` field of a Robot or a Charger.

    Without a third number the power is 0: it cannot be charged, or charge.

    Raises:
        DeviceError: not two or three finite numbers of 0 or more with a capacity above 0.
    """
    values: tuple[float, ...] = spec["battery"]
    expected = "three numbers of 0 or more: energy in J, capacity in J (above 0), charging power in W"
    possible = len(values) in (2, 3) and all(math.isfinite(value) and value >= 0.0 for value in values)
    if not possible or values[1] == 0.0:
        raise field_error(spec, "battery", list(values), expected)
    return values[0], values[1], values[2] if len(values) == 3 else 0.0
