"""Waiting at the start for a node that is to miss nothing, such as another's recorder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rclpy.node import NodeNameNonExistentError

from ros_bridge.base.log import Log
from ros_bridge.topics.names import graph_name
from ros_bridge.topics.publishing import Port

LIMIT = 30.0
"""Seconds of wall time after which the run goes on without it."""
NAMED = 3
"""How many topics a line names."""


class ListenerWait:
    """Time stands until a node listens to every topic that is no view.

    Attributes:
        is_needed: time must not run yet.
    """

    def __init__(self, node: Any, name: str, log: Log) -> None:
        """Nobody is waited for if the name is empty.

        Args:
            node: of the simulation.
            name: of the node that is waited for, in whatever namespace.
            log: is told how the wait ends.
        """
        self._node, self._name, self._log = node, name, log
        self._end: float | None = None
        self.is_needed = bool(name)

    def check_listeners(self, now: float, ports: Iterable[Port], mode: str) -> None:
        """Look who listens; to be called some ten times a second.

        Args:
            now: wall time as `time.monotonic` gives it.
            ports: all topics.
            mode: of the run.
        """
        if self._end is None:
            self._end = now + LIMIT
        heard = self._topics_of_listener()
        wanted = [port for port in ports if not port.publication.is_view]
        missing = [port for port in wanted if not (port.has_subscribers and self._resolved(port) in heard)]
        if missing and now < self._end:
            return
        self.is_needed = False
        if missing:
            names = ", ".join(port.publication.name for port in missing[:NAMED])
            more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
            self._log.warning(
                f"{self._name} does not listen to {names}{more} after {LIMIT:g} s: going on without it"
            )
            return
        self._log.info(f"{self._name} listens to all {len(wanted)} topics")
        if mode == "fast":
            self._log.warning(
                f"mode fast does not wait for {self._name}: it loses messages that come faster than it takes "
                "them; --record loses none"
            )

    def _topics_of_listener(self) -> set[str]:
        """Full names of the topics that nodes of the name listen to."""
        found: set[str] = set()
        for name, namespace in self._node.get_node_names_and_namespaces():
            if name == self._name:
                try:
                    topics = self._node.get_subscriber_names_and_types_by_node(name, namespace)
                except NodeNameNonExistentError:  # it has just gone
                    continue
                found.update(topic for topic, _ in topics)
        return found

    def _resolved(self, port: Port) -> str:
        name: str = self._node.resolve_topic_name(graph_name(self._node, port.publication.name))
        return name
