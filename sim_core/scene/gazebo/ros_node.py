"""How plugins of Gazebo Classic appear on ROS: by a node with a namespace and remappings."""

from __future__ import annotations

import re

from sim_core.scene.gazebo.tags import Tag

NAMESPACES = ("namespace", "robotNamespace")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_{}]+")
_NO_FRAME = re.compile(r"[^\w./{}-]+")


def absolute(name: str) -> str:
    """A topic of Gazebo from its root on, as ROS can have it: `/a-b/0/x` is `/a_b/n0/x`."""
    parts = [_ILLEGAL.sub("_", part) for part in name.strip().strip("/").split("/")]
    return "".join(f"/n{part}" if part[0].isdigit() else f"/{part}" for part in parts if part)


def frame_name(name: str) -> str:
    """A frame as ROS can have it: `a::b c` is `a/b_c`."""
    return _NO_FRAME.sub("_", name.replace("::", "/"))


class RosNode:
    """The node of a plugin of gazebo_ros_pkgs: `<ros>`, or what ROS 1 had in its place.

    A remapping whose topic nobody asks for is named as a tag without effect.

    Attributes:
        plugin: its tag.
        says_topics: whether names of topics hang on it.
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
        """The whole name of a topic, by what the plugin calls it."""
        for each in self._names(name):
            if each in self._rules:
                name, rule = self._rules[each]
                rule.count()
                break
        return self._whole(name)

    def remapped(self, name: str) -> str:
        """The same of a topic that a remapping is about; empty: there is none."""
        return self.topic(name) if any(each in self._rules for each in self._names(name)) else ""

    def _names(self, name: str) -> tuple[str, str]:
        """By which a rule may mean a topic."""
        return name, self._whole(name)

    def _whole(self, name: str) -> str:
        if name.startswith("/"):
            return absolute(name)
        own = self.plugin.attribute("name")
        inside = f"{own}/{name.removeprefix('~/')}" if name.startswith("~/") else name
        return absolute(f"{self._space}/{inside}")
