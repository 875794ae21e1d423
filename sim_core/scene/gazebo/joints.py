"""Plugins of gz-sim that move single joints, as fields of motors and topic names.

Gains from position error to speed are the motor's `controlPID`; gains to
a torque or a force are its hidden field `effortPID`.
"""

from __future__ import annotations

from sim_core.scene.gazebo.found import FASTEST, STRONGEST, Names, PluginsFound
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag, names_in

FAST = (100.0, 0.0, 0.0)
"""Gains in 1/s with which a joint reaches its position within some hundredths of a second."""


def joint_controller(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read JointController: a speed, kept immediately or by a torque.

    Raises:
        SceneError: a number is invalid.
    """
    names = names_in(plugin.all("joint_name"), joints)
    fields: dict[str, object] = {"maxTorque": STRONGEST, "maxVelocity": FASTEST}
    if (speed := plugin.number("initial_velocity", 0.0)) != 0.0:
        fields["initialVelocity"] = speed
    if plugin.flag("use_force_commands"):
        fields |= _effort(plugin, (1.0, 0.0, 0.0, 1.0, 1000.0))
    _add_motors(plugin, found, names, fields, "velocity_topic")


def joint_position_controller(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read JointPositionController: a position, reached by a torque or at a speed.

    Raises:
        SceneError: a number is invalid.
    """
    names = names_in(plugin.all("joint_name"), joints)
    plugin.expect("joint_index", 0.0)
    fields: dict[str, object] = {"initialPosition": [plugin.number("initial_position", 0.0)]}
    if plugin.flag("use_velocity_commands"):
        fields |= {"maxVelocity": abs(plugin.number("cmd_max", FASTEST)), "maxTorque": STRONGEST}
        fields["controlPID"] = FAST
        for name in ("p_gain", "i_gain", "d_gain", "i_max", "i_min", "cmd_min"):
            plugin.all(name)
    else:
        fields |= _effort(plugin, (1.0, 0.1, 0.01, 1.0, 1000.0))
    _add_motors(plugin, found, names, fields, "position_topic")


def joint_trajectory_controller(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read JointTrajectoryController: a sequence of positions, reached by torques.

    Each parameter is repeated for each joint, in the order of the joints; without names it has all joints.

    Raises:
        SceneError: a number is invalid.
    """
    names = names_in(plugin.all("joint_name"), joints) or list(joints or ())
    if not names:
        plugin.ignore()
        return
    rows = {
        name: [each.as_number() for each in plugin.all(name)]
        for name in (
            "initial_position",
            *(f"position_{what}" for what in ("p_gain", "i_gain", "d_gain", "i_max", "cmd_max")),
        )
    }
    for name in ("position_i_min", "position_cmd_min"):
        plugin.all(name)

    def value(name: str, index: int, default: float) -> float:
        row = rows[name]
        return row[index] if index < len(row) else default

    for index, joint in enumerate(names):
        fields: dict[str, object] = {"initialPosition": [value("initial_position", index, 0.0)]}
        if gain := value("position_p_gain", index, 0.0):
            shares = [value(f"position_{name}", index, 0.0) for name in ("i_gain", "d_gain")]
            most = value("position_i_max", index, -1.0)
            fields["effortPID"] = [gain, *shares, most if most >= 0.0 else STRONGEST]
            fields["maxTorque"] = abs(value("position_cmd_max", index, STRONGEST))
        found.add_motor(joint, **fields)
    found.add_parameter("", "trajectory_in_steps", True, plugin.source)
    if topic := plugin.word("topic"):
        found.add_parameter("", "joint_trajectory_topic", absolute(topic), plugin.source)


def apply_joint_force(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read ApplyJointForce: a torque or a force; before the first command the joint is free."""
    fields: dict[str, object] = {"maxTorque": STRONGEST, "effortPID": [0.0, 0.0, 0.0, 0.0]}
    _add_motors(plugin, found, names_in(plugin.all("joint_name"), joints), fields, "effort_topic")


def _add_motors(
    plugin: Tag, found: PluginsFound, names: list[str], fields: dict[str, object], topic_setting: str
) -> None:
    """Give joints motors; several joints follow the commands of the first."""
    plugin.expect("use_actuator_msg", "false", 0.0)
    if not names:
        plugin.ignore()
        return
    for name in names:
        coupling = {"coupling": f"{names[0]} and others"} if names[1:] else {}
        found.add_motor(name, **fields, **coupling)
    topic, below = plugin.word("topic"), plugin.word("sub_topic")
    if topic or below:
        found.add_parameter(
            names[0], topic_setting, absolute(topic or f"model/{{robot}}/{below}"), plugin.source
        )


def _effort(plugin: Tag, defaults: tuple[float, float, float, float, float]) -> dict[str, object]:
    """Return the gains of a torque: P, I, D, the highest share of I, and the highest torque."""
    names = ("p_gain", "i_gain", "d_gain", "i_max", "cmd_max")
    p, i, d, share, most = map(plugin.number, names, defaults)
    for name, value in (("i_min", -share), ("cmd_min", -most), ("cmd_offset", 0.0)):
        plugin.expect(name, value)
    return {"effortPID": [p, i, d, share if share >= 0.0 else STRONGEST], "maxTorque": abs(most)}
