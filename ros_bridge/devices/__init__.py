"""The topics of the devices, one file per device, named as in `sim_core/devices`, whose table counts here.

Each module has a class `BRIDGE`, made with `BRIDGE(device)`.
"""

from __future__ import annotations

from importlib import import_module

from ros_bridge.devices.base import DeviceBridge
from sim_core.devices import DEVICES, Device


def make_bridge(device: Device) -> DeviceBridge:
    """The bridge of a device.

    Raises:
        KeyError: the node type is not in `DEVICES`.
    """
    name = DEVICES[device.node.type_name].rpartition(".")[2]
    module = import_module(f"ros_bridge.devices.{name}")
    bridge: DeviceBridge = module.BRIDGE(device)
    return bridge


__all__ = ["make_bridge"]
