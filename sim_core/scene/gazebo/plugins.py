"""Plugins of Gazebo for a whole robot, DiffDrive and JointStatePublisher, and the friction of its links.

The parameters are those of gz-sim's systems and of gazebo_ros_pkgs, of ROS 1 and ROS 2.
"""

from __future__ import annotations

from typing import NamedTuple

from sim_core.scene.gazebo.ros_node import RosNode
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.node import Source
from sim_core.scene.urdf.elements import length_of, number_of
from sim_core.scene.x3d.scenery_item import Item

_DIFF_DRIVE = ("diff-drive", "DiffDrive", "diff_drive")
_JOINT_STATES = ("joint-state-publisher", "JointStatePublisher", "joint_state_publisher")
_CLASSIC = "libgazebo_ros"
RATE = 50.0
"""Hz, at which odometry and joint states come unless parameters say otherwise."""

NamedValue = tuple[str, object, Source]
"""Name, value and place."""


class DriveSettings(NamedTuple):
    """What DiffDrive says.

    Attributes:
        wheels: settings of a `DriveConfig`.
        on_ros: parameters of the robot on ROS.
    """

    wheels: list[NamedValue]
    on_ros: list[NamedValue]


def diff_drive(tags: GazeboTags) -> DriveSettings:
    """The first DiffDrive plugin of a robot.

    Raises:
        SceneError: a number is none.
    """
    for _, item in tags.inside("plugin"):
        if not _is(item, _DIFF_DRIVE):
            continue
        plugin = tags.claim(item)
        sides = {
            side: [each.text for each in plugin.all(f"{side}_joint", f"{side}Joint")]
            for side in ("left", "right")
        }
        if not all(sides.values()):
            return DriveSettings([], [])
        wheels: list[NamedValue] = [(side, joints, plugin.source) for side, joints in sides.items()]
        wheels += _sizes(plugin)
        return DriveSettings(wheels, _on_ros(plugin))
    return DriveSettings([], [])


def _sizes(plugin: Tag) -> list[NamedValue]:
    """Of the wheels, in m; plugins of Classic give a diameter, and one for each pair."""
    found: list[NamedValue] = []
    plugin.all("num_wheel_pairs")
    for name, names, factor in (
        ("wheel_separation", ("wheel_separation", "wheelSeparation"), 1.0),
        ("wheel_radius", ("wheel_radius",), 1.0),
        ("wheel_radius", ("wheel_diameter", "wheelDiameter"), 0.5),
    ):
        given = plugin.all(*names)
        sizes = [_above_0(each) for each in given]
        for each, size in zip(given, sizes, strict=True):
            if name not in [setting[0] for setting in found]:
                found.append((name, factor * size, each.source))
            elif size != sizes[0]:
                each.ignore()
    return found


def _on_ros(plugin: Tag) -> list[NamedValue]:
    """Topics and frames."""
    is_classic = plugin.attribute("filename").startswith(_CLASSIC)
    node = RosNode(plugin)
    found: list[NamedValue] = []

    def add(name: str, value: str) -> None:
        if value:
            found.append((name, value, plugin.source))

    for name, topic, tags in (
        ("cmd_vel_topic", "cmd_vel", ("command_topic", "commandTopic") if is_classic else ("topic",)),
        ("odom_topic", "odom", ("odometry_topic", "odometryTopic") if is_classic else ("odom_topic",)),
    ):
        written = plugin.word(*tags)
        add(name, node.topic(written or topic) if written or node.says_topics else "")
    add("odom_frame", plugin.word("odometry_frame", "odometryFrame", "frame_id"))
    add("base_frame", plugin.word("robot_base_frame", "robotBaseFrame", "child_frame_id"))
    plugin.expect("tf_topic", "/tf", "tf")
    for name in ("publish_odom", "publish_odom_tf", "publishTf", "publish_wheel_tf", "publishWheelTF"):
        plugin.expect(name, "true", 1.0)
    for name in ("odom_publish_frequency", "update_rate", "updateRate"):
        plugin.expect(name, RATE)
    return found


def joint_states(tags: GazeboTags) -> list[NamedValue]:
    """The topic that a JointStatePublisher names; all joints are on it, whichever it lists."""
    for _, item in tags.inside("plugin"):
        if not _is(item, _JOINT_STATES):
            continue
        plugin = tags.claim(item)
        plugin.all("joint_name")
        plugin.expect("update_rate", RATE)
        node, written = RosNode(plugin), plugin.word("topic")
        topic = node.topic(written or "joint_states") if written or node.says_topics else ""
        return [("joint_states_topic", topic, plugin.source)] if topic else []
    return []


def friction_of_links(tags: GazeboTags) -> dict[str, float]:
    """Friction coefficients of links: `mu1`, or `mu`, in `<gazebo reference=…>`.

    `mu2`, across, has an effect only where it is the same.

    Raises:
        SceneError: one is no number of 0 or more.
    """
    found: dict[str, float] = {}
    for tag in tags.tags:
        link = tag.attribute("reference")
        if not link:
            continue
        for each in tag.all("mu1", "mu"):
            found[link] = _coefficient(each)
        for each in tag.all("mu2"):
            if _coefficient(each) != found.get(link):
                each.ignore()
    return found


def _above_0(tag: Tag) -> float:
    size = length_of(tag.as_value(), "value")
    if size == 0.0:
        raise tag.as_value().error("value", "a length in m above 0")
    return size


def _coefficient(tag: Tag) -> float:
    return number_of(tag.as_value(), "value", low=0.0)


def _is(plugin: Item, words: tuple[str, ...]) -> bool:
    said = plugin.fields.get("filename", "") + plugin.fields.get("name", "")
    return any(word in said for word in words)
