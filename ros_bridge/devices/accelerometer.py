"""Accelerometer as sensor_msgs/Imu with the other parts marked as absent."""

from __future__ import annotations

from functools import partial

from sensor_msgs.msg import Imu

from ros_bridge.devices.base import DeviceBridge, Output
from ros_bridge.devices.imu_parts import fill_linear_acceleration, mark_absent


class AccelerometerBridge(DeviceBridge):
    """`/R/d`."""

    def outputs(self) -> list[Output]:
        """One Imu per reading."""
        return [
            Output("", Imu, fill_linear_acceleration, partial(mark_absent, present=("linear_acceleration",)))
        ]


BRIDGE = AccelerometerBridge
