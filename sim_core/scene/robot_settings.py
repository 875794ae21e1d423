"""Parameters of a robot and of its devices that its file sets in addition to their nodes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sim_core.base.config import DRIVES, DeviceConfig, Name, RobotConfig, SimulationConfig, make_config
from sim_core.base.errors import SceneError
from sim_core.scene.gazebo.found import LAYOUT
from sim_core.scene.node import Node
from sim_core.scene.robot_description import RobotDescription
from sim_core.scene.scene import Composite, DeviceSetting, DriverPlugin, Scene

EXTERN = "<extern>"
"""Controller name of a robot that is controlled by another program."""
LONGEST_PROPERTIES = 50_000
"""Characters in JSON: plugins get them on a command line, whose arguments may have 128 kB."""
_ILLEGAL = re.compile(r"[^A-Za-z0-9_]+")
"""Characters that are not allowed in ROS names."""
_ROBOT_PARAMETERS = ("moved_by_twist", "odometry_period")
_NOISE = ("gaussian", "bias", "fault_fields")


def with_device_settings(config: SimulationConfig, scene: Scene) -> SimulationConfig:
    """Return a configuration with sampling periods, noise and drives of URDF tags, where it does not set
    them."""
    robots = dict(config.robots)
    of_robots: dict[Name, object] = {}
    for setting in scene.device_settings:
        robot = robots.get(setting.robot, RobotConfig())
        device = robot.devices.get(setting.device, DeviceConfig())
        if setting.device in DRIVES or setting.name in _ROBOT_PARAMETERS:
            path = ("robots", setting.robot, *filter(None, (setting.device,)), setting.name)
            of_robots[path] = setting.value
            continue
        if setting.name == "sampling_period" and device.sampling_period is None:
            device = replace(device, sampling_period=setting.value)
        elif setting.name in _NOISE and not getattr(device.faults, setting.name):
            device = replace(device, faults=replace(device.faults, **{setting.name: setting.value}))
        else:
            continue
        robots[setting.robot] = replace(robot, devices={**robot.devices, setting.device: device})
    for name, made in make_config(None, of_robots).robots.items():
        robot = robots.get(name, RobotConfig())
        own = robot.odometry_period
        period = made.odometry_period if own is None else own
        robots[name] = replace(
            robot,
            drive=robot.drive or made.drive,
            moved_by_twist=robot.moved_by_twist or made.moved_by_twist,
            odometry_period=period,
        )
    return replace(config, robots=robots) if scene.device_settings else config


def settings_of(
    model: RobotDescription, robot: Node, scene: Scene, warnings: list[SceneError]
) -> Iterator[DeviceSetting]:
    """Yield the settings of device tags, for devices that exist."""
    devices: Mapping[str, Node] = {node["name"]: node for node in robot.walk() if node.is_a("Device")}
    names = _names(model, scene)
    for tag in model.devices:
        node = devices.get(tag.name)
        if node is None:
            if tag.enabled:
                found = f'<device reference="{tag.reference}">: no link, no motor and no sensor has that name'
                warnings.append(SceneError(*tag.source, found))
            continue
        if tag.type_name and tag.type_name != node.type_name:  # webots_ros2 ignores the type
            found = f'device "{tag.reference}" of type "{tag.type_name}": it is a {node.type_name}'
            warnings.append(SceneError(*tag.source, found))
        for name, value in tag.settings.items():
            yield DeviceSetting(model.name, tag.name, name, value, str(tag.source))
        for name, value in tag.defaults.items():
            where = str(tag.source)
            yield DeviceSetting(model.name, tag.name, name, _with_names(value, names), where, LAYOUT)
    for item in model.settings:
        if item.name == "base_frame" and item.value != model.root and item.value in model.links:
            found = f'odometry of the link "{item.value}": that of "{model.root}" is published'
            warnings.append(SceneError(*item.source, found))
            continue
        if item.device not in ("", *DRIVES, *devices):
            found = f'{item.name} of the joint "{item.device}", which cannot move'
            warnings.append(SceneError(*item.source, found))
            continue
        value = _with_names(item.value, names)
        yield DeviceSetting(model.name, item.device, item.name, value, str(item.source), item.layout)
    if model.root and (model.settings or any(tag.defaults for tag in model.devices)):
        yield DeviceSetting(model.name, "", "base_frame", model.root, str(model.source), LAYOUT)
    for composite in model.composites:
        period = composite.settings.get("sampling_period")
        for device in composite.devices if period is not None else ():
            yield DeviceSetting(model.name, device, "sampling_period", period, str(composite.source))


def _names(model: RobotDescription, scene: Scene) -> dict[str, str]:
    """Return the names of the world and of a robot in ROS names."""
    world, own = (_ILLEGAL.sub("_", name) for name in (scene.world_info["title"], model.name))
    return {"world": world or "default", "robot": own}


def _with_names(value: object, names: Mapping[str, str]) -> object:
    """Return a value with `{world}` and `{robot}` replaced by names."""
    for name, text in names.items():
        value = value.replace(f"{{{name}}}", text) if isinstance(value, str) else value
    return value


def composites_of(model: RobotDescription, robot: Node, scene: Scene) -> Iterator[Composite]:
    """Yield the composite devices of plugin tags.

    Raises:
        SceneError: the robot does not have one of the devices.
    """
    devices = {node["name"]: node.type_name for node in robot.walk() if node.is_a("Device")}
    names = _names(model, scene)
    for tag in model.composites:
        for name, kind in tag.devices.items():
            if devices.get(name) != kind:
                known = ", ".join(f'"{each}"' for each, its in devices.items() if its == kind) or "none"
                found = f'the {kind} "{name}" of a {tag.kind} plugin'
                raise SceneError(*tag.source, found, f"one of the robot's: {known}")
        settings = {
            key: _with_names(value, names) for key, value in tag.settings.items() if key != "sampling_period"
        }
        defaults = {key: _with_names(value, names) for key, value in tag.defaults.items()}
        yield Composite(model.name, tag.kind, tuple(tag.devices), settings, defaults)


def plugins_of(
    model: RobotDescription, robot: Node, path: str | Path, scene: Scene, warnings: list[SceneError]
) -> Iterator[DriverPlugin]:
    """Yield the plugins that drive the robot, if it has no controller.

    Raises:
        SceneError: their properties are too long.
    """
    length = len(json.dumps([tag.properties for tag in model.plugins]))
    if length > LONGEST_PROPERTIES:
        found = f"plugins with properties of {length} characters"
        raise SceneError(*model.plugins[0].source, found, f"at most {LONGEST_PROPERTIES}")
    step = scene.world_info["basicTimeStep"] / 1000.0
    named = {node["name"] for node in robot.walk() if node.is_a("Device")}
    tags = [(tag.settings, [tag.name]) for tag in model.devices if tag.name in named]
    tags += [(tag.settings, list(tag.devices)) for tag in model.composites]
    always_on = {
        device: _whole_steps(settings.get("sampling_period", 0.0), step)
        for settings, devices in tags
        for device in devices
        if settings.get("always_on")
    }
    for tag in model.plugins:
        if robot["controller"] == EXTERN:
            file, where = str(Path(path).resolve()), str(tag.source)
            yield DriverPlugin(model.name, tag.type_name, tag.properties, always_on, file, where)
        else:
            found = f'plugin "{tag.type_name}" is left out: the robot has controller "{robot["controller"]}"'
            warnings.append(SceneError(*tag.source, found, f'"{EXTERN}"'))


def _whole_steps(period: object, step: float) -> float:
    """Return a period in s, rounded up to whole steps, at least one."""
    return max(1, math.ceil(float(str(period)) / step - 1e-6)) * step
