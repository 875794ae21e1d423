"""Connector: lock and unlock as inputs; presence, latch and attachment as outputs."""

from __future__ import annotations

from functools import partial

from std_msgs.msg import Bool, Int32

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_data, fill_value
from ros_bridge.topics.records import Publication, Subscription


class ConnectorBridge(DeviceBridge):
    """`/R/d/lock` in; `/R/d/presence`, `/R/d/locked`, `/R/d/attached` out.

    Presence is 1 if a peer is present, 0 if none is, -1 if the connector is passive and cannot detect it;
    locked: whether the latch is closed; attached: whether a peer is held.
    """

    readings = (
        Publication("presence", Int32, fill_value),
        Publication("locked", Bool, partial(fill_data, "is_locked")),
        Publication("attached", Bool, partial(fill_data, "is_attached")),
    )

    def inputs(self) -> list[Subscription]:
        """Return the topic that locks (true) and unlocks (false)."""
        return [
            Subscription(
                "lock", Bool, lambda message: self.device_command("lock" if message.data else "unlock")
            )
        ]


BRIDGE = ConnectorBridge
