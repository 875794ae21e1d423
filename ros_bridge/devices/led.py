"""LED: its value as input."""

from __future__ import annotations

from types import MappingProxyType

from ros_bridge.devices.base import DeviceBridge


class LedBridge(DeviceBridge):
    """`/R/d`: 0 is off; see `sim_core/devices/light/led.py` for other values."""

    commands = MappingProxyType({"": "set"})


BRIDGE = LedBridge
