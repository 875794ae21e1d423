"""Drives many robots that keep out of each other's way, all of them from one process.

    odesim run swarm

Each turns away from what it sees nearer, the more the nearer it is; what it has right before it makes it turn
on the spot, always to the same side, so that it does not dither. Argument: how many robots there are; their
names are r1, r2, … Without it there is one, in whose namespace the node is.
"""

from __future__ import annotations

import sys
from typing import Any

from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import Range

from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run

FAST = 10.0
"""Wheel speed where nothing is near, rad/s."""
TURN = 5.0
"""Wheel speed of a turn on the spot, rad/s."""
FREE, CLOSE = 0.5, 0.15
"""m; nothing nearer than the first matters; with something nearer than the second it turns on the spot."""
SENSORS = ("ds_left", "ds_right")


def decide(left: float, right: float) -> tuple[float, float]:
    """Speeds of the left and the right wheel, rad/s, from two distances in m."""
    near = min(left, right)
    if near >= FREE:
        return (FAST, FAST)
    if near < CLOSE:
        return (TURN, -TURN)
    slow = FAST * (near - CLOSE) / (FREE - CLOSE)
    return (FAST, slow) if left < right else (slow, FAST)


class Swarm(Node):
    """A node that drives all robots of a swarm; 0: the one in its namespace."""

    def __init__(self, count: int) -> None:
        super().__init__("swarm", parameter_overrides=READINGS_ALONE)
        sensors = dict.fromkeys(SENSORS, Range)
        robots = [f"r{k}" for k in range(1, count + 1)] or [""]
        self.driven = [RobotClient(self, sensors, self.drive, robot) for robot in robots]

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Motor velocities for one set of readings."""
        left, right = decide(*(readings[sensor].range for sensor in SENSORS))
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller."""
    return run(lambda: Swarm(int((remove_ros_args(sys.argv)[1:] or ["0"])[0])))


if __name__ == "__main__":
    sys.exit(main())
