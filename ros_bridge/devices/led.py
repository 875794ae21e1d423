"""LED: its value comes in."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Int32

from ros_bridge.devices.base import DeviceBridge, Input


class LedBridge(DeviceBridge):
    """`/R/d`: 0 is off; see `sim_core/devices/light/led.py` for the others."""

    def inputs(self) -> list[Input]:
        """The value."""
        return [Input("", Int32, self._set)]

    def _set(self, message: Any) -> None:
        self.device.set(message.data)


BRIDGE = LedBridge
