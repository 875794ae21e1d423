"""The three parts of a sensor_msgs/Imu, filled one by one or together.

A part that is not measured has -1 in the first element of its covariance (REP-145, sensor_msgs/Imu); the
others keep zeros, which means "covariance unknown".
"""

from __future__ import annotations

from typing import Any

from ros_bridge.conversions import UNKNOWN_COVARIANCE, fill_quaternion, fill_vector
from sim_core.devices.accelerometer import Accelerometer
from sim_core.devices.gyro import Gyro
from sim_core.devices.inertial_unit import InertialUnit

PARTS = ("orientation", "angular_velocity", "linear_acceleration")


def mark_absent(message: Any, present: tuple[str, ...]) -> None:
    """Mark the parts of an Imu that are not measured."""
    for part in PARTS:
        covariance = getattr(message, f"{part}_covariance")
        covariance[0] = 0.0 if part in present else UNKNOWN_COVARIANCE


def fill_orientation(message: Any, reading: Any) -> None:
    """Put in the reading of an InertialUnit."""
    fill_quaternion(message.orientation, reading.quaternion)


def fill_angular_velocity(message: Any, reading: Any) -> None:
    """Put in the reading of a Gyro, rad/s."""
    fill_vector(message.angular_velocity, reading.value)


def fill_linear_acceleration(message: Any, reading: Any) -> None:
    """Put in the reading of an Accelerometer, m/s²."""
    fill_vector(message.linear_acceleration, reading.value)


FILL = {
    InertialUnit: ("orientation", fill_orientation),
    Gyro: ("angular_velocity", fill_angular_velocity),
    Accelerometer: ("linear_acceleration", fill_linear_acceleration),
}
"""By the class of the sensor: the part that it measures, and how that is filled."""
