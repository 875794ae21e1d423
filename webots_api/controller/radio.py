"""Emitters and receivers."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from .connection import print_error
from .device import Device, Sensor


class Emitter(Device):
    """Sends packets to the receivers of other robots."""

    CHANNEL_BROADCAST = -1

    def send(self, packet: str | bytes | Sequence[float], length: int | None = None) -> int:
        """Send text (terminated by a zero), bytes or numbers (64-bit floats).

        Returns:
            1, or 0 if the queue is full.
        """
        if isinstance(packet, str):
            data = packet.encode() + b"\0"
        elif isinstance(packet, (bytes, bytearray, memoryview)):
            data = bytes(packet)[:length]
        else:
            try:
                data = struct.pack(f"{len(packet)}d", *packet)
            except (TypeError, struct.error):
                print_error(
                    "Error: Emitter.send() called with an invalid packet: expected text, bytes or numbers"
                )
                return 0
        if not data:
            print_error("Error: Emitter.send() called with an empty packet")
            return 0
        queued = self._connection.queued
        size = queued.get(self._tag, 0) + len(data)
        if 0 < self.getBufferSize() < size:
            return 0
        queued[self._tag] = size
        self._say("send", data)
        return 1

    def getChannel(self) -> int:
        return int(self._get("channel", self._field("channel", 0)))

    def setChannel(self, channel: int) -> None:
        _set_channel(self, channel)

    def getRange(self) -> float:
        """Return the range in m; -1: no limit."""
        return self._within(float(self._get("range", self._field("range", -1.0))))

    def setRange(self, range: float) -> None:
        """Set the range in m, at most `maxRange`; -1: `maxRange`."""
        if not self._numbers("setRange", range=range):
            return
        if range < 0.0 and range != -1.0:
            print_error(
                f"Error: Emitter.setRange() called with {range:g}, expected 0 or more, or -1 for no limit"
            )
            return
        self._set("range", float(range))
        self._say("set_range", self._within(float(range)))

    def _within(self, distance: float) -> float:
        """Return the nearest valid range."""
        longest = float(self._field("maxRange", -1.0))
        is_unlimited = distance in (-1.0, math.inf)
        if longest == -1.0:
            return -1.0 if is_unlimited else distance
        return longest if is_unlimited else min(distance, longest)

    def getBufferSize(self) -> int:
        return int(self._field("bufferSize", -1))

    channel = property(getChannel, setChannel)
    range = property(getRange, setRange)
    buffer_size = property(getBufferSize)


def _set_channel(device: Emitter | Receiver, channel: int) -> None:
    """Set the channel; print an error if the device does not support it."""
    allowed = device._field("allowedChannels", [])
    if channel < -1 or (allowed and channel not in allowed):
        expected = f"one of {', '.join(map(str, allowed))}" if allowed else "-1 (all) or more"
        kind = type(device).__name__
        print_error(f"Error: {kind}.setChannel() called with {int(channel)}, expected {expected}")
        return
    device._set("channel", int(channel))
    device._say("set_channel", int(channel))


class Receiver(Sensor):
    """Queue of received packets, the oldest first."""

    CHANNEL_BROADCAST = -1

    @property
    def _queue(self) -> list[Any]:
        kept: list[Any] = self._connection.values.get(self._tag) or []
        return kept

    def _head(self, method: str) -> Any:
        if not self._queue:
            print_error(f'Error: Receiver.{method}() called for "{self.name}", whose queue is empty')
            return None
        return self._queue[0]

    def getQueueLength(self) -> int:
        return len(self._queue)

    def nextPacket(self) -> None:
        """Remove the first packet; do nothing if the queue is empty."""
        if self._queue:
            self._queue.pop(0)

    def getBytes(self) -> bytes:
        head = self._head("getBytes")
        return b"" if head is None else bytes(head[0])

    getData = getBytes

    def getString(self) -> str:
        return self.getBytes().split(b"\0", 1)[0].decode(errors="replace")

    def getFloats(self) -> list[float]:
        data = self.getBytes()
        return list(struct.unpack(f"{len(data) // 8}d", data[: len(data) // 8 * 8]))

    def getInts(self) -> list[int]:
        data = self.getBytes()
        return list(struct.unpack(f"{len(data) // 4}i", data[: len(data) // 4 * 4]))

    def getBools(self) -> list[bool]:
        return [byte != 0 for byte in self.getBytes()]

    def getDataSize(self) -> int:
        """Return the size of the first packet in bytes; -1: the queue is empty."""
        head = self._head("getDataSize")
        return -1 if head is None else len(head[0])

    def getSignalStrength(self) -> float:
        head = self._head("getSignalStrength")
        return math.nan if head is None else float(head[1])

    def getEmitterDirection(self) -> list[float]:
        """Return the direction to the emitter, a unit vector in the receiver's frame; empty: no packet."""
        head = self._head("getEmitterDirection")
        return [] if head is None else list(head[2])

    def getChannel(self) -> int:
        return int(self._get("channel", self._field("channel", 0)))

    def setChannel(self, channel: int) -> None:
        _set_channel(self, channel)

    queue_length = property(getQueueLength)
    data = property(getBytes)
    string = property(getString)
    signal_strength = property(getSignalStrength)
    emitter_direction = property(getEmitterDirection)
    channel = property(getChannel, setChannel)
