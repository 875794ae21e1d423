"""Servo: the topics of a motor."""

from __future__ import annotations

from ros_bridge.devices.motor import MotorBridge

BRIDGE = MotorBridge
