"""Observations and actions of an agent: each device as a Gymnasium space, with the limits of its node."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from sim_core.base.errors import ConfigError, hint
from sim_core.devices import Sensor
from sim_core.devices.channels import RECORDS
from sim_core.devices.drives.differential_drive import DifferentialDrive
from sim_core.devices.motors.motor import Motor
from sim_core.devices.vision.camera import Camera
from sim_core.experiments.learning.channel_kernels import limit_readings
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

Array = NDArray[Any]
MOTOR_MODES = ("velocity", "position", "effort")
DRIVE = "drive"
"""Name of the action of a differential drive: m/s forward and rad/s counter-clockwise."""


@dataclass(frozen=True)
class Observation:
    """A sensor as a part of the observation.

    Attributes:
        name: name as requested.
        space: its limits; float32, or uint8 for pictures.
        sensor: the device.
        raw: returns its last reading, in the shape of the space.
    """

    name: str
    space: Box
    sensor: Sensor
    raw: Callable[[], Array]

    def latest(self) -> Array:
        """Return the last reading within the limits."""
        return within(self.raw(), self.space)


@dataclass(frozen=True)
class ActionChannel:
    """A motor, or the drive of a robot, as a part of the action; units as in the device's commands.

    Attributes:
        device: the commanded device.
        mode: one of MOTOR_MODES, or DRIVE.
        apply: sends the command.
    """

    name: str
    space: Box
    device: Motor | DifferentialDrive
    mode: str
    apply: Callable[[Array], None]


def find_observation(sim: Simulation, robot: Robot, name: str) -> Observation:
    """Return the sensor `ds_front` of a robot, or `robot2.ds_front` of another.

    Raises:
        ConfigError: there is no such sensor; the message suggests the closest name.
    """
    owner, device_name = _owner(sim, robot, name)
    device = owner.devices.get(device_name)
    if not isinstance(device, Sensor):
        known = [sensor.name for sensor in owner.sensors()]
        expected = f"one of {', '.join(known) or 'none'}{hint(device_name, known)}"
        raise ConfigError(f'observation: found no sensor "{name}" of {owner.name}, expected {expected}')
    space = _space_of(sim, device)
    if isinstance(device, Camera):
        return Observation(name, space, device, lambda: _colours(device, space))
    return Observation(name, space, device, lambda: _numbers(device, space))


def find_action(sim: Simulation, robot: Robot, name: str) -> ActionChannel:
    """Return the action `motor_left` (velocity), `arm.position`, `arm.effort`, `drive`, or
    `robot2.motor_left`.

    Raises:
        ConfigError: there is no such motor, or it lacks a limit that the action needs.
    """
    owner, what = _owner(sim, robot, name)
    if what == DRIVE and DRIVE not in owner.devices:
        return _drive(owner, name)
    device_name, dot, mode = what.rpartition(".")
    if not dot or mode not in MOTOR_MODES or what in owner.devices:
        device_name, mode = what, "velocity"
    motor = owner.devices.get(device_name)
    if not isinstance(motor, Motor):
        known = [*owner.motors(), *([DRIVE] if owner.drive else [])]
        expected = f"one of {', '.join(known) or 'none'}{hint(device_name, known)}"
        raise ConfigError(f'action: found no motor "{name}" of {owner.name}, expected {expected}')
    limits = motor.limits
    choices: dict[str, tuple[float, float, Callable[..., Any]]] = {
        "velocity": (-limits.max_velocity, limits.max_velocity, motor.set_velocity),
        "position": (limits.min_position, limits.max_position, motor.set_position),
        "effort": (-limits.max_effort, limits.max_effort, motor.set_effort),
    }
    low, high, command = choices[mode]
    if mode == "position" and not math.isfinite(low) and not math.isfinite(high) and not motor.is_linear:
        low, high = -math.pi, math.pi  # a wheel has no stops
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ConfigError(f"action: {name}: found no {mode} limits in {motor.spec.where}, expected them")
    return ActionChannel(name, _box(low, high, (1,)), motor, mode, lambda values: _send(command, values))


def _drive(robot: Robot, name: str) -> ActionChannel:
    drive = robot.drive
    if drive is None:
        raise ConfigError(f'action: found "{name}", but {robot.name} is not driven by two wheels')
    linear = drive.max_wheel_speed * drive.wheel_radius
    angular = 2.0 * linear / drive.wheel_separation
    top = np.array([linear, angular], np.float32)
    space = Box(-top, top, dtype=np.float32)
    return ActionChannel(name, space, drive, DRIVE, lambda values: _send(drive.set_twist, values))


def _send(command: Callable[..., Any], values: Array) -> None:
    command(*(float(value) for value in values))


def _owner(sim: Simulation, robot: Robot, name: str) -> tuple[Robot, str]:
    """Return the robot of a name, and the rest of the name."""
    first, dot, rest = name.partition(".")
    if dot and name not in robot.devices and first in sim.robots:
        return sim.robots[first], rest
    return robot, name


def _space_of(sim: Simulation, sensor: Sensor) -> Box:
    """Return the limits of the numbers in the channel `value` of a sensor."""
    if isinstance(sensor, Camera):
        return Box(0, 255, (sensor.height, sensor.width, 3), np.uint8)
    channel = sensor.channels.get("value", RECORDS)
    if channel.dtype == "object":
        raise ConfigError(
            f"observation: {sensor.robot_name}.{sensor.name}: found a {sensor.spec.type_name}, whose "
            "readings are no numbers; expected another sensor"
        )
    shape = [size for size in channel.shape if isinstance(size, int)]
    if len(shape) < len(channel.shape):  # the number of values is known from a reading
        sim.sample([sensor])
        shape = list(np.shape(sensor.value))
    return _box(channel.low, channel.high, tuple(shape) or (1,))


def _numbers(sensor: Sensor, space: Box) -> Array:
    """Return the reading; NaN before the first one."""
    value = sensor.value
    if value is None or np.size(value) != math.prod(
        space.shape
    ):  # not sampled yet, or a part of a revolution
        value = np.full(space.shape, np.nan)
    return np.asarray(value, np.float32).reshape(space.shape)


def within(found: Array, space: Box) -> Array:
    """Limit readings of any number of copies of sensors to the space (inf: no obstacle).

    NaN becomes the upper limit, or 0 if there is none.
    """
    if space.dtype == np.uint8:
        return found
    readings = np.array(found, np.float32, order="C")  # a copy, as readings may be read-only
    rows = readings.reshape(-1, math.prod(space.shape))
    limit_readings(rows, np.ravel(space.low), np.ravel(space.high))
    return readings


def _colours(camera: Camera, space: Box) -> Array:
    """Return red, green, blue of the last picture; black before the first."""
    value = camera.value
    if value is None:
        return np.zeros(space.shape, np.uint8)
    if value.ndim == 2:
        return np.repeat(value[..., None], 3, axis=2)
    return np.ascontiguousarray(value[..., 2::-1])


def joined(boxes: Sequence[Box]) -> Box:
    """Return several Boxes as one flat Box."""
    low = np.concatenate([box.low.ravel() for box in boxes])
    high = np.concatenate([box.high.ravel() for box in boxes])
    return Box(low, high, dtype=np.float32)


def _box(low: float, high: float, shape: tuple[int, ...]) -> Box:
    return Box(np.float32(low), np.float32(high), shape, np.float32)
