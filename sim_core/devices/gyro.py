"""Gyro: angular velocity."""

from __future__ import annotations

from sim_core.devices.axis_sensor import AxisSensor
from sim_core.geometry import Vec3, rotate_back


class Gyro(AxisSensor):
    """Angular velocity in rad/s about the axes of the device."""

    def measure(self) -> Vec3:
        """Angular velocity, rad/s, in the axes of the device."""
        return rotate_back(self.frame.pose().rotation, self.frame.angular_velocity())


DEVICE = Gyro
