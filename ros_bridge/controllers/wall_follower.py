"""Follows the wall on its left, at a distance between 0.4 and 1.6 m.

    odesim run wall_follower

The rules and their numbers are those of the thesis controller that the world comes from. Every hundred sets
of readings it says where its GPS finds it.
"""

from __future__ import annotations

import sys
from typing import Any

from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

FRONT_DISTANCE = 1.0
"""A wall ahead that is nearer than this, in m, makes the robot turn on the spot."""
NEAR, FAR = 0.4, 1.6
"""The distance to the wall on the left is kept between these, in m."""
FAST, SLOW = 4.0, 2.0
"""Wheel speeds, rad/s; one wheel slower makes a curve."""
REPORT_EVERY = 100


def decide(front: float, left: float) -> tuple[float, float]:
    """Speeds of the left and the right wheel, rad/s, from two distances in m."""
    if front < FRONT_DISTANCE:
        return (FAST, -FAST)
    if left < NEAR:
        return (FAST, SLOW)
    if left > FAR:
        return (SLOW, FAST)
    return (FAST, FAST)


class WallFollower(Node):
    """A node that leads a robot along the walls on its left."""

    def __init__(self) -> None:
        super().__init__("wall_follower", parameter_overrides=READINGS_ALONE)
        self.count = 0
        sensors = {"ds_front": Range, "ds_left": Range, "gps": PointStamped}
        self.client = RobotClient(self, sensors, self.drive)

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Motor velocities for one set of readings."""
        if self.count % REPORT_EVERY == 0:
            place = readings["gps"].point
            self.get_logger().info(f"at x {place.x:.3f} m, y {place.y:.3f} m, z {place.z:.3f} m")
        self.count += 1
        left, right = decide(readings["ds_front"].range, readings["ds_left"].range)
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(WallFollower)


if __name__ == "__main__":
    sys.exit(main())
