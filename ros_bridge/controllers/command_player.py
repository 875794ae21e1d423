"""Sends commands at given times, to move a robot or try a device without writing code.

    controller "command_player"
    controllerArgs [ "repeat 4" "0 led 1" "2 led 0" "0 arm/position 1.5" "1 emitter/send [72, 105]" ]

An argument consists of a time in simulated seconds, a topic below the robot, and the value of the message's
`data` in YAML; for messages without `data`, a mapping of their fields: `"0 cmd_vel {linear: {x: 0.2}}"`. With
`repeat S` the list restarts every S seconds. The robot's `synchronization` must be FALSE: this controller
reads nothing, so it has no readings to answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock

from ros_bridge.controllers import NAMESPACE
from ros_bridge.controllers.robot_client import SIM_TIME, run
from ros_bridge.topics.conversions import message_class, time_of
from ros_bridge.topics.filling import make_message
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import ConfigError
from sim_core.base.yaml_nodes import read_yaml


class TimedCommand(NamedTuple):
    """One entry of the list."""

    time_ns: int
    """Sim time since the start of the list."""
    topic: str
    """Relative to the robot's namespace."""
    value: Any
    """Value of the message, as parsed from YAML."""


def read_commands(lines: Iterable[str]) -> tuple[list[TimedCommand], int]:
    """Return the commands in order of time, and the ns after which they repeat (0: never).

    Raises:
        ConfigError: a line is not a command, or a command is later than the repetition.
    """
    commands: list[TimedCommand] = []
    repeat = 0
    for line in lines:
        words = line.split(maxsplit=2)
        try:
            if len(words) == 2 and words[0] == "repeat":
                repeat = _duration(words[1])
                if repeat == 0:
                    raise ValueError
            else:
                commands.append(
                    TimedCommand(_duration(words[0]), words[1], read_yaml(words[2], "controllerArgs"))
                )
        except (ValueError, OverflowError, IndexError, ConfigError):
            expected = '"SECONDS TOPIC VALUE" or "repeat SECONDS"'
            raise ConfigError(f'controllerArgs: found "{line}", expected {expected}') from None
    commands.sort(key=lambda command: command.time_ns)
    if repeat and commands and commands[-1].time_ns >= repeat:
        raise ConfigError(
            f"controllerArgs: found a command at {commands[-1].time_ns / 1e9:g} s, expected one before "
            f"{repeat / 1e9:g} s, when the list restarts"
        )
    return commands, repeat


def _duration(text: str) -> int:
    time_ns = to_nanoseconds(float(text))
    if time_ns < 0:
        raise ValueError
    return time_ns


class CommandPlayer(Node):
    """A node that publishes a list of commands by sim time."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__("command_player", parameter_overrides=SIM_TIME)
        self._commands, self._repeat = read_commands(lines)
        self._messages: list[Any] = [None] * len(self._commands)
        self._topics: dict[str, Any] = {}
        self._next = 0
        self._round = 0
        self._last_ns = -1
        self.create_subscription(Clock, "/clock", self._tick, qos_profile_sensor_data)

    def _tick(self, message: Clock) -> None:
        """Send what is due; restart the list when time jumps back, as after a reset."""
        now = time_of(message.clock)
        if now < self._last_ns:
            self._next = self._round = 0
        self._last_ns = now
        try:
            if self._ready():
                self._send_due(now)
        except RuntimeError:  # error of rclpy: ROS is being shut down in another thread
            if self.context.ok():
                raise

    def _send_due(self, now: int) -> None:
        while self._next < len(self._commands):
            command = self._commands[self._next]
            if now < command.time_ns + self._round * self._repeat:
                return
            self._topics[command.topic].publish(self._messages[self._next])
            self._next += 1
            if self._next == len(self._commands) and self._repeat:
                self._next = 0
                self._round += 1

    def _ready(self) -> bool:
        """Return whether the simulation subscribes to all topics; create the publishers once it does."""
        for index, command in enumerate(self._commands):
            if self._messages[index] is None:
                kind = self._type_of(command.topic)
                if kind is None:
                    return False
                self._messages[index] = make_message(kind, command.value)
                if command.topic not in self._topics:
                    self._topics[command.topic] = self.create_publisher(kind, self._name(command.topic), 10)
        return all(publisher.get_subscription_count() for publisher in self._topics.values())

    def _name(self, topic: str) -> str:
        """Return a topic of the list below the simulation's namespace."""
        return f"{os.environ.get(NAMESPACE, '')}{topic}" if topic.startswith("/") else topic

    def _type_of(self, topic: str) -> Any:
        """Return the message class that the simulation expects on a topic; None while it does not run."""
        name = self.resolve_topic_name(self._name(topic))
        for info in self.get_subscriptions_info_by_topic(name):
            return message_class(info.topic_type)
        return None


def main() -> int:
    """Run the controller; the arguments are the commands."""
    try:
        return run(lambda: CommandPlayer(remove_ros_args(sys.argv)[1:]))
    except ConfigError as error:
        print(f"command_player: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
