"""The parameters of a run, checked with the tables of `bridge_params.py`.

Values come from these sources, later ones having priority: `config/<world>.yaml` next to the world's folder,
the files of `--params`, `--ros-args`, the options of the command line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.parameters.bridge_file import read_bridge_file
from ros_bridge.parameters.bridge_params import (
    DEVICE,
    GLOBAL,
    ROBOT,
    BridgeParams,
    DeviceTopics,
    RobotTopics,
)
from ros_bridge.parameters.controllers import DIFF_DRIVE, PREFIX, FoundParameter, controllers_of
from ros_bridge.parameters.fleets import PREFIX as FLEET
from ros_bridge.parameters.fleets import fleets_of
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameter_file import OF_RCLPY, Value, read_parameter_file, world_values
from ros_bridge.topics.layouts import LAYOUTS
from sim_core.base.config import OF_DRIVES, DriveConfig, SimulationConfig, is_setting, make_config
from sim_core.base.errors import ConfigError, hint
from sim_core.base.settings import Rule, rules_of
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene
from sim_core.scene.gazebo.found import LAYOUT

FAST_2D = "fast2d"
NAMING = ("layout", "namespace", "frame_prefix")
"""Parameters of a robot that separate it from others in a layout for one robot."""
OF_ROBOTS = ("robots", FLEET, PREFIX)
"""First words of parameters of robots."""


class Parameters(NamedTuple):
    """All parameters of a run."""

    bridge: BridgeParams
    simulation: SimulationConfig
    values: dict[str, Any]
    """Flat, by dotted name: every global one that has a value, and those set for robots and devices."""
    fields: tuple[Value, ...] = ()
    """Fields of nodes; whether these exist is checked by `check_fields`."""


@dataclass
class PresentParameters:
    """The parameters of the world that is loaded at present.

    Attributes:
        now: the parameters.
        robots: those that the world had at its start; others have come since.
    """

    now: Parameters
    robots: frozenset[str] = frozenset()


Devices = Mapping[str, Collection[str]]
"""Device names of each robot."""


def world_parameter_file(world: str | Path) -> Path | None:
    """Return `config/<world>.yaml` next to the folder of a world file, if it exists.

    For a world in a subfolder of `worlds`, such as `worlds/x3d/a.x3d`, also `config/x3d/a.yaml` next to
    `worlds`, else `config/x3d.yaml`, which applies to all worlds of that folder.
    """
    path = Path(world).resolve()
    files = [path.parent.parent / "config" / f"{path.stem}.yaml"]
    if path.parent.parent.name == "worlds":
        config = path.parents[2] / "config"
        files += [config / path.parent.name / f"{path.stem}.yaml", config / f"{path.parent.name}.yaml"]
    return next((file for file in files if file.is_file()), None)


def file_values(world: str | Path, params: Iterable[str | Path] = (), namespace: str = "") -> list[Value]:
    """Return the values in the parameter files of a run: that of its world, and further ones.

    Raises:
        ConfigError: a file cannot be read.
    """
    own = world_parameter_file(world)
    files = [*([] if own is None else [own]), *params]
    return [value for file in files for value in read_parameter_file(file, namespace)]


def are_instanced(values: Iterable[Value]) -> bool:
    """Return whether equal robots are held as arrays, which must be known before the world is read.

    Raises:
        ConfigError: a value is not allowed.
    """
    rule = GLOBAL["instanced"]
    found = [rule.check(each.value, each.where) for each in values if each.path == ("instanced",)]
    return bool(found and found[-1])


def is_of_any_world(value: Value) -> bool:
    """Return whether a parameter is of no robot and no node, so that it applies to every world."""
    return len(value.path) == 1 and value.path[0] not in OF_ROBOTS


def option_values(options: RunOptions) -> list[Value]:
    """Return the values set on the command line."""
    given = {name: getattr(options, name) for name in ("mode", "speed", "seed", "duration", "layout")}
    given["bridge_file"] = options.bridge
    if options.mode == FAST_2D:  # abbreviation for the parameter physics; the pacing is not changed
        return [Value(("physics",), FAST_2D, "--mode"), *option_values(replace(options, mode=None))]
    values = [
        Value((name,), value, f"--{name.removesuffix('_file')}")
        for name, value in given.items()
        if value is not None
    ]
    return [*values, Value(("wait_extern",), True, "--wait-extern")] if options.wait_extern else values


def build_parameters(values: Iterable[Value], devices: Devices, copies: Collection[str] = ()) -> Parameters:
    """Build all parameters from values; a later value of a name replaces an earlier one.

    Args:
        values: from files and options, in order.
        devices: robots of the world that are objects, with their devices.
        copies: names of robots that are held as arrays.

    Raises:
        ConfigError: an unknown name (with the closest known one), or a value that is not allowed.
    """
    flat: dict[tuple[str, ...], Any] = {}
    places: dict[tuple[str, ...], str] = {}
    fields: dict[tuple[str, ...], Value] = {}
    of_controllers: dict[tuple[str, ...], Value] = {}
    of_fleets: dict[tuple[str, ...], Value] = {}
    found_values = list(in_layout(list(values)))
    separated = separated_robots(found_values, devices)
    for value in (*found_values, *separated):
        if value.path == ("use_sim_time",) and value.value is not False:
            raise ConfigError(
                f"{value.where}: found use_sim_time, expected none: this node publishes the time"
            )
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
            "(instanced: true), expected 0: they keep their last command"
        )
    found = (
        FoundParameter(path[1], ".".join(path[2:]), *value[1:]) for path, value in of_controllers.items()
    )
    controllers = controllers_of(found, devices)
    robots = sorted({path[1] for path in flat if len(path) > 1})
    bridge = BridgeParams(
        **_of(BridgeParams, own),
        robots={name: _robot_topics(flat, name, devices[name]) for name in robots},
        controllers=controllers,
        fleets=fleets_of(of_fleets.values(), devices, copies),
        separated=tuple(each.path[1] for each in separated),
        bridged=tuple(read_bridge_file(own["bridge_file"])) if own["bridge_file"] else (),
    )
    settings = {path: value for path, value in flat.items() if is_setting(path)}
    for each in controllers:
        if each.kind == DIFF_DRIVE and not any(_is_drive(path, each.robot) for path in settings):
            for name, value in each.drive_settings.items():
                settings[("robots", each.robot, DriveConfig.name, name)] = value
    settings[("odometry_period",)] = bridge.state_period  # so that odometry is computed when it is published
    dotted = {".".join(path): where for path, where in places.items()}
    simulation = make_config(own["seed"], settings, dotted)
    named = {".".join(path): value for path, value in flat.items() if len(path) > 1}
    named |= {".".join(path): value.value for path, value in (of_controllers | of_fleets).items()}
    known = {k: v for k, v in own.items() if v is not None} | named
    return Parameters(bridge, simulation, known, tuple(fields.values()))


def with_spawned(bridge: BridgeParams, scene: Scene, known: Collection[str]) -> BridgeParams:
    """Return parameters with those that files set for robots which came after the start.

    Args:
        bridge: parameters of the start.
        scene: the world as it is.
        known: robots of the start.
    """
    devices = {name: own for name, own in device_names(scene).items() if name not in known}
    values = [each for each in world_values(scene) if _robot_of(each) in devices]
    if not values:
        return bridge
    made = build_parameters([Value(("layout",), bridge.layout, ""), *values], devices)
    return replace(bridge, robots={**bridge.robots, **made.bridge.robots})


def _robot_of(value: Value) -> str:
    """Return the robot of a parameter; empty: it is of none."""
    path = value.path[2:] if value.path[0] == "layout" else value.path
    return path[1] if path and path[0] == "robots" else ""


def in_layout(values: Sequence[Value]) -> Iterator[Value]:
    """Yield the values that apply to the layouts that they set (see `world_values`), those of layouts first.

    A file of ros_gz_bridge implies the layout of Gazebo, unless another is set.
    """
    layouts = {each.path: each.value for each in values if each.path[-1] == "layout"}
    bridges = [each for each in values if each.path == ("bridge_file",) and each.value]
    if bridges and ("layout",) not in layouts:
        layouts[("layout",)] = LAYOUT
        yield Value(("layout",), LAYOUT, bridges[-1].where)
    default = layouts.get(("layout",), GLOBAL["layout"].default)
    for each in values:
        if each.path[0] == "layout" and each.path[1:]:
            path = each.path[2:]
            if layouts.get((*path[:2], "layout"), default) == each.path[1]:
                yield each._replace(path=path)
    yield from (each for each in values if each.path[0] != "layout" or not each.path[1:])


def separated_robots(values: Sequence[Value], devices: Devices) -> list[Value]:
    """Return layouts that separate robots by their names, if the common layout has names for one robot only.

    That robot is the one with the most devices, the first of several; robots with a layout, namespace or
    prefix of their own have other names anyway.
    """
    layout = next((each for each in reversed(values) if each.path == ("layout",)), None)
    if layout is None or layout.value not in LAYOUTS or LAYOUTS[layout.value].namespace:
        return []
    named = {
        robot
        for kind, robot, *name in (each.path for each in values if len(each.path) == 3)
        if kind == "robots" and name[0] in NAMING
    }
    robots = [name for name in devices if name not in named]
    first = max(robots, key=lambda name: len(devices[name]), default="")
    return [
        Value(("robots", name, "layout"), next(iter(LAYOUTS)), layout.where)
        for name in robots
        if name != first
    ]


def _rule_of(value: Value, devices: Devices) -> Rule:
    """Return the rule of a parameter by its name.

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
    if path[2] in OF_DRIVES and len(path) == 4:
        return _look_up(OF_DRIVES[path[2]], path[3], where, f"parameter of {path[2]}")
    if len(path) == 3:
        return _look_up(ROBOT, path[2], where, f'parameter of robot "{robot}"', (*OF_DRIVES, *devices[robot]))
    device = ".".join(path[2:-1])
    _look_up(dict.fromkeys(devices[robot]), device, where, f'device of robot "{robot}"', OF_DRIVES)
    return _look_up(DEVICE, path[-1], where, f'parameter of device "{device}"')


def _look_up(table: Mapping[str, Any], name: str, where: str, what: str, also: Iterable[str] = ()) -> Any:
    if name in table:
        return table[name]
    known = [*table, *also]
    expected = f"{', '.join(known) or 'none'}{hint(name, known)}"
    raise ConfigError(f'{where}: found no {what} "{name}", expected {expected}')


def _part(flat: Mapping[tuple[str, ...], Any], *prefix: str) -> dict[str, Any]:
    """Return the values one level below a prefix."""
    size = len(prefix)
    return {path[-1]: v for path, v in flat.items() if path[:size] == prefix and len(path) == size + 1}


def _device_parts(
    flat: Mapping[tuple[str, ...], Any], robot: str, devices: Collection[str]
) -> dict[str, dict[str, Any]]:
    parts = {name: _part(flat, "robots", robot, *name.split(".")) for name in devices}
    return {name: part for name, part in parts.items() if part}


def _robot_topics(flat: Mapping[tuple[str, ...], Any], robot: str, devices: Collection[str]) -> RobotTopics:
    own = {
        name: DeviceTopics(**_of(DeviceTopics, part))
        for name, part in _device_parts(flat, robot, devices).items()
    }
    return RobotTopics(**_of(RobotTopics, _part(flat, "robots", robot)), devices=own)


def _of(config: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are settings of a dataclass."""
    return {name: value for name, value in values.items() if name in rules_of(config)}


def _is_drive(path: tuple[str, ...], robot: str) -> bool:
    """Return whether a parameter belongs to a robot's drive."""
    return path[:2] == ("robots", robot) and len(path) == 4 and path[2] in OF_DRIVES
