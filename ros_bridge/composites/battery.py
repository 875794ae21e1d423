"""`/R/battery`: the battery of a robot as sensor_msgs/BatteryState.

Webots' battery holds energy in J; the message needs charge in Ah. `percentage` is energy/capacity, exactly.
Voltage, current and charges are NaN ("unmeasured") unless the parameter `battery_voltage` U of the robot
gives a voltage for the conversion: charge = E/(3600·U) Ah, current = net power/U, negative while discharging.
"""

from __future__ import annotations

import math
from typing import Any

from sensor_msgs.msg import BatteryState

from ros_bridge.topics.records import Filler
from sim_core.devices.energy.battery import Battery

SECONDS_PER_HOUR = 3600.0


class BatteryFiller(Filler):
    """Fills a BatteryState.

    Args:
        battery: the battery.
        step: length of a step in s, the averaging time of powers.
        voltage: nominal voltage in V; None: unknown.
    """

    def __init__(self, battery: Battery, step: float, voltage: float | None = None) -> None:
        self._battery = battery
        self._step = step
        self._voltage = math.nan if voltage is None else voltage

    def constants(self, message: Any) -> None:
        """Fill what does not change; NaN for unknown values."""
        message.present = True
        message.temperature = math.nan
        message.voltage = self._voltage
        message.capacity = message.design_capacity = self._charge(self._battery.capacity)

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill present energy and power."""
        battery = self._battery
        message.percentage = battery.level
        message.charge = self._charge(battery.energy)
        message.current = (battery.received / self._step - battery.consumption) / self._voltage
        message.power_supply_status = self._status()

    def _status(self) -> int:
        battery = self._battery
        if battery.energy >= battery.capacity:
            return BatteryState.POWER_SUPPLY_STATUS_FULL
        if battery.received > 0.0:
            return BatteryState.POWER_SUPPLY_STATUS_CHARGING
        if battery.consumption > 0.0:
            return BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
        return BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING

    def _charge(self, energy: float) -> float:
        """Return the charge in Ah for an energy in J."""
        return energy / (SECONDS_PER_HOUR * self._voltage)
