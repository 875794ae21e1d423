"""The topics of the devices, one file per device, named as in `sim_core/devices`.

`BRIDGES` is the one table: node type to module. Each module has a class `BRIDGE`, made with
`BRIDGE(device)`.
"""

from __future__ import annotations

from importlib import import_module

from ros_bridge.base import DeviceBridge
from sim_core.devices import Device

BRIDGES: dict[str, str] = {
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


def make_bridge(device: Device) -> DeviceBridge:
    """The bridge of a device.

    Raises:
        KeyError: the node type is not in `BRIDGES`.
    """
    module = import_module(f"ros_bridge.devices.{BRIDGES[device.node.type_name]}")
    bridge: DeviceBridge = module.BRIDGE(device)
    return bridge


__all__ = ["BRIDGES", "make_bridge"]
