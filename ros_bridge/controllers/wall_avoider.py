"""Drives straight ahead and turns on the spot near obstacles.

    odesim run wall_avoiders                                  # started by the world, one process per robot
    python3 -m ros_bridge.controllers.wall_avoider robot1 robot2    # one process for several robots

The rules and their numbers are those of the thesis controller of that world: an obstacle less than 0.95 m
ahead, or less than 0.5 m on the left, makes the robot turn right; one less than 0.5 m on the right makes it
turn left.
"""

from __future__ import annotations

import sys
from typing import Any

from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

FRONT_DISTANCE = 0.95
"""Distance ahead, m, below which the robot turns."""
SIDE_DISTANCE = 0.5
"""Distance at the sides, m, below which the robot turns."""
CRUISE_SPEED = 5.0
"""Wheel speed straight ahead, rad/s."""
TURN_SPEED = 2.0
"""Wheel speed of a turn on the spot, rad/s."""


def decide(front: float, left: float, right: float) -> tuple[float, float]:
    """Return left and right wheel speed, rad/s, for three distances in m."""
    turn_right = (TURN_SPEED, -TURN_SPEED)
    turn_left = (-TURN_SPEED, TURN_SPEED)
    if front <= FRONT_DISTANCE:
        return turn_right
    if left < right and left < SIDE_DISTANCE:
        return turn_right
    if right < left and right < SIDE_DISTANCE:
        return turn_left
    return (CRUISE_SPEED, CRUISE_SPEED)


class WallAvoider(Node):
    """A node that keeps one or several robots away from walls."""

    SENSORS = ("ds_front", "ds_left", "ds_right")

    def __init__(self, robots: list[str]) -> None:
        super().__init__("wall_avoider", parameter_overrides=READINGS_ALONE)
        sensors = dict.fromkeys(self.SENSORS, Range)
        self.driven = [RobotClient(self, sensors, self.avoid_obstacles, robot) for robot in robots or [""]]

    def avoid_obstacles(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
        left, right = decide(*(readings[sensor].range for sensor in self.SENSORS))
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller; the arguments are the robots' names, none: use the node's own namespace."""
    return run(lambda: WallAvoider(remove_ros_args(sys.argv)[1:]))


if __name__ == "__main__":
    sys.exit(main())
