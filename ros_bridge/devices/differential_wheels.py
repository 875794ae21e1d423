"""DifferentialWheels: its wheels stand in joint_states, and are commanded as the robot's drive is.

The topic `/R/cmd_vel` belongs to every robot with a drive: see `ros_bridge/topics/interface.py`.
"""

from __future__ import annotations

from std_msgs.msg import Float64MultiArray

from ros_bridge.devices.base import DeviceBridge, Input
from ros_bridge.topics.commands import numbers

WHEEL_SPEEDS = "wheel_speeds"


class DifferentialWheelsBridge(DeviceBridge):
    """`/R/wheel_speeds` in: left and right, rad/s. The device is the robot itself, so are its topics."""

    def inputs(self) -> list[Input]:
        """Both speeds in one message."""
        return [Input(WHEEL_SPEEDS, Float64MultiArray, self._set_speeds)]

    def _set_speeds(self, message: Float64MultiArray) -> str | None:
        left, right = numbers(message.data, 2, "the speeds of the left and the right wheel in rad/s")
        clamped: str | None = self.device.set_wheel_speeds(left, right)
        return clamped


BRIDGE = DifferentialWheelsBridge
