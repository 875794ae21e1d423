"""TouchSensor as Bool, Float64 or Vector3Stamped, as its type asks."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Bool, Float64

from ros_bridge.base import DeviceBridge, Output
from ros_bridge.conversions import fill_vector


def fill_touch(message: Any, reading: Any) -> None:
    """Fill a Bool: whether something touched since the reading before."""
    message.data = reading.value


def fill_force(message: Any, reading: Any) -> None:
    """Fill a Float64 with the answer of the lookup table."""
    message.data = reading.value


def fill_forces(message: Any, reading: Any) -> None:
    """Fill a Vector3Stamped with the lookup table's answers for the device's three axes."""
    fill_vector(message.vector, reading.value)


class TouchSensorBridge(DeviceBridge):
    """`/R/d`: std_msgs/Bool for a bumper, Float64 for force, geometry_msgs/Vector3Stamped for force-3d."""

    def outputs(self) -> list[Output]:
        """One per reading."""
        return {
            "bumper": [Output("", Bool, fill_touch)],
            "force": [Output("", Float64, fill_force)],
            "force-3d": [Output("", Vector3Stamped, fill_forces)],
        }[self.device.type]


BRIDGE = TouchSensorBridge
