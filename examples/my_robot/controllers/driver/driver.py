"""Drives the rover where there is room: a node like any other, which would drive a real robot too.

odesim starts it in its robot's namespace: `cmd_vel` is /rover/cmd_vel, `ds_front` is /rover/ds_front.
"""

import contextlib

import rclpy
from geometry_msgs.msg import Twist
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Range

SENSORS = ("ds_left", "ds_front", "ds_right")


def decide(left: float, front: float, right: float) -> tuple[float, float]:
    """Speed in m/s and turn rate in rad/s from three distances in m."""
    if min(left, front, right) > 0.5:
        return 0.3, 0.0
    return 0.05, -1.2 if left < right else 1.2


class Driver(Node):
    """Answers each reading of the sensor in front by a command."""

    def __init__(self) -> None:
        super().__init__("driver")
        self.distances = dict.fromkeys(SENSORS, 0.0)
        self.cmd_vel = self.create_publisher(Twist, "cmd_vel", 10)
        for sensor in SENSORS:
            self.create_subscription(Range, sensor, lambda reading, name=sensor: self.hear(name, reading), 10)

    def hear(self, sensor: str, reading: Range) -> None:
        """Remember a distance; that in front is the last of a set."""
        self.distances[sensor] = reading.range
        if sensor == "ds_front":
            command = Twist()
            command.linear.x, command.angular.z = decide(*(self.distances[name] for name in SENSORS))
            self.cmd_vel.publish(command)


def main() -> None:
    """Run the node until Ctrl-C, or until the simulation ends."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Driver())


if __name__ == "__main__":
    main()
