"""Find the drive of a robot, from its settings or its wheels."""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.config import AckermannConfig, DriveConfig, MecanumConfig
from sim_core.devices.base import Device
from sim_core.devices.drives.ackermann_drive import car_from_config, make_car, steering_pairs
from sim_core.devices.drives.differential_drive import DifferentialDrive, find_differential_drive
from sim_core.devices.drives.mecanum_drive import mecanum_drive_from_config
from sim_core.devices.motors.motor import Motor
from sim_core.model.device_spec import NodeSpec


def find_drive(
    robot: NodeSpec, devices: Iterable[Device], config: DriveConfig | None = None
) -> DifferentialDrive | None:
    """Return the drive of a robot, or None if it has none.

    It is that of a car if the robot has one pair of motors that steer wheels (see `steering_pairs`), else a
    differential one. Steered wheels are not driven wheels here: a car whose front wheels do both has no
    drive.

    Raises:
        ConfigError: `config` names a motor that does not exist, or a size is missing that the wheels' shapes
            do not give.
    """
    devices = list(devices)
    motors = {device.name: device for device in devices if isinstance(device, Motor)}
    if isinstance(config, AckermannConfig):
        return car_from_config(robot, motors, config)
    if isinstance(config, MecanumConfig):
        return mecanum_drive_from_config(robot, motors, config)
    pairs = steering_pairs(motors.values())
    steering = {motor for pair in pairs for motor, _ in pair}
    fixed = find_differential_drive(robot, [each for each in devices if each not in steering], config)
    if fixed is None or config is not None or len(pairs) != 1:
        return fixed
    return make_car(fixed, *pairs[0])
