"""VacuumGripper: on and off as inputs, whether something is held as output."""

from __future__ import annotations

from sensor_msgs.msg import Range
from std_msgs.msg import Bool

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_detected, fill_value
from ros_bridge.topics.records import Publication, Subscription


class VacuumGripperBridge(DeviceBridge):
    """`/R/d/turn_on` in, `/R/d/presence` out: whether something is held.

    `/R/d/presence/stamped` is the same as the Range of a detector without distance.
    """

    readings = (
        Publication("presence", Bool, fill_value),
        Publication("presence/stamped", Range, fill_detected),
    )

    def inputs(self) -> list[Subscription]:
        """Return the topic that switches the pump on (true) and off (false)."""
        return [
            Subscription(
                "turn_on",
                Bool,
                lambda message: self.device_command("turn_on" if message.data else "turn_off"),
            )
        ]


BRIDGE = VacuumGripperBridge
