"""Devices without a file of their own here: topics of std_msgs from what the device declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from std_msgs.msg import Bool, Empty, Float64, Float64MultiArray, Int32, Int64, String, UInt8MultiArray

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.commands import numbers
from sim_core.devices import Sensor
from sim_core.devices.channels import Channel
from sim_core.devices.commands import Argument, Bytes, CommandSpec, Flag, Integer, Number, Text, Vector

OF_ONE_ARGUMENT: dict[type[Argument], type] = {
    Number: Float64,
    Integer: Int32,
    Flag: Bool,
    Text: String,
    Vector: Float64MultiArray,
    Bytes: UInt8MultiArray,
}
OF_ONE_NUMBER: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "b": (Bool, bool),
    "i": (Int64, int),
    "u": (Int64, int),
}
"""By numpy's kind of a channel's numbers; of all others Float64."""
Fill = Callable[[Any, Any], None]


class DeclaredBridge(DeviceBridge):
    """`/R/d` for the channel `value`, `/R/d/CHANNEL` for the others; `/R/d/COMMAND` in, without its `set_`.

    Numbers are Float64, Int64 or Bool, several are a Float64MultiArray in one row. A command without
    arguments is an Empty, one of several numbers a Float64MultiArray of them. Records have no topic, nor have
    commands with arguments of several kinds; those that need not be given are not.
    """

    def outputs(self) -> list[Output]:
        """One per channel and reading."""
        if not isinstance(self.device, Sensor):
            return []
        return [
            Output("" if name == "value" else name, *_message_of(name, channel))
            for name, channel in self.device.channels.items()
            if channel.dtype != "object"
        ]

    def inputs(self) -> list[Input]:
        """One per command."""
        found = []
        for name, spec in self.device.commands.items():
            needed = {key: type(each) for key, each in spec.arguments.items() if not each.optional}
            kinds = list(needed.values())
            message_type: type | None = Empty if not kinds else OF_ONE_ARGUMENT.get(kinds[0])
            if len(kinds) > 1:
                message_type = Float64MultiArray if set(kinds) == {Number} else None
            if message_type is not None:
                apply = partial(self._command, spec, needed)
                found.append(Input(name.removeprefix("set_"), message_type, apply))
        return found

    def _command(self, spec: CommandSpec, needed: Mapping[str, type[Argument]], message: Any) -> str | None:
        """Carry out a command with the arguments that must be given."""
        arguments: dict[str, Any] = {}
        if len(needed) > 1:
            values = numbers(message.data, len(needed), ", ".join(needed))
            arguments = dict(zip(needed, values, strict=True))
        for name, kind in needed.items() if len(needed) == 1 else ():
            arguments[name] = bytes(message.data) if kind is Bytes else message.data
        answer = spec.enter(self.device, arguments)
        return answer if isinstance(answer, str) else None


def _message_of(name: str, channel: Channel) -> tuple[type, Fill]:
    """The message of a channel, and what fills it from a reading."""
    if channel.shape:
        return Float64MultiArray, partial(_fill, name, _row)
    message_type, convert = OF_ONE_NUMBER.get(np.dtype(channel.dtype).kind, (Float64, float))
    return message_type, partial(_fill, name, convert)


def _row(values: Any) -> list[float]:
    row: list[float] = np.ravel(values).astype(float).tolist()
    return row


def _fill(name: str, convert: Callable[[Any], Any], message: Any, reading: Any) -> None:
    """Fill a message of std_msgs with a channel of a reading."""
    message.data = convert(getattr(reading, name))
