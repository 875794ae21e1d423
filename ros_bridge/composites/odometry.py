"""`/R/odom`, what the wheels tell, and `/R/ground_truth`, what is: both nav_msgs/Odometry."""

from __future__ import annotations

from typing import Any

from ros_bridge.conversions import fill_pose, fill_vector
from ros_bridge.frames import BaseOdometry
from sim_core.geometry import rotate_back
from sim_core.robot import Robot

GOOD, UNKNOWN = 1e-3, 1e6
"""Variances of what odometry knows (x, y, yaw) and what not. Placeholders: slip is not modelled."""
_VARIANCES = (GOOD, GOOD, UNKNOWN, UNKNOWN, UNKNOWN, GOOD)


class OdometryFill:
    """Fills the odometry of the base: pose in `R/odom`, twist in `R/base_link`."""

    def __init__(self, robot: Robot, child_frame: str) -> None:
        self._odometry = BaseOdometry(robot)
        self._child_frame = child_frame

    def constants(self, message: Any) -> None:
        """The child frame and the variances."""
        message.child_frame_id = self._child_frame
        for index, variance in enumerate(_VARIANCES):
            message.pose.covariance[7 * index] = variance
            message.twist.covariance[7 * index] = variance

    def fill(self, message: Any, time_ns: int) -> None:
        """Pose and twist of now."""
        fill_pose(message.pose.pose, self._odometry.pose())
        linear, angular = self._odometry.twist()
        fill_vector(message.twist.twist.linear, linear)
        fill_vector(message.twist.twist.angular, angular)


class GroundTruthFill:
    """Fills the true pose of the base in `world`, its twist in `R/base_link`; the covariances are zero."""

    def __init__(self, robot: Robot, child_frame: str) -> None:
        self._frame = robot.frame
        self._child_frame = child_frame

    def constants(self, message: Any) -> None:
        """The child frame."""
        message.child_frame_id = self._child_frame

    def fill(self, message: Any, time_ns: int) -> None:
        """Pose and twist of now."""
        pose = self._frame.pose()
        fill_pose(message.pose.pose, pose)
        fill_vector(message.twist.twist.linear, rotate_back(pose.rotation, self._frame.linear_velocity()))
        fill_vector(message.twist.twist.angular, rotate_back(pose.rotation, self._frame.angular_velocity()))
