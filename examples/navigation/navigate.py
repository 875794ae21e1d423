"""Drives a robot of the layout nav2 to goals on a map, without Nav2: by /scan and /odom to /cmd_vel.

    odesim run navigation &
    python3 examples/navigation/navigate.py config/navigation/map.yaml -- 2.6,0.3 3.5,1.9 -0.5,2.0 0,0

It publishes the map (/map), the way (/plan) and, where tf2_msgs is installed, the transform map → odom. Goals
also come on /goal_pose, as RViz sends them. After the last of those on the command line it ends.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import rclpy
from by_map import Pose, after, ends, inverse, matched, place, read_map, steer, way
from geometry_msgs.msg import PoseStamped, Quaternion, TransformStamped, Twist
from nav_msgs.msg import OccupancyGrid, Odometry
from nav_msgs.msg import Path as Plan
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import LaserScan

from ros_bridge.base.transformations import euler_from_quaternion, of_message, quaternion_from_euler

LIDAR: Pose = (-0.032, 0.0, 0.0)
"""Of the TurtleBot3 Burger's, in base_link."""
RADIUS = 0.16
"""m; half a cell more than what the robot needs to turn."""
NEAR = 0.08
"""m from a goal at which it is reached."""
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Navigator(Node):
    """Finds the robot at each scan, and drives at each odometry.

    Args:
        file: the map's YAML file.
        goals: x, y in m of each.
        start: where the robot is at first.
    """

    def __init__(self, file: Path, goals: list[tuple[float, float]], start: Pose) -> None:
        super().__init__("navigator", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self.grid = read_map(file)
        self.goals = goals
        self.left = len(goals)
        self.along = np.empty((0, 2))
        self.start = start
        self.map_odom: Pose | None = None
        self.odom: Pose = (0.0, 0.0, 0.0)
        self.plans = self.create_publisher(Plan, "plan", LATCHED)
        self.drive = self.create_publisher(Twist, "cmd_vel", 10)
        self.maps = self.create_publisher(OccupancyGrid, "map", LATCHED)
        self.maps.publish(self.as_message())
        self.transforms = None
        if find_spec("tf2_msgs"):
            from tf2_msgs.msg import TFMessage

            self.transforms = self.create_publisher(TFMessage, "/tf", 100)
        self.create_subscription(Odometry, "odom", self.moved, 10)
        self.create_subscription(LaserScan, "scan", self.seen, qos_profile_sensor_data)
        self.create_subscription(PoseStamped, "goal_pose", self.asked, 1)

    def as_message(self) -> OccupancyGrid:
        """The map: 100 is occupied, 0 free."""
        message = OccupancyGrid()
        message.header.frame_id = "map"
        message.info.resolution = self.grid.resolution
        message.info.height, message.info.width = self.grid.occupied.shape
        message.info.origin.position.x, message.info.origin.position.y = self.grid.origin
        message.info.origin.orientation.w = 1.0
        message.data = (self.grid.occupied.astype(int) * 100).ravel().tolist()
        return message

    def asked(self, message: PoseStamped) -> None:
        """A goal takes the place of those that are left."""
        self.goals, self.left, self.along = (
            [(message.pose.position.x, message.pose.position.y)],
            sys.maxsize,
            np.empty((0, 2)),
        )

    def seen(self, scan: LaserScan) -> None:
        """Find the robot by what it sees."""
        points = place(LIDAR, ends(np.array(scan.ranges, float), scan.angle_min, scan.angle_increment))
        if self.map_odom is None:
            self.map_odom = after(self.start, inverse(self.odom))
        pose = matched(self.grid, points, after(self.map_odom, self.odom))
        self.map_odom = after(pose, inverse(self.odom))
        if self.transforms is not None:
            self.send_transform(scan)

    def send_transform(self, scan: LaserScan) -> None:
        """map → odom, true for some time to come as far as we know."""
        from tf2_msgs.msg import TFMessage

        assert self.map_odom is not None and self.transforms is not None
        x, y, yaw = self.map_odom
        transform = TransformStamped()
        transform.header.stamp = scan.header.stamp
        transform.header.stamp.sec += 1
        transform.header.frame_id, transform.child_frame_id = "map", "odom"
        transform.transform.translation.x, transform.transform.translation.y = x, y
        x, y, z, w = quaternion_from_euler(0.0, 0.0, yaw)
        transform.transform.rotation = Quaternion(x=x, y=y, z=z, w=w)
        self.transforms.publish(TFMessage(transforms=[transform]))

    def moved(self, message: Odometry) -> None:
        """Go on to the goal."""
        at, turned = message.pose.pose.position, message.pose.pose.orientation
        self.odom = (at.x, at.y, euler_from_quaternion(of_message(turned))[2])
        if self.map_odom is None or not self.goals:
            return
        pose = after(self.map_odom, self.odom)
        goal = self.goals[0]
        if not len(self.along):
            self.plan(pose, goal)
        twist = Twist()
        if math.dist(pose[:2], goal) < NEAR or not len(self.along):
            if len(self.along):
                self.get_logger().info(f"at {pose[0]:.2f}, {pose[1]:.2f}: goal reached")
            self.goals, self.along = self.goals[1:], np.empty((0, 2))
            self.left -= 1
        else:
            twist.linear.x, twist.angular.z = steer(pose, self.along)
        self.drive.publish(twist)

    def plan(self, pose: Pose, goal: tuple[float, float]) -> None:
        """A way to a goal; a line if there is none."""
        self.along = way(self.grid, pose[:2], goal, RADIUS)
        if not len(self.along):
            self.get_logger().warning(f"no way to {goal[0]:g}, {goal[1]:g}: it is left out")
            return
        message = Plan()
        message.header.frame_id = "map"
        for x, y in self.along:
            point = PoseStamped()
            point.header.frame_id = "map"
            point.pose.position.x, point.pose.position.y = float(x), float(y)
            message.poses.append(point)
        self.plans.publish(message)


def numbers(count: int) -> Callable[[str], tuple[float, ...]]:
    """Reads so many numbers with commas between them."""

    def read(text: str) -> tuple[float, ...]:
        parts = tuple(float(part) for part in text.split(","))
        if len(parts) != count or not all(map(math.isfinite, parts)):
            raise ValueError(text)
        return parts

    read.__name__ = f"{count} numbers"  # as argparse says it
    return read


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("map", type=Path, help="the map's YAML file")
    parser.add_argument("goals", nargs="*", type=numbers(2), help="x,y in m")
    parser.add_argument("--start", type=numbers(3), default=(0.0, 0.0, 0.0), help="x,y,heading of the robot")
    options = parser.parse_args(remove_ros_args(sys.argv)[1:])
    rclpy.init()
    try:
        node = Navigator(options.map, options.goals, options.start)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        while node.left > 0 or not options.goals:
            rclpy.spin_once(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 1
    except RuntimeError:  # rclpy raises it from any of its calls once a signal has shut ROS down
        if rclpy.ok():
            raise
        return 1
    node.drive.wait_for_all_acked(Duration(seconds=2))  # the last of them is: stand still
    return 0


if __name__ == "__main__":
    sys.exit(main())
