"""Devices without a file of their own here: topics of std_msgs from what the device declares."""

from __future__ import annotations

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
            Output("" if name == "value" else name, _type_of(channel), partial(_fill, name))
            for name, channel in self.device.channels.items()
            if channel.dtype != "object"
        ]

    def inputs(self) -> list[Input]:
        """One per command."""
        found = []
        for name, spec in self.device.commands.items():
            kinds = [type(each) for each in spec.arguments.values() if not each.optional]
            message_type: type | None = Empty if not kinds else OF_ONE_ARGUMENT.get(kinds[0])
            if len(kinds) > 1:
                message_type = Float64MultiArray if set(kinds) == {Number} else None
            if message_type is not None:
                apply = partial(self._command, spec, len(kinds))
                found.append(Input(name.removeprefix("set_"), message_type, apply))
        return found

    def _command(self, spec: CommandSpec, count: int, message: Any) -> str | None:
        values: tuple[Any, ...] = () if count == 0 else (message.data,)
        if count > 1:
            values = tuple(numbers(message.data, count, ", ".join(spec.arguments)))
        elif isinstance(next(iter(spec.arguments.values()), None), Bytes):
            values = (bytes(message.data),)
        answer = spec.enter(self.device, spec.bound(values, {}))
        return answer if isinstance(answer, str) else None


def _type_of(channel: Channel) -> type:
    if channel.shape:
        return Float64MultiArray
    return {"bool": Bool, "int64": Int64}.get(channel.dtype, Float64)


def _fill(name: str, message: Any, reading: Any) -> None:
    """Fill a message of std_msgs with a channel of a reading."""
    value = getattr(reading, name)
    message.data = value if isinstance(value, (bool, int, float)) else np.ravel(value).astype(float).tolist()
