"""LightSensor as sensor_msgs/Illuminance, and as raw value after the lookup table."""

from __future__ import annotations

from typing import Any

from sensor_msgs.msg import Illuminance
from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_value
from ros_bridge.topics.records import Publication

LUX_PER_IRRADIANCE = 120.0
"""lm/W of sunlight, as used by webots_ros2's driver to convert W/m² to lux."""


def fill_illuminance(message: Any, reading: Any) -> None:
    """Fill an Illuminance with the irradiance in lux, without the table's noise; variance 0: unknown."""
    message.illuminance = reading.irradiance * LUX_PER_IRRADIANCE


class LightSensorBridge(DeviceBridge):
    """`/R/d`, and `/R/d/value`: the output of the lookup table."""

    readings = (Publication("", Illuminance, fill_illuminance), Publication("value", Float64, fill_value))


BRIDGE = LightSensorBridge
