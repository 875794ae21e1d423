"""Follows a dark line on a light floor by three infra-red sensors that look down.

    odesim run line_follower

To an infra-red sensor what reflects little seems far: 0.02 m above a black line it says 0.09 m, above a light
floor 0.04 m. The sensors stand across the line; those that see it say on which side of the nose it is. When
none sees it, it is on the side where it was last.
"""

from __future__ import annotations

import sys
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

DARK = 0.06
"""m; a sensor that says more than this looks at the line."""
SPEED = 5.0
"""Mean speed of both wheels, rad/s."""
STEER = 2.5
"""rad/s by which the wheels differ from it when the line is under an outer sensor alone."""
SENSORS = ("ground_left", "ground_middle", "ground_right")


class LineLaw:
    """Wheel speeds from three readings; remembers the side on which the line was last.

    Attributes:
        side: where the line is: 1 to the left, -1 to the right, 0 ahead, or between.
    """

    def __init__(self) -> None:
        self.side = 0.0

    def __call__(self, left: float, middle: float, right: float) -> tuple[float, float]:
        """Speeds of the left and the right wheel, rad/s, from three distances in m."""
        seen = [side for side, far in ((1.0, left), (0.0, middle), (-1.0, right)) if far > DARK]
        if seen:
            self.side = sum(seen) / len(seen)
        elif self.side:
            self.side = 1.0 if self.side > 0.0 else -1.0
        return (SPEED - STEER * self.side, SPEED + STEER * self.side)


class LineFollower(Node):
    """A node that leads a robot along a line."""

    def __init__(self) -> None:
        super().__init__("line_follower", parameter_overrides=READINGS_ALONE)
        self.law = LineLaw()
        self.client = RobotClient(self, dict.fromkeys(SENSORS, Range), self.drive)

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Motor velocities for one set of readings."""
        left, right = self.law(*(readings[sensor].range for sensor in SENSORS))
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller in the robot's namespace."""
    return run(LineFollower)


if __name__ == "__main__":
    sys.exit(main())
