"""Devices of robots: one module per node type, grouped in folders by kind.

`DEVICES` is the only table from node type to module. The class has the name of its module: the class in
`inertial_unit` is `InertialUnit`, constructed as `InertialUnit(spec, context)`.
"""

from __future__ import annotations

from importlib import import_module

from sim_core.devices.base import Actuator, Device, DeviceContext
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec

DEVICES: dict[str, str] = {
    "Accelerometer": "inertial.accelerometer",
    "Altimeter": "inertial.altimeter",
    "Brake": "motors.brake",
    "Camera": "vision.camera",
    "Compass": "inertial.compass",
    "Connector": "touch.connector",
    "DifferentialWheels": "drives.differential_wheels",
    "Display": "drawing.display",
    "DistanceSensor": "ranging.distance_sensor",
    "Emitter": "radio.emitter",
    "ForceTorque": "touch.force_torque",
    "GPS": "inertial.gps",
    "Gyro": "inertial.gyro",
    "InertialUnit": "inertial.inertial_unit",
    "LED": "light.led",
    "Lidar": "ranging.lidar",
    "LightSensor": "light.light_sensor",
    "LinearMotor": "motors.motor",
    "Microphone": "sound.microphone",
    "Pen": "drawing.pen",
    "PositionSensor": "touch.position_sensor",
    "Radar": "ranging.radar",
    "RangeFinder": "vision.range_finder",
    "Receiver": "radio.receiver",
    "RotationalMotor": "motors.motor",
    "Servo": "motors.servo",
    "Speaker": "sound.speaker",
    "TouchSensor": "touch.touch_sensor",
    "VacuumGripper": "touch.vacuum_gripper",
}

PLANAR: dict[str, str] = {"DistanceSensor": "ranging.planar_distance_sensor"}
"""Node type to module where the engine moves rolling robots itself; takes precedence over `DEVICES`."""


def is_simulated(spec: DeviceSpec) -> bool:
    """Return True if a node has a device class; a Servo of type "none" has neither axis nor motor."""
    return spec["type"] != "none" if spec.type_name == "Servo" else spec.type_name in DEVICES


def make_device(spec: DeviceSpec, context: DeviceContext) -> Device:
    """Make the device that a spec describes.

    Raises:
        KeyError: the node type is not in `DEVICES`.
        DeviceError: the fields do not describe a device that can be simulated.
    """
    module = DEVICES[spec.type_name]
    if context.world.can.rolling is not None:  # such an engine measures the sensors of all robots at once
        module = PLANAR.get(spec.type_name, module)
    return class_in(module)(spec, context)


def class_in(module: str) -> type[Device]:
    """Return the device class in a module, which is a value of `DEVICES`."""
    name = module.rpartition(".")[2].title().replace("_", "")
    kind: type[Device] = getattr(import_module(f"sim_core.devices.{module}"), name)
    return kind


__all__ = [
    "DEVICES",
    "Actuator",
    "Device",
    "DeviceContext",
    "Reading",
    "Sensor",
    "class_in",
    "is_simulated",
    "make_device",
]
