"""GPS as a point or as latitude, longitude and altitude, and as a speed."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PointStamped, TwistStamped, Vector3
from sensor_msgs.msg import NavSatFix, NavSatStatus
from std_msgs.msg import Float32

from ros_bridge.devices.base import DeviceBridge, Output
from ros_bridge.topics.conversions import fill_vector
from ros_bridge.topics.frames import WORLD


def fill_point(message: Any, reading: Any) -> None:
    """Fill a PointStamped with the position in the world plus gpsReference, m."""
    fill_vector(message.point, reading.value)


def fill_fix(message: Any, reading: Any) -> None:
    """Fill a NavSatFix with degrees, degrees and m."""
    message.latitude, message.longitude, message.altitude = reading.value


def fill_speed(message: Any, reading: Any) -> None:
    """Fill a Float32 with m/s."""
    message.data = reading.speed


def fill_speed_vector(message: Any, reading: Any) -> None:
    """Fill a Vector3 with m/s, world axes."""
    fill_vector(message, reading.speed_vector)


def fill_velocity(message: Any, reading: Any) -> None:
    """Fill a TwistStamped with m/s, world axes; a GPS knows nothing of the angular part."""
    fill_vector(message.twist.linear, reading.speed_vector)


class GpsBridge(DeviceBridge):
    """`/R/d`, `/R/d/speed`, `/R/d/speed_vector`, and the same with a stamp, `/R/d/velocity`."""

    def outputs(self) -> list[Output]:
        """One of each per reading; the position's type depends on WorldInfo.gpsCoordinateSystem."""
        if self.device.is_geographic:
            position = Output("", NavSatFix, fill_fix, self._fill_fix_constants)
        else:
            position = Output("", PointStamped, fill_point, frame=WORLD)
        return [
            position,
            Output("speed", Float32, fill_speed),
            Output("speed_vector", Vector3, fill_speed_vector),
            Output("velocity", TwistStamped, fill_velocity, frame=WORLD),
        ]

    def _fill_fix_constants(self, message: Any) -> None:
        """A fix of GPS; the variance of each axis is accuracy²."""
        message.status.status = NavSatStatus.STATUS_FIX
        message.status.service = NavSatStatus.SERVICE_GPS
        message.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
        for index in (0, 4, 8):
            message.position_covariance[index] = self.device.accuracy**2


BRIDGE = GpsBridge
