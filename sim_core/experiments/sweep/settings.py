"""`SimulationConfig` from flat names, as parameter files write them: `robots.robot1.ds_front.gaussian`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim_core.base.config import (
    DeviceConfig,
    DriveConfig,
    FaultConfig,
    RobotConfig,
    SimulationConfig,
    field_names,
)
from sim_core.base.errors import ConfigError, hint

SYNCHRONIZATION = {"world": None, "always": True, "never": False}
_WHOLE = ("physics", "odometry_period", "sampling_period", "synchronization")
_ROBOT = ("sampling_period", "synchronization")
_DEVICE = ("sampling_period", "noise_seed")


def make_config(seed: int | None, values: Mapping[str, Any]) -> SimulationConfig:
    """The settings of a simulation.

    Args:
        seed: of all random numbers; None: the world's.
        values: `sampling_period`, `synchronization` (world, always, never), `physics`, `odometry_period`,
            `robots.ROBOT.sampling_period`, `robots.ROBOT.diff_drive.left`, `robots.ROBOT.DEVICE.gaussian` …

    Raises:
        ConfigError: an unknown name (names the closest), or a value that is not allowed.
    """
    whole: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        place = name.split(".")
        if len(place) == 1:
            whole[_known(name, _WHOLE, ("robots",))] = _value(name, value)
        elif place[0] != "robots" or len(place) < 3:
            raise ConfigError(f'found "{name}", expected one of {", ".join(_WHOLE)} or robots.ROBOT.NAME')
        else:
            parts.setdefault(place[1], {})[".".join(place[2:])] = value
    robots = {robot: _robot(robot, own) for robot, own in parts.items()}
    try:
        return SimulationConfig(seed=seed, robots=robots, **whole)
    except TypeError:
        raise ConfigError(f"found {whole}, expected numbers and texts") from None


def _robot(robot: str, values: Mapping[str, Any]) -> RobotConfig:
    own: dict[str, Any] = {}
    drive: dict[str, Any] = {}
    devices: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        before, _, last = name.rpartition(".")
        if before == "diff_drive":
            drive[_known(last, field_names(DriveConfig))] = tuple(value) if isinstance(value, list) else value
        elif before:
            devices.setdefault(before, {})[last] = _value(name, value)
        else:
            own[_known(name, _ROBOT, ("diff_drive", "a device"))] = _value(name, value)
    try:
        return RobotConfig(
            **own,
            devices={name: _device(each) for name, each in devices.items()},
            drive=DriveConfig(**drive) if drive else None,
        )
    except TypeError:
        raise ConfigError(f"robots.{robot}: found {dict(values)}, expected its parameters") from None


def _device(values: Mapping[str, Any]) -> DeviceConfig:
    faults = [name for name in field_names(FaultConfig) if name != "fields"]
    own: dict[str, Any] = {}
    wrong: dict[str, Any] = {}
    for name, value in values.items():
        if name == "fault_fields":
            wrong["fields"] = tuple(value)
        elif name in faults:
            wrong[name] = value
        else:
            own[_known(name, _DEVICE, (*faults, "fault_fields"))] = value
    return DeviceConfig(**own, faults=FaultConfig(**wrong))


def _known(name: str, names: Any, also: tuple[str, ...] = ()) -> str:
    if name in names:
        return name
    known = [*names, *also]
    raise ConfigError(f'found no parameter "{name}", expected one of {", ".join(known)}{hint(name, known)}')


def _value(name: str, value: Any) -> Any:
    if name.rpartition(".")[2] == "synchronization":
        if value not in SYNCHRONIZATION:
            raise ConfigError(f'{name}: found "{value}", expected world, always or never')
        return SYNCHRONIZATION[value]
    return value
