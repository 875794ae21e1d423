"""The devices, one file per node type.

`DEVICES` is the one table: node type to module. Each module has a class `DEVICE`, made with
`DEVICE(node, context)`.
"""

from __future__ import annotations

from importlib import import_module

from sim_core.devices.base import Actuator, Device, DeviceContext, Reading, Sensor
from sim_core.scene import Node

DEVICES: dict[str, str] = {
    "Accelerometer": "accelerometer",
    "Brake": "brake",
    "Compass": "compass",
    "DifferentialWheels": "differential_wheels",
    "DistanceSensor": "distance_sensor",
    "GPS": "gps",
    "Gyro": "gyro",
    "InertialUnit": "inertial_unit",
    "LinearMotor": "motor",
    "PositionSensor": "position_sensor",
    "RotationalMotor": "motor",
    "Servo": "servo",
}


def make_device(node: Node, context: DeviceContext) -> Device:
    """The device of a node.

    Raises:
        KeyError: the node type is not in `DEVICES`.
        DeviceError: the node's fields do not describe a device that can be simulated.
    """
    module = import_module(f"sim_core.devices.{DEVICES[node.type_name]}")
    device: Device = module.DEVICE(node, context)
    return device


__all__ = ["DEVICES", "Actuator", "Device", "DeviceContext", "Reading", "Sensor", "make_device"]
