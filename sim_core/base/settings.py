"""`SimulationConfig` from names, as parameter files write them: `robots.robot1.ds_front.gaussian`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim_core.base.config import (
    AckermannConfig,
    DeviceConfig,
    DriveConfig,
    FaultConfig,
    RobotConfig,
    SimulationConfig,
    field_names,
)
from sim_core.base.errors import ConfigError, hint

SYNCHRONIZATION = {"world": None, "always": True, "never": False}
DRIVES: dict[str, type[DriveConfig]] = {kind.name: kind for kind in (AckermannConfig, DriveConfig)}
"""The ways to drive, by name; the first that is set counts."""
_FAULTS = {"fault_fields" if name == "fields" else name: name for name in field_names(FaultConfig)}
_WHOLE = (
    "contacts",
    "instanced",
    "odometry_period",
    "physics",
    "sampling_period",
    "synchronization",
    "threads",
)
_ROBOT = ("sampling_period", "synchronization")
_DEVICE = ("sampling_period", "noise_seed")

Name = tuple[str, ...]
"""Of a setting: `("robots", robot, device, "gaussian")`; a device's name may be more than one part."""


def is_setting(path: Name) -> bool:
    """Whether a name is one of those that `make_config` takes, of whatever robot and device."""
    if len(path) == 4 and path[2] in DRIVES:
        return path[3] in field_names(DRIVES[path[2]])
    return path[-1] in {1: _WHOLE, 3: _ROBOT}.get(len(path), (*_DEVICE, *_FAULTS))


def make_config(
    seed: int | None, values: Mapping[Name, Any], places: Mapping[str, str] | None = None
) -> SimulationConfig:
    """The settings of a simulation.

    Args:
        seed: of all random numbers; None: the world's.
        values: `sampling_period`, `synchronization` (world, always, never), `physics`, `contacts`,
            `threads`, `instanced`, `odometry_period`, `robots.ROBOT.sampling_period`,
            `robots.ROBOT.diff_drive.left`, `robots.ROBOT.DEVICE.gaussian` …
        places: where parameters were found, by dotted name, for errors.

    Raises:
        ConfigError: an unknown name (names the closest), or a value that is not allowed.
    """
    places = places or {}
    whole: dict[str, Any] = {}
    parts: dict[str, dict[Name, Any]] = {}
    for path, value in values.items():
        if len(path) == 1:
            whole[_known(path[0], _WHOLE, ("robots",))] = _value(path, value)
        elif path[0] != "robots" or len(path) < 3:
            found, known = ".".join(path), ", ".join(_WHOLE)
            raise ConfigError(f'found "{found}", expected one of {known} or robots.ROBOT.NAME')
        else:
            parts.setdefault(path[1], {})[path[2:]] = value
    robots = {robot: _robot(robot, own, places) for robot, own in parts.items()}
    try:
        return SimulationConfig(seed=seed, robots=robots, places=places, **whole)
    except TypeError:
        raise ConfigError(f"found {whole}, expected numbers and texts") from None


def _robot(robot: str, values: Mapping[Name, Any], places: Mapping[str, str]) -> RobotConfig:
    own: dict[str, Any] = {}
    drives: dict[str, dict[str, Any]] = {}
    devices: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        before, last = ".".join(path[:-1]), path[-1]
        if before in DRIVES:
            names = field_names(DRIVES[before])
            given = tuple(value) if isinstance(value, list) else value
            drives.setdefault(before, {})[_known(last, names)] = given
        elif before:
            devices.setdefault(before, {})[last] = value
        else:
            own[_known(last, _ROBOT, (*DRIVES, "a device"))] = _value(path, value)
    try:
        return RobotConfig(
            **own,
            devices={name: _device(each) for name, each in devices.items()},
            drive=_drive(f"robots.{robot}", drives, places),
        )
    except TypeError:
        found = {".".join(path): value for path, value in values.items()}
        raise ConfigError(f"robots.{robot}: found {found}, expected its parameters") from None


def _drive(robot: str, drives: Mapping[str, dict[str, Any]], places: Mapping[str, str]) -> DriveConfig | None:
    """How the settings say that a robot drives, if they do."""
    for name, kind in DRIVES.items():
        if name not in drives:
            continue
        sides = [side for side in ("left", "right", "steering") if side in field_names(kind)]
        if not all(drives[name].get(side) for side in sides):
            own = f"{robot}.{name}"
            where = next((place for each, place in places.items() if each.startswith(f"{own}.")), own)
            expected = f"{' and '.join(sides)} with the motors' names"
            raise ConfigError(f"{where}: found no motors of a side, expected {expected}")
        return kind(**drives[name])
    return None


def _device(values: Mapping[str, Any]) -> DeviceConfig:
    own: dict[str, Any] = {}
    faults: dict[str, Any] = {}
    for name, value in values.items():
        if name in _FAULTS:
            faults[_FAULTS[name]] = tuple(value) if name == "fault_fields" else value
        else:
            own[_known(name, _DEVICE, tuple(_FAULTS))] = value
    return DeviceConfig(**own, faults=FaultConfig(**faults))


def _known(name: str, names: Any, also: tuple[str, ...] = ()) -> str:
    if name in names:
        return name
    known = [*names, *also]
    expected = f"{', '.join(known)}{hint(name, known)}"
    raise ConfigError(f'found no parameter "{name}", expected one of {expected}')


def _value(path: Name, value: Any) -> Any:
    if path[-1] != "synchronization":
        return value
    if value not in SYNCHRONIZATION:
        raise ConfigError(f'{".".join(path)}: found "{value}", expected world, always or never')
    return SYNCHRONIZATION[value]
