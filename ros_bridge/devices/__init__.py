"""Topics of the devices, one file per device, named as in `sim_core/devices`, whose table is used here.

Each module has a class `BRIDGE`, called as `BRIDGE(device, style)`. A device without a module has the topics
of its declared channels and commands (see `declared.py`).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from ros_bridge.devices.base import PLAIN, DeviceBridge, Style
from ros_bridge.devices.declared import DeclaredBridge
from sim_core.devices import DEVICES, Device


def make_bridge(device: Device, style: Style = PLAIN) -> DeviceBridge:
    """Make the bridge of a device.

    Raises:
        KeyError: the node type is not in `DEVICES`.
    """
    name = f"ros_bridge.devices.{DEVICES[device.spec.type_name].rpartition('.')[2]}"
    if find_spec(name) is None:
        return DeclaredBridge(device, style)
    bridge: DeviceBridge = import_module(name).BRIDGE(device, style)
    return bridge


__all__ = ["make_bridge"]
