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
    "Altimeter": "altimeter",
    "Brake": "brake",
    "Camera": "camera",
    "Compass": "compass",
    "Connector": "connector",
    "DifferentialWheels": "differential_wheels",
    "Display": "display",
    "DistanceSensor": "distance_sensor",
    "Emitter": "emitter",
    "GPS": "gps",
    "Gyro": "gyro",
    "InertialUnit": "inertial_unit",
    "LED": "led",
    "Lidar": "lidar",
    "LightSensor": "light_sensor",
    "LinearMotor": "motor",
    "Microphone": "microphone",
    "Pen": "pen",
    "PositionSensor": "position_sensor",
    "Radar": "radar",
    "RangeFinder": "range_finder",
    "Receiver": "receiver",
    "RotationalMotor": "motor",
    "Servo": "servo",
    "Speaker": "speaker",
    "TouchSensor": "touch_sensor",
    "VacuumGripper": "vacuum_gripper",
}

PLANAR: dict[str, str] = {"DistanceSensor": "planar_distance_sensor"}
"""Node type to module, in place of that in `DEVICES`, in the fast 2D mode."""


def make_device(node: Node, context: DeviceContext) -> Device:
    """The device of a node.

    Raises:
        KeyError: the node type is not in `DEVICES`.
        DeviceError: the node's fields do not describe a device that can be simulated.
    """
    name = DEVICES[node.type_name]
    if context.world.is_planar:
        name = PLANAR.get(node.type_name, name)
    module = import_module(f"sim_core.devices.{name}")
    device: Device = module.DEVICE(node, context)
    return device


__all__ = ["DEVICES", "Actuator", "Device", "DeviceContext", "Reading", "Sensor", "make_device"]
