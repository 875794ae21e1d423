"""The parameters of the simulation node: one table of names, types, defaults and limits.

Values come from, in this order, a later one winning: `config/<world>.yaml` beside the world's folder, the
files of `--params`, `--ros-args`, the options of the command line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ros_bridge.options import RunOptions
from ros_bridge.parameter_file import Value
from ros_bridge.qos import DEPTH, SENSOR, Qos
from sim_core.clock import LONGEST
from sim_core.config import (
    PHYSICS,
    AckermannConfig,
    DeviceConfig,
    DriveConfig,
    FaultConfig,
    RobotConfig,
    SimulationConfig,
)
from sim_core.errors import ConfigError, hint

FAST_2D = "fast2d"
ODOM_SLIP = 1e-5
"""m: 3.2 mm of standard deviation after 1 m, 1 cm after 10 m, for each wheel."""
HIGHEST = 2**63 - 1
"""No whole number of a ROS parameter is higher."""
MODES = ("realtime", "fast", "paused")
SYNCHRONIZATION = {"world": None, "always": True, "never": False}


class Rule(NamedTuple):
    """What a parameter may be."""

    type: type
    """float (an int will do), int, bool, str, or list: of strings."""
    default: Any
    """None: not set, as the world file or the enclosing level says."""
    about: str
    """What it means, with the unit."""
    low: float = -math.inf
    """Lowest value; the value itself is allowed unless `above` is True."""
    above: bool = False
    choices: tuple[str, ...] = ()
    high: float = math.inf
    """Highest value."""
    endings: tuple[str, ...] = ()
    """Of a file's name."""
    form: tuple[str, str] = ("", "")
    """A regular expression that a text fits, and the same in words."""

    def check(self, value: Any, where: str) -> Any:
        """The value in the parameter's type.

        Raises:
            ConfigError: it has another type or is past a limit.
        """
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        fits = isinstance(value, self.type) and (self.type is not int or not isinstance(value, bool))
        if fits and self.type is list:
            fits = all(isinstance(item, str) for item in value)
        if fits and self.type is int:
            fits = abs(value) <= HIGHEST
        if fits and self.type in (float, int):
            fits = math.isfinite(value) and (value > self.low if self.above else value >= self.low)
            fits = fits and value <= self.high
        if fits and self.choices:
            fits = value in self.choices
        if fits and self.endings:
            fits = value.lower().endswith(self.endings)
        if fits and self.form[0]:
            fits = re.fullmatch(self.form[0], value) is not None
        if not fits:
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            raise ConfigError(
                f"{where}: found {shown}, expected {self.expected()}{hint(str(value), self.choices)}"
            )
        return value

    def expected(self) -> str:
        """The values that are allowed, in words."""
        if self.choices:
            return " or ".join([", ".join(self.choices[:-1]), self.choices[-1]])
        if self.endings:
            return f"a file that ends in {' or '.join(self.endings)}"
        if self.form[1]:
            return self.form[1]
        kind = {float: "a number", int: "a whole number", bool: "true or false", str: "a text", list: "names"}
        if self.low == -math.inf:
            return kind[self.type]
        if self.high < math.inf:
            low = f"above {self.low:g} and up" if self.above else f"from {self.low:g}"
            return f"{kind[self.type]} {low} to {self.high:g}"
        return f"{kind[self.type]} {f'above {self.low:g}' if self.above else f'of {self.low:g} or more'}"


_SAMPLING = Rule(
    float, None, "s of sim time between two samples of a sensor; 0: every step", 0.0, high=LONGEST
)
_SYNCHRONIZATION = Rule(
    str,
    None,
    "lock-step with controllers: as the world says, always or never",
    choices=tuple(SYNCHRONIZATION),
)

GLOBAL: dict[str, Rule] = {
    "mode": Rule(str, "realtime", "realtime keeps to speed, fast never waits, paused stands", choices=MODES),
    "speed": Rule(float, 1.0, "simulated seconds per second of wall time in the mode realtime", 0.0, True),
    "physics": Rule(str, None, "ode, or fast2d; without it as WorldInfo.fast2d says", choices=PHYSICS),
    "seed": Rule(int, None, "seed of all random numbers; without it WorldInfo.randomSeed", 0, high=HIGHEST),
    "duration": Rule(float, None, "simulated seconds after which the run ends", 0.0, True, high=LONGEST),
    "clock_period": Rule(
        float, 0.01, "s of sim time between two /clock, rounded up to whole steps", 0.0, high=LONGEST
    ),
    "state_period": Rule(
        float,
        0.02,
        "s of sim time between joint states, odometry, ground truth, tf, rounded up",
        0.0,
        high=LONGEST,
    ),
    "marker_period": Rule(
        float, 0.1, "s of sim time between markers of moving bodies, rounded up", 0.0, high=LONGEST
    ),
    "trace_file": Rule(
        str, "traces.png", "written by ~/save_traces, in the current folder", endings=(".png", ".svg")
    ),
    "save_file": Rule(str, "", "written by ~/save; empty: NAME_saved.wbt beside the world's file"),
    "shot_file": Rule(
        str, "shot.png", "written by ~/shot, in the current folder", endings=(".png", ".jpg", ".jpeg")
    ),
    "movie_file": Rule(str, "movie.mp4", "begun by ~/start_movie", endings=(".mp4", ".webm", ".gif")),
    "animation_file": Rule(str, "animation.html", "written by ~/stop_animation", endings=(".html", ".htm")),
    "picture_size": Rule(
        str,
        "",
        "WIDTHxHEIGHT of shots and movies; empty: the camera's, or 1280x720",
        form=(r"|[1-9]\d{0,5}x[1-9]\d{0,5}", "WIDTHxHEIGHT, as in 1280x720"),
    ),
    "picture_camera": Rule(str, "", "ROBOT/DEVICE that shots and movies look through; empty: the Viewpoint"),
    "sampling_period": _SAMPLING,
    "synchronization": _SYNCHRONIZATION,
    "lockstep_timeout": Rule(float, 5.0, "s of wall time to wait for an answer before saying so", 0.0, True),
    "lockstep_on_timeout": Rule(
        str,
        "wait",
        "after lockstep_timeout: wait on, or continue without the robot",
        choices=("wait", "continue"),
    ),
}
RECORDING = ("shot_file", "movie_file", "animation_file", "picture_size", "picture_camera")
ROBOT: dict[str, Rule] = {
    "sampling_period": _SAMPLING,
    "synchronization": _SYNCHRONIZATION,
    "controllers": Rule(int, 1, "how many controllers answer in lock-step", 1),
    "odom_slip": Rule(
        float, ODOM_SLIP, "m² of variance per m that a wheel rolls, for odom's covariance", 0.0
    ),
    "battery_voltage": Rule(float, None, "V of the battery, to tell its charge in Ah", 0.0, True),
}
DRIVE: dict[str, Rule] = {
    "left": Rule(list, None, "names of the motors on the left"),
    "right": Rule(list, None, "names of the motors on the right"),
    "wheel_radius": Rule(float, None, "m", 0.0, True),
    "wheel_separation": Rule(float, None, "m between the left and the right wheels", 0.0, True),
}
ACKERMANN: dict[str, Rule] = DRIVE | {
    "steering": Rule(list, None, "names of the motors that steer the left and the right wheel"),
    "wheelbase": Rule(float, None, "m between the fixed and the steered axle", 0.0, True),
    "steering_separation": Rule(float, None, "m between the pivots of the steered wheels", 0.0, True),
}
DRIVES = {DriveConfig.name: DRIVE, AckermannConfig.name: ACKERMANN}
"""The ways to drive, by the name of their table."""
DEVICE: dict[str, Rule] = {
    "sampling_period": _SAMPLING,
    "noise_seed": Rule(int, None, "seed of this device's noise", 0, high=HIGHEST),
    "topic": Rule(str, None, "in place of the device's name in its topics; with a leading / absolute"),
    "frame_id": Rule(str, None, "in place of robot/device"),
    "always_on": Rule(bool, False, "sampled and published without a subscriber too"),
    "qos": Rule(str, "reliable", "of the device's topics", choices=("reliable", "best_effort")),
    "qos_depth": Rule(int, DEPTH, "messages kept for a slow subscriber", 1),
}
FAULTS: dict[str, Rule] = {
    "gaussian": Rule(float, 0.0, "standard deviation of an error of each reading or command, its unit", 0.0),
    "bias": Rule(float, 0.0, "constant error, in the unit of the value"),
    "drift": Rule(float, 0.0, "random walk: standard deviation of the error after 1 s", 0.0),
    "dropout": Rule(float, 0.0, "probability that a reading or a command is lost", 0.0, high=1.0),
    "latency": Rule(float, 0.0, "s by which readings are known, commands work later; rounded up", 0.0),
    "stuck_at": Rule(float, None, "s of sim time from which on the value stays", 0.0),
    "stuck_rate": Rule(float, 0.0, "probability per second that the value gets stuck", 0.0),
    "fault_fields": Rule(list, None, "fields of the reading that have the errors, as sim_core names them"),
}
DEVICE |= FAULTS


@dataclass(frozen=True)
class DeviceTopics:
    """How a device appears on ROS."""

    topic: str | None = None
    frame_id: str | None = None
    always_on: bool = False
    qos: Qos = SENSOR


@dataclass(frozen=True)
class RobotTopics:
    """How a robot appears on ROS."""

    controllers: int = 1
    battery_voltage: float | None = None
    odom_slip: float = ODOM_SLIP
    devices: Mapping[str, DeviceTopics] = field(default_factory=dict)


@dataclass(frozen=True)
class BridgeParams:
    """Parameters of the bridge; the fields are the rows of `GLOBAL` and mean the same."""

    mode: str = "realtime"
    speed: float = 1.0
    duration: float | None = None
    clock_period: float = 0.01
    state_period: float = 0.02
    marker_period: float = 0.1
    trace_file: str = "traces.png"
    save_file: str = ""
    shot_file: str = "shot.png"
    movie_file: str = "movie.mp4"
    animation_file: str = "animation.html"
    picture_size: str = ""
    picture_camera: str = ""
    lockstep_timeout: float = 5.0
    lockstep_on_timeout: str = "wait"
    robots: Mapping[str, RobotTopics] = field(default_factory=dict)

    def robot(self, name: str) -> RobotTopics:
        """Of a robot by the `name` in the world file."""
        return self.robots.get(name, RobotTopics())

    def device(self, robot: str, device: str) -> DeviceTopics:
        """Of a device by the names in the world file."""
        return self.robot(robot).devices.get(device, DeviceTopics())


class Parameters(NamedTuple):
    """All parameters of a run."""

    bridge: BridgeParams
    simulation: SimulationConfig
    values: dict[str, Any]
    """Flat, by dotted name: every global one that has a value, and what was set for robots and devices."""


Devices = Mapping[str, Collection[str]]
"""Names of the devices of each robot."""


def world_parameter_file(world: str | Path) -> Path | None:
    """`config/<world>.yaml` beside the folder of a world file, if it exists.

    For a world in a folder of `worlds`, such as `worlds/x3d/a.x3d`, also `config/x3d/a.yaml` beside `worlds`.
    """
    path = Path(world).resolve()
    file = path.parent.parent / "config" / f"{path.stem}.yaml"
    if not file.is_file() and path.parent.parent.name == "worlds":
        file = path.parents[2] / "config" / path.parent.name / f"{path.stem}.yaml"
    return file if file.is_file() else None


def option_values(options: RunOptions) -> list[Value]:
    """What the command line says."""
    given = {name: getattr(options, name) for name in ("mode", "speed", "seed", "duration")}
    if options.mode == FAST_2D:  # short for the parameter physics; the pacing stays as it is
        return [Value(("physics",), FAST_2D, "--mode"), *option_values(replace(options, mode=None))]
    return [Value((name,), value, f"--{name}") for name, value in given.items() if value is not None]


def build_parameters(values: Iterable[Value], devices: Devices) -> Parameters:
    """All parameters from their values; a later value of a name wins.

    Args:
        values: from files and options, in order.
        devices: the robots of the world and their devices.

    Raises:
        ConfigError: an unknown name (with the closest known one), or a value that is not allowed.
    """
    flat: dict[tuple[str, ...], Any] = {}
    places: dict[tuple[str, ...], str] = {}
    for value in values:
        if value.path == ("use_sim_time",):
            raise ConfigError(f"{value.where}: found use_sim_time, expected none: this node makes the time")
        rule = _rule_of(value, devices)
        flat[value.path] = rule.check(value.value, value.where)
        places[value.path] = value.where
    own: dict[str, Any] = {name: flat.get((name,), rule.default) for name, rule in GLOBAL.items()}
    robots = sorted({path[1] for path in flat if len(path) > 1})
    bridge = BridgeParams(
        **{name: own[name] for name in GLOBAL if name in BridgeParams.__dataclass_fields__},
        robots={name: _robot_topics(flat, name, devices[name]) for name in robots},
    )
    simulation = SimulationConfig(
        seed=own["seed"],
        sampling_period=own["sampling_period"],
        synchronization=SYNCHRONIZATION[own["synchronization"] or "world"],
        robots={name: _robot_config(flat, places, name, devices[name]) for name in robots},
        odometry_period=bridge.state_period,  # reckoned at the times it is published at
        physics=own["physics"],
    )
    named = {".".join(path): value for path, value in flat.items() if len(path) > 1}
    return Parameters(bridge, simulation, {k: v for k, v in own.items() if v is not None} | named)


def _rule_of(value: Value, devices: Devices) -> Rule:
    """The rule of a parameter's name.

    Raises:
        ConfigError: there is no such parameter, robot or device.
    """
    path, where = value.path, value.where
    if path[0] != "robots":
        if len(path) > 1:
            raise ConfigError(f'{where}: found a table "{path[0]}", expected robots')
        return _look_up(GLOBAL, path[0], where, "parameter", ("robots",))
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
        )
        for name, part in _device_parts(flat, robot, devices).items()
    }
    own = _part(flat, "robots", robot)
    return RobotTopics(
        own.get("controllers", 1), own.get("battery_voltage"), own.get("odom_slip", ODOM_SLIP), topics
    )


def _robot_config(
    flat: Mapping[tuple[str, ...], Any],
    places: Mapping[tuple[str, ...], str],
    robot: str,
    devices: Collection[str],
) -> RobotConfig:
    own = _part(flat, "robots", robot)
    return RobotConfig(
        own.get("sampling_period"),
        SYNCHRONIZATION[own.get("synchronization", "world")],
        {
            name: DeviceConfig(part.get("sampling_period"), part.get("noise_seed"), _faults(part))
            for name, part in _device_parts(flat, robot, devices).items()
        },
        _drive_config(flat, places, robot),
    )


def _drive_config(
    flat: Mapping[tuple[str, ...], Any], places: Mapping[tuple[str, ...], str], robot: str
) -> DriveConfig | None:
    """How the parameters say that a robot drives, if they do."""
    for name, kind in ((each.name, each) for each in (AckermannConfig, DriveConfig)):
        drive = _part(flat, "robots", robot, name)
        if not drive:
            continue
        sides = [side for side in ("left", "right", "steering") if side in DRIVES[name]]
        if not all(drive.get(side) for side in sides):
            where = next(place for path, place in places.items() if path[:3] == ("robots", robot, name))
            raise ConfigError(
                f"{where}: found no motors of a side, expected {' and '.join(sides)} with the motors' names"
            )
        return kind(**drive | {side: tuple(drive[side]) for side in sides})
    return None


def _faults(part: Mapping[str, Any]) -> FaultConfig:
    """The faults among the parameters of a device."""
    own = {name: value for name, value in part.items() if name in FAULTS}
    return FaultConfig(
        **{k: v for k, v in own.items() if k != "fault_fields"}, fields=tuple(own.get("fault_fields", ()))
    )
