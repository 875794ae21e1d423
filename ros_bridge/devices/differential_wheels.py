"""DifferentialWheels: its wheels are in joint_states, and are commanded like any robot's drive.

The topic `/R/cmd_vel` belongs to every robot with a drive: see `ros_bridge/interface/interface.py`.
"""

from __future__ import annotations

from types import MappingProxyType

from ros_bridge.devices.base import DeviceBridge


class DifferentialWheelsBridge(DeviceBridge):
    """`/R/wheel_speeds` in: left and right, rad/s. The device is the robot itself, and so are its topics."""

    commands = MappingProxyType({"wheel_speeds": "set_wheel_speeds"})


BRIDGE = DifferentialWheelsBridge
