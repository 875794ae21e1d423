"""Drives many robots that avoid each other, all from one process.

    odesim run swarm

Each turns away from the nearer obstacle, the more the nearer it is; with an obstacle close ahead it turns on
the spot, always in the same direction, so that it does not oscillate. Argument: the number of robots, whose
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
"""Wheel speed without obstacles, rad/s."""
TURN = 5.0
"""Wheel speed of a turn on the spot, rad/s."""
FREE, CLOSE = 0.5, 0.15
"""m; obstacles farther than the first are ignored; closer than the second, it turns on the spot."""
SENSORS = ("ds_left", "ds_right")


def decide(left: float, right: float) -> tuple[float, float]:
    """Return left and right wheel speed, rad/s, for two distances in m."""
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
        self.driven = [RobotClient(self, sensors, self.avoid_others, robot) for robot in robots]

    def avoid_others(self, readings: dict[str, Any]) -> dict[str, float]:
        """Return motor velocities for one set of readings."""
        left, right = decide(*(readings[sensor].range for sensor in SENSORS))
        return {"motor_left": left, "motor_right": right}


def main() -> int:
    """Run the controller."""
    return run(lambda: Swarm(int((remove_ros_args(sys.argv)[1:] or ["0"])[0])))


if __name__ == "__main__":
    sys.exit(main())
