"""PositionSensor: it has no topic of its own, its joint stands in the robot's joint_states."""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge

BRIDGE = DeviceBridge
