"""What can be set about a simulation beside its world file: frozen dataclasses, checked once.

Every value that is None means: as the world file, or the enclosing level, says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from sim_core.base.clock import whole_steps
from sim_core.base.errors import ConfigError, hint

PHYSICS = ("ode", "fast2d")
"""What moves the robots."""
CONTACTS = ("webots", "stiff")
"""How soft contacts are of which the world does not say it."""


@dataclass(frozen=True)
class FaultConfig:
    """Noise, faults and delays of one device; see `sim_core/devices/faults.py` for what each does.

    Errors are in the unit of the value that is read or commanded.
    """

    gaussian: float = 0.0
    """Standard deviation of an error that is new for each reading or command."""
    bias: float = 0.0
    """Constant error."""
    drift: float = 0.0
    """Random walk: standard deviation of the error after one second; it grows with the root of time."""
    dropout: float = 0.0
    """Probability that a reading or a command is lost."""
    latency: float = 0.0
    """Seconds by which a reading is known, or a command takes effect, later; rounded up to whole steps."""
    stuck_at: float | None = None
    """Sim time in seconds from which on the value stays as it is."""
    stuck_rate: float = 0.0
    """Probability per second that the value gets stuck: the mean time until then is 1/stuck_rate seconds."""
    fields: tuple[str, ...] = ()
    """Fields of the reading that get the errors; empty: those that the reading names as measured."""

    def __post_init__(self) -> None:
        for item in fields(self):
            if item.name != "fields":
                self._check(item.name, getattr(self, item.name))

    @property
    def has_errors(self) -> bool:
        """Values are disturbed."""
        return bool(self.gaussian or self.bias or self.drift)

    @property
    def gets_stuck(self) -> bool:
        """Values stay from some time on."""
        return self.stuck_at is not None or self.stuck_rate > 0.0

    @property
    def is_active(self) -> bool:
        """There is any fault at all."""
        return self.has_errors or self.gets_stuck or bool(self.dropout or self.latency)

    @staticmethod
    def _check(name: str, value: float | None) -> None:
        if value is None:
            return
        low, high = (-math.inf if name == "bias" else 0.0), (1.0 if name == "dropout" else math.inf)
        if not (math.isfinite(value) and low <= value <= high):
            expected = {"bias": "a finite number", "dropout": "a probability from 0 to 1"}
            raise ConfigError(
                f"{name}: found {value}, expected {expected.get(name, 'a number of 0 or more')}"
            )


@dataclass(frozen=True)
class DeviceConfig:
    """Settings of one device."""

    sampling_period: float | None = None
    """Seconds between two samples, a multiple of the basic time step; 0: every step."""
    noise_seed: int | None = None
    """Seed of this device's noise; None: made from the simulation's seed and the device's path."""
    faults: FaultConfig = FaultConfig()
    """Noise, faults and delays beside what the device's node says."""


@dataclass(frozen=True)
class DriveConfig:
    """Which motors drive a differential robot; for robots whose wheels do not tell it by themselves."""

    left: tuple[str, ...]
    """Names of the motors on the left."""
    right: tuple[str, ...]
    """Names of the motors on the right."""
    wheel_radius: float | None = None
    """m; None: from the wheels' bounding objects."""
    wheel_separation: float | None = None
    """m between the mid-planes of the left and the right wheels; None: from their places."""

    name: ClassVar[str] = "diff_drive"
    """Of these settings in parameter files and messages."""

    def __post_init__(self) -> None:
        for side, names in (("left", self.left), ("right", self.right)):
            if not names:
                raise ConfigError(f"{self.name}.{side}: found no motor, expected the names of one or more")
        self._check_lengths("wheel_radius", "wheel_separation")

    def _check_lengths(self, *names: str) -> None:
        for name in names:
            size = getattr(self, name)
            if size is not None and not (math.isfinite(size) and size > 0.0):
                raise ConfigError(f"{self.name}.{name}: found {size}, expected a length in m above 0")


@dataclass(frozen=True)
class AckermannConfig(DriveConfig):
    """Which motors drive and steer a car; for cars whose wheels do not tell it by themselves."""

    steering: tuple[str, ...] = ()
    """Names of the motors that steer the left and the right wheel."""
    wheelbase: float | None = None
    """m between the fixed and the steered axle; None: from the places of the wheels."""
    steering_separation: float | None = None
    """m between the pivots of the steered wheels; None: from their places."""

    name: ClassVar[str] = "ackermann"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.steering) != 2:
            raise ConfigError(
                f"{self.name}.steering: found {len(self.steering)} motors, "
                "expected the names of two, the left one first"
            )
        self._check_lengths("wheelbase", "steering_separation")


@dataclass(frozen=True)
class RobotConfig:
    """Settings of one robot."""

    sampling_period: float | None = None
    """Default of the robot's devices, in seconds; also the period at which lock-step waits."""
    synchronization: bool | None = None
    """True: the simulation waits for this robot's controllers; None: the robot's own field."""
    devices: Mapping[str, DeviceConfig] = field(default_factory=dict)
    """By the device's `name` field."""
    drive: DriveConfig | None = None
    """How it drives; None: found from its wheels."""


@dataclass(frozen=True)
class SimulationConfig:
    """Settings of a whole simulation."""

    seed: int | None = None
    """Seed of all noise and of the solver; None: WorldInfo.randomSeed."""
    sampling_period: float | None = None
    """Default of all devices, in seconds; None or 0: every step."""
    synchronization: bool | None = None
    """Default of all robots; None: each robot's own field."""
    robots: Mapping[str, RobotConfig] = field(default_factory=dict)
    """By the robot's `name` field."""
    odometry_period: float = 0.02
    """Seconds between two looks of the odometry at the wheels, rounded up to whole steps."""
    physics: str | None = None
    """`ode` or `fast2d` (see docs/fast2d.md); None: fast2d if WorldInfo.fast2d says so, else ode."""
    contacts: str = "webots"
    """How soft contacts are whose ContactProperties writes neither softERP nor softCFM: `webots` takes its
    numbers, 0.2 and 0.001, `stiff` numbers from the masses; see docs/physics.md."""
    plugins: bool = True
    """Whether the physics plug-in that the world names is run, which is code; False: it is only read."""
    instanced: bool = False
    """Whether equal robots of a PROTO are held as arrays, in fast2d alone; see docs/fast2d.md."""
    threads: int | None = None
    """How many threads cast the rays of fast2d, which changes no number; None: one for each processor."""
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where parameters were found, for errors: `robots.r1.sampling_period` at `my.yaml:3:…`."""

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise ConfigError(f"seed: found {self.seed}, expected 0 or more")
        check_period("sampling_period", self.sampling_period)
        check_period("odometry_period", self.odometry_period)
        if self.physics is not None and self.physics not in PHYSICS:
            raise ConfigError(f'physics: found "{self.physics}", expected {" or ".join(PHYSICS)}')
        if self.threads is not None and self.threads < 1:
            raise ConfigError(f"threads: found {self.threads}, expected 1 or more")
        if self.contacts not in CONTACTS:
            raise ConfigError(f'contacts: found "{self.contacts}", expected {" or ".join(CONTACTS)}')
        for robot_name, robot in self.robots.items():
            check_period(f"{robot_name}.sampling_period", robot.sampling_period)
            for device_name, device in robot.devices.items():
                check_period(f"{robot_name}.{device_name}.sampling_period", device.sampling_period)

    def robot(self, name: str) -> RobotConfig:
        """Settings of a robot, with the simulation's defaults filled in."""
        own = self.robots.get(name, RobotConfig())
        return RobotConfig(
            _first(own.sampling_period, self.sampling_period),
            _first(own.synchronization, self.synchronization),
            own.devices,
            own.drive,
        )

    def check_steps(self, step_ns: int) -> None:
        """Raise ConfigError unless all sampling periods are multiples of a basic time step in ns."""
        periods = {"sampling_period": self.sampling_period}
        for name, robot in self.robots.items():
            periods[f"robots.{name}.sampling_period"] = robot.sampling_period
            for device, own in robot.devices.items():
                periods[f"robots.{name}.{device}.sampling_period"] = own.sampling_period
        for name, period in periods.items():
            if period is not None:
                whole_steps(period, step_ns, self.places.get(name, name))

    def check_robots(self, devices: Mapping[str, Iterable[str]]) -> None:
        """Raise ConfigError, with a suggestion, if there are settings of a robot or device that is not there.

        Args:
            devices: the names of the devices that there are, by robot.
        """
        check_names("robots", self.robots, devices)
        for name, robot in self.robots.items():
            check_names(f"robots.{name}", robot.devices, devices[name])

    def device(self, robot_name: str, device_name: str) -> DeviceConfig:
        """Settings of a device, with the robot's defaults filled in."""
        robot = self.robot(robot_name)
        own = robot.devices.get(device_name, DeviceConfig())
        return DeviceConfig(_first(own.sampling_period, robot.sampling_period), own.noise_seed, own.faults)


def check_period(what: str, period: float | None) -> None:
    """Raise ConfigError unless the period is None or a finite number of seconds, 0 or more."""
    if period is not None and not (math.isfinite(period) and period >= 0.0):
        raise ConfigError(f"{what}: found {period}, expected a period in seconds, 0 or more")


def check_names(what: str, found: Iterable[str], known: Iterable[str]) -> None:
    """Raise ConfigError, with a suggestion, for the first name that is not known."""
    choices = list(known)
    for name in found:
        if name not in choices:
            expected = f"one of {', '.join(choices) or 'none'}{hint(name, choices)}"
            raise ConfigError(f'{what}: found "{name}", expected {expected}')


def field_names(config: type) -> list[str]:
    """Names of the settings of a config class."""
    return [item.name for item in fields(config)]


def _first(*values: Any) -> Any:
    """The first value that is not None."""
    return next((value for value in values if value is not None), None)
