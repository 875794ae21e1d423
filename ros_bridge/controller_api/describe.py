"""Description of world, robot and devices that a controller receives at its start."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from sim_core.devices import Device, Sensor
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.inertial.gps import Gps
from sim_core.devices.inertial.inertial_unit import InertialUnit
from sim_core.devices.motors.brake import Brake
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.touch.position_sensor import PositionSensor
from sim_core.devices.vision.camera import Camera
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.scene import Node
from sim_core.scene.axes import NUE_TO_ENU
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation
from webots_api.controller.robot import CLASSES


def describe(sim: Simulation, robot: Robot, devices: list[Device | Node]) -> dict[str, Any]:
    """Return the description of the world, the robot and its devices."""
    file = Path(sim.scene.file).absolute()
    node = robot.node
    return {
        "time": sim.time,
        "step": sim.step_ns / 1e6,
        "version": sim.scene.header.version,
        "file": str(file),
        "project": str(file.parent.parent),
        "custom": node["customData"] if node.has_field("customData") else "",
        "robot": {
            "name": robot.name,
            "model": node["model"] if node.has_field("model") else "",
            "controller": robot.controller,
            "arguments": node["controllerArgs"],
            "synchronization": robot.synchronized,
            "supervisor": is_supervisor(robot),
            "wheels": [name for name, each in robot.devices.items() if isinstance(each, DifferentialWheels)],
        },
        "devices": [describe_device(robot, each, devices) for each in devices],
    }


def is_supervisor(robot: Robot) -> bool:
    """Return whether the robot has the rights of a supervisor."""
    node = robot.node
    return node.type_name == "Supervisor" or bool(node.has_field("supervisor") and node["supervisor"])


def devices_of(robot: Robot) -> list[Device | Node]:
    """Return the devices in file order, followed by those not simulated; the indices are their numbers."""
    return [*robot.devices.values(), *robot.not_simulated, *robot.left_out.values()]


def describe_device(robot: Robot, device: Device | Node, devices: list[Device | Node]) -> dict[str, Any]:
    """Return the description of a device; of a node: one that is not simulated."""
    if isinstance(device, Device):
        return _device(robot, device, devices)
    return {**_base(device, device["name"]), "is_simulated": False}


def _base(node: Node, name: str) -> dict[str, Any]:
    """Return type, name and the fields with numbers and text."""
    fields = {
        field: node[field] for field, kind in node.node_type.fields.items() if not kind.type.endswith("Node")
    }
    return {"name": name, "type": node.type_name, "fields": fields}


def _device(robot: Robot, device: Device, devices: list[Device | Node]) -> dict[str, Any]:
    description = _base(robot.nodes[device.name], device.name)
    fields = description["fields"]
    if device.spec.type_name not in CLASSES:
        description["commands"] = {name: list(spec.arguments) for name, spec in device.commands.items()}
        if isinstance(device, Sensor):
            description["channels"] = {
                name: [each.unit, each.shape] for name, each in device.channels.items()
            }
    if isinstance(device, Motor):
        low, high = device.limits.min_position, device.limits.max_position
        limited = not (math.isinf(low) or math.isinf(high))
        fields["minPosition"], fields["maxPosition"] = (low, high) if limited else (0.0, 0.0)
        description.update(
            max_velocity=device.max_velocity, max_effort=device.max_effort, target=device.target_position
        )
        description["coupled"] = [devices.index(each) for each in device.coupled if each is not device]
    elif isinstance(device, (Brake, PositionSensor)):
        place = device.spec.axis
        description["is_linear"] = place is not None and place.joint_type == "SliderJoint"
    elif isinstance(device, InertialUnit):
        description["coordinate_system"] = "NUE" if device.spec.axes.world == NUE_TO_ENU else "ENU"
    elif isinstance(device, Gps):
        description["is_geographic"] = device.is_geographic
    elif isinstance(device, Lidar):
        description["width"] = device.resolution
    elif isinstance(device, PictureSensor):
        description.update(width=device.view.width, height=device.view.height)
    if isinstance(device, Camera):
        description.update(has_recognition=device.has_recognition, has_segmentation=device.has_segmentation)
        description.update(fov=device.fov, exposure=device.exposure)
        if device.zoom is not None:
            description["zoom"] = list(device.zoom)
        if device.focal_limits is not None:
            description["focus"] = [
                device.focal_distance,
                device.spec["focus"]["focalLength"],
                *device.focal_limits,
            ]
    if isinstance(device, (Motor, Brake, PositionSensor)):
        _add_neighbours(description, device, devices)
    return description


def _add_neighbours(description: dict[str, Any], device: Device, devices: list[Device | Node]) -> None:
    """Add the other devices at the same joint axis."""
    kinds = {"motor": Motor, "brake": Brake, "sensor": PositionSensor}
    place = device.spec.axis
    for number, other in enumerate(devices):
        if not isinstance(other, Device) or other is device or place is None:
            continue
        there = other.spec.axis
        if there is not None and there.key == place.key:
            description.update({name: number for name, kind in kinds.items() if isinstance(other, kind)})
