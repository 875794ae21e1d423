"""Pen: write mode and ink as inputs; its traces are in /odesim/markers."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import ColorRGBA

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import Subscription
from sim_core.session.pipeline import Action


class PenBridge(DeviceBridge):
    """`/R/d/write` and `/R/d/ink_color`, whose alpha is the density."""

    def inputs(self) -> list[Subscription]:
        """Return both topics."""
        return [*self.command_topics({"write": "write"}), Subscription("ink_color", ColorRGBA, self._ink)]

    def _ink(self, message: Any) -> tuple[Action, ...]:
        return self.device_command("set_ink", colour=(message.r, message.g, message.b), density=message.a)


BRIDGE = PenBridge
