"""Follows a dark line on a light floor with three infra-red sensors that look down.

    odesim run line_follower

An infra-red sensor measures too large a distance to dark surfaces: 0.02 m above a black line it returns
0.09 m, above a light floor 0.04 m. The sensors are arranged across the line; those above it show on which
side it is. When none is, the line is assumed on the side where it was last.
"""

from __future__ import annotations

import sys
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

DARK = 0.06
"""Reading above which a sensor sees the line, m."""
SPEED = 5.0
"""Mean speed of both wheels, rad/s."""
STEER = 2.5
"""Difference of a wheel's speed from it when only an outer sensor sees the line, rad/s."""
SENSORS = ("ground_left", "ground_middle", "ground_right")


class LineLaw:
    """Computes wheel speeds from three readings; stores on which side the line was last.

    Attributes:
        side: position of the line: 1 left, -1 right, 0 ahead, or between.
    """

    def __init__(self) -> None:
        self.side = 0.0

    def __call__(self, left: float, middle: float, right: float) -> tuple[float, float]:
        """Return left and right wheel speed, rad/s, for three distances in m."""
        seen = [side for side, far in ((1.0, left), (0.0, middle), (-1.0, right)) if far > DARK]
        if seen:
            self.side = sum(seen) / len(seen)
        elif self.side:
            self.side = 1.0 if self.side > 0.0 else -1.0
        return (SPEED - STEER * self.side, SPEED + STEER * self.side)


class LineFollower(Node):
    """A node that drives a robot along a line."""

    def __init__(self) -> None:
        super().__init__("line_follower", parameter_overrides=READINGS_ALONE)
        self.law = LineLaw()
        self.client = RobotClient(self, dict.fromkeys(SENSORS, Range), self.follow_line)

    def follow_line(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
        left, right = self.law(*(readings[sensor].range for sensor in SENSORS))
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(LineFollower)


if __name__ == "__main__":
    sys.exit(main())
