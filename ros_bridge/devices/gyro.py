"""Gyro as sensor_msgs/Imu with the other parts marked as absent."""

from __future__ import annotations

from functools import partial

from sensor_msgs.msg import Imu

from ros_bridge.devices.base import DeviceBridge, Output
from ros_bridge.devices.imu_parts import fill_angular_velocity, mark_absent


class GyroBridge(DeviceBridge):
    """`/R/d`."""

    def outputs(self) -> list[Output]:
        """One Imu per reading."""
        return [Output("", Imu, fill_angular_velocity, partial(mark_absent, present=("angular_velocity",)))]


BRIDGE = GyroBridge
