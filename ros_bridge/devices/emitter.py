"""Emitter: packets, channel and range as inputs."""

from __future__ import annotations

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import Subscription

PACKETS = 1000
"""Most packets between two steps."""


class EmitterBridge(DeviceBridge):
    """`/R/d/send`, `/R/d/channel` (-1: all) and `/R/d/range` in m (-1: no limit).

    Messages between two steps are executed before the next one, in order of arrival: a packet is sent at the
    sim time at which that step starts.
    """

    def inputs(self) -> list[Subscription]:
        """Return the topic of packets, and those of settings for later packets."""
        return self.command_topics({"send": "send"}, PACKETS) + self.command_topics(
            {"channel": "set_channel", "range": "set_range"}
        )


BRIDGE = EmitterBridge
