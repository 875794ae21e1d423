"""RotationalMotor and LinearMotor: commands in, the force of the motor out."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Float64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.decoding import numbers
from ros_bridge.topics.records import STATE, Publication, Subscription
from sim_core.session.pipeline import Action


class MotorBridge(DeviceBridge):
    """`/R/d/position`, `/R/d/velocity`, `/R/d/effort` in; `/R/d/force_feedback` out.

    rad, rad/s and N·m, or m, m/s and N.
    """

    def outputs(self) -> list[Publication]:
        """The torque or force of the last step, with the robot's state."""
        return [Publication("force_feedback", Float64, self._fill_force_feedback, period_ns=STATE)]

    def inputs(self) -> list[Subscription]:
        """One topic per way to control a motor; the last message rules."""
        return [
            Subscription("position", Float64, self._position),
            *self.takes({"velocity": "set_velocity", "effort": "set_effort"}),
        ]

    def _position(self, message: Any) -> tuple[Action, ...]:
        """Infinity is no position here: to Webots' controllers it means velocity control."""
        (position,) = numbers((message.data,), 1, "rad or m")
        return self.tell("set_position", position=position)

    def _fill_force_feedback(self, message: Any, time_ns: int) -> None:
        message.data = self.device.effort


BRIDGE = MotorBridge
