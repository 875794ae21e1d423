"""RotationalMotor and LinearMotor: commands as inputs, the motor's effort as output."""

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
        """Return the torque or force of the last step, published with the robot's state."""
        return [Publication("force_feedback", Float64, self._fill_force_feedback, period_ns=STATE)]

    def inputs(self) -> list[Subscription]:
        """Return a topic for each control mode; the last message determines the mode."""
        return [
            Subscription("position", Float64, self._position),
            *self.command_topics({"velocity": "set_velocity", "effort": "set_effort"}),
        ]

    def _position(self, message: Any) -> tuple[Action, ...]:
        """Convert a position; infinity, which selects velocity control in Webots' API, is refused here."""
        (position,) = numbers((message.data,), 1, "rad or m")
        return self.device_command("set_position", position=position)

    def _fill_force_feedback(self, message: Any, time_ns: int) -> None:
        message.data = self.device.effort


BRIDGE = MotorBridge
