"""Brake: its damping comes in."""

from __future__ import annotations

from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge, Input


class BrakeBridge(DeviceBridge):
    """`/R/d/damping` in N·m·s/rad or N·s/m."""

    def inputs(self) -> list[Input]:
        """The damping constant."""
        return [Input("damping", Float64, lambda message: self.device.set_damping(message.data))]


BRIDGE = BrakeBridge
