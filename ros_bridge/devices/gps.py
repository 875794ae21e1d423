"""GPS as a point or as latitude, longitude and altitude, and as speed."""

from __future__ import annotations

from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped, TwistStamped, Vector3
from sensor_msgs.msg import NavSatFix, NavSatStatus
from std_msgs.msg import Float32

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.devices.imu_parts import fill_variances
from ros_bridge.topics.conversions import fill_data, fill_part, fill_vector
from ros_bridge.topics.frames import WORLD
from ros_bridge.topics.records import Publication

FIX = 4
"""Satellites needed for a position with time."""


def fill_fix(message: Any, reading: Any) -> None:
    """Fill a NavSatFix with degrees, degrees and m, and the variances of that, m², where they are known."""
    message.latitude, message.longitude, message.altitude = reading.value
    if message.position_covariance_type != NavSatFix.COVARIANCE_TYPE_UNKNOWN:
        fill_variances(message.position_covariance, reading.deviation)


def fill_speed_vector(message: Any, reading: Any) -> None:
    """Fill a Vector3 with m/s, world axes."""
    fill_vector(message, reading.speed_vector)


def fill_velocity(message: Any, reading: Any) -> None:
    """Fill a TwistStamped with m/s, world axes; a GPS does not measure the angular part."""
    fill_vector(message.twist.linear, reading.speed_vector)


class GpsBridge(DeviceBridge):
    """`/R/d`, `/R/d/speed`, `/R/d/speed_vector`, and the same with a header, `/R/d/velocity`.

    The position is a fix, or the position in the world plus gpsReference, m; speeds are in m/s, world axes.
    In WGS84 there is also `/R/d/status`: the number of satellites.
    """

    def outputs(self) -> list[Publication]:
        """Return the topics, a message each per reading; gpsCoordinateSystem sets the position's type."""
        if self.device.is_geographic:
            positions = [
                Publication("", NavSatFix, fill_fix, self._fill_fix_constants),
                Publication("status", DiagnosticArray, self._fill_status),
            ]
        else:
            positions = [Publication("", PointStamped, partial(fill_part, "point", "value"), frame_id=WORLD)]
        return [
            *positions,
            Publication("speed", Float32, partial(fill_data, "speed")),
            Publication("speed_vector", Vector3, fill_speed_vector),
            Publication("velocity", TwistStamped, fill_velocity, frame_id=WORLD),
        ]

    def _fill_status(self, message: Any, reading: Any) -> None:
        """Fill a DiagnosticArray with the number of satellites; fewer than four give no fix."""
        count = self.device.satellites(reading.time_ns)
        level = DiagnosticStatus.OK if count >= FIX else DiagnosticStatus.WARN
        name = f"{self.device.robot_name}/{self.device.name}"
        status = DiagnosticStatus(level=level, name=name, message=f"{count} satellites")
        status.values = [KeyValue(key="satellites", value=str(count))]
        message.status = [status]

    def _fill_fix_constants(self, message: Any) -> None:
        """Fill the status of a GPS fix; the variances are unknown where faults, in degrees, add errors."""
        message.status.status = NavSatStatus.STATUS_FIX
        message.status.service = NavSatStatus.SERVICE_GPS
        faults = self.device.reading_faults
        is_known = faults is None or not faults.has_errors
        message.position_covariance_type = (
            NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN if is_known else NavSatFix.COVARIANCE_TYPE_UNKNOWN
        )


BRIDGE = GpsBridge
