"""A topic that is looked at when there is time, rather than one that calls."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from rclpy.qos import QoSProfile, ReliabilityPolicy

from ros_bridge.topics.conversions import message_class
from ros_bridge.topics.qos import Qos, profile

MOST_TAKEN = 20
"""Messages of a topic that keeps all, at one look."""


class PolledTopic:
    """The last messages of a topic.

    While `rest` has it rest, nobody listens. Its node must not be spun: then a message costs next to nothing
    until somebody takes it, and those that nobody took in time make room for newer ones. However fast a
    simulation runs, this side keeps its pace.

    Args:
        node: a node that nobody spins.
        message_type: class of the messages.
        name: of the topic.
        depth: how many messages are kept; ALL: none makes room for a newer one.
        latched: whether the topic is one of those whose last message waits for late subscribers.
        rests: whether it is one of those that `rest_all` has rest.
    """

    def __init__(
        self,
        node: Any,
        message_type: Any,
        name: str,
        depth: int = 1,
        latched: bool = False,
        rests: bool = True,
    ) -> None:
        self.name = name
        self._node = node
        self._type = message_type
        self._depth = depth
        self._latched = latched
        self._subscription: Any = None
        self.rest(False)
        if rests:
            _RESTING.add(self)

    def rest(self, resting: bool) -> None:
        """Listen no more for now, or again: a sensor that nobody else listens to can rest too."""
        if resting and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
        elif not resting and self._subscription is None:
            node, name, depth = self._node, self.name, self._depth
            qos = profile(Qos(True, depth, True)) if self._latched else _matching(node, name, depth)
            self._subscription = node.create_subscription(self._type, name, _unused, qos)

    def take(self) -> list[Any]:
        """The messages that came since the last call, oldest first."""
        messages: list[Any] = []
        if self._subscription is None:
            return messages
        handle = self._subscription.handle
        with handle:
            while len(messages) < (self._depth or MOST_TAKEN) and (
                taken := handle.take_message(self._type, False)
            ):
                messages.append(taken[0])
        return messages

    def close(self) -> None:
        """Listen no more: a sensor that nobody else listens to can rest."""
        _RESTING.discard(self)
        self.rest(True)

    @staticmethod
    def rest_all(node: Any, resting: bool) -> None:
        """Have all topics of a node rest, or none: where nobody looks, the simulation does no work for it."""
        for topic in list(_RESTING):
            if topic._node is node:
                topic.rest(resting)


_RESTING: WeakSet[PolledTopic] = WeakSet()


def known_class(type_name: str) -> Any:
    """The class of `sensor_msgs/msg/Range`; None if its package is not installed here."""
    try:
        return message_class(type_name)
    except (ImportError, AttributeError):
        return None


def _unused(message: Any) -> None:
    """Never called: nobody spins the node."""


def _matching(node: Any, name: str, depth: int) -> QoSProfile:
    """Reliable if all publishers are, or if none is there yet; a subscriber that wants more hears nothing."""
    offered = [info.qos_profile.reliability for info in node.get_publishers_info_by_topic(name)]
    return profile(Qos(all(one == ReliabilityPolicy.RELIABLE for one in offered), depth))
