"""What a device's bridge is: the topics of the device as data, with names below that of the device.

Fill functions are pure: they put a reading into a message and know no node.
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
    """How numbers are to be given where ROS leaves it open."""

    radians: bool = False
    """Bearings in radians in place of degrees."""
    scan_from: float | None = None
    """rad: the angle at which the scan of a whole circle starts; None: as the device has it."""
    as_webots_ros2: bool = False
    """In the message types of webots_ros2_msgs, where that is installed."""


PLAIN = Style()


class DeviceBridge:
    """The topics of one device.

    Each module in `ros_bridge/devices` has a subclass named `BRIDGE`.

    Attributes:
        readings: topics that every such device is published on, with a message of each for each reading.
        commands: names of the commands that every such device takes, by the suffixes of their topics.
    """

    readings: ClassVar[Sequence[Publication]] = ()
    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, device: Any, style: Style = PLAIN) -> None:
        self.device: Any = device
        self.style = style

    def outputs(self) -> list[Publication]:
        """Topics that the device is published on."""
        return list(self.readings)

    def inputs(self) -> list[Subscription]:
        """Topics that command the device."""
        return self.takes(self.commands)

    def takes(self, commands: Mapping[str, str], depth: int = 0) -> list[Subscription]:
        """Topics of commands that the device declares, whose messages follow from the arguments.

        Without arguments it is an Empty, of several numbers a Float64MultiArray of them; arguments that need
        not be given are not. A command with arguments of several kinds has no topic.

        Args:
            commands: their names by the suffixes of the topics.
            depth: as `Topic` has it.
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

    def tell(self, command: str, **arguments: Any) -> tuple[DeviceCommand]:
        """The wish that the device carries out one of its commands."""
        return (DeviceCommand(self.device.robot_name, self.device.name, command, arguments),)

    def _none(self, command: str, message: Any) -> tuple[DeviceCommand]:
        return self.tell(command)

    def _one(self, command: str, name: str, message: Any) -> tuple[DeviceCommand]:
        return (DeviceCommand(self.device.robot_name, self.device.name, command, {name: message.data}),)

    def _bytes(self, command: str, name: str, message: Any) -> tuple[DeviceCommand]:
        return self.tell(command, **{name: bytes(message.data)})

    def _several(self, command: str, names: tuple[str, ...], message: Any) -> tuple[DeviceCommand]:
        values = numbers(message.data, len(names), ", ".join(names))
        return self.tell(command, **dict(zip(names, values, strict=True)))
