"""Waits at the start for a node that must receive all messages, such as a recorder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rclpy.node import NodeNameNonExistentError

from ros_bridge.base.log import Log
from ros_bridge.topics.names import graph_name
from ros_bridge.topics.publishing import Port

LIMIT = 30.0
"""Seconds of wall time after which the run starts without the node."""
NAMED = 3
"""Maximum number of topics named in a message."""


class ListenerWait:
    """Delays the first step until a node subscribes to every topic except those for display.

    Attributes:
        is_needed: whether the first step must be delayed.
    """

    def __init__(self, node: Any, name: str, log: Log) -> None:
        """Start waiting, unless the name is empty.

        Args:
            node: the simulation node.
            name: name of the node to wait for, in any namespace.
            log: receives a line when the wait ends.
        """
        self._node, self._name, self._log = node, name, log
        self._end: float | None = None
        self.is_needed = bool(name)

    def check_listeners(self, now: float, ports: Iterable[Port], mode: str) -> None:
        """Check the subscriptions; call it some ten times a second.

        Args:
            now: wall time, see `time.monotonic`.
            ports: ports of all topics.
            mode: mode of the run.
        """
        if self._end is None:
            self._end = now + LIMIT
        subscribed = self._topics_of_listener()
        wanted = [port for port in ports if not port.publication.is_view]
        missing = [
            port for port in wanted if not (port.has_subscribers and self._resolved(port) in subscribed)
        ]
        if missing and now < self._end:
            return
        self.is_needed = False
        if missing:
            names = ", ".join(port.publication.name for port in missing[:NAMED])
            more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
            self._log.warning(
                f"{self._name} has not subscribed to {names}{more} within {LIMIT:g} s: starting without it"
            )
            return
        self._log.info(f"{self._name} has subscribed to all {len(wanted)} topics")
        if mode == "fast":
            self._log.warning(
                f"mode fast does not wait for {self._name}: it loses messages that are published "
                "faster than it receives them; --record loses none"
            )

    def _topics_of_listener(self) -> set[str]:
        """Return the full names of the topics to which nodes of the name subscribe."""
        found: set[str] = set()
        for name, namespace in self._node.get_node_names_and_namespaces():
            if name == self._name:
                try:
                    topics = self._node.get_subscriber_names_and_types_by_node(name, namespace)
                except NodeNameNonExistentError:  # the node has just ended
                    continue
                found.update(topic for topic, _ in topics)
        return found

    def _resolved(self, port: Port) -> str:
        name: str = self._node.resolve_topic_name(graph_name(self._node, port.publication.name))
        return name
