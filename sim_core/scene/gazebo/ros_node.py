"""ROS names of plugins of Gazebo Classic, which have a node with a namespace and remappings."""

from __future__ import annotations

import re

from sim_core.scene.gazebo.tags import Tag

NAMESPACES = ("namespace", "robotNamespace")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_{}]+")
_NO_FRAME = re.compile(r"[^\w./{}-]+")


def absolute(name: str) -> str:
    """Return an absolute topic of Gazebo as a valid ROS name: `/a-b/0/x` becomes `/a_b/n0/x`."""
    parts = [_ILLEGAL.sub("_", part) for part in name.strip().strip("/").split("/")]
    return "".join(f"/n{part}" if part[0].isdigit() else f"/{part}" for part in parts if part)


def frame_name(name: str) -> str:
    """Return a valid ROS frame name: `a::b c` becomes `a/b_c`."""
    return _NO_FRAME.sub("_", name.replace("::", "/"))


class RosNode:
    """The node of a plugin of gazebo_ros_pkgs: `<ros>`, or its equivalent in ROS 1.

    A remapping of a topic that does not exist is listed as without effect.

    Attributes:
        plugin: its tag.
        says_topics: True: it sets names of topics.
    """

    def __init__(self, plugin: Tag) -> None:
        self.plugin = plugin
        ros = plugin.first("ros") or plugin
        self._space = ros.word(*NAMESPACES).strip("/")
        self._rules: dict[str, tuple[str, Tag]] = {}
        for rule in ros.all("remapping", "argument"):
            left, separator, right = rule.text.partition(":=")
            rule.ignore()
            if separator and right.strip():
                self._rules[left.strip()] = (right.strip(), rule)
        self.says_topics = bool(self._space or self._rules)

    def topic(self, name: str) -> str:
        """Return the absolute name of a topic from its name in the plugin."""
        for each in self._names(name):
            if each in self._rules:
                name, rule = self._rules[each]
                rule.count()
                break
        return self._absolute_name(name)

    def remapped(self, name: str) -> str:
        """Return the same if a remapping applies to the topic; empty: none does."""
        return self.topic(name) if any(each in self._rules for each in self._names(name)) else ""

    def _names(self, name: str) -> tuple[str, str]:
        """Return the names by which a rule may mean a topic."""
        return name, self._absolute_name(name)

    def _absolute_name(self, name: str) -> str:
        if name.startswith("/"):
            return absolute(name)
        own = self.plugin.attribute("name")
        inside = f"{own}/{name.removeprefix('~/')}" if name.startswith("~/") else name
        return absolute(f"{self._space}/{inside}")
