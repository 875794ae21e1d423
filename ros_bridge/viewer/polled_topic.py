"""A subscription that is polled instead of calling back."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from rclpy.qos import QoSProfile, ReliabilityPolicy

from ros_bridge.topics.conversions import message_class
from ros_bridge.topics.qos import Qos, profile

MAX_TAKEN = 20
"""Most messages taken at one poll of a topic that keeps all."""


class PolledTopic:
    """The last messages of a topic.

    While it is paused, there is no subscription. Its node must not be spun: then a message costs next to
    nothing until it is taken, and messages that are not taken in time are replaced by newer ones. However
    fast a simulation runs, the viewer keeps its pace.

    Args:
        node: a node that is not spun.
        message_type: class of the messages.
        name: of the topic.
        depth: how many messages are kept; ALL: all.
        latched: whether the topic keeps its last message for late subscribers (transient local).
        can_pause: whether `pause_all` applies to it.
    """

    def __init__(
        self,
        node: Any,
        message_type: Any,
        name: str,
        depth: int = 1,
        latched: bool = False,
        can_pause: bool = True,
    ) -> None:
        self.name = name
        self._node = node
        self._type = message_type
        self._depth = depth
        self._latched = latched
        self._subscription: Any = None
        self.pause(False)
        if can_pause:
            _PAUSABLE.add(self)

    def pause(self, paused: bool) -> None:
        """Unsubscribe for now, or subscribe again, so that a sensor without other subscribers can stop."""
        if paused and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
        elif not paused and self._subscription is None:
            node, name, depth = self._node, self.name, self._depth
            qos = profile(Qos(True, depth, True)) if self._latched else _matching(node, name, depth)
            self._subscription = node.create_subscription(self._type, name, _unused, qos)

    def take(self) -> list[Any]:
        """Return the messages received since the last call, oldest first."""
        messages: list[Any] = []
        if self._subscription is None:
            return messages
        handle = self._subscription.handle
        with handle:
            while len(messages) < (self._depth or MAX_TAKEN) and (
                taken := handle.take_message(self._type, False)
            ):
                messages.append(taken[0])
        return messages

    def close(self) -> None:
        """Unsubscribe for good."""
        _PAUSABLE.discard(self)
        self.pause(True)

    @staticmethod
    def pause_all(node: Any, paused: bool) -> None:
        """Pause all topics of a node, or none: without a browser the simulation need not work for them."""
        for topic in list(_PAUSABLE):
            if topic._node is node:
                topic.pause(paused)


_PAUSABLE: WeakSet[PolledTopic] = WeakSet()


def known_class(type_name: str) -> Any:
    """Return the class of a type like `sensor_msgs/msg/Range`; None if its package is not installed."""
    try:
        return message_class(type_name)
    except (ImportError, AttributeError):
        return None


def _unused(message: Any) -> None:
    """Never called, because the node is not spun."""


def _matching(node: Any, name: str, depth: int) -> QoSProfile:
    """Return reliable QoS if all publishers offer it or there is none; else best effort, which fits all."""
    offered = [info.qos_profile.reliability for info in node.get_publishers_info_by_topic(name)]
    return profile(Qos(all(one == ReliabilityPolicy.RELIABLE for one in offered), depth))
