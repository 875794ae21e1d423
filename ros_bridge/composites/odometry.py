"""`/R/odom`, measured by the wheels, and `/R/ground_truth`, the true state: both nav_msgs/Odometry."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import fill_pose, fill_vector
from ros_bridge.topics.frames import BaseOdometry
from ros_bridge.topics.records import Filler
from sim_core.base.geometry import rotate_back
from sim_core.session.robot import Robot

UNKNOWN = 1e6
"""Variance of what wheels cannot measure: z, roll, pitch; m² and rad²."""
LEAST = 1e-9
"""Added to the measured variances, because filters cannot use a variance of 0."""
X, Y, YAW = 0, 1, 5


class OdometryFiller(Filler):
    """Fills the odometry of the base: pose in `R/odom`, twist in `R/base_link`.

    The covariances are those of `sim_core/devices/drives/odometry_covariance.py`, transformed from the axle
    centre to the base: x, y and yaw of the pose; vx and the turn rate of the twist, vy as vx.

    Args:
        robot: robot with odometry.
        child_frame: frame of its base.
        slip: variance of a wheel's path per metre rolled, m.
    """

    def __init__(self, robot: Robot, child_frame: str, slip: float = 0.0) -> None:
        self._odometry = BaseOdometry(robot)
        self._child_frame = child_frame
        self._odometry.keep_covariance(slip)

    def constants(self, message: Any) -> None:
        """Fill the child frame and the variances of what is not measured."""
        message.child_frame_id = self._child_frame
        for index in range(6):
            variance = LEAST if index in (X, Y, YAW) else UNKNOWN
            message.pose.covariance[7 * index] = variance
            message.twist.covariance[7 * index] = variance

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill present pose and twist."""
        fill_pose(message.pose.pose, self._odometry.pose())
        linear, angular = self._odometry.twist()
        fill_vector(message.twist.twist.linear, linear)
        fill_vector(message.twist.twist.angular, angular)
        pose, twist = message.pose.covariance, message.twist.covariance
        xx, xy, yy, x_yaw, y_yaw, yaw = self._odometry.pose_covariance()
        pose[7 * X], pose[7 * Y], pose[7 * YAW] = xx + LEAST, yy + LEAST, yaw + LEAST
        pose[6 * X + Y] = pose[6 * Y + X] = xy
        pose[6 * X + YAW] = pose[6 * YAW + X] = x_yaw
        pose[6 * Y + YAW] = pose[6 * YAW + Y] = y_yaw
        speed, turning = self._odometry.twist_variances()
        twist[7 * X] = twist[7 * Y] = speed + LEAST
        twist[7 * YAW] = turning + LEAST


class GroundTruthFiller(Filler):
    """Fills the true pose of the base in `world` and its twist in `R/base_link`; covariances are zero."""

    def __init__(self, robot: Robot, child_frame: str) -> None:
        self._frame = robot.frame
        self._child_frame = child_frame

    def constants(self, message: Any) -> None:
        """Fill the child frame."""
        message.child_frame_id = self._child_frame

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill present pose and twist."""
        pose = self._frame.pose()
        fill_pose(message.pose.pose, pose)
        fill_vector(message.twist.twist.linear, rotate_back(pose.rotation, self._frame.linear_velocity()))
        fill_vector(message.twist.twist.angular, rotate_back(pose.rotation, self._frame.angular_velocity()))
