"""Gyro as sensor_msgs/Imu, with the other parts marked as absent."""

from __future__ import annotations

from ros_bridge.devices.imu_parts import ImuPartBridge

BRIDGE = ImuPartBridge
