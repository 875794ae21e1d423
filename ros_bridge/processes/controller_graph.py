"""Detects on the ROS graph which controllers run and do not support lock-step."""

from __future__ import annotations

from typing import Any

from rclpy.node import NodeNameNonExistentError

from ros_bridge.topics.names import graph_name

SETTLED = 0.5
"""Seconds of wall time for which a controller's topics must not have changed: before that, it may still be
creating publishers."""
OF_EVERY_NODE = ("/clock", "/rosout", "/parameter_events")


class ControllerGraph:
    """Inspects the nodes in the namespaces of robots.

    Args:
        node: of the simulation.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._seen: dict[str, tuple[frozenset[tuple[str, str]], float]] = {}

    def has_publisher(self, topic: str) -> bool:
        """Return whether a topic has a publisher."""
        return bool(self._node.count_publishers(graph_name(self._node, topic)))

    def plain_controllers(self, topics: dict[str, str], now: float) -> dict[str, str]:
        """Return robots whose controllers are ready and cannot answer in lock-step.

        Call it some ten times a second.


        Args:
            topics: robot → topic on which its controller would answer, in the robot's namespace.
            now: wall time as returned by `time.monotonic`.

        Returns:
            Robot → node that is its controller.
        """
        nodes: dict[str, list[str]] = {}
        for name, namespace in self._node.get_node_names_and_namespaces():
            nodes.setdefault(namespace, []).append(name)
        found = {}
        for robot, topic in topics.items():
            namespace = self._node.resolve_topic_name(graph_name(self._node, topic)).rpartition("/")[0]
            names = sorted(nodes.get(namespace, ()))
            ends = frozenset((name, end) for name in names for end in self._topics_of(name, namespace))
            before, since = self._seen.get(robot, (frozenset(), now))
            if ends != before:
                self._seen[robot] = (ends, now)
            elif ends and now - since >= SETTLED and not self.has_publisher(topic):
                found[robot] = f"{namespace}/{min(ends)[0]}"
        return found

    def _topics_of(self, name: str, namespace: str) -> list[str]:
        """Return what a node publishes and subscribes to, except what every node has."""
        node = self._node
        try:
            topics = node.get_publisher_names_and_types_by_node(name, namespace)
            topics += node.get_subscriber_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:  # the node has just ended
            return []
        return [topic for topic, _ in topics if topic not in OF_EVERY_NODE]
