"""Plugins of Gazebo that publish data which are always published here: only their topics and rates are
used."""

from __future__ import annotations

from sim_core.scene.gazebo.found import LAYOUT, Names, PluginsFound
from sim_core.scene.gazebo.ros_node import RosNode, absolute, frame_name
from sim_core.scene.gazebo.tags import Tag, names_in


def joint_states(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read JointStatePublisher; in the layout `gazebo` its topic has the joints that it lists, else all.

    Raises:
        SceneError: a number is invalid.
    """
    if names := names_in(plugin.all("joint_name"), joints):
        found.add_parameter("", "joint_states_of", names, plugin.source, LAYOUT)
    node, written, period = RosNode(plugin), plugin.word("topic"), plugin.period("update_rate")
    if written or node.says_topics:
        found.add_parameter("", "joint_states_topic", node.topic(written or "joint_states"), plugin.source)
    default = "/world/{world}/model/{robot}/joint_state"
    found.add_parameter("", "joint_states_topic", default, plugin.source, LAYOUT)
    if period is not None:
        found.add_parameter("", "joint_states_period", period, plugin.source)
    found.add_parameter("", "joint_states_period", 0.0, plugin.source, LAYOUT)


def poses(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read PosePublisher: its poses are on `/tf`."""
    for _, item in plugin.item.children:
        plugin.all(item.name)


def odometry(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read OdometryPublisher: the true pose of the robot.

    Raises:
        SceneError: a number is invalid.
    """
    for name in ("dimensions", "odom_covariance_topic", "tf_topic"):
        plugin.all(name)
    for name in ("xyz_offset", "rpy_offset", "gaussian_noise"):
        plugin.expect(name, "0 0 0", 0.0)
    if written := plugin.word("odom_topic"):
        found.add_parameter("", "ground_truth_topic", absolute(written), plugin.source)
    found.add_parameter("", "ground_truth_topic", "/model/{robot}/odometry", plugin.source, LAYOUT)
    if frame := plugin.word("odom_frame"):
        found.add_parameter("", "ground_truth_frame", frame_name(frame), plugin.source)
    found.add_parameter("", "ground_truth_frame", "{robot}/odom", plugin.source, LAYOUT)
    if frame := plugin.word("robot_base_frame"):
        found.add_parameter("", "base_frame", frame_name(frame), plugin.source)
    period = plugin.period("odom_publish_frequency")
    if period is not None:
        found.add_parameter("", "ground_truth_period", period, plugin.source)


def ground_truth(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read p3d of Classic: the true pose of the robot.

    Raises:
        SceneError: a number is invalid.
    """
    for name in ("body_name", "bodyName"):
        plugin.all(name)
    for name in ("xyz_offset", "xyzOffsets", "rpy_offset", "rpyOffsets", "gaussian_noise", "gaussianNoise"):
        plugin.expect(name, "0 0 0", "0.0 0.0 0.0", 0.0)
    node, written = RosNode(plugin), plugin.word("topic_name", "topicName")
    found.add_parameter("", "ground_truth_topic", node.topic(written or "odom"), plugin.source)
    if frame := plugin.word("frame_name", "frameName"):
        found.add_parameter("", "ground_truth_frame", frame_name(frame), plugin.source)
    if (period := plugin.period("update_rate", "updateRate")) is not None:
        found.add_parameter("", "ground_truth_period", period, plugin.source)
