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


def read_bridge_file(path: str | Path) -> list[BridgedTopic]:
    """Return the topics of a file.

    Raises:
        ConfigError: it cannot be read, or does not have this form.
    """
    root = compose_file(path, "a file of ros_gz_bridge")
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise ConfigError(f"{path}:{root.start_mark.line + 1}: found no list, expected one of topics")
    return [_topic(item, f"{path}:{item.start_mark.line + 1}") for item in root.value]


def names_on_ros(topics: Iterable[BridgedTopic]) -> dict[str, str]:
    """Return the ROS names of topics by their Gazebo names."""
    return {each.gazebo: each.ros for each in topics if each.ros_type not in ALWAYS_THERE}


def missing_topics(topics: Iterable[BridgedTopic], names: Collection[str]) -> Iterator[str]:
    """Yield a line for each topic whose ROS name does not exist here."""
    for each in topics:
        if each.ros_type not in ALWAYS_THERE and each.ros not in names:
            yield f"{each.where}: no topic {each.gazebo} that could be published as {each.ros}"


def _topic(node: yaml.Node, where: str) -> BridgedTopic:
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
    return BridgedTopic(absolute(gazebo), absolute(ros), words.get("ros_type_name", ""), where)
