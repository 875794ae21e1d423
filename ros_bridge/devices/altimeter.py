"""Altimeter as std_msgs/Float64."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Float64

from ros_bridge.base import DeviceBridge, Output


def fill_height(message: Any, reading: Any) -> None:
    """Fill a Float64 with the height above gpsReference's zero, m."""
    message.data = reading.value


class AltimeterBridge(DeviceBridge):
    """`/R/d` in m."""

    def outputs(self) -> list[Output]:
        """One height per reading."""
        return [Output("", Float64, fill_height)]


BRIDGE = AltimeterBridge
