"""Pen: up, down and its ink come in; what it draws is in /odesim/markers."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Bool, ColorRGBA

from ros_bridge.devices.base import DeviceBridge, Input


class PenBridge(DeviceBridge):
    """`/R/d/write` and `/R/d/ink_color`, whose alpha is the density."""

    def inputs(self) -> list[Input]:
        """Both commands."""
        return [Input("write", Bool, self._write), Input("ink_color", ColorRGBA, self._set_ink)]

    def _write(self, message: Any) -> None:
        self.device.write(message.data)

    def _set_ink(self, message: Any) -> None:
        self.device.set_ink((message.r, message.g, message.b), message.a)


BRIDGE = PenBridge
