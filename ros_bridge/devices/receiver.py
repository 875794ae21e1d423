"""Receiver: one message of each topic for each packet, in order of arrival."""

from __future__ import annotations

from array import array
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Float64, UInt8MultiArray

from ros_bridge.devices.base import PLAIN, DeviceBridge, Style
from ros_bridge.topics.conversions import fill_data, fill_part
from ros_bridge.topics.records import Publication

PACKETS = 1000
"""Packets of one sampling period that a slow subscriber can still receive."""
_per_packet = partial(Publication, each=attrgetter("value"), depth=PACKETS)


def fill_bytes(message: Any, packet: Any) -> None:
    """Fill a UInt8MultiArray with the bytes of a packet."""
    message.data = array("B", packet.data)


def fill_packet(message: Any, packet: Any) -> None:
    """Fill a DiagnosticArray with all of a packet; its bytes as hexadecimal digits."""
    rows = {"data": bytes(packet.data).hex(), "signal_strength": packet.signal_strength}
    rows |= zip("xyz", packet.emitter_direction, strict=True)
    values = [KeyValue(key=key, value=str(value)) for key, value in rows.items()]
    message.status = [DiagnosticStatus(name="packet", message=f"{len(packet.data)} bytes", values=values)]


class ReceiverBridge(DeviceBridge):
    """`/R/d/data`, `/R/d/signal_strength`, `/R/d/emitter_direction`; input: `/R/d/channel` (-1: all).

    `/R/d/packet` contains all of it, with a header. The strength is in 1/m², the direction a unit vector in
    the receiver's axes. A published packet counts as read: it is removed from the receiver's buffer.
    """

    readings = (
        _per_packet("data", UInt8MultiArray, fill_bytes),
        _per_packet("signal_strength", Float64, partial(fill_data, "signal_strength")),
        _per_packet("emitter_direction", Vector3Stamped, partial(fill_part, "vector", "emitter_direction")),
        _per_packet("packet", DiagnosticArray, fill_packet),
    )
    commands = MappingProxyType({"channel": "set_channel"})

    def __init__(self, device: Any, style: Style = PLAIN) -> None:
        super().__init__(device, style)
        device.keeps_packets = False


BRIDGE = ReceiverBridge
