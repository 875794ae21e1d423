"""DistanceSensor as sensor_msgs/Range in metres, and as raw value after the lookup table."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import Range
from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_value
from ros_bridge.topics.records import Publication


def fill_range(message: Any, reading: Any) -> None:
    """Fill a Range with the distance measured by the rays, m, without the table's noise."""
    message.range = reading.distance


class DistanceSensorBridge(DeviceBridge):
    """`/R/d`, and `/R/d/value`: the output of the lookup table."""

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per reading."""
        return [
            Publication("", Range, fill_range, self._fill_constants),
            Publication("value", Float64, fill_value),
        ]

    def _fill_constants(self, message: Any) -> None:
        """Fill type (sonar: ultrasound, else infra-red), aperture, range: 0 m to the table's last input."""
        message.radiation_type = Range.ULTRASOUND if self.device.type == "sonar" else Range.INFRARED
        message.field_of_view = self.device.aperture
        message.min_range = 0.0
        message.max_range = self.device.max_range


BRIDGE = DistanceSensorBridge
