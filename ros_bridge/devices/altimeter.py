"""Altimeter as std_msgs/Float64."""

from __future__ import annotations

from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge, Output
from ros_bridge.topics.conversions import fill_value


class AltimeterBridge(DeviceBridge):
    """`/R/d`: the height above gpsReference's zero, m."""

    def outputs(self) -> list[Output]:
        """One height per reading."""
        return [Output("", Float64, fill_value)]


BRIDGE = AltimeterBridge
