"""Coordinate frames on ROS, and their transforms (REP-105).

    world ──► R/odom ──► R/base_link ──► R/part ──► R/d

`world → R/odom` is the robot's pose at the start and constant; `R/odom → R/base_link` is the wheel odometry.
A robot without odometry has `world → R/base_link`, its true pose. Where `R/odom` must be the root, the world
is its child, by the inverse transform. Below the base every solid of the robot has a frame, devices included,
each below the solid that it is fixed or jointed to: the same tree as that of the links in
`/R/robot_description`, so that it does not matter who publishes it.
Cameras and range finders have a second frame, `R/d_optical`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ros_bridge.topics.names import TF, legal_name
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.devices.drives.odometry_covariance import PlanarCovariance
from sim_core.devices.drives.planar_motion import Twist2d
from sim_core.model.robot_parts import RobotPart, robot_parts
from sim_core.session.robot import Robot

WORLD = "world"
OPTICAL_SUFFIX = "_optical"
OPTICAL = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0))
"""Pose of a camera's optical frame (x right, y down, z ahead) in the camera's own frame (REP-103)."""
HAS_OPTICAL_FRAME = ("Camera", "RangeFinder")


class RobotFrames(NamedTuple):
    """Frame tree of a robot.

    Attributes:
        parts: named as their frames, the robot's body first.
        odom: odometry frame.
        root: root of the tree, one of `layouts.ROOTS`.
        published: which transforms are published, one of `layouts.TF_PARTS`.
        footprint: frame on the ground below the body; empty: none.
        optical: optical frames of devices; default: the device's frame with `_optical`.
        topic: topic of its transforms; robots with the same one are in one tree.
    """

    parts: Sequence[RobotPart]
    odom: str
    root: str = WORLD
    published: str = "all"
    footprint: str = ""
    optical: Mapping[NodeId, str] = MappingProxyType({})
    topic: str = TF

    @property
    def base(self) -> str:
        """Frame of the robot's body, FLU."""
        return self.parts[0].name


class BaseOdometry:
    """Odometry of the robot's base, which may differ from the centre of its axle.

    The simulator computes the pose of the axle centre C relative to its start; this class returns the pose of
    the base B: X_OB = X_BC · X_odometry · X_CB, so that O and B coincide at the start.
    """

    def __init__(self, robot: Robot) -> None:
        if robot.odometry is None:
            raise TypeError(f"{robot.name} has no odometry")
        self._odometry = robot.odometry

    @property
    def _centre(self) -> Vec3:
        """Centre of the axle in the robot's frame, m."""
        return self._odometry.drive.centre

    def pose(self) -> Pose:
        """Return X_OB, the pose of the base in the odometry frame."""
        x, y, yaw = self._odometry.pose
        cos, sin = math.cos(yaw), math.sin(yaw)
        reckoned = Pose((x, y, 0.0), (cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0))
        to_centre = Pose((*self._centre[:2], 0.0))
        return to_centre * reckoned * to_centre.inverse()

    def keep_covariance(self, slip: float) -> None:
        """Estimate the covariance of the pose from now on; `slip`: see `WheelOdometry`."""
        self._odometry.keep_covariance(slip)

    def pose_covariance(self) -> PlanarCovariance:
        """Return the covariance of the base's pose in the odometry frame."""
        covariance = self._odometry.pose_covariance()
        centre = self._centre
        if centre[0] == centre[1] == 0.0:
            return covariance
        return _moved(covariance, self._odometry.pose.yaw, centre)

    def twist_variances(self) -> tuple[float, float]:
        """Return the variances of forward speed, (m/s)², and turn rate, (rad/s)²."""
        return self._odometry.twist_variances()

    def twist(self) -> tuple[Vec3, Vec3]:
        """Return linear and angular velocity of the base in its own axes, m/s and rad/s."""
        twist: Twist2d = self._odometry.twist
        x, y, _ = self._centre
        linear = (twist.linear + twist.angular * y, twist.lateral - twist.angular * x, 0.0)
        return linear, (0.0, 0.0, twist.angular)


def _moved(covariance: PlanarCovariance, yaw: float, centre: Vec3) -> PlanarCovariance:
    """Return the covariance of the base, at -centre in the frame rotated by yaw: p - R(yaw)·centre."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    dx = sin * centre[0] + cos * centre[1]  # derivatives of -R(yaw)·centre
    dy = -(cos * centre[0] - sin * centre[1])
    xx, xy, yy, x_yaw, y_yaw, turn = covariance
    return PlanarCovariance(
        xx + 2.0 * dx * x_yaw + dx * dx * turn,
        xy + dy * x_yaw + dx * y_yaw + dx * dy * turn,
        yy + 2.0 * dy * y_yaw + dy * dy * turn,
        x_yaw + dx * turn,
        y_yaw + dy * turn,
        turn,
    )


def solid_frames(robot: Robot, prefix: str) -> set[str]:
    """Return the frames of a robot's solids, without devices and its body."""
    devices = {device.spec.id for device in robot.devices.values()}
    parts = robot_parts(robot.node, name_of=lambda name: prefix + legal_name(name, "solid"))
    return {part.name for part in parts[1:] if part.solid.id not in devices}


def robot_frames(robot: Robot, base: str, prefix: str, frames: Mapping[str, str]) -> list[RobotPart]:
    """Return the parts of a robot with their frame names, the robot's body first.

    Args:
        robot: the robot.
        base: frame of its body.
        prefix: before the names of its solids.
        frames: frame of each device by name.
    """
    own = {device.spec.id: frames[device.name] for device in robot.devices.values() if device.name in frames}
    own[robot.spec.id] = base
    return robot_parts(robot.node, own, lambda name: prefix + legal_name(name, "solid"))


def ground(robot: Robot) -> Pose:
    """Return X_BG, the point on the ground below a robot's body, where its driven wheels are lowest."""
    axes = [motor.spec.axis for motor in robot.motors().values()]
    wheels = [axis.wheel for axis in axes if axis is not None and axis.wheel is not None]
    return Pose((0.0, 0.0, min((wheel.centre[2] - wheel.radius for wheel in wheels), default=0.0)))
