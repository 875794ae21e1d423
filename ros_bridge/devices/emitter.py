"""Emitter: packets, channel and range come in."""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import Subscription

PACKETS = 1000
"""Packets that may come between two steps."""


class EmitterBridge(DeviceBridge):
    """`/R/d/send`, `/R/d/channel` (-1: all) and `/R/d/range` in m (-1: no limit).

    What comes between two steps is carried out before the next one, in the order in which it came: a packet
    is sent at the sim time at which that step starts.
    """

    def inputs(self) -> list[Subscription]:
        """A packet, and what counts for the packets to come."""
        return self.takes({"send": "send"}, PACKETS) + self.takes(
            {"channel": "set_channel", "range": "set_range"}
        )


BRIDGE = EmitterBridge
