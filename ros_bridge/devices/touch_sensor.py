"""TouchSensor as Bool, Float64 or Vector3Stamped, depending on its type."""

from __future__ import annotations

from functools import partial
from typing import Any

from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from sensor_msgs.msg import Range
from std_msgs.msg import Bool, Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_data, fill_detected, fill_part, fill_value
from ros_bridge.topics.records import Publication


def fill_push(message: Any, reading: Any) -> None:
    """Fill a WrenchStamped: pressure on the x axis acts against it."""
    message.wrench.force.x = -reading.value


class TouchSensorBridge(DeviceBridge):
    """`/R/d`: std_msgs/Bool for a bumper, Float64 for force, geometry_msgs/Vector3Stamped for force-3d.

    A bumper reports whether there was contact since the last reading, the others the lookup table's outputs,
    for each axis of the device. With a header: `/R/d/stamped`, for a bumper a Range of a detector without
    distance (sensor_msgs/Range, REP-117), for force a WrenchStamped. `/R/d/touched`, of a bumper with a
    target.
    """

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per reading."""
        touched = Publication("touched", Bool, partial(fill_data, "touched"))
        of_target = [touched] if "touched" in self.device.channels else []
        return {
            "bumper": [
                Publication("", Bool, fill_value),
                Publication("stamped", Range, fill_detected),
                *of_target,
            ],
            "force": [Publication("", Float64, fill_value), Publication("stamped", WrenchStamped, fill_push)],
            "force-3d": [Publication("", Vector3Stamped, partial(fill_part, "vector", "value"))],
        }[self.device.type]


BRIDGE = TouchSensorBridge
