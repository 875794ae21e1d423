"""Settings of a simulation beside its world file: frozen dataclasses, checked when they are made.

None always means: as in the world file, or at the enclosing level. Fields made by `setting` can also be set
by name in parameter files and sweeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from sim_core.base.clock import LONGEST, whole_steps
from sim_core.base.errors import ConfigError, hint
from sim_core.base.settings import HIGHEST, Rule, check_settings, rules_of, setting

PHYSICS = ("ode", "fast2d")
"""Available engines."""
CONTACTS = ("webots", "stiff")
"""Default contact softness, for contacts whose softness the world does not set."""


def _sampling_period() -> float | None:
    return setting(None, "of sim time between two samples of a sensor; 0: every step", "s", 0.0, LONGEST)


def _synchronization() -> bool | None:
    about = "lock-step with controllers: as in the world, always or never"
    return setting(None, about, choices={"world": None, "always": True, "never": False})


def _limit(which: str, unit: str) -> float | None:
    return setting(None, f"{which}; without it there is no limit", unit)


@dataclass(frozen=True)
class FaultConfig:
    """Noise, faults and delays of one device; see `sim_core/devices/faults.py` for what each does.

    Errors are in the unit of the value that is read or commanded.
    """

    gaussian: float = setting(
        0.0, "standard deviation of an error of each reading or command, its unit", low=0.0
    )
    bias: float = setting(0.0, "constant error, in the unit of the value")
    drift: float = setting(0.0, "random walk: standard deviation of the error after 1 s", low=0.0)
    """It grows with the square root of time."""
    dropout: float = setting(0.0, "probability that a reading or a command is lost", low=0.0, high=1.0)
    latency: float = setting(0.0, "of delay of readings and commands, rounded up to whole steps", "s", 0.0)
    stuck_at: float | None = setting(None, "of sim time from which on the value is stuck", "s", 0.0)
    stuck_rate: float = setting(0.0, "probability per second that the value gets stuck", "1/s", 0.0)
    """The mean time until then is 1/stuck_rate seconds."""
    fault_fields: tuple[str, ...] = setting(
        (), "fields of the reading with errors, by their names in sim_core"
    )
    """Empty: the fields that the reading declares as measured."""

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def has_errors(self) -> bool:
        """True if values are disturbed."""
        return bool(self.gaussian or self.bias or self.drift)

    @property
    def gets_stuck(self) -> bool:
        """True if values may get stuck."""
        return self.stuck_at is not None or self.stuck_rate > 0.0

    @property
    def is_active(self) -> bool:
        """True if there is any fault."""
        return self.has_errors or self.gets_stuck or bool(self.dropout or self.latency)


@dataclass(frozen=True)
class DeviceConfig:
    """Settings of one device."""

    sampling_period: float | None = _sampling_period()
    """Any; the sensor is due in the first step that does not end before a multiple of it."""
    noise_seed: int | None = setting(None, "seed of this device's noise", low=0, high=HIGHEST)
    """None: made from the simulation's seed and the device's path."""
    faults: FaultConfig = FaultConfig()
    """Noise, faults and delays in addition to those of the device's node."""


@dataclass(frozen=True)
class DriveConfig:
    """Motors that drive a differential robot, if they cannot be found from its wheels."""

    left: tuple[str, ...] = setting((), "names of the motors on the left")
    right: tuple[str, ...] = setting((), "names of the motors on the right")
    wheel_radius: float | None = setting(None, "from the axle to the floor", "m", 0.0, above=True)
    """None: from the wheels' bounding objects."""
    wheel_separation: float | None = setting(
        None, "between the left and the right wheels", "m", 0.0, above=True
    )
    """Between their middle planes; None: from the wheels' positions."""
    _: KW_ONLY
    min_linear_velocity: float | None = _limit("lowest speed forward", "m/s")
    max_linear_velocity: float | None = _limit("highest speed forward", "m/s")
    min_linear_acceleration: float | None = _limit("its lowest change per second, below 0", "m/s²")
    max_linear_acceleration: float | None = _limit("its highest change per second", "m/s²")
    min_linear_jerk: float | None = _limit("lowest change of the acceleration per second", "m/s³")
    max_linear_jerk: float | None = _limit("highest change of the acceleration per second", "m/s³")
    min_angular_velocity: float | None = _limit("lowest rate of turn", "rad/s")
    max_angular_velocity: float | None = _limit("highest rate of turn", "rad/s")
    min_angular_acceleration: float | None = _limit("its lowest change per second, below 0", "rad/s²")
    max_angular_acceleration: float | None = _limit("its highest change per second", "rad/s²")
    min_angular_jerk: float | None = _limit("lowest change of the acceleration per second", "rad/s³")
    max_angular_jerk: float | None = _limit("highest change of the acceleration per second", "rad/s³")

    name: ClassVar[str] = "diff_drive"
    """Name of these settings in parameter files and messages."""

    def __post_init__(self) -> None:
        for side, names in (("left", self.left), ("right", self.right)):
            if not names:
                raise ConfigError(f"{self.name}.{side}: found no motor, expected the names of one or more")
        check_settings(self, f"{self.name}.")


@dataclass(frozen=True)
class AckermannConfig(DriveConfig):
    """Motors that drive and steer a car, if they cannot be found from its wheels."""

    steering: tuple[str, ...] = setting((), "names of the motors that steer the left and the right wheel")
    wheelbase: float | None = setting(None, "between the axles", "m", 0.0, above=True)
    """None: from the wheels' positions."""
    steering_separation: float | None = setting(
        None, "between the pivots of the steered wheels", "m", 0.0, above=True
    )
    """None: from the pivots' positions."""
    min_radius: float | None = setting(
        None, "of the path of the middle of the fixed axle, at least", "m", 0.0, above=True
    )
    """None: as the steering motors allow."""

    name: ClassVar[str] = "ackermann"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.steering) != 2:
            raise ConfigError(
                f"{self.name}.steering: found {len(self.steering)} motors, "
                "expected the names of two, the left one first"
            )


@dataclass(frozen=True)
class MecanumConfig(DriveConfig):
    """Motors of the four wheels of a robot that can move sideways; on each side the front wheel first.

    The rollers of the left front wheel and the right rear wheel are mounted so that both push to the right.
    """

    wheelbase: float | None = setting(None, "between the axles", "m", 0.0, above=True)
    """None: from the wheels' positions."""

    name: ClassVar[str] = "mecanum"

    def __post_init__(self) -> None:
        super().__post_init__()
        for side, names in (("left", self.left), ("right", self.right)):
            if len(names) != 2:
                found = f"{self.name}.{side}: found {len(names)} motors"
                raise ConfigError(f"{found}, expected the names of two, the front one first")


@dataclass(frozen=True)
class RobotConfig:
    """Settings of one robot."""

    sampling_period: float | None = _sampling_period()
    """Default of the robot's devices; also the control period of lock-step."""
    synchronization: bool | None = _synchronization()
    """True: the simulation waits for this robot's controllers; None: the robot's own field."""
    devices: Mapping[str, DeviceConfig] = field(default_factory=dict)
    """By the device's `name` field."""
    drive: DriveConfig | None = None
    """Wheels that drive it; None: found automatically."""
    moved_by_twist: bool = setting(False, "whether a twist moves the body directly, if it has no drive")
    odometry_period: float | None = setting(
        None, "between two odometry updates, in the mean; without it as for all", "s", 0.0, LONGEST
    )


@dataclass(frozen=True)
class SimulationConfig:
    """Settings of a whole simulation."""

    seed: int | None = setting(
        None, "seed of all random numbers; without it WorldInfo.randomSeed", low=0, high=HIGHEST
    )
    """Seed of all noise and of the solver."""
    sampling_period: float | None = _sampling_period()
    """Default of all devices; None or 0: every step."""
    synchronization: bool | None = _synchronization()
    """Default of all robots; None: each robot's own field."""
    robots: Mapping[str, RobotConfig] = field(default_factory=dict)
    """By the robot's `name` field."""
    odometry_period: float = setting(
        0.02, "between two odometry updates, rounded up to whole steps", "s", 0.0, LONGEST
    )
    physics: str | None = setting(None, "ode, or fast2d; without it as in WorldInfo.fast2d", choices=PHYSICS)
    """See docs/fast2d.md."""
    contacts: str = setting(
        "webots", "softness: Webots' numbers, or stiff, from the masses", choices=CONTACTS
    )
    """Of contacts whose ContactProperties writes neither softERP nor softCFM; see docs/physics.md."""
    plugins: bool = True
    """True: run the physics plug-in of the world, which is code; False: only read its name."""
    instanced: bool = setting(False, "whether equal robots of a PROTO are held as arrays, in fast2d")
    """See docs/fast2d.md."""
    threads: int | None = setting(
        None, "number of threads for the rays of fast2d; without it one per processor", low=1
    )
    """The number of threads has no effect on results."""
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Place of each parameter in its file, for error messages: `robots.r1.sampling_period` at
    `my.yaml:3:…`."""

    def __post_init__(self) -> None:
        check_settings(self)
        for robot_name, robot in self.robots.items():
            check_settings(robot, f"{robot_name}.")
            for device_name, device in robot.devices.items():
                check_settings(device, f"{robot_name}.{device_name}.")

    def robot(self, name: str) -> RobotConfig:
        """Return the settings of a robot, with the simulation's defaults filled in."""
        own = self.robots.get(name, RobotConfig())
        return RobotConfig(
            _first(own.sampling_period, self.sampling_period),
            _first(own.synchronization, self.synchronization),
            own.devices,
            own.drive,
            own.moved_by_twist,
            own.odometry_period,
        )

    def check_steps(self, step_ns: int) -> None:
        """Raise ConfigError unless the periods at which controllers are waited for are multiples of a step.

        Args:
            step_ns: basic time step in ns.
        """
        periods = {"sampling_period": self.sampling_period}
        for name, robot in self.robots.items():
            periods[f"robots.{name}.sampling_period"] = robot.sampling_period
        for name, period in periods.items():
            if period is not None:
                whole_steps(period, step_ns, self.places.get(name, name))

    def check_robots(self, devices: Mapping[str, Iterable[str]]) -> None:
        """Raise ConfigError, with a suggestion, if there are settings of a robot or device that does not
        exist.

        Args:
            devices: names of the existing devices, by robot.
        """
        check_names("robots", self.robots, devices)
        for name, robot in self.robots.items():
            check_names(f"robots.{name}", robot.devices, devices[name])

    def device(self, robot_name: str, device_name: str) -> DeviceConfig:
        """Return the settings of a device, with the robot's defaults filled in."""
        robot = self.robot(robot_name)
        own = robot.devices.get(device_name, DeviceConfig())
        return DeviceConfig(_first(own.sampling_period, robot.sampling_period), own.noise_seed, own.faults)


def check_names(what: str, found: Iterable[str], known: Iterable[str]) -> None:
    """Raise ConfigError, with a suggestion, for the first unknown name."""
    choices = list(known)
    for name in found:
        if name not in choices:
            expected = f"one of {', '.join(choices) or 'none'}{hint(name, choices)}"
            raise ConfigError(f'{what}: found "{name}", expected {expected}')


def _first(*values: Any) -> Any:
    """Return the first value that is not None."""
    return next((value for value in values if value is not None), None)


DRIVES: dict[str, type[DriveConfig]] = {
    kind.name: kind for kind in (AckermannConfig, MecanumConfig, DriveConfig)
}
"""Kinds of drives by name; the first one that is set is used."""
WHOLE = {name: rule for name, rule in rules_of(SimulationConfig).items() if name != "seed"}
"""Settings of the whole simulation, without the seed, which sweeps treat separately."""
ROBOT, FAULTS, DEVICE = rules_of(RobotConfig), rules_of(FaultConfig), rules_of(DeviceConfig)
OF_DRIVES = {name: rules_of(kind) for name, kind in DRIVES.items()}

Name = tuple[str, ...]
"""Path of a setting: `("robots", robot, device, "gaussian")`; a device's name may have several parts."""


def is_setting(path: Name) -> bool:
    """Return whether `make_config` accepts a name, for any robot and device."""
    if len(path) == 4 and path[2] in DRIVES:
        return path[3] in OF_DRIVES[path[2]]
    if len(path) == 1:
        return path[0] in WHOLE
    return path[-1] in ROBOT if len(path) == 3 else path[-1] in DEVICE or path[-1] in FAULTS


def make_config(
    seed: int | None, values: Mapping[Name, Any], places: Mapping[str, str] | None = None
) -> SimulationConfig:
    """Build the settings of a simulation.

    Args:
        seed: of all random numbers; None: the world's.
        values: `sampling_period`, `synchronization` (world, always, never), `physics`, `contacts`,
            `threads`, `instanced`, `odometry_period`, `robots.ROBOT.sampling_period`,
            `robots.ROBOT.diff_drive.left`, `robots.ROBOT.DEVICE.gaussian` …
        places: places of parameters in files, by dotted name, for error messages.

    Raises:
        ConfigError: an unknown name (the message gives the closest), or a value that is not allowed.
    """
    places = places or {}
    whole: dict[str, Any] = {}
    parts: dict[str, dict[Name, Any]] = {}
    for path, value in values.items():
        if len(path) == 1:
            whole[path[0]] = _read(path, value, WHOLE, places, ("robots",))
        elif path[0] != "robots" or len(path) < 3:
            found, known = ".".join(path), ", ".join(WHOLE)
            raise ConfigError(f'found "{found}", expected one of {known} or robots.ROBOT.NAME')
        else:
            parts.setdefault(path[1], {})[path] = value
    robots = {robot: _robot(f"robots.{robot}", own, places) for robot, own in parts.items()}
    return SimulationConfig(seed=seed, robots=robots, places=places, **whole)


def _robot(robot: str, values: Mapping[Name, Any], places: Mapping[str, str]) -> RobotConfig:
    own: dict[str, Any] = {}
    drives: dict[str, dict[str, Any]] = {}
    devices: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for path, value in values.items():
        before, last = ".".join(path[2:-1]), path[-1]
        if before in DRIVES:
            drives.setdefault(before, {})[last] = _read(path, value, OF_DRIVES[before], places)
        elif before:
            device, faults = devices.setdefault(before, ({}, {}))
            part, rules = (faults, FAULTS) if last in FAULTS else (device, DEVICE)
            part[last] = _read(path, value, rules, places, FAULTS)
        else:
            own[last] = _read(path, value, ROBOT, places, (*DRIVES, "a device"))
    made = {
        name: DeviceConfig(**device, faults=FaultConfig(**faults))
        for name, (device, faults) in devices.items()
    }
    return RobotConfig(**own, devices=made, drive=_drive(robot, drives, places))


def _drive(robot: str, drives: Mapping[str, dict[str, Any]], places: Mapping[str, str]) -> DriveConfig | None:
    """Return the drive that the settings describe, or None."""
    for name, kind in DRIVES.items():
        if name not in drives:
            continue
        sides = [side for side in ("left", "right", "steering") if side in OF_DRIVES[name]]
        if not all(drives[name].get(side) for side in sides):
            own = f"{robot}.{name}"
            where = next((place for each, place in places.items() if each.startswith(f"{own}.")), own)
            expected = f"{' and '.join(sides)} with the motors' names"
            raise ConfigError(f"{where}: found no motors of a side, expected {expected}")
        return kind(**drives[name])
    return None


def _read(
    path: Name, value: Any, rules: Mapping[str, Rule], places: Mapping[str, str], also: Iterable[str] = ()
) -> Any:
    """Return the value of a setting for its dataclass; `also`: other known names, for the error message."""
    if path[-1] not in rules:
        known = [*rules, *also]
        expected = f"{', '.join(known)}{hint(path[-1], known)}"
        raise ConfigError(f'found no parameter "{path[-1]}", expected one of {expected}')
    name = ".".join(path)
    return rules[path[-1]].convert(value, places.get(name, name))
