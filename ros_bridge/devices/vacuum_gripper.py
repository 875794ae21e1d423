"""VacuumGripper: on and off come in, whether something is held goes out."""

from __future__ import annotations

from std_msgs.msg import Bool

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.conversions import fill_value


class VacuumGripperBridge(DeviceBridge):
    """`/R/d/turn_on` in, `/R/d/presence` out: whether something is held."""

    readings = (Output("presence", Bool, fill_value),)

    def inputs(self) -> list[Input]:
        """True turns the pump on, False off."""
        return [Input("turn_on", Bool, lambda message: self.tell("turn_on" if message.data else "turn_off"))]


BRIDGE = VacuumGripperBridge
