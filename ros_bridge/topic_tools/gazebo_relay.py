"""Replacement for the node `parameter_bridge` of ros_gz_bridge in launch files that start it.

The topics of a simulation in the layout `gazebo` are on ROS under Gazebo's names. For each topic with another
name on ROS, messages are forwarded unchanged: from the simulation if it publishes the Gazebo name, to it if
it subscribes to that.

    parameter_bridge /scan@sensor_msgs/msg/LaserScan[gz.msgs.LaserScan --ros-args -r /scan:=/front/scan
    parameter_bridge --ros-args -p config_file:=bridge.yaml -p expand_gz_topic_names:=true -r __ns:=/robot_1
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from ros_bridge.base.ros_thread import END_SIGNALS, redirect_signals, spin
from ros_bridge.parameters.bridge_file import ALWAYS_THERE, BridgedTopic, BridgeNode, read_bridge_file
from ros_bridge.topics.conversions import message_class
from ros_bridge.topics.qos import SENSOR, profile
from sim_core.base.errors import ConfigError

PERIOD = 0.25
"""Seconds of wall time between two checks of which topics exist."""
REPORT_AFTER = 30.0
"""Seconds of wall time after which a topic that does not exist is reported."""
_BRIDGED = re.compile(r"([^@\[\]]+)@([\w/]+)[@\[\]]([\w.]+)")


def topics_of(arguments: Iterable[str], by: BridgeNode, image_type: str = "") -> list[BridgedTopic]:
    """Return the topics of command-line arguments, `topic@ROS type@Gazebo type`, or names of pictures.

    Args:
        arguments: of the command line.
        by: the node, which gives them their names.
        image_type: message type of arguments that are only names.

    Raises:
        ConfigError: an argument has another form.
    """
    found = []
    for argument in arguments:
        match = _BRIDGED.fullmatch(argument)
        if match is None and not image_type:
            raise ConfigError(f'argument "{argument}", expected topic@ROS type@Gazebo type')
        name, kind = (match[1], match[2]) if match else (argument, image_type)
        found.append(BridgedTopic(by.gazebo_name(name), by.ros_name(name), kind, f'argument "{argument}"'))
    return found


class Relay:
    """Forwards the messages of some topics.

    Args:
        topics: the topics.
        sim: node with the names of the simulation. outer: with those on ROS, as remapped.
    """

    def __init__(self, topics: Sequence[BridgedTopic], sim: Node, outer: Node) -> None:
        self._sim, self._outer = sim, outer
        self._waiting = [
            each
            for each in topics
            if each.ros_type not in ALWAYS_THERE and outer.resolve_topic_name(each.ros) != each.gazebo
        ]
        self._checks = 0
        sim.create_timer(PERIOD, self._connect)

    def _connect(self) -> None:
        """Connect the topics that exist now."""
        self._waiting = [each for each in self._waiting if not self._connect_topic(each)]
        self._checks += 1
        if self._checks == round(REPORT_AFTER / PERIOD):
            for each in self._waiting:
                self._outer.get_logger().warning(f"{each.where}: no topic {each.gazebo}")

    def _connect_topic(self, topic: BridgedTopic) -> bool:
        """Forward a topic if the simulation has it; return whether there is nothing left to do."""
        there = self._sim.get_publishers_info_by_topic(topic.gazebo)
        wanted = self._sim.get_subscriptions_info_by_topic(topic.gazebo)
        if not there and not wanted:
            return False
        kinds = sorted(each.topic_type for each in there or wanted)
        kind = topic.ros_type if topic.ros_type in kinds else kinds[0]
        if there:
            self._forward(kind, self._sim, topic.gazebo, self._outer, topic.ros)
        else:
            self._forward(kind, self._outer, topic.ros, self._sim, topic.gazebo)
        return True

    def _forward(self, kind: str, source: Node, name: str, target: Node, other: str) -> None:
        message: Any = message_class(kind)
        publisher = target.create_publisher(message, other, profile(SENSOR))
        source.create_subscription(message, name, publisher.publish, profile(SENSOR), raw=True)


def main(arguments: Sequence[str], image_type: str = "") -> int:
    """Run until the launch ends.

    Args:
        arguments: of the command line.
        image_type: message type of arguments that are only names.
    """
    signals = redirect_signals()
    rclpy.init(args=list(arguments), signal_handler_options=SignalHandlerOptions.NO)
    outer = Node("ros_gz_bridge", automatically_declare_parameters_from_overrides=True)
    sim = Node("odesim_relay", use_global_arguments=False, start_parameter_services=False)
    try:
        expands = bool(_parameter(outer, "expand_gz_topic_names", False))
        by = BridgeNode(outer.get_namespace(), outer.get_name(), expands)
        topics = topics_of(remove_ros_args(list(arguments))[1:], by, image_type)
        if file := _parameter(outer, "config_file", ""):
            topics += read_bridge_file(str(file), by)
    except ConfigError as error:
        outer.get_logger().fatal(str(error))
        return 2
    Relay(topics, sim, outer)
    spin(signals, sim, outer)
    rclpy.shutdown()
    for number in END_SIGNALS:  # a second one, from the terminal and from launch
        signal.signal(number, signal.SIG_IGN)
    return 0


def _parameter(node: Node, name: str, default: object) -> Any:
    return node.get_parameter_or(name, Parameter(name, value=default)).value
