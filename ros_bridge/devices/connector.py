"""Connector: lock and unlock come in, presence, latch and attachment go out."""

from __future__ import annotations

from functools import partial

from std_msgs.msg import Bool, Int32

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.conversions import fill_data, fill_value


class ConnectorBridge(DeviceBridge):
    """`/R/d/lock` in; `/R/d/presence`, `/R/d/locked`, `/R/d/attached` out.

    Presence is 1 if a peer is there, 0 if none is, -1 if the connector is passive and does not know; locked:
    whether the latch is closed; attached: whether a peer is held.
    """

    readings = (
        Output("presence", Int32, fill_value),
        Output("locked", Bool, partial(fill_data, "is_locked")),
        Output("attached", Bool, partial(fill_data, "is_attached")),
    )

    def inputs(self) -> list[Input]:
        """True locks, False unlocks."""
        return [Input("lock", Bool, lambda message: self.tell("lock" if message.data else "unlock"))]


BRIDGE = ConnectorBridge
