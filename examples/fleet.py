"""Drives a fleet from one node, in step with the simulation: one message each way for all of its robots.

    odesim run swarm --no-controllers --params examples/fleet.yaml &
    python3 examples/fleet.py

`/swarm/ranges` has a row of distances for each robot, `/swarm/joint_states` the stamp of the step; the answer
on `/swarm/joint_command` has the speeds of all wheels, robot by robot, left before right.
"""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray

FAST, TURN = 10.0, 5.0
"""Wheel speed where nothing is near, and of a turn on the spot, rad/s."""
FREE, CLOSE = 0.5, 0.15
"""m; nothing nearer than the first matters; with something nearer than the second it turns on the spot."""


def decide(ranges: Any) -> Any:
    """(robots, 2) speeds of the left and the right wheel in rad/s, from (robots, 2) distances in m."""
    left, right = ranges[:, 0], ranges[:, 1]
    near = ranges.min(axis=1)
    slow = FAST * np.clip((near - CLOSE) / (FREE - CLOSE), 0.0, 1.0)
    speeds = np.stack([np.where(left < right, FAST, slow), np.where(left < right, slow, FAST)], axis=1)
    speeds[near < CLOSE] = (TURN, -TURN)
    return speeds


class Fleet(Node):
    """Answers each step when its ranges and its joint states are there."""

    def __init__(self) -> None:
        super().__init__("fleet")
        self._speeds = self.create_publisher(JointState, "/swarm/joint_command", 10)
        self._stamp: Any = None
        self._ranges: Any = None
        self.create_subscription(Clock, "/clock", self._begin, 10)
        self.create_subscription(JointState, "/swarm/joint_states", self._take_states, 10)
        self.create_subscription(Float32MultiArray, "/swarm/ranges", self._take_ranges, 10)

    def _begin(self, clock: Clock) -> None:
        """There are no readings at time 0: answer it as it is."""
        if not clock.clock.sec and not clock.clock.nanosec:
            self._answer(clock.clock, np.zeros(0))

    def _take_states(self, states: JointState) -> None:
        self._stamp = states.header.stamp
        self._look()

    def _take_ranges(self, ranges: Float32MultiArray) -> None:
        self._ranges = np.array(ranges.data, float).reshape([each.size for each in ranges.layout.dim])
        self._look()

    def _look(self) -> None:
        if self._stamp is None or self._ranges is None:
            return
        stamp, ranges = self._stamp, self._ranges
        self._stamp = self._ranges = None
        self._answer(stamp, decide(ranges))

    def _answer(self, stamp: Any, speeds: Any) -> None:
        answer = JointState(velocity=array.array("d", speeds.tobytes()))  # number by number takes longer
        answer.header.stamp = stamp
        self._speeds.publish(answer)


def main() -> None:
    """Run until the simulation or Ctrl-C ends it."""
    rclpy.init()
    try:
        executor = SingleThreadedExecutor()
        executor.add_node(Fleet())
        # Not rclpy.spin: a signal that comes just before it waits is seen at the next message only.
        while rclpy.ok():
            executor.spin_once(timeout_sec=1.0)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:  # rclpy raises it from any of its calls once a signal has shut ROS down
        if rclpy.ok():
            raise


if __name__ == "__main__":
    main()
