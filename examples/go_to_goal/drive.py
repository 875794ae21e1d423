"""Drives the robot of the world `arena` to a goal by the policy that was learned, over ROS.

    odesim run arena --wait-extern
    python3 examples/go_to_goal/drive.py --ros-args -p goal:="[1.5, -1.2]"
    ros2 topic pub -1 /goal_pose geometry_msgs/msg/PoseStamped "{pose: {position: {x: -1.0, y: 1.5}}}"

The simulation waits for its commands, as for those of any controller.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import Imu, Range

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import policy

from ros_bridge.base.transformations import of_message, quaternion_matrix
from ros_bridge.controllers.robot_client import READINGS_ALONE, RobotClient, run
from sim_core.experiments.learning.tasks.go_to_goal import RANGE, GoToGoal

SENSORS = ("ds_front", "ds_left", "ds_right")


class Driver(Node):
    """A node that drives one robot by a policy.

    Attributes:
        goal: x, y in m; None: stand still.
        places: x, y in m, at each reading since `goal` was set.
    """

    def __init__(self, file: Path = policy.FILE) -> None:
        super().__init__("go_to_goal", parameter_overrides=READINGS_ALONE)
        self.weights = policy.load(file)
        goal = self.declare_parameter("goal", [1.5, -1.2]).value
        self.goal: tuple[float, float] | None = (float(goal[0]), float(goal[1]))
        self.places: list[tuple[float, float]] = []
        self.create_subscription(PoseStamped, "/goal_pose", self.new_goal, 1)
        kinds: dict[str, Any] = {**dict.fromkeys(SENSORS, Range), "gps": PointStamped, "inertial_unit": Imu}
        self.client = RobotClient(self, kinds, self.drive, robot="robot")

    def new_goal(self, message: PoseStamped) -> None:
        """Go there, as RViz sends it."""
        self.goal = (message.pose.position.x, message.pose.position.y)

    def drive(self, readings: dict[str, Any]) -> dict[str, float]:
        """Motor velocities for one set of readings."""
        place, turn = readings["gps"].point, readings["inertial_unit"].orientation
        self.places.append((place.x, place.y))
        if self.goal is None:
            return {"motor_left": 0.0, "motor_right": 0.0}
        metres = [min(max(readings[name].range, 0.0), RANGE) for name in SENSORS]
        room = np.array([metres], np.float32) / np.float32(0.5 * RANGE) - np.float32(1.0)
        ahead = quaternion_matrix(of_message(turn))[:2, 0]
        seen = GoToGoal.observation(room, np.array([[place.x, place.y, *ahead]]), np.array([self.goal]))
        action = policy.act(self.weights, seen[None])[0].astype(np.float32)
        left, right = (
            GoToGoal.forward * action[0, 0] + sign * GoToGoal.turn * action[0, 1] for sign in (-1, 1)
        )
        return {"motor_left": float(left), "motor_right": float(right)}


if __name__ == "__main__":
    sys.exit(run(Driver))
