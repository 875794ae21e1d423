"""Drives a differential robot to a position and a heading.

    odesim run go_to_pose       # goal: parameter `goal` of this node, or a message on `/robot/goal_pose`

The control law is in `pose_law.py`. If the parameter `source` is `odometry`, it uses wheel odometry from the
pose `start` instead of GPS and inertial unit. Its path so far is published on `/robot/path`.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Odometry, Path
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Imu

from ros_bridge.base.transformations import euler_from_quaternion, of_message
from ros_bridge.controllers.pose_law import Pose2D, PoseLaw, wheel_speeds
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

WORLD = "world"
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Later subscribers receive the path too."""
PATH_SPACING = 0.02
"""Distance between two points of the published path, m."""


class GoToPose(Node):
    """A node that drives a robot to `goal`."""

    def __init__(self) -> None:
        super().__init__("go_to_pose", parameter_overrides=READINGS_ALONE)
        self.law = PoseLaw(self.numbers("goal"))
        self.start = self.numbers("start")
        self.radius = float(self.declare_parameter("wheel_radius", 0.0975).value)
        self.half_axle = float(self.declare_parameter("wheel_separation", 0.33).value) / 2.0
        self.limit = float(self.declare_parameter("max_wheel_speed", 10.0).value)
        by_odometry = self.declare_parameter("source", "gps").value == "odometry"
        sensors = {"odom": Odometry} if by_odometry else {"gps": PointStamped, "inertial_unit": Imu}
        self.path = Path()
        self.paths = self.create_publisher(Path, "path", LATCHED)
        self.create_subscription(PoseStamped, "goal_pose", self.new_goal, 1)
        self.client = RobotClient(self, sensors, self.approach_goal, restart=self.restart)

    def restart(self) -> None:
        """Restart at the start pose with the same goal and an empty path."""
        self.law = PoseLaw(self.law.goal)
        self.path = Path()

    def numbers(self, name: str) -> Pose2D:
        """Declare and return a parameter of three numbers: x and y in m, heading in rad."""
        x, y, heading = self.declare_parameter(name, [0.0, 0.0, 0.0]).value
        return (x, y, heading)

    def new_goal(self, message: PoseStamped) -> None:
        """Set a goal in world coordinates, as RViz sends it."""
        if message.header.frame_id not in ("", WORLD):
            self.get_logger().warning(
                f'goal_pose: found the frame "{message.header.frame_id}", expected "{WORLD}"'
            )
            return
        place = message.pose.position
        self.law = PoseLaw((place.x, place.y, heading_of(message.pose.orientation)))

    def approach_goal(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
        pose = self.estimated_pose(readings)
        self.trace(pose, next(iter(readings.values())).header.stamp)
        left, right = wheel_speeds(*self.law(pose), self.radius, self.half_axle, self.limit)
        return {"motor_left": left, "motor_right": right}

    def estimated_pose(self, readings: dict[str, Any]) -> Pose2D:
        """Return the estimated pose in the world."""
        if "odom" not in readings:
            place = readings["gps"].point
            return (place.x, place.y, heading_of(readings["inertial_unit"].orientation))
        moved = readings["odom"].pose.pose  # relative to the start
        x, y, heading = self.start
        c, s = math.cos(heading), math.sin(heading)
        dx, dy = moved.position.x, moved.position.y
        return (x + c * dx - s * dy, y + s * dx + c * dy, heading + heading_of(moved.orientation))

    def trace(self, pose: Pose2D, stamp: Any) -> None:
        """Publish the path so far whenever it has grown."""
        last = self.path.poses[-1].pose.position if self.path.poses else None
        if last is not None and math.hypot(pose[0] - last.x, pose[1] - last.y) < PATH_SPACING:
            return
        point = PoseStamped()
        point.header.stamp, point.header.frame_id = stamp, WORLD
        point.pose.position.x, point.pose.position.y = pose[0], pose[1]
        self.path.header = point.header
        self.path.poses.append(point)
        self.paths.publish(self.path)


def heading_of(q: Any) -> float:
    """Return the yaw of a geometry_msgs/Quaternion, rad."""
    return euler_from_quaternion(of_message(q))[2]


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(GoToPose)


if __name__ == "__main__":
    sys.exit(main())
