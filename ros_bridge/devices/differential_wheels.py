"""DifferentialWheels: its wheels stand in joint_states, and are commanded as the robot's drive is.

The topic `/R/cmd_vel` belongs to every robot with a drive: see `ros_bridge/interface/interface.py`.
"""

from __future__ import annotations

from types import MappingProxyType

from ros_bridge.devices.base import DeviceBridge


class DifferentialWheelsBridge(DeviceBridge):
    """`/R/wheel_speeds` in: left and right, rad/s. The device is the robot itself, so are its topics."""

    commands = MappingProxyType({"wheel_speeds": "set_wheel_speeds"})


BRIDGE = DifferentialWheelsBridge
