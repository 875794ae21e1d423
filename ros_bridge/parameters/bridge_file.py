"""Configuration files of ros_gz_bridge: Gazebo's topics with their names on ROS.

They are lists of `topic_name`, or of `ros_topic_name` and `gz_topic_name`, with `ros_type_name`; other keys
have no effect here (https://github.com/gazebosim/ros_gz/tree/ros2/ros_gz_bridge).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from sim_core.base.errors import ConfigError
from sim_core.base.yaml_nodes import compose_file
from sim_core.scene.gazebo.ros_node import absolute

ALWAYS_THERE = ("rosgraph_msgs/msg/Clock", "tf2_msgs/msg/TFMessage")
"""Types of topics that Gazebo has under many names and every simulation has as `/clock` and `/tf`."""


class BridgedTopic(NamedTuple):
    """A topic in such a file; both names are absolute."""

    gazebo: str
    ros: str
    ros_type: str
    where: str
    """Position in the file, `file:line`."""


class BridgeNode(NamedTuple):
    """The node of a bridge, whose namespace relative names (`scan`) and private ones (`~/scan`) get.

    Attributes:
        namespace, name: those of the node.
        expands_gazebo: Gazebo's names get them too (parameter `expand_gz_topic_names`).
    """

    namespace: str = "/"
    name: str = ""
    expands_gazebo: bool = False

    def ros_name(self, topic: str) -> str:
        """Return the absolute name of a topic on ROS."""
        if topic.startswith("/"):
            return absolute(topic)
        private = topic.startswith("~")
        return absolute(
            f"{self.namespace}/{self.name}/{topic[1:]}" if private else f"{self.namespace}/{topic}"
        )

    def gazebo_name(self, topic: str) -> str:
        """Return the absolute name of a topic of Gazebo."""
        return self.ros_name(topic) if self.expands_gazebo else absolute(topic)


def read_bridge_file(path: str | Path, by: BridgeNode | None = None) -> list[BridgedTopic]:
    """Return the topics of a file, with the names that a node gives them; None: one without a namespace.

    Raises:
        ConfigError: it cannot be read, or does not have this form.
    """
    root = compose_file(path, "a file of ros_gz_bridge")
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise ConfigError(f"{path}:{root.start_mark.line + 1}: found no list, expected one of topics")
    by = by or BridgeNode()
    return [_topic(item, by, f"{path}:{item.start_mark.line + 1}") for item in root.value]


def names_on_ros(topics: Iterable[BridgedTopic]) -> dict[str, str]:
    """Return the ROS names of topics by their Gazebo names."""
    return {each.gazebo: each.ros for each in topics if each.ros_type not in ALWAYS_THERE}


def missing_topics(topics: Iterable[BridgedTopic], names: Collection[str]) -> Iterator[str]:
    """Yield a line for each topic whose ROS name does not exist here."""
    for each in topics:
        if each.ros_type not in ALWAYS_THERE and each.ros not in names:
            yield f"{each.where}: no topic {each.gazebo} that could be published as {each.ros}"


def _topic(node: yaml.Node, by: BridgeNode, where: str) -> BridgedTopic:
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{where}: found no table, expected topic_name, ros_type_name …")
    words: Mapping[str, str] = {str(key.value): str(value.value) for key, value in node.value}
    both = words.get("topic_name", "")
    gazebo, ros = words.get("gz_topic_name") or both or "", words.get("ros_topic_name") or both or ""
    gazebo, ros = gazebo or words.get("ign_topic_name", "") or ros, ros or gazebo
    if not gazebo:
        raise ConfigError(
            f"{where}: found no topic, expected topic_name, or ros_topic_name and gz_topic_name"
        )
    return BridgedTopic(by.gazebo_name(gazebo), by.ros_name(ros), words.get("ros_type_name", ""), where)
