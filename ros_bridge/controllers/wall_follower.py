"""Follows the wall on the left, at a distance between 0.4 and 1.6 m.

    odesim run wall_follower

The rules and their numbers are those of the thesis controller of that world. Every hundred sets of readings
it logs the position measured by its GPS.
"""

from __future__ import annotations

import sys
from typing import Any

from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

FRONT_DISTANCE = 1.0
"""Distance ahead, m, below which the robot turns on the spot."""
NEAR, FAR = 0.4, 1.6
"""Limits of the distance to the wall on the left, m."""
FAST, SLOW = 4.0, 2.0
"""Wheel speeds, rad/s; different speeds make a curve."""
REPORT_EVERY = 100


def decide(front: float, left: float) -> tuple[float, float]:
    """Return left and right wheel speed, rad/s, for two distances in m."""
    if front < FRONT_DISTANCE:
        return (FAST, -FAST)
    if left < NEAR:
        return (FAST, SLOW)
    if left > FAR:
        return (SLOW, FAST)
    return (FAST, FAST)


class WallFollower(Node):
    """A node that drives a robot along the walls on its left."""

    def __init__(self) -> None:
        super().__init__("wall_follower", parameter_overrides=READINGS_ALONE)
        self.count = 0
        sensors = {"ds_front": Range, "ds_left": Range, "gps": PointStamped}
        self.client = RobotClient(self, sensors, self.follow_wall)

    def follow_wall(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
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
