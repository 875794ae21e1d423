"""Compass as vector to north, as bearing in degrees, and as magnetic field."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from geometry_msgs.msg import QuaternionStamped, Vector3Stamped
from sensor_msgs.msg import MagneticField
from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_part, fill_quaternion
from ros_bridge.topics.records import Publication
from sim_core.base.geometry import Vec3


def bearing(north: Vec3) -> float:
    """Return the bearing of the device's x axis: degrees clockwise from north, in [0, 360).

    `north` is the direction of north in the device's axes; with y to the left, its angle counter-clockwise
    from x is the bearing.
    """
    return math.degrees(math.atan2(north[1], north[0])) % 360.0


def fill_bearing(message: Any, reading: Any) -> None:
    """Fill a Float64 with degrees."""
    message.data = bearing(reading.value)


def fill_bearing_in_radians(message: Any, reading: Any) -> None:
    """Fill a Float64 with radians."""
    message.data = math.radians(bearing(reading.value))


def fill_heading(message: Any, reading: Any) -> None:
    """Fill a QuaternionStamped with the yaw of the device: counter-clockwise from east (REP-103)."""
    yaw = math.pi / 2.0 - math.radians(bearing(reading.value))
    fill_quaternion(message.quaternion, (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)))


class CompassBridge(DeviceBridge):
    """`/R/d/north_vector`, the unit vector to north in the axes of the device, and `/R/d/bearing`.

    With a header: `/R/d/heading`; `/R/d/magnetic_field` in T.
    """

    readings = (
        Publication("north_vector", Vector3Stamped, partial(fill_part, "vector", "value")),
        Publication("heading", QuaternionStamped, fill_heading),
        Publication("magnetic_field", MagneticField, partial(fill_part, "magnetic_field", "field")),
    )

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per reading."""
        fill = fill_bearing_in_radians if self.style.radians else fill_bearing
        return [*self.readings, Publication("bearing", Float64, fill)]


BRIDGE = CompassBridge
