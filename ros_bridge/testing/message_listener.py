"""Receives topics in a thread of its own, for tests that run the simulation in the main thread."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ros_bridge.base.context import make_context
from ros_bridge.base.ros_thread import RosThread, SpunNode

DEPTH = 1000


class MessageListener:
    """A node that subscribes to topics."""

    def __enter__(self) -> MessageListener:
        self._node: Node = SpunNode("odesim_test", context=make_context(()))
        self._thread = RosThread(self._node)
        self._thread.start()
        return self

    def subscribe(self, topic: str, message_type: Any) -> list[Any]:
        """Return the list that messages are appended to; returns once the publisher is found."""
        messages: list[Any] = []
        qos = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._node.create_subscription(message_type, topic, messages.append, qos)
        return messages

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.stop_spinning()
        self._node.destroy_node()
        self._node.context.try_shutdown()
