"""Connector: lock and unlock as inputs; presence, latch and attachment as outputs."""

from __future__ import annotations

from functools import partial
from typing import Any

from std_msgs.msg import Bool, Int32, String

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.conversions import fill_data, fill_value
from ros_bridge.topics.records import Publication, Subscription


def fill_state(message: Any, reading: Any) -> None:
    """Fill a String, as gz-sim does."""
    message.data = "attached" if reading.is_attached else "detached"


class ConnectorBridge(DeviceBridge):
    """`/R/d/lock` in; `/R/d/presence`, `/R/d/locked`, `/R/d/attached` out.

    Presence is 1 if a peer is present, 0 if none is, -1 if the connector is passive and cannot detect it;
    locked: whether the latch is closed; attached: whether a peer is held. Of a joint of gz-sim's
    DetachableJoint also `/R/d/detach`, `/R/d/attach` in, and `/R/d/state` out: `attached` or `detached`.
    """

    readings = (
        Publication("presence", Int32, fill_value),
        Publication("locked", Bool, partial(fill_data, "is_locked")),
        Publication("attached", Bool, partial(fill_data, "is_attached")),
    )

    def outputs(self) -> list[Publication]:
        """Return the topics, with one message each per reading."""
        state = Publication("state", String, fill_state)
        return [*self.readings, *([state] if self._is_detachable else [])]

    def inputs(self) -> list[Subscription]:
        """Return the topic that locks (true) and unlocks (false), and those of a detachable joint."""
        commands = {"detach": "unlock", "attach": "lock"} if self._is_detachable else {}
        return [
            Subscription(
                "lock", Bool, lambda message: self.device_command("lock" if message.data else "unlock")
            ),
            *self.command_topics(commands),
        ]

    @property
    def _is_detachable(self) -> bool:
        detachable: bool = self.device.spec["detachable"]
        return detachable


BRIDGE = ConnectorBridge
