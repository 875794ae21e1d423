"""What a device's bridge is: the topics of the device as data.

`Output` and `Input` are read twice: by `interface.describe`, which needs no ROS graph, and by the node, which
makes publishers and subscriptions of them. Fill functions are pure: they put a reading into a message
and know no node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from std_msgs.msg import Bool, Empty, Float64, Float64MultiArray, Int32, String, UInt8MultiArray

from ros_bridge.topics.decoding import numbers
from sim_core.devices.commands import Argument, Bytes, Flag, Integer, Number, Text, Vector
from sim_core.session.pipeline import Wish
from sim_core.session.robot_commands import Tell

OF_ONE_ARGUMENT: dict[type[Argument], type] = {
    Number: Float64,
    Integer: Int32,
    Flag: Bool,
    Text: String,
    Vector: Float64MultiArray,
    Bytes: UInt8MultiArray,
}


def _nothing(message: Any) -> None:
    """Nothing in the message is constant."""


class Style(NamedTuple):
    """How numbers are to be given where ROS leaves it open."""

    radians: bool = False
    """Bearings in radians in place of degrees."""
    scan_from: float | None = None
    """rad: the angle at which the scan of a whole circle starts; None: as the device has it."""
    as_webots_ros2: bool = False
    """In the message types of webots_ros2_msgs, where that is installed."""


PLAIN = Style()


@dataclass(frozen=True)
class Output:
    """A topic that the simulation publishes.

    Attributes:
        suffix: name below the device's topic; empty: that topic itself.
        message_type: class of the message.
        fill: puts a reading (for outputs with a `period`: the sim time in ns) into the message. The header's
            stamp and frame are filled by the publisher.
        constants: puts in, once, what never changes.
        sampled: True: published with each reading of the device, a Sensor. False: with the robot's state.
        frame: frame that the values are in; None: the device's own.
        frame_suffix: added to the name of the frame.
        each: the parts of a reading, each of which is a message: `fill` gets them one by one. None: the
            reading itself is the one part.
        depth: messages kept for a slow subscriber at least, for topics on which many come at once.
    """

    suffix: str
    message_type: type
    fill: Callable[[Any, Any], None]
    constants: Callable[[Any], None] = _nothing
    sampled: bool = True
    frame: str | None = None
    frame_suffix: str = ""
    each: Callable[[Any], Iterable[Any]] | None = None
    depth: int = 0


@dataclass(frozen=True)
class Input:
    """A topic that the simulation listens to.

    Attributes:
        suffix: name below the device's topic.
        message_type: class of the message.
        decode: what a message wishes; raises CommandError if it is wrong in itself.
        depth: messages kept until the next step at least, for topics on which many come at once.
    """

    suffix: str
    message_type: type
    decode: Callable[[Any], tuple[Wish, ...]]
    depth: int = 0


class DeviceBridge:
    """The topics of one device.

    Each module in `ros_bridge/devices` has a subclass named `BRIDGE`.

    Attributes:
        readings: topics that every such device is published on, with a message of each for each reading.
        commands: names of the commands that every such device takes, by the suffixes of their topics.
    """

    readings: ClassVar[Sequence[Output]] = ()
    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, device: Any, style: Style = PLAIN) -> None:
        self.device: Any = device
        self.style = style

    def outputs(self) -> list[Output]:
        """Topics that the device is published on."""
        return list(self.readings)

    def inputs(self) -> list[Input]:
        """Topics that command the device."""
        return self.takes(self.commands)

    def takes(self, commands: Mapping[str, str], depth: int = 0) -> list[Input]:
        """Topics of commands that the device declares, whose messages follow from the arguments.

        Without arguments it is an Empty, of several numbers a Float64MultiArray of them; arguments that need
        not be given are not. A command with arguments of several kinds has no topic.

        Args:
            commands: their names by the suffixes of the topics.
            depth: as `Input` has it.
        """
        found = []
        for suffix, command in commands.items():
            arguments = self.device.commands[command].arguments
            needed = {name: type(each) for name, each in arguments.items() if not each.optional}
            kinds = list(needed.values())
            decode: Callable[[Any], tuple[Tell]] = partial(self._several, command, tuple(needed))
            message_type: type | None = Float64MultiArray if set(kinds) == {Number} else None
            if not kinds:
                message_type, decode = Empty, partial(self._none, command)
            elif len(kinds) == 1:
                message_type = OF_ONE_ARGUMENT.get(kinds[0])
                one = self._bytes if kinds[0] is Bytes else self._one
                decode = partial(one, command, *needed)
            if message_type is not None:
                found.append(Input(suffix, message_type, decode, depth))
        return found

    def tell(self, command: str, **arguments: Any) -> tuple[Tell]:
        """The wish that the device carries out one of its commands."""
        return (Tell(self.device.robot_name, self.device.name, command, arguments),)

    def _none(self, command: str, message: Any) -> tuple[Tell]:
        return self.tell(command)

    def _one(self, command: str, name: str, message: Any) -> tuple[Tell]:
        return (Tell(self.device.robot_name, self.device.name, command, {name: message.data}),)

    def _bytes(self, command: str, name: str, message: Any) -> tuple[Tell]:
        return self.tell(command, **{name: bytes(message.data)})

    def _several(self, command: str, names: tuple[str, ...], message: Any) -> tuple[Tell]:
        values = numbers(message.data, len(names), ", ".join(names))
        return self.tell(command, **dict(zip(names, values, strict=True)))
