"""TouchSensor as Bool, Float64 or Vector3Stamped, as its type asks."""

from __future__ import annotations

from functools import partial

from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Bool, Float64

from ros_bridge.devices.base import DeviceBridge, Output
from ros_bridge.topics.conversions import fill_part, fill_value


class TouchSensorBridge(DeviceBridge):
    """`/R/d`: std_msgs/Bool for a bumper, Float64 for force, geometry_msgs/Vector3Stamped for force-3d.

    A bumper tells whether something touched since the reading before, the others the lookup table's answers,
    for each of the device's axes.
    """

    def outputs(self) -> list[Output]:
        """One per reading."""
        return {
            "bumper": [Output("", Bool, fill_value)],
            "force": [Output("", Float64, fill_value)],
            "force-3d": [Output("", Vector3Stamped, partial(fill_part, "vector", "value"))],
        }[self.device.type]


BRIDGE = TouchSensorBridge
