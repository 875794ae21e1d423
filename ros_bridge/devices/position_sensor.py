"""PositionSensor: no topic of its own, its joint is in the robot's joint_states."""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge

BRIDGE = DeviceBridge
