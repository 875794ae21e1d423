"""Radar: its targets as sensor_msgs/PointCloud2, and their number."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Int32

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.point_clouds import fill_cloud, fill_cloud_constants
from ros_bridge.topics.records import Publication

FIELDS = ("x", "y", "z", "distance", "azimuth", "speed", "received_power")


def fill_targets(message: Any, reading: Any) -> None:
    """Fill a PointCloud2: m, rad, m/s and dBm; x and y from distance and azimuth, z is not measured: 0."""
    rows = [
        (away * math.cos(azimuth), away * math.sin(azimuth), 0.0, away, azimuth, speed, power)
        for away, power, speed, azimuth in reading.value
    ]
    fill_cloud(message, np.array(rows, np.float64).reshape(1, -1, len(FIELDS)))


def fill_number(message: Any, reading: Any) -> None:
    """Fill an Int32 with the number of targets."""
    message.data = len(reading.value)


class RadarBridge(DeviceBridge):
    """`/R/d/targets` and `/R/d/number_of_targets`, published also without targets."""

    readings = (
        Publication(
            *("targets", PointCloud2, fill_targets),
            partial(fill_cloud_constants, fields=FIELDS, is_dense=True),
        ),
        Publication("number_of_targets", Int32, fill_number),
    )


BRIDGE = RadarBridge
