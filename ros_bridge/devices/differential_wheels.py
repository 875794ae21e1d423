"""DifferentialWheels: its wheels stand in joint_states, and are commanded as the robot's drive is.

The topic `/R/cmd_vel` belongs to every robot with a drive: see `ros_bridge/topics/interface.py`.
"""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge, Input

WHEEL_SPEEDS = "wheel_speeds"


class DifferentialWheelsBridge(DeviceBridge):
    """`/R/wheel_speeds` in: left and right, rad/s. The device is the robot itself, so are its topics."""

    def inputs(self) -> list[Input]:
        """Both speeds in one message."""
        return self.takes({WHEEL_SPEEDS: "set_wheel_speeds"})


BRIDGE = DifferentialWheelsBridge
