"""The three parts of a sensor_msgs/Imu, filled one by one or together.

A part that is not measured has -1 in the first element of its covariance (REP-145, sensor_msgs/Imu). The
others have the variances of their sensors' noise on the diagonal, which vary between readings if noise is
relative; without noise they are zero, which means "covariance unknown".
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sensor_msgs.msg import Imu

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import UNKNOWN_COVARIANCE, fill_quaternion, fill_vector
from ros_bridge.topics.records import Publication
from sim_core.base.geometry import ZERO, Vec3
from sim_core.devices.inertial.accelerometer import Accelerometer
from sim_core.devices.inertial.gyro import Gyro
from sim_core.devices.inertial.inertial_unit import InertialUnit

PARTS = ("orientation", "angular_velocity", "linear_acceleration")


def mark_absent(message: Any, present: tuple[str, ...]) -> None:
    """Mark the parts of an Imu that are not measured."""
    for part in PARTS:
        covariance = getattr(message, f"{part}_covariance")
        covariance[0] = 0.0 if part in present else UNKNOWN_COVARIANCE


def fill_variances(covariance: Any, deviation: Vec3) -> None:
    """Write the squares of three standard deviations to the diagonal of a 3 × 3 covariance."""
    if deviation != ZERO:
        covariance[0], covariance[4], covariance[8] = (each * each for each in deviation)


def fill_orientation(message: Any, reading: Any) -> None:
    """Fill in the reading of an InertialUnit; its covariance, rad², is that of a small rotation."""
    fill_quaternion(message.orientation, reading.quaternion)
    fill_variances(message.orientation_covariance, reading.deviation)


def fill_angular_velocity(message: Any, reading: Any) -> None:
    """Fill in the reading of a Gyro, rad/s."""
    fill_vector(message.angular_velocity, reading.value)
    fill_variances(message.angular_velocity_covariance, reading.deviation)


def fill_linear_acceleration(message: Any, reading: Any) -> None:
    """Fill in the reading of an Accelerometer, m/s²."""
    fill_vector(message.linear_acceleration, reading.value)
    fill_variances(message.linear_acceleration_covariance, reading.deviation)


FILL = {
    InertialUnit: ("orientation", fill_orientation),
    Gyro: ("angular_velocity", fill_angular_velocity),
    Accelerometer: ("linear_acceleration", fill_linear_acceleration),
}
"""The measured part and its fill function, by sensor class."""


class ImuPartBridge(DeviceBridge):
    """`/R/d` of a sensor that measures one of the parts."""

    def outputs(self) -> list[Publication]:
        """Return the topic, with one Imu per reading."""
        part, fill = FILL[type(self.device)]
        return [Publication("", Imu, fill, partial(mark_absent, present=(part,)))]
