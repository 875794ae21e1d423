"""Altimeter as height and as air pressure."""

from __future__ import annotations

from functools import partial
from typing import Any

from sensor_msgs.msg import FluidPressure
from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_data
from ros_bridge.topics.records import Publication


def fill_pressure(message: Any, reading: Any) -> None:
    """Fill a FluidPressure; its variance is unknown."""
    message.fluid_pressure = reading.pressure


class AltimeterBridge(DeviceBridge):
    """`/R/d`, m above altitude 0 of gpsReference, and `/R/d/pressure`, Pa."""

    readings = (
        Publication("", Float64, partial(fill_data, "value")),
        Publication("pressure", FluidPressure, fill_pressure),
    )


BRIDGE = AltimeterBridge
