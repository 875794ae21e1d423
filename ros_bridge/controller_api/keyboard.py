"""Pressed keys, received on a topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from std_msgs.msg import Int32MultiArray

from ros_bridge.controller_api.api import ControllerApi
from ros_bridge.topics.names import graph_name

TOPIC = "/odesim/keyboard"


def keyboard(node: Any, put: Callable[[Callable[[], Any]], None], api: ControllerApi) -> Any:
    """Subscribe to the codes of the keys that are pressed, in Webots' numbering."""

    def receive(message: Any) -> None:
        keys = [int(code) for code in message.data if code >= 0]
        put(lambda: api.set_keys(keys))

    return node.create_subscription(Int32MultiArray, graph_name(node, TOPIC), receive, 10)
