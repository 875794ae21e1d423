"""LED: its value comes in."""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge, Input


class LedBridge(DeviceBridge):
    """`/R/d`: 0 is off; see `sim_core/devices/light/led.py` for the others."""

    def inputs(self) -> list[Input]:
        """The value."""
        return self.takes({"": "set"})


BRIDGE = LedBridge
