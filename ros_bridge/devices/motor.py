"""RotationalMotor and LinearMotor: commands in, the force of the motor out."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.commands import numbers


class MotorBridge(DeviceBridge):
    """`/R/d/position`, `/R/d/velocity`, `/R/d/effort` in; `/R/d/force_feedback` out.

    rad, rad/s and N·m, or m, m/s and N.
    """

    def outputs(self) -> list[Output]:
        """The torque or force of the last step, with the robot's state."""
        return [Output("force_feedback", Float64, self._fill_force_feedback, sampled=False)]

    def inputs(self) -> list[Input]:
        """One topic per way to control a motor; the last message rules."""
        device = self.device
        return [
            Input("position", Float64, lambda message: device.set_position(_finite(message))),
            Input("velocity", Float64, lambda message: device.set_velocity(_finite(message))),
            Input("effort", Float64, lambda message: device.set_effort(_finite(message))),
        ]

    def _fill_force_feedback(self, message: Any, time_ns: int) -> None:
        message.data = self.device.effort


def _finite(message: Float64) -> float:
    return numbers((message.data,), 1, "rad, rad/s, N·m, or m, m/s, N")[0]


BRIDGE = MotorBridge
