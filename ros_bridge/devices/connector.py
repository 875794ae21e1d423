"""Connector: lock and unlock come in, presence, latch and attachment go out."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Bool, Int32

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.conversions import fill_value


def fill_locked(message: Any, reading: Any) -> None:
    """Fill a Bool: whether the latch is closed."""
    message.data = reading.is_locked


def fill_attached(message: Any, reading: Any) -> None:
    """Fill a Bool: whether a peer is held."""
    message.data = reading.is_attached


class ConnectorBridge(DeviceBridge):
    """`/R/d/lock` in; `/R/d/presence`, `/R/d/locked`, `/R/d/attached` out.

    Presence is 1 if a peer is there, 0 if none is, -1 if the connector is passive and does not know.
    """

    def outputs(self) -> list[Output]:
        """One of each per reading."""
        return [
            Output("presence", Int32, fill_value),
            Output("locked", Bool, fill_locked),
            Output("attached", Bool, fill_attached),
        ]

    def inputs(self) -> list[Input]:
        """True locks, False unlocks."""
        return [Input("lock", Bool, lambda message: self.tell("lock" if message.data else "unlock"))]


BRIDGE = ConnectorBridge
