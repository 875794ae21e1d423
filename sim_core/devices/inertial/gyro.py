"""Gyro: angular velocity."""

from __future__ import annotations

from sim_core.base.geometry import Vec3, rotate_back
from sim_core.devices.channels import DEVICE_AXES, Channel, declare
from sim_core.devices.inertial.axis_sensor import AxisSensor


class Gyro(AxisSensor):
    """Angular velocity in rad/s about the axes of the device."""

    channels = declare(value=Channel("rad/s", (3,), frame=DEVICE_AXES))

    def measure(self) -> Vec3:
        """Return the angular velocity, rad/s, in the axes of the device."""
        return rotate_back(self.frame.pose().rotation, self.frame.angular_velocity())
