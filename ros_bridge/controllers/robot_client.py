"""A controller's side of the topics of one robot, in step with the simulation or free of it.

The rule of lock-step (see `ros_bridge/lockstep.py`) does no harm to a free-running robot: at the start, and
whenever simulated time jumps back, answer the present time; afterwards answer each complete set of readings
with its stamp. A set is complete when every sensor has sent a reading of the same time.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType, JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

GREETING_PERIOD = 0.05
"""Seconds of wall time between two answers to the present time, until the first set of readings comes."""

SIM_TIME = [Parameter("use_sim_time", value=True)]
"""Parameters of a controller's node: its clock is /clock."""

Velocities = Mapping[str, float]
Decide = Callable[[dict[str, Any]], Velocities]


class RobotClient:
    """Calls `decide` with each complete set of readings and sends what it returns.

    Args:
        node: the controller's node; it must use simulated time.
        sensors: topic below the robot's namespace → message type; each message has a header.
        decide: gets the set of readings by topic, returns motor velocities in rad/s by motor name.
        robot: the robot's name; empty where the node itself is in the robot's namespace.
    """

    def __init__(self, node: Node, sensors: Mapping[str, Any], decide: Decide, robot: str = "") -> None:
        prefix = f"/{robot}/" if robot else ""
        self._node = node
        self._decide = decide
        self._sensors = tuple(sensors)
        self._readings: dict[str, Any] = {}
        self._answers = node.create_publisher(JointState, f"{prefix}joint_command", 10)
        for topic, message_type in sensors.items():
            node.create_subscription(message_type, prefix + topic, self._receiver(topic), 10)
        wall_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._greeter = node.create_timer(GREETING_PERIOD, self._greet, clock=wall_clock)
        backwards = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=False
        )
        self._jumps = node.get_clock().create_jump_callback(backwards, post_callback=self._start_again)

    def _receiver(self, topic: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            self._readings[topic] = message
            stamp = message.header.stamp
            complete = len(self._readings) == len(self._sensors)
            if complete and all(reading.header.stamp == stamp for reading in self._readings.values()):
                self._greeter.cancel()
                self._send(stamp, self._decide(self._readings))

        return receive

    def _greet(self) -> None:
        """Tell the simulation that this controller is there, once the simulation's time is known."""
        now = self._node.get_clock().now()
        if now.nanoseconds or self._node.count_publishers("/clock"):
            self._send(now.to_msg(), {})

    def _start_again(self, _: TimeJump) -> None:
        """The simulation was reset."""
        self._readings.clear()
        self._greeter.reset()

    def _send(self, stamp: Any, velocities: Velocities) -> None:
        answer = JointState(name=list(velocities), velocity=[float(speed) for speed in velocities.values()])
        answer.header.stamp = stamp
        answer.header.frame_id = self._node.get_name()
        self._answers.publish(answer)


def run(make_node: Callable[[], Node]) -> int:
    """Spin a controller's node until Ctrl-C or the end of ROS; a second Ctrl-C does not disturb the end."""
    rclpy.init()
    try:
        rclpy.spin(make_node())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        rclpy.try_shutdown()
    return 0
