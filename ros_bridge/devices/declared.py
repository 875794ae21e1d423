"""Devices without a module here: topics of std_msgs from their declared channels and commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from std_msgs.msg import Bool, Float64, Float64MultiArray, Int64

from ros_bridge.devices.base import DeviceBridge
from ros_bridge.topics.records import Publication, Subscription
from sim_core.devices import Sensor
from sim_core.devices.channels import Channel

OF_ONE_NUMBER: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "b": (Bool, bool),
    "i": (Int64, int),
    "u": (Int64, int),
}
"""By numpy kind of a channel's numbers; Float64 for all others."""
Fill = Callable[[Any, Any], None]


class DeclaredBridge(DeviceBridge):
    """`/R/d` for the channel `value`, `/R/d/CHANNEL` for others; inputs `/R/d/COMMAND`, without `set_`.

    Numbers are Float64, Int64 or Bool, several are a flat Float64MultiArray. Records have no topic.
    """

    def outputs(self) -> list[Publication]:
        """Return a topic for each channel, with one message per reading."""
        if not isinstance(self.device, Sensor):
            return []
        return [
            Publication("" if name == "value" else name, *_message_of(name, channel))
            for name, channel in self.device.channels.items()
            if channel.dtype != "object"
        ]

    def inputs(self) -> list[Subscription]:
        """Return a topic for each command."""
        return self.command_topics({name.removeprefix("set_"): name for name in self.device.commands})


def _message_of(name: str, channel: Channel) -> tuple[type, Fill]:
    """Return the message type of a channel, and the function that fills it from a reading."""
    if channel.shape:
        return Float64MultiArray, partial(_fill, name, _row)
    message_type, convert = OF_ONE_NUMBER.get(np.dtype(channel.dtype).kind, (Float64, float))
    return message_type, partial(_fill, name, convert)


def _row(values: Any) -> list[float]:
    row: list[float] = np.ravel(values).astype(float).tolist()
    return row


def _fill(name: str, convert: Callable[[Any], Any], message: Any, reading: Any) -> None:
    """Fill a std_msgs message with a channel of a reading."""
    message.data = convert(getattr(reading, name))
