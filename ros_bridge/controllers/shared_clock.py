"""One subscription of /clock for all the robots that a node drives."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary, proxy

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock

Hear = Callable[[Clock], None]


class SharedClock:
    """Subscribes to /clock while somebody listens: a subscription for each of many robots costs time."""

    def __init__(self, node: Node) -> None:
        self._node = proxy(node)  # which owns us
        self._listeners: list[Hear] = []
        self._subscription = None

    def listen(self, hear: Hear) -> None:
        """`hear` gets each message from now on."""
        if hear not in self._listeners:
            self._listeners.append(hear)
        if self._subscription is None:
            self._subscription = self._node.create_subscription(
                Clock, "/clock", self._receive, qos_profile_sensor_data
            )

    def leave(self, hear: Hear) -> None:
        """`hear` gets no more messages."""
        if hear in self._listeners:
            self._listeners.remove(hear)
        if not self._listeners and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def _receive(self, message: Clock) -> None:
        for hear in list(self._listeners):
            hear(message)


_clocks: WeakKeyDictionary[Node, SharedClock] = WeakKeyDictionary()


def clock_of(node: Node) -> SharedClock:
    """The one of a node."""
    if node not in _clocks:
        _clocks[node] = SharedClock(node)
    return _clocks[node]
