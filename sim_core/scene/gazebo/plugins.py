"""Plugins of Gazebo for a whole robot: gz-sim's systems and those of gazebo_ros_pkgs."""

from __future__ import annotations

from collections.abc import Callable

from sim_core.scene.gazebo.battery import linear_battery
from sim_core.scene.gazebo.detachable import detachable_joint
from sim_core.scene.gazebo.drives import ackermann, diff_drive, mecanum, velocity_control
from sim_core.scene.gazebo.flows import hydrodynamics, lift_drag
from sim_core.scene.gazebo.found import Names, PluginsFound
from sim_core.scene.gazebo.joints import (
    apply_joint_force,
    joint_controller,
    joint_position_controller,
    joint_trajectory_controller,
)
from sim_core.scene.gazebo.publishers import ground_truth, joint_states, odometry, poses
from sim_core.scene.gazebo.rotors import command_rotors, multicopter_motor, thruster
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.gazebo.touch import touch
from sim_core.scene.x3d.scenery_item import Item

Reader = Callable[[Tag, PluginsFound, Names], None]
_READERS: tuple[tuple[tuple[str, ...], Reader], ...] = (
    (("diff-drive", "DiffDrive", "diff_drive"), diff_drive),
    (("ackermann-steering", "AckermannSteering", "ackermann_drive"), ackermann),
    (("mecanum-drive", "MecanumDrive"), mecanum),
    (("velocity-control", "VelocityControl", "planar_move"), velocity_control),
    (("joint-controller", "JointController"), joint_controller),
    (("joint-position-controller", "JointPositionController"), joint_position_controller),
    (("joint-trajectory-controller", "JointTrajectoryController"), joint_trajectory_controller),
    (("apply-joint-force", "ApplyJointForce"), apply_joint_force),
    (("multicopter-motor-model", "MulticopterMotorModel", "gazebo_motor_model"), multicopter_motor),
    (("thruster-system", "systems::Thruster"), thruster),
    (("lift-drag-system", "systems::LiftDrag", "LiftDragPlugin"), lift_drag),
    (("hydrodynamics-system", "systems::Hydrodynamics"), hydrodynamics),
    (("detachable-joint-system", "DetachableJoint"), detachable_joint),
    (("touchplugin-system", "systems::TouchPlugin"), touch),
    (("linearbatteryplugin", "LinearBatteryPlugin"), linear_battery),
    (("joint-state-publisher", "JointStatePublisher", "joint_state_publisher"), joint_states),
    (("pose-publisher", "PosePublisher"), poses),
    (("odometry-publisher", "OdometryPublisher"), odometry),
    (("gazebo_ros_p3d",), ground_truth),
)
"""Reader of plugins by words of which one is in the file or in the name of the plugin."""


def read_plugins(tags: GazeboTags, joints: Names, links: Names = None) -> PluginsFound:
    """Read the plugins of a robot; those without a reader are listed as without effect.

    Args:
        tags: tags of the robot.
        joints: names of the movable joints; a plugin that needs others is listed as without effect.
        links: names of the links, likewise.

    Raises:
        SceneError: a number is invalid.
    """
    found = PluginsFound(links=links)
    for _, item in tags.inside("plugin"):
        read = next((read for words, read in _READERS if _is(item, words)), None)
        if read is not None:
            read(tags.claim(item), found, joints)
    command_rotors(found)
    return found


def _is(plugin: Item, words: tuple[str, ...]) -> bool:
    names = plugin.fields.get("filename", "") + plugin.fields.get("name", "")
    return any(word in names for word in words)
