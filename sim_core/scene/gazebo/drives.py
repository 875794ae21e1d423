"""Plugins of Gazebo that drive a robot, as settings of a `DriveConfig`.

gz-sim's DiffDrive, AckermannSteering, MecanumDrive and VelocityControl, and those of gazebo_ros_pkgs, of ROS
1 and ROS 2.
"""

from __future__ import annotations

import math

from sim_core.base.config import AckermannConfig, DriveConfig, MecanumConfig
from sim_core.scene.gazebo.found import FASTEST, LAYOUT, STRONGEST, Names, PluginsFound
from sim_core.scene.gazebo.ros_node import RosNode, frame_name
from sim_core.scene.gazebo.tags import Tag, names_in
from sim_core.scene.xml_attributes import length_of

CLASSIC = "libgazebo_ros"
_TRUE_POSE_SETTINGS = {
    "odom_topic": "ground_truth_topic",
    "odom_frame": "ground_truth_frame",
    "odometry_period": "ground_truth_period",
}
"""Settings of the true pose, by the corresponding settings of wheel odometry."""
_DERIVATIVES = ("velocity", "acceleration", "jerk")


def diff_drive(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a differential drive: two sides of wheels.

    Raises:
        SceneError: a number is invalid.
    """
    sides = {
        side: names_in(plugin.all(f"{side}_joint", f"{side}Joint"), joints) for side in ("left", "right")
    }
    if not all(sides.values()):
        plugin.ignore()
        return
    _add_sides(plugin, DriveConfig.name, sides, found)
    radius = _sizes(plugin, found)
    torque = plugin.number("max_wheel_torque", plugin.number("wheelTorque", plugin.number("torque", 0.0)))
    change = plugin.number("max_wheel_acceleration", plugin.number("wheelAcceleration", 0.0))
    for joint in (*sides["left"], *sides["right"]):
        if torque > 0.0:
            found.add_motor(joint, maxTorque=torque)
        if change > 0.0 and radius:  # acceleration of the rim in m/s²
            found.add_motor(joint, acceleration=change / radius)
    _limits(plugin, DriveConfig.name, found)
    _set_topics(plugin, found)


def ackermann(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a car with the dimensions of the plugin, whatever its wheels are.

    Raises:
        SceneError: a number is invalid.
    """
    sides = {
        side: names_in(plugin.all(f"{side}_joint", f"rear_{side}_joint"), joints)
        for side in ("left", "right")
    }
    steering = [_first(plugin.all(f"{side}_steering_joint"), joints) for side in ("left", "right")]
    plugin.expect("steering_only", "false", 0.0)
    if not all(sides.values()) or not all(steering):
        plugin.ignore()
        return
    name = AckermannConfig.name
    _add_sides(plugin, name, sides, found)
    base = _length(plugin, 1.0, "wheel_base")
    narrowest = plugin.number("steering_limit", plugin.number("max_steer", 0.5))
    for setting, value in (
        ("steering", [joint for side in steering for joint in side]),
        ("wheelbase", base),
        ("steering_separation", _length(plugin, 0.8, "kingpin_width")),
        ("wheel_separation", _length(plugin, 1.0, "wheel_separation")),
        ("wheel_radius", _length(plugin, 0.2, "wheel_radius")),
        ("min_radius", base / math.sin(min(abs(narrowest), math.pi / 2.0)) if narrowest else 0.0),
    ):
        if value:
            found.add_parameter(name, setting, value, plugin.source)
    gain = plugin.number("steer_p_gain", 1.0, low=0.0)
    for (joint,) in steering:
        found.add_motor(joint, maxTorque=STRONGEST, maxVelocity=FASTEST)
        if gain:
            found.add_motor(joint, controlPID=(gain, 0.0, 0.0))
    if plugin.first("max_speed") is not None:
        found.add_parameter(name, "max_linear_velocity", plugin.number("max_speed", 0.0), plugin.source)
    _limits(plugin, name, found)
    _set_topics(plugin, found)


def mecanum(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a mecanum drive: four wheels with rollers.

    Raises:
        SceneError: a number is invalid.
    """
    sides = {
        side: [
            name for end in ("front", "back") for name in _first(plugin.all(f"{end}_{side}_joint"), joints)
        ]
        for side in ("left", "right")
    }
    if [len(names) for names in sides.values()] != [2, 2]:
        plugin.ignore()
        return
    name = MecanumConfig.name
    _add_sides(plugin, name, sides, found)
    for setting, default in (("wheelbase", 1.0), ("wheel_separation", 1.0), ("wheel_radius", 0.2)):
        found.add_parameter(name, setting, _length(plugin, default, setting), plugin.source)
    _limits(plugin, name, found)
    _set_topics(plugin, found)


def velocity_control(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read VelocityControl, and planar_move of Classic: the body is moved, whatever its wheels do.

    Odometry is then the true pose of the body.

    Raises:
        SceneError: a number is invalid.
    """
    found.add_parameter("", "moved_by_twist", True, plugin.source)
    for name in ("initial_linear", "initial_angular"):
        plugin.expect(name, "0 0 0")
    published = PluginsFound()
    _set_topics(plugin, published)
    for each in published.settings:
        found.add_parameter(
            "", _TRUE_POSE_SETTINGS.get(each.name, each.name), each.value, each.source, each.layout
        )


def _first(tags: list[Tag], joints: Names) -> list[str]:
    """Return the first name, if it is that of a joint; the others are listed as without effect."""
    for more in tags[1:]:
        more.ignore()
    return names_in(tags[:1], joints)


def _add_sides(plugin: Tag, drive: str, sides: dict[str, list[str]], found: PluginsFound) -> None:
    """Add the joints of each side to the drive, with those of earlier plugins."""
    for side, names in sides.items():
        for joint in names:
            found.add_motor(joint, maxTorque=STRONGEST, maxVelocity=FASTEST)
        before = next((each.value for each in found.settings if each[:2] == (drive, side)), None)
        if isinstance(before, list):
            before += [joint for joint in names if joint not in before]
        else:
            found.add_parameter(drive, side, names, plugin.source)


def _sizes(plugin: Tag, found: PluginsFound) -> float:
    """Set the dimensions of the wheels in m; plugins of Classic give a diameter, for each pair of wheels.

    Returns:
        The radius; 0: not given.
    """
    plugin.all("num_wheel_pairs")
    taken: dict[str, float] = {}
    for name, names, factor in (
        ("wheel_separation", ("wheel_separation", "wheelSeparation"), 1.0),
        ("wheel_radius", ("wheel_radius",), 1.0),
        ("wheel_radius", ("wheel_diameter", "wheelDiameter"), 0.5),
    ):
        for each in plugin.all(*names):
            size = factor * _above_0(each)
            if size != taken.setdefault(name, size):
                each.ignore()
            found.add_parameter(DriveConfig.name, name, size, each.source)
    return taken.get("wheel_radius", 0.0)


def _limits(plugin: Tag, drive: str, found: PluginsFound) -> None:
    """Set the limits common to both speeds, and those of each."""
    for of in _DERIVATIVES:
        for end in ("min", "max"):
            both = plugin.first(f"{end}_{of}")
            for kind in ("linear", "angular"):
                own = plugin.first(f"{end}_{kind}_{of}") or both
                if own is not None:
                    found.add_parameter(drive, f"{end}_{kind}_{of}", own.as_number(), own.source)


def _set_topics(plugin: Tag, found: PluginsFound) -> None:
    """Set topics, frames and rates."""
    is_classic = plugin.attribute("filename").startswith(CLASSIC)
    node = RosNode(plugin)
    for name, topic, classic, own in (
        ("cmd_vel_topic", "cmd_vel", ("command_topic", "commandTopic"), "topic"),
        ("odom_topic", "odom", ("odometry_topic", "odometryTopic"), "odom_topic"),
    ):
        written = plugin.word(*classic) if is_classic else plugin.word(own)
        if written or node.says_topics:
            found.add_parameter("", name, node.topic(written or topic), plugin.source)
    for name, *tags in (
        ("odom_frame", "odometry_frame", "odometryFrame", "frame_id"),
        ("base_frame", "robot_base_frame", "robotBaseFrame", "child_frame_id"),
    ):
        if frame := plugin.word(*tags):
            found.add_parameter("", name, frame_name(frame), plugin.source)
            found.add_parameter(
                "", "frame_prefix", "", plugin.source, LAYOUT
            )  # frame names are used as written
    plugin.expect("tf_topic", "/tf", "tf")
    for name in ("publish_odom", "publish_odom_tf", "publishTf", "publish_wheel_tf", "publishWheelTF"):
        plugin.expect(name, "true", 1.0)
    rate = ("update_rate", "updateRate") if is_classic else ("odom_publish_frequency",)
    period = plugin.period(*rate)
    if period is not None:
        found.add_parameter("", "odometry_period", period, plugin.source)


def _length(plugin: Tag, default: float, name: str) -> float:
    tag = plugin.first(name)
    return default if tag is None else _above_0(tag)


def _above_0(tag: Tag) -> float:
    size = length_of(tag.as_value(), "value")
    if size == 0.0:
        raise tag.as_value().error("value", "a length in m above 0")
    return size
