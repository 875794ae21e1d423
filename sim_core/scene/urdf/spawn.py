"""Puts the robots of URDF files into a world."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sim_core.base.config import DRIVES, DeviceConfig, Name, RobotConfig, SimulationConfig, make_config
from sim_core.base.errors import ConfigError, SceneError, SceneErrors
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw
from sim_core.scene.axes import put_at_root
from sim_core.scene.gazebo.found import LAYOUT
from sim_core.scene.node import Node
from sim_core.scene.robot_description import LinkShape, RobotDescription
from sim_core.scene.scene import Composite, DeviceSetting, DriverPlugin, Scene
from sim_core.scene.urdf.mesh_urls import PACKAGE
from sim_core.scene.urdf.reader import read_urdf
from sim_core.scene.urdf.to_scene import contact_properties, robot_node

EXTERN = "<extern>"
"""The controller of a robot that a world leaves to others."""
LONGEST_PROPERTIES = 50_000
"""Characters in JSON: plugins get them on a command line, of which a word may have 128 kB."""
_PLACE = re.compile(r"^(?P<file>.+)@(?P<numbers>[^@]*)$")
_VALUE = re.compile(r"\s+([A-Za-z_]\w*):=")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_]+")
"""What no name on ROS has."""
_OF_ROBOTS = ("moved_by_twist", "odometry_period")
_NOISE = ("gaussian", "bias", "fault_fields")
_NUMBERS = re.compile(r"[-+0-9.eE,\s]+")


class Placement(NamedTuple):
    """Where a robot is put: m and rad; z None: its lowest collision shape touches z = 0."""

    x: float = 0.0
    y: float = 0.0
    z: float | None = None
    yaw: float = 0.0


ORIGIN = Placement()
_WITHOUT_SIZE = ("mesh", "plane", "grid")
"""Kinds of collision shapes whose lowest point is not looked for."""


class SpawnRequest(NamedTuple):
    """What `--urdf` says: a file, where its robot is put, values for its `<xacro:arg>` by name.

    `robot` is the one of the world that the file's tags are about, in place of a robot of its own; empty: the
    file says.
    """

    file: str
    place: Placement = ORIGIN
    values: Mapping[str, str] = MappingProxyType({})
    robot: str = ""


def parse_argument(text: str) -> SpawnRequest:
    """`robot.urdf`, `robot.urdf@x,y` or `robot.urdf@x,y,z,yaw`, in which z may be empty; `robot.urdf@ROBOT`.

    Behind any of these may stand values for xacro, as in `robot.urdf.xacro@1,2 name:=left wheels:=4`.

    Raises:
        ConfigError: there are other than two or four numbers behind the @, or one is not finite.
    """
    if Path(text).exists():
        return SpawnRequest(text)
    head, *rest = _VALUE.split(text.strip())
    values = dict(zip(rest[::2], rest[1::2], strict=True))
    match = None if Path(head).exists() else _PLACE.match(head)
    if match is None or not (_NUMBERS.fullmatch(match["numbers"]) or Path(match["file"]).is_file()):
        return SpawnRequest(head, ORIGIN, values)
    behind = match["numbers"].strip()
    if behind and "," not in behind and not _NUMBERS.fullmatch(behind):
        return SpawnRequest(match["file"], ORIGIN, values, behind)
    words = [word.strip() for word in behind.split(",")]
    try:
        if len(words) not in (2, 4):
            raise ValueError
        x, y = float(words[0]), float(words[1])
        z = float(words[2]) if len(words) == 4 and words[2] else None
        yaw = float(words[3]) if len(words) == 4 else 0.0
        if not all(math.isfinite(value) for value in (x, y, z or 0.0, yaw)):
            raise ValueError
    except ValueError:
        expected = "expected x,y or x,y,z,yaw, or the name of a robot"
        raise ConfigError(f'--urdf {text}: found "{match["numbers"]}", {expected}') from None
    return SpawnRequest(match["file"], Placement(x, y, z, yaw), values)


def add_urdf(
    scene: Scene,
    path: str | Path,
    place: Placement = ORIGIN,
    values: Mapping[str, str] | None = None,
    robot: str = "",
) -> Node:
    """Put the robot of a URDF or xacro file into a scene that is not simulated yet.

    Args:
        scene: gets the Robot node, the contact properties of its links, the settings of its devices, and
            warnings.
        path: of the file.
        place: of the link that the file has as its root.
        values: of the file's `<xacro:arg>`, by name.
        robot: the name of the robot in the scene whose devices the file sets; its links then count nothing.

    Returns:
        The Robot node. Of a file without links, as webots_ros2 has them, it is that of the robot in the scene
        whose devices the file sets: `robot`, the one of its name, or the only one.

    Raises:
        SceneErrors: the file is wrong, or a robot of the scene has the robot's name.
    """
    model, warnings = read_urdf(path, values)
    if model.is_about_another or robot:
        return _set_devices(scene, model, path, warnings, robot)
    for node in scene.walk():
        if node.is_a("Robot") and node["name"] == model.name:
            found = f'a second robot named "{model.name}"'
            expected = f"a name of its own (the first is at {node.where})"
            raise SceneErrors([SceneError(*model.source, found, expected)])
    node = put_in(scene, model, path, _pose(model, place), warnings)
    scene.warnings += warnings
    _add_friction(scene, model)
    return node


def put_in(
    scene: Scene,
    model: RobotDescription,
    path: str | Path,
    pose: Pose,
    warnings: list[SceneError],
    type_name: str = "Robot",
) -> Node:
    """Put a robot with all that it has into a scene.

    Args:
        scene: gets the node, the settings of its devices and its plugins.
        model: the robot.
        path: of its file.
        pose: of its root in ENU.
        warnings: get what is not as the model says.
        type_name: see `robot_node`.

    Raises:
        SceneErrors: a device tag is wrong, or a collision shape is nowhere.
    """
    try:
        node = robot_node(model, warnings, type_name)
        settings = list(_settings(model, node, scene, warnings))
        composites = list(_composites(model, node, scene))
        plugins = list(_plugins(model, node, path, scene, warnings))
        _check_packages(node, scene, warnings)
    except SceneError as error:
        raise SceneErrors([error]) from None
    put_at_root(scene, node, pose)
    scene.nodes.append(node)
    Node.arrangement = object()
    scene.device_settings += settings
    scene.composites += composites
    scene.plugins += plugins
    return node


def _set_devices(
    scene: Scene, model: RobotDescription, path: str | Path, warnings: list[SceneError], name: str
) -> Node:
    """Set the devices of a robot that is in the scene already."""
    robots = [node for node in scene.walk() if node.is_a("Robot")]
    named = [node for node in robots if node["name"] == (name or model.name)]
    if not named and (name or len(robots) != 1):
        names = ", ".join(f'"{node["name"]}"' for node in robots) or "none"
        without = "" if name else "a robot without links and "
        found = f'{without}no robot "{name or model.name}" in the world'
        raise SceneErrors([SceneError(*model.source, found, f"the name of one of its robots: {names}")])
    robot = (named or robots)[0]
    model.name = robot["name"]
    try:
        composites = list(_composites(model, robot, scene))
        plugins = list(_plugins(model, robot, path, scene, warnings))
        scene.device_settings += list(_settings(model, robot, scene, warnings))
        scene.plugins += plugins
        scene.composites += composites
    except SceneError as error:
        raise SceneErrors([error]) from None
    scene.warnings += warnings
    return robot


def _check_packages(robot: Node, scene: Scene, warnings: list[SceneError]) -> None:
    """Say which packages of meshes are nowhere.

    Raises:
        SceneError: a collision shape needs one, and what is missing is not to be skipped.
    """
    said: set[str] = set()
    for node in robot.walk():
        url = node["url"][0] if node.has_field("url") and node["url"] else ""
        if not url.startswith(PACKAGE):
            continue
        name = url.removeprefix(PACKAGE).partition("/")[0]
        problem = SceneError(
            *node.source,
            f'package "{name}" is not above the file, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH',
        )
        collides = any(above.parent_field == "boundingObject" for above in (node, *node.ancestors()))
        if collides and not scene.skip_missing:
            raise problem
        if name not in said:
            said.add(name)
            warnings.append(problem)


def with_device_settings(config: SimulationConfig, scene: Scene) -> SimulationConfig:
    """The sampling periods, noise and drives that URDF tags ask for, where the config says nothing else."""
    robots = dict(config.robots)
    of_robots: dict[Name, object] = {}
    for setting in scene.device_settings:
        robot = robots.get(setting.robot, RobotConfig())
        device = robot.devices.get(setting.device, DeviceConfig())
        if setting.device in DRIVES or setting.name in _OF_ROBOTS:
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


def _pose(model: RobotDescription, place: Placement) -> Pose:
    z = place.z
    if z is None:
        lowest = min(lowest_points(model), default=0.0)
        z = -lowest
    return Pose((place.x, place.y, z), rotation_from_roll_pitch_yaw(0.0, 0.0, place.yaw)) * model.start


def lowest_points(model: RobotDescription) -> Iterator[float]:
    """z of the lowest point of each collision shape that is no mesh, all joints at 0, in the file's frame."""
    below = model.joints_below()
    pending = [(model.root, model.start)]
    while pending:
        name, pose = pending.pop()
        for shape in model.links[name].collisions:
            if shape.geometry.kind not in _WITHOUT_SIZE:
                yield _lowest_point(shape, pose)
        pending += [(joint.child, pose * joint.origin) for joint in below[name]]


def _lowest_point(shape: LinkShape, pose: Pose) -> float:
    placed = pose * shape.origin
    if shape.geometry.kind == "faces":
        return min(placed.apply(point)[2] for point in shape.geometry.points)
    size, z = shape.geometry.size, placed.position[2]
    x_down, y_down, z_down = (abs(value) for value in placed.rotation[6:])
    if shape.geometry.kind == "box":
        return z - (x_down * size[0] + y_down * size[1] + z_down * size[2]) / 2.0
    if shape.geometry.kind == "sphere":
        return z - size[0]
    radius, length = size
    if shape.geometry.kind == "capsule":
        return z - radius - z_down * length / 2.0
    return z - z_down * length / 2.0 - radius * math.sqrt(max(0.0, 1.0 - z_down * z_down))


def _add_friction(scene: Scene, model: RobotDescription) -> None:
    info, made = scene.world_info, contact_properties(model)
    if made:
        info["contactProperties"] = [*info["contactProperties"], *made]


def _settings(
    model: RobotDescription, robot: Node, scene: Scene, warnings: list[SceneError]
) -> Iterator[DeviceSetting]:
    """What the device tags set, for devices that are there."""
    devices: Mapping[str, Node] = {node["name"]: node for node in robot.walk() if node.is_a("Device")}
    step, names = scene.world_info["basicTimeStep"] / 1000.0, _names(model, scene)
    for tag in model.devices:
        node = devices.get(tag.name)
        if node is None:
            if tag.enabled:
                found = f'<device reference="{tag.reference}">: no link, no motor and no sensor has that name'
                warnings.append(SceneError(*tag.source, found))
            continue
        if tag.type_name and tag.type_name != node.type_name:  # webots_ros2 does not look at it
            found = f'device "{tag.reference}" of type "{tag.type_name}": it is a {node.type_name}'
            warnings.append(SceneError(*tag.source, found))
        for name, value in tag.settings.items():
            if name == "sampling_period":
                value = _whole_steps(value, step)
            yield DeviceSetting(model.name, tag.name, name, value, str(tag.source))
        for name, value in tag.defaults.items():
            where = str(tag.source)
            yield DeviceSetting(model.name, tag.name, name, _filled(value, names), where, LAYOUT)
    for item in model.settings:
        if item.name == "base_frame" and item.value != model.root and item.value in model.links:
            found = f'odometry of the link "{item.value}": that of "{model.root}" is told'
            warnings.append(SceneError(*item.source, found))
            continue
        value = _filled(item.value, names)
        yield DeviceSetting(model.name, item.device, item.name, value, str(item.source), item.layout)
    if model.root and (model.settings or any(tag.defaults for tag in model.devices)):
        yield DeviceSetting(model.name, "", "base_frame", model.root, str(model.source), LAYOUT)
    for composite in model.composites:
        period = composite.settings.get("sampling_period")
        for device in composite.devices if period is not None else ():
            yield DeviceSetting(
                model.name, device, "sampling_period", _whole_steps(period, step), str(composite.source)
            )


def _names(model: RobotDescription, scene: Scene) -> dict[str, str]:
    """What the world and a robot are called in names on ROS."""
    world, own = (_ILLEGAL.sub("_", name) for name in (scene.world_info["title"], model.name))
    return {"world": world or "default", "robot": own}


def _filled(value: object, names: Mapping[str, str]) -> object:
    """A value with names in the place of `{world}` and `{robot}`."""
    for name, text in names.items():
        value = value.replace(f"{{{name}}}", text) if isinstance(value, str) else value
    return value


def _composites(model: RobotDescription, robot: Node, scene: Scene) -> Iterator[Composite]:
    """What the plugin tags put together.

    Raises:
        SceneError: the robot has no such device.
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
            key: _filled(value, names) for key, value in tag.settings.items() if key != "sampling_period"
        }
        defaults = {key: _filled(value, names) for key, value in tag.defaults.items()}
        yield Composite(model.name, tag.kind, tuple(tag.devices), settings, defaults)


def _plugins(
    model: RobotDescription, robot: Node, path: str | Path, scene: Scene, warnings: list[SceneError]
) -> Iterator[DriverPlugin]:
    """The plugins that drive the robot, unless a controller of its own does.

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
    """A period in s, rounded up to whole steps, at least one."""
    return max(1, math.ceil(float(str(period)) / step - 1e-6)) * step
