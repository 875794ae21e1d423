"""Convert messages for robots to actions; messages that are wrong in themselves are refused here."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ros_bridge.topics.conversions import time_of
from sim_core.base.errors import CommandError
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.motors.motor import Motor
from sim_core.session.pipeline import Action
from sim_core.session.robot import Robot
from sim_core.session.robot_commands import DeviceCommand, Drive, FollowTrajectory, PlayMotion

MOTION_OPTIONS = ("loop", "reverse")


def numbers(values: Sequence[float], count: int, what: str) -> Sequence[float]:
    """Return the values if there are `count` and all are finite.

    Raises:
        CommandError: with what was found.
    """
    if len(values) != count:
        raise CommandError(f"found {len(values)} numbers, expected {count}: {what}")
    for value in values:
        if not math.isfinite(value):
            raise CommandError(f"found {value}, expected finite numbers: {what}")
    return values


def decode_twist(robot: str, timeout_ns: int, message: Any) -> tuple[Drive]:
    """Convert a geometry_msgs/Twist or TwistStamped: linear.x and linear.y in m/s, angular.z in rad/s.

    Other components have no effect; linear.y has one only if the robot can move sideways. The stamp has no
    effect either, because teleoperation tools stamp with wall time.

    Args:
        robot: name of the robot.
        timeout_ns: sim time after which the robot stops if no other twist has arrived; 0: never.
        message: the twist.

    Raises:
        CommandError: a value is not finite.
    """
    twist = getattr(message, "twist", message)
    linear, angular = twist.linear, twist.angular
    numbers(
        (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z),
        6,
        "m/s along x, y, z and rad/s about x, y, z",
    )
    return (Drive(robot, linear.x, angular.z, timeout_ns, linear.y),)


def decode_ackermann(robot: str, wheelbase: float, timeout_ns: int, message: Any) -> tuple[Action, ...]:
    """Convert an ackermann_msgs/AckermannDrive or AckermannDriveStamped: speed in m/s, angle in rad.

    The angle δ, positive to the left, is that of a virtual wheel midway between the steered ones: the turn
    rate is v·tan δ/L. Rates and accelerations have no effect.

    Args:
        robot: name of the robot.
        wheelbase: L in m.
        timeout_ns: as in `decode_twist`.
        message: the command.

    Raises:
        CommandError: a value is not finite, or the angle is 90° or more.
    """
    drive = getattr(message, "drive", message)
    speed, angle = numbers((drive.speed, drive.steering_angle), 2, "m/s and rad")
    if abs(angle) >= math.pi / 2.0:
        raise CommandError(f"found the steering angle {angle:g}, expected one between -π/2 and π/2")
    return (Drive(robot, speed, speed * math.tan(angle) / wheelbase, timeout_ns),)


def decode_trajectory(robot: str, message: Any, leader: str = "") -> tuple[FollowTrajectory]:
    """Convert a trajectory_msgs/JointTrajectory. A stamp of 0 means now; a trajectory without points stops.

    Positions are interpolated linearly, with velocities by cubic, with accelerations too by quintic splines,
    starting from the current joint state, as ros2_control's joint_trajectory_controller does.

    Raises:
        CommandError: it contains efforts.
    """
    points = message.points
    if any(len(point.effort) for point in points):
        raise CommandError("found efforts, expected positions, velocities and accelerations only")
    return (
        FollowTrajectory(
            robot,
            tuple(message.joint_names),
            tuple(time_of(point.time_from_start) for point in points),
            tuple(tuple(point.positions) for point in points),
            tuple(tuple(point.velocities) for point in points),
            tuple(tuple(point.accelerations) for point in points),
            time_of(message.header.stamp) or None,
            leader,
        ),
    )


def decode_steps(robot: str, message: Any) -> tuple[FollowTrajectory]:
    """Convert a JointTrajectory whose points are targets from the time of the point before, as in gz-sim.

    Raises:
        CommandError: it contains efforts.
    """
    (action,) = decode_trajectory(robot, message)
    starts = [0, *(time_ns + 1 for time_ns in action.times_ns)]
    times = [each for pair in zip(starts, action.times_ns, strict=False) for each in pair]
    rows = [row for row in action.positions for _ in range(2)]
    return (replace(action, times_ns=times, positions=rows, velocities=(), accelerations=()),)


def decode_motion(robot: str, message: Any) -> tuple[Action, ...]:
    """Convert the name of a motion file: `walk.motion`, `walk loop`, `"my walk" reverse`; empty: stop.

    Raises:
        CommandError: an unknown option, or an unmatched quotation mark.
    """
    try:
        file, *options = shlex.split(message.data) or [""]
    except ValueError as error:
        raise CommandError(f'found "{message.data}": {error}') from None
    for word in options:
        if word not in MOTION_OPTIONS:
            raise CommandError(f'found the option "{word}", expected {" or ".join(MOTION_OPTIONS)}')
    return (PlayMotion(robot, file, "loop" in options, "reverse" in options),)


Joints = Mapping[str, Motor | DriveWheel]


def joints_of(robot: Robot) -> Joints:
    """Return what a JointState can command, by joint name: motors, and the wheels of DifferentialWheels."""
    joints: dict[str, Motor | DriveWheel] = {}
    for device in robot.devices.values():
        if isinstance(device, Motor):
            joints[device.name] = device
        elif isinstance(device, DifferentialWheels):
            joints.update({wheel.name: wheel for wheel in (device.left, device.right)})
    return joints


def decode_joints(robot: str, joints: Joints, message: Any) -> tuple[Action, ...]:
    """Convert a sensor_msgs/JointState, as a whole: if anything in it is wrong, nothing is done.

    For each joint named: a position is a target, approached at the speed `velocity` if given; a velocity
    alone is a target speed; an effort counts if neither is given. NaN means "not given", and so does an
    infinite position beside a velocity; a joint for which nothing is given keeps its command.

    Raises:
        CommandError: an unknown joint, a joint named twice, arrays of unequal length, an infinite value, or
            nothing but NaN.
    """
    names = list(message.name)
    columns: list[list[float]] = []
    for field in ("position", "velocity", "effort"):
        values = getattr(message, field)
        if len(values) not in (0, len(names)):
            raise CommandError(f"found {len(values)} in {field}, expected none or {len(names)}, as names")
        columns.append(list(values) or [math.nan] * len(names))
    for name in names:
        if name not in joints:
            raise CommandError(f'found joint "{name}", expected one of {", ".join(joints) or "none"}')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CommandError(f'found joint "{twice}" twice, expected each once')
    if not any(len(getattr(message, field)) for field in ("position", "velocity", "effort")):
        return ()
    rows = list(zip(names, *columns, strict=True))
    given = [row for row in rows if not all(map(math.isnan, row[1:]))]
    return tuple(command_joint(robot, joints[name], *row) for name, *row in given or rows)


def decode_speeds(robot: str, joints: Joints, names: Sequence[str], message: Any) -> tuple[Action, ...]:
    """Convert a std_msgs/Float64MultiArray: speeds of some motors in order; more numbers have no effect.

    Raises:
        CommandError: there are fewer numbers than motors, or one is not finite.
    """
    speeds = numbers(message.data[: len(names)], len(names), f"speeds of {', '.join(names)}")
    commanded = [(name, speed) for name, speed in zip(names, speeds, strict=True) if name in joints]
    return tuple(command_joint(robot, joints[name], math.nan, speed, math.nan) for name, speed in commanded)


def decode_thrust(robot: str, motor: str, constant: float, message: Any) -> tuple[Action, ...]:
    """Decode a std_msgs/Float64, the thrust of a propeller in N, to the speed of its motor for that thrust.

    Args:
        robot, motor: their names.
        constant: k of the thrust k·ω|ω|, N·s².

    Raises:
        CommandError: it is not finite.
    """
    (thrust,) = numbers((message.data,), 1, "N")
    velocity = math.copysign(math.sqrt(abs(thrust) / constant), thrust)
    return (DeviceCommand(robot, motor, "set_velocity", {"velocity": velocity}),)


def command_joint(
    robot: str, joint: Motor | DriveWheel, position: float, velocity: float, effort: float
) -> DeviceCommand:
    """Return the command for one joint, checked so that it is not refused after others are carried out."""
    name = joint.name
    if math.isinf(velocity) or math.isinf(effort):
        raise CommandError(f'found {velocity}, {effort} for "{name}", expected finite numbers')
    if math.isinf(position):
        if math.isnan(velocity):
            raise CommandError(f'found position {position} for "{name}", expected a finite number')
        position = math.nan
    if not math.isnan(position):
        if not isinstance(joint, Motor):
            raise CommandError(f'found a position for "{name}", expected a velocity: it is a wheel')
        if math.isnan(velocity):
            return DeviceCommand(robot, name, "set_position", {"position": position})
        if velocity < 0.0:
            raise CommandError(
                f'found speed {velocity} on the way to a position of "{name}", expected 0 or more'
            )
        return DeviceCommand(robot, name, "set_position", {"position": position, "velocity": velocity})
    if not math.isnan(velocity):
        if isinstance(joint, Motor):
            return DeviceCommand(robot, name, "set_velocity", {"velocity": velocity})
        return DeviceCommand(robot, robot, "set_wheel_velocity", {"wheel": name, "velocity": velocity})
    if math.isnan(effort):
        raise CommandError(f'found nan for "{name}", expected a finite number')
    if not isinstance(joint, Motor) or not all(motor.axis.spec.is_dynamic for motor in joint.coupled):
        raise CommandError(f'found an effort for "{name}", which cannot be driven by effort')
    return DeviceCommand(robot, name, "set_effort", {"effort": effort})
