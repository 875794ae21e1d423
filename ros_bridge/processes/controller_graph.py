"""Tells from the graph of ROS which controllers are there and do not speak the lock-step."""

from __future__ import annotations

from typing import Any

from rclpy.node import NodeNameNonExistentError

from ros_bridge.topics.names import on_graph

SETTLED = 0.5
"""Seconds of wall time for which what a controller publishes and listens to must have stayed the same: until
then it may still be making its publishers."""
OF_EVERY_NODE = ("/clock", "/rosout", "/parameter_events")


class ControllerGraph:
    """Looks at the nodes in the namespaces of robots.

    Args:
        node: of the simulation.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._seen: dict[str, tuple[frozenset[tuple[str, str]], float]] = {}

    def has_publisher(self, topic: str) -> bool:
        """Whether somebody publishes on a topic."""
        return bool(self._node.count_publishers(on_graph(self._node, topic)))

    def plain_controllers(self, topics: dict[str, str], now: float) -> dict[str, str]:
        """Robots whose controllers are ready and have no way to answer in lock-step.

        To be called some ten times a second.

        Args:
            topics: robot → the topic on which its controller would answer, in the robot's namespace.
            now: wall time as `time.monotonic` gives it.

        Returns:
            Robot → the node that is its controller.
        """
        nodes: dict[str, list[str]] = {}
        for name, namespace in self._node.get_node_names_and_namespaces():
            nodes.setdefault(namespace, []).append(name)
        found = {}
        for robot, topic in topics.items():
            namespace = self._node.resolve_topic_name(on_graph(self._node, topic)).rpartition("/")[0]
            names = sorted(nodes.get(namespace, ()))
            ends = frozenset((name, end) for name in names for end in self._topics_of(name, namespace))
            before, since = self._seen.get(robot, (frozenset(), now))
            if ends != before:
                self._seen[robot] = (ends, now)
            elif ends and now - since >= SETTLED and not self.has_publisher(topic):
                found[robot] = f"{namespace}/{min(ends)[0]}"
        return found

    def _topics_of(self, name: str, namespace: str) -> list[str]:
        """What a node publishes and listens to, besides what every node does."""
        node = self._node
        try:
            topics = node.get_publisher_names_and_types_by_node(name, namespace)
            topics += node.get_subscriber_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:  # it has just gone
            return []
        return [topic for topic, _ in topics if topic not in OF_EVERY_NODE]
