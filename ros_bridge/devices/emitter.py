"""Emitter: packets, channel and range come in."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Float64, Int32, UInt8MultiArray

from ros_bridge.devices.base import DeviceBridge, Input

PACKETS = 1000
"""Packets that may come between two steps."""


class EmitterBridge(DeviceBridge):
    """`/R/d/send`, `/R/d/channel` (-1: all) and `/R/d/range` in m (-1: no limit).

    What comes between two steps is carried out before the next one, in the order in which it came: a packet
    is sent at the sim time at which that step starts.
    """

    def inputs(self) -> list[Input]:
        """A packet, and what counts for the packets to come."""
        return [
            Input("send", UInt8MultiArray, self._send, PACKETS),
            Input("channel", Int32, lambda message: self.device.set_channel(message.data)),
            Input("range", Float64, lambda message: self.device.set_range(message.data)),
        ]

    def _send(self, message: Any) -> str | None:
        """Send a packet; the layout of the array has no effect."""
        data = bytes(message.data)
        if self.device.send(data):
            return None
        return (
            f"a packet of {len(data)} bytes is lost, {self.device.queued_bytes} of the "
            f"{self.device.buffer_size} bytes of the buffer are taken"
        )


BRIDGE = EmitterBridge
