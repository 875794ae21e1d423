"""Topics and actions of ros2_control's controllers; their commands are handled like all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from ros_bridge.composites.controller_state import ControllerState
from ros_bridge.composites.joint_states import JointStates
from ros_bridge.composites.odometry import OdometryFiller
from ros_bridge.interface.trajectory_goals import decode_for
from ros_bridge.parameters.controllers import DIFF_DRIVE, JOINT_STATES, TRAJECTORY, Controller
from ros_bridge.topics.conversions import messages_of, time_of
from ros_bridge.topics.decoding import command_joint, decode_twist, joints_of, numbers
from ros_bridge.topics.records import Publication, ServiceInfo, Subscription, filled_by
from sim_core.base.clock import any_period, to_nanoseconds
from sim_core.session.pipeline import Action
from sim_core.session.robot import Robot

ACTION = "follow_joint_trajectory"
QUERY = "query_state"
ACTION_PACKAGE = "control_msgs"
_UNSAID = float("nan")


def controller_publications(
    controllers: Iterable[Controller], robot: Robot, step_ns: int, slip: float, taken: str
) -> Iterator[Publication]:
    """Yield what the controllers of a robot publish.

    Args:
        controllers: of the world.
        robot: robot whose controllers are handled.
        step_ns: sim time of a step.
        slip: as for `OdometryFiller`.
        taken: the robot's own topic of joint states, which is not created twice.
    """
    for each in controllers:
        if each.robot != robot.name:
            continue
        if each.kind == DIFF_DRIVE and robot.odometry is not None:
            fill = OdometryFiller(robot, each.frame("base_frame_id"), slip)
            yield filled_by(
                *(fill, f"/{each.name}/odom", Odometry),
                period_ns=any_period(1.0 / each.values["publish_rate"], step_ns),
                frame_id=each.frame("odom_frame_id"),
                robot=robot.name,
            )
        messages = messages_of(ACTION_PACKAGE) if each.kind == TRAJECTORY else None
        if messages is not None:
            state = ControllerState(robot, each.name, each.joints)
            yield filled_by(
                *(state, f"/{each.name}/controller_state", messages.JointTrajectoryControllerState),
                period_ns=_period_ns(each, step_ns),
                robot=robot.name,
            )
        name = f"/{each.namespace}/joint_states".replace("//", "/")
        if each.kind == JOINT_STATES and name != taken:
            joints = JointStates(robot, each.values["extra_joints"])
            yield filled_by(
                *(joints, name, JointState),
                period_ns=_period_ns(each, step_ns),
                sensors=joints.sensors,
                robot=robot.name,
            )


def controller_subscriptions(controllers: Iterable[Controller], robot: Robot) -> Iterator[Subscription]:
    """Yield what the controllers of a robot subscribe to."""
    for each in controllers:
        if each.robot != robot.name or each.kind == JOINT_STATES:
            continue
        if each.kind == DIFF_DRIVE:
            stamped = each.values["use_stamped_vel"]
            name = f"/{each.name}/cmd_vel" + ("" if stamped else "_unstamped")
            decode = partial(_decode_twist, each)
            yield Subscription(name, TwistStamped if stamped else Twist, decode, robot=robot.name)
        elif each.kind == TRAJECTORY:
            decode = partial(decode_for, each)
            name = f"/{each.name}/joint_trajectory"
            yield Subscription(name, JointTrajectory, decode, robot=robot.name)
        else:
            name, decode = f"/{each.name}/commands", partial(_decode_group, each, robot)
            yield Subscription(name, Float64MultiArray, decode, robot=robot.name)


def controller_actions(controllers: Iterable[Controller]) -> list[ServiceInfo]:
    """Return the actions of the controllers, whether or not the package that serves them is installed."""
    return _served(controllers, ACTION, f"{ACTION_PACKAGE}/action/FollowJointTrajectory")


def controller_services(controllers: Iterable[Controller]) -> list[ServiceInfo]:
    """Return the services of the controllers, whether or not the package that serves them is installed."""
    return _served(controllers, QUERY, f"{ACTION_PACKAGE}/srv/QueryTrajectoryState")


def _served(controllers: Iterable[Controller], name: str, kind: str) -> list[ServiceInfo]:
    needs = "" if messages_of(ACTION_PACKAGE) else ACTION_PACKAGE
    return [
        ServiceInfo(f"/{each.name}/{name}", kind, each.robot, needs)
        for each in controllers
        if each.kind == TRAJECTORY
    ]


def _period_ns(controller: Controller, step_ns: int) -> int:
    """Return the mean time between two messages about a controller's state."""
    return any_period(1.0 / controller.values["update_rate"], step_ns)


def _decode_twist(controller: Controller, message: Any) -> tuple[Action, ...]:
    """Convert a twist for a diff_drive_controller, clamped to its velocity limits.

    The timeout counts from a stamp that is not 0.
    """
    timeout_ns = to_nanoseconds(controller.values["cmd_vel_timeout"])
    (drive,) = decode_twist(controller.robot, timeout_ns, message)
    stamp_ns = time_of(message.header.stamp) if isinstance(message, TwistStamped) else 0
    return (
        replace(
            drive,
            linear=controller.limited("linear.x", drive.linear),
            angular=controller.limited("angular.z", drive.angular),
            sent_ns=stamp_ns or None,
        ),
    )


def _decode_group(controller: Controller, robot: Robot, message: Any) -> tuple[Action, ...]:
    """Convert a message with a number for each joint of a group, in order."""
    joints, known = controller.joints, joints_of(robot)
    values = numbers(message.data, len(joints), f"a {controller.interface} for each of {', '.join(joints)}")
    actions = []
    for name, value in zip(joints, values, strict=True):
        row = {"position": _UNSAID, "velocity": _UNSAID, "effort": _UNSAID, controller.interface: value}
        actions.append(command_joint(robot.name, known[name], **row))
    return tuple(actions)
