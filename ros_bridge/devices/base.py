"""Base of the devices' bridges: topics of a device as data, with names relative to it.

Fill functions are pure: they write a reading to a message and use no node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from std_msgs.msg import Bool, Empty, Float64, Float64MultiArray, Int32, String, UInt8MultiArray

from ros_bridge.topics.decoding import numbers
from ros_bridge.topics.records import Publication, Subscription
from sim_core.devices.commands import Argument, Bytes, Flag, Integer, Number, Text, Vector
from sim_core.session.robot_commands import DeviceCommand

OF_ONE_ARGUMENT: dict[type[Argument], type] = {
    Number: Float64,
    Integer: Int32,
    Flag: Bool,
    Text: String,
    Vector: Float64MultiArray,
    Bytes: UInt8MultiArray,
}


class Style(NamedTuple):
    """Conventions for numbers where ROS leaves them open."""

    radians: bool = False
    """Bearings in radians instead of degrees."""
    scan_from: float | None = None
    """rad: start angle of the scan of a full circle; None: as the device has it."""
    as_webots_ros2: bool = False
    """Message types of webots_ros2_msgs, if it is installed."""


PLAIN = Style()


class DeviceBridge:
    """The topics of one device.

    Each module in `ros_bridge/devices` has a subclass named `BRIDGE`.

    Attributes:
        readings: topics of every such device with a message for each reading.
        commands: names of the commands of every such device, by the suffixes of their topics.
    """

    readings: ClassVar[Sequence[Publication]] = ()
    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, device: Any, style: Style = PLAIN) -> None:
        self.device: Any = device
        self.style = style

    def outputs(self) -> list[Publication]:
        """Return the topics that the device publishes."""
        return list(self.readings)

    def inputs(self) -> list[Subscription]:
        """Return the topics that command the device."""
        return self.command_topics(self.commands)

    def command_topics(self, commands: Mapping[str, str], depth: int = 0) -> list[Subscription]:
        """Return topics for declared commands, whose message types follow from the arguments.

        Without arguments the type is Empty, with several numbers a Float64MultiArray; optional arguments are
        left out. A command with arguments of several kinds has no topic.

        Args:
            commands: names of commands by the suffixes of the topics.
            depth: see `Topic`.
        """
        found = []
        for suffix, command in commands.items():
            arguments = self.device.commands[command].arguments
            needed = {name: type(each) for name, each in arguments.items() if not each.optional}
            kinds = list(needed.values())
            decode: Callable[[Any], tuple[DeviceCommand]] = partial(self._several, command, tuple(needed))
            message_type: type | None = Float64MultiArray if set(kinds) == {Number} else None
            if not kinds:
                message_type, decode = Empty, partial(self._none, command)
            elif len(kinds) == 1:
                message_type = OF_ONE_ARGUMENT.get(kinds[0])
                one = self._bytes if kinds[0] is Bytes else self._one
                decode = partial(one, command, *needed)
            if message_type is not None:
                found.append(Subscription(suffix, message_type, decode, depth=depth))
        return found

    def device_command(self, command: str, **arguments: Any) -> tuple[DeviceCommand]:
        """Return the action that executes one of the device's commands."""
        return (DeviceCommand(self.device.robot_name, self.device.name, command, arguments),)

    def _none(self, command: str, message: Any) -> tuple[DeviceCommand]:
        return self.device_command(command)

    def _one(self, command: str, name: str, message: Any) -> tuple[DeviceCommand]:
        return (DeviceCommand(self.device.robot_name, self.device.name, command, {name: message.data}),)

    def _bytes(self, command: str, name: str, message: Any) -> tuple[DeviceCommand]:
        return self.device_command(command, **{name: bytes(message.data)})

    def _several(self, command: str, names: tuple[str, ...], message: Any) -> tuple[DeviceCommand]:
        values = numbers(message.data, len(names), ", ".join(names))
        return self.device_command(command, **dict(zip(names, values, strict=True)))
