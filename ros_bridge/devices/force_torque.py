"""ForceTorque as geometry_msgs/WrenchStamped."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import WrenchStamped

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_vector
from ros_bridge.topics.records import Publication


def fill_wrench(message: Any, reading: Any) -> None:
    """Fill a WrenchStamped."""
    fill_vector(message.wrench.force, reading.force)
    fill_vector(message.wrench.torque, reading.torque)


class ForceTorqueBridge(DeviceBridge):
    """`/R/d`, in the axes that the field `frame` selects."""

    readings = (Publication("", WrenchStamped, fill_wrench),)


BRIDGE = ForceTorqueBridge
