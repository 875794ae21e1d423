"""Receiver: one message of each topic for each packet, in the order in which they arrived."""

from __future__ import annotations

from array import array
from operator import attrgetter
from typing import Any

from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Float64, UInt8MultiArray

from ros_bridge.devices.base import DeviceBridge, Input, Output
from ros_bridge.topics.conversions import fill_vector

PACKETS = 1000
"""Packets of one sampling period that reach a slow subscriber all the same."""


def fill_data(message: Any, packet: Any) -> None:
    """Fill a UInt8MultiArray with the bytes of a packet."""
    message.data = array("B", packet.data)


def fill_strength(message: Any, packet: Any) -> None:
    """Fill a Float64 with the signal strength, 1/m²."""
    message.data = packet.signal_strength


def fill_direction(message: Any, packet: Any) -> None:
    """Fill a Vector3Stamped with the unit vector to the emitter, in the receiver's axes."""
    fill_vector(message.vector, packet.emitter_direction)


class ReceiverBridge(DeviceBridge):
    """`/R/d/data`, `/R/d/signal_strength`, `/R/d/emitter_direction`, and in: `/R/d/channel` (-1: all).

    What was published counts as read: it leaves the receiver's buffer.
    """

    def __init__(self, device: Any) -> None:
        super().__init__(device)
        device.keeps_packets = False

    def outputs(self) -> list[Output]:
        """One message of each per packet."""
        packets = attrgetter("value")
        return [
            Output("data", UInt8MultiArray, fill_data, each=packets, depth=PACKETS),
            Output("signal_strength", Float64, fill_strength, each=packets, depth=PACKETS),
            Output("emitter_direction", Vector3Stamped, fill_direction, each=packets, depth=PACKETS),
        ]

    def inputs(self) -> list[Input]:
        """The channel to listen to."""
        return self.takes({"channel": "set_channel"})


BRIDGE = ReceiverBridge
