"""The parameters of a run, checked against the tables of `parameter_table.py`.

Values come from, in this order, a later one winning: `config/<world>.yaml` beside the world's folder, the
files of `--params`, `--ros-args`, the options of the command line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.parameters.controllers import DIFF_DRIVE, PREFIX, Controller, Found, controllers_of
from ros_bridge.parameters.fleets import PREFIX as FLEET
from ros_bridge.parameters.fleets import Fleet, fleets_of
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameter_file import OF_RCLPY, Value, read_parameter_file
from ros_bridge.parameters.parameter_table import (
    DEVICE,
    DRIVES,
    GLOBAL,
    ODOM_SLIP,
    ROBOT,
    Rule,
)
from ros_bridge.topics.layouts import LAYOUTS, Layout
from ros_bridge.topics.names import robot_names
from ros_bridge.topics.qos import DEPTH, SENSOR, Qos
from sim_core.base.config import DriveConfig, SimulationConfig
from sim_core.base.errors import ConfigError, hint
from sim_core.base.settings import is_setting, make_config

FAST_2D = "fast2d"
SUFFIXES = {
    "image_suffix": ("image_color", "image"),
    "camera_info_suffix": ("camera_info",),
    "point_cloud_suffix": ("point_cloud",),
}
"""What devices call the topics whose ends these parameters tell."""
WHOLE = {name.replace("_suffix", "_topic"): ends for name, ends in SUFFIXES.items()}
"""Likewise of those that tell whole names."""
ROBOT_TOPICS = {"cmd_vel_topic", "odom_topic", "joint_states_topic", "imu_topic"}


@dataclass(frozen=True)
class DeviceTopics:
    """How a device appears on ROS."""

    topic: str | None = None
    frame_id: str | None = None
    always_on: bool = False
    qos: Qos = SENSOR
    suffixes: Mapping[str, str] = field(default_factory=dict)
    """Ends of topics as written, by the first part of what the device calls them."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """Whole names of topics, likewise."""
    angle_min: float | None = None
    image_frame: str | None = None


@dataclass(frozen=True)
class RobotTopics:
    """How a robot appears on ROS."""

    controllers: int = 1
    battery_voltage: float | None = None
    odom_slip: float = ODOM_SLIP
    cmd_vel_timeout: float | None = None
    layout: str | None = None
    namespace: str | None = None
    frame_prefix: str | None = None
    odom_frame: str | None = None
    base_frame: str | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    """Names of topics of the robot, by what layout `odesim` calls them."""
    imu_frame: str | None = None
    publish_tf: str = "all"
    root_frame: str | None = None
    devices: Mapping[str, DeviceTopics] = field(default_factory=dict)


@dataclass(frozen=True)
class BridgeParams:
    """Parameters of the bridge; the fields are the rows of `GLOBAL` and mean the same."""

    layout: str = "odesim"
    mode: str = "realtime"
    speed: float = 1.0
    duration: float | None = None
    clock_period: float = 0.01
    state_period: float = 0.02
    marker_period: float = 0.1
    trace_file: str = "traces.png"
    save_file: str = ""
    snapshot_file: str = ""
    shot_file: str = "shot.png"
    movie_file: str = "movie.mp4"
    animation_file: str = "animation.html"
    picture_size: str = ""
    picture_camera: str = ""
    cmd_vel_timeout: float = 0.0
    lockstep_timeout: float = 5.0
    lockstep_on_timeout: str = "wait"
    wait_extern: bool = False
    robots: Mapping[str, RobotTopics] = field(default_factory=dict)
    controllers: tuple[Controller, ...] = ()
    """Those of ros2_control."""
    fleets: tuple[Fleet, ...] = ()

    def has_single_topics(self, robot: str) -> bool:
        """Whether a robot has topics of its own."""
        return all(fleet.single_topics or not fleet.has(robot) for fleet in self.fleets)

    def robot(self, name: str) -> RobotTopics:
        """Of a robot by the `name` in the world file."""
        return self.robots.get(name, RobotTopics())

    def device(self, robot: str, device: str) -> DeviceTopics:
        """Of a device by the names in the world file."""
        return self.robot(robot).devices.get(device, DeviceTopics())

    def cmd_vel_timeout_of(self, robot: str) -> float:
        """The robot's own, or that of all."""
        own = self.robot(robot).cmd_vel_timeout
        return self.cmd_vel_timeout if own is None else own

    def layout_of(self, robot: str) -> Layout:
        """The robot's own, or that of all."""
        return LAYOUTS[self.robot(robot).layout or self.layout]

    def namespace_of(self, robot: str, ros_name: str) -> str:
        """Of a robot's topics, below that of the simulation, without slashes at its ends; empty: none."""
        own = self.robot(robot).namespace
        return self.layout_of(robot).namespace.format(robot=ros_name) if own is None else own.strip("/")

    def namespaces(self, robots: Iterable[str]) -> dict[str, str]:
        """The same of all robots of a world, which are given in file order, by their names."""
        return {name: self.namespace_of(name, each) for name, each in robot_names(robots).items()}


class Parameters(NamedTuple):
    """All parameters of a run."""

    bridge: BridgeParams
    simulation: SimulationConfig
    values: dict[str, Any]
    """Flat, by dotted name: every global one that has a value, and what was set for robots and devices."""
    fields: tuple[Value, ...] = ()
    """Fields of nodes; whether there are such nodes `field_names.check_fields` says."""


Devices = Mapping[str, Collection[str]]
"""Names of the devices of each robot."""


def world_parameter_file(world: str | Path) -> Path | None:
    """`config/<world>.yaml` beside the folder of a world file, if it exists.

    For a world in a folder of `worlds`, such as `worlds/x3d/a.x3d`, also `config/x3d/a.yaml` beside `worlds`,
    else `config/x3d.yaml`, which is for all worlds of the folder.
    """
    path = Path(world).resolve()
    files = [path.parent.parent / "config" / f"{path.stem}.yaml"]
    if path.parent.parent.name == "worlds":
        config = path.parents[2] / "config"
        files += [config / path.parent.name / f"{path.stem}.yaml", config / f"{path.parent.name}.yaml"]
    return next((file for file in files if file.is_file()), None)


def file_values(world: str | Path, params: Iterable[str | Path] = (), namespace: str = "") -> list[Value]:
    """What the parameter files of a run in a namespace say: that of its world, and more.

    Raises:
        ConfigError: one of them cannot be read.
    """
    own = world_parameter_file(world)
    files = [*([] if own is None else [own]), *params]
    return [value for file in files for value in read_parameter_file(file, namespace)]


def are_instanced(values: Iterable[Value]) -> bool:
    """Whether equal robots are to be held as arrays: that must be known before the world is read.

    Raises:
        ConfigError: a value that is not allowed.
    """
    rule = GLOBAL["instanced"]
    found = [rule.check(each.value, each.where) for each in values if each.path == ("instanced",)]
    return bool(found and found[-1])


def option_values(options: RunOptions) -> list[Value]:
    """What the command line says."""
    given = {name: getattr(options, name) for name in ("mode", "speed", "seed", "duration", "layout")}
    if options.mode == FAST_2D:  # short for the parameter physics; the pacing stays as it is
        return [Value(("physics",), FAST_2D, "--mode"), *option_values(replace(options, mode=None))]
    values = [Value((name,), value, f"--{name}") for name, value in given.items() if value is not None]
    return [*values, Value(("wait_extern",), True, "--wait-extern")] if options.wait_extern else values


def build_parameters(values: Iterable[Value], devices: Devices, copies: Collection[str] = ()) -> Parameters:
    """All parameters from their values; a later value of a name wins.

    Args:
        values: from files and options, in order.
        devices: the robots of the world that are objects, and their devices.
        copies: names of those that are held as arrays.

    Raises:
        ConfigError: an unknown name (with the closest known one), or a value that is not allowed.
    """
    flat: dict[tuple[str, ...], Any] = {}
    places: dict[tuple[str, ...], str] = {}
    fields: dict[tuple[str, ...], Value] = {}
    of_controllers: dict[tuple[str, ...], Value] = {}
    of_fleets: dict[tuple[str, ...], Value] = {}
    for value in values:
        if value.path == ("use_sim_time",) and value.value is not False:
            raise ConfigError(f"{value.where}: found use_sim_time, expected none: this node makes the time")
        if value.path[0] in OF_RCLPY:
            continue
        if value.path[0] == PREFIX:
            of_controllers[value.path] = value
            continue
        if value.path[0] == FLEET:
            of_fleets[value.path] = value
            continue
        if value.path[0] != "robots" and len(value.path) > 1:
            fields[value.path] = value
            continue
        if value.path[0] == "robots" and len(value.path) > 1 and value.path[1] in copies:
            raise ConfigError(
                f'{value.where}: found a parameter of "{value.path[1]}", which is held as an array '
                "(instanced: true), expected one of a robot with topics of its own"
            )
        rule = _rule_of(value, devices)
        flat[value.path] = rule.check(value.value, value.where)
        places[value.path] = value.where
    own: dict[str, Any] = {name: flat.get((name,), rule.default) for name, rule in GLOBAL.items()}
    if copies and own["cmd_vel_timeout"]:
        raise ConfigError(
            f"{places['cmd_vel_timeout',]}: found {own['cmd_vel_timeout']:g} s with robots held as arrays "
            "(instanced: true), expected 0: they go on until they are told otherwise"
        )
    found = (Found(path[1], ".".join(path[2:]), *value[1:]) for path, value in of_controllers.items())
    controllers = controllers_of(found, devices)
    robots = sorted({path[1] for path in flat if len(path) > 1})
    bridge = BridgeParams(
        **{name: own[name] for name in GLOBAL if name in BridgeParams.__dataclass_fields__},
        robots={name: _robot_topics(flat, name, devices[name]) for name in robots},
        controllers=controllers,
        fleets=fleets_of(of_fleets.values(), devices, copies),
    )
    settings = {path: value for path, value in flat.items() if is_setting(path)}
    for each in controllers:
        if each.kind == DIFF_DRIVE and not any(_is_drive(path, each.robot) for path in settings):
            for name, value in each.drive.items():
                settings[("robots", each.robot, DriveConfig.name, name)] = value
    settings[("odometry_period",)] = bridge.state_period  # reckoned at the times it is published at
    dotted = {".".join(path): where for path, where in places.items()}
    simulation = make_config(own["seed"], settings, dotted)
    named = {".".join(path): value for path, value in flat.items() if len(path) > 1}
    named |= {".".join(path): value.value for path, value in (of_controllers | of_fleets).items()}
    known = {k: v for k, v in own.items() if v is not None} | named
    return Parameters(bridge, simulation, known, tuple(fields.values()))


def _rule_of(value: Value, devices: Devices) -> Rule:
    """The rule of a parameter's name.

    Raises:
        ConfigError: there is no such parameter, robot or device.
    """
    path, where = value.path, value.where
    if path[0] != "robots":
        return _look_up(GLOBAL, path[0], where, "parameter", ("robots", FLEET))
    if len(path) < 3:
        raise ConfigError(
            f"{where}: found no parameter, expected robots: <robot's name>: <parameter>: <value>"
        )
    robot = path[1]
    _look_up(devices, robot, where, "robot")
    if path[2] in DRIVES and len(path) == 4:
        return _look_up(DRIVES[path[2]], path[3], where, f"parameter of {path[2]}")
    if len(path) == 3:
        return _look_up(ROBOT, path[2], where, f'parameter of robot "{robot}"', (*DRIVES, *devices[robot]))
    device = ".".join(path[2:-1])
    _look_up(dict.fromkeys(devices[robot]), device, where, f'device of robot "{robot}"', DRIVES)
    return _look_up(DEVICE, path[-1], where, f'parameter of device "{device}"')


def _look_up(table: Mapping[str, Any], name: str, where: str, what: str, also: Iterable[str] = ()) -> Any:
    if name in table:
        return table[name]
    known = [*table, *also]
    expected = f"{', '.join(known) or 'none'}{hint(name, known)}"
    raise ConfigError(f'{where}: found no {what} "{name}", expected {expected}')


def _part(flat: Mapping[tuple[str, ...], Any], *prefix: str) -> dict[str, Any]:
    """The values one level below a prefix."""
    size = len(prefix)
    return {path[-1]: v for path, v in flat.items() if path[:size] == prefix and len(path) == size + 1}


def _device_parts(
    flat: Mapping[tuple[str, ...], Any], robot: str, devices: Collection[str]
) -> dict[str, dict[str, Any]]:
    parts = {name: _part(flat, "robots", robot, *name.split(".")) for name in devices}
    return {name: part for name, part in parts.items() if part}


def _robot_topics(flat: Mapping[tuple[str, ...], Any], robot: str, devices: Collection[str]) -> RobotTopics:
    topics = {
        name: DeviceTopics(
            part.get("topic"),
            part.get("frame_id"),
            part.get("always_on", False),
            Qos(part.get("qos", "reliable") == "reliable", part.get("qos_depth", DEPTH)),
            _of_ends(SUFFIXES, part),
            _of_ends(WHOLE, part),
            part.get("angle_min"),
            part.get("image_frame"),
        )
        for name, part in _device_parts(flat, robot, devices).items()
    }
    own = _part(flat, "robots", robot)
    given = {name: value for name, value in own.items() if name in RobotTopics.__dataclass_fields__}
    named = {name.removesuffix("_topic"): own[name] for name in ROBOT_TOPICS & own.keys()}
    return RobotTopics(**given, topics=named, devices=topics)


def _of_ends(table: Mapping[str, Sequence[str]], part: Mapping[str, str]) -> dict[str, str]:
    """What parameters tell, by what devices call the topics that they are about."""
    return {end: part[name] for name, ends in table.items() if name in part for end in ends}


def _is_drive(path: tuple[str, ...], robot: str) -> bool:
    """Whether a parameter says how a robot drives."""
    return path[:2] == ("robots", robot) and len(path) == 4 and path[2] in DRIVES
