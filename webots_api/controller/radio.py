"""Emitters and receivers."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from .device import Device, Sensor
from .link import complain


class Emitter(Device):
    """Sends packets to the receivers of other robots."""

    CHANNEL_BROADCAST = -1

    def send(self, packet: str | bytes | Sequence[float], length: int | None = None) -> int:
        """Send text (a zero behind it), bytes or numbers (64 bits each); 1, or 0 if it does not fit."""
        if isinstance(packet, str):
            data = packet.encode() + b"\0"
        elif isinstance(packet, (bytes, bytearray, memoryview)):
            data = bytes(packet)[:length]
        else:
            try:
                data = struct.pack(f"{len(packet)}d", *packet)
            except (TypeError, struct.error):
                complain(
                    "Error: Emitter.send() called with an invalid packet: expected text, bytes or numbers"
                )
                return 0
        if not data:
            complain("Error: Emitter.send() called with an empty packet")
            return 0
        size = self.getBufferSize()
        if 0 < size < len(data):
            return 0
        self._say("send", data)
        return 1

    def getChannel(self) -> int:
        return int(self._get("channel", self._field("channel", 0)))

    def setChannel(self, channel: int) -> None:
        self._set("channel", int(channel))
        self._say("set_channel", int(channel))

    def getRange(self) -> float:
        return float(self._get("range", self._field("range", -1.0)))

    def setRange(self, range: float) -> None:
        if self._numbers("setRange", range=range):
            self._set("range", float(range))
            self._say("set_range", float(range))

    def getBufferSize(self) -> int:
        return int(self._field("bufferSize", -1))

    channel = property(getChannel, setChannel)
    range = property(getRange, setRange)
    buffer_size = property(getBufferSize)


class Receiver(Sensor):
    """A queue of the packets that were heard, the oldest first."""

    CHANNEL_BROADCAST = -1

    @property
    def _queue(self) -> list[Any]:
        kept: list[Any] = self._link.values.get(self._tag) or []
        return kept

    def _head(self, method: str) -> Any:
        if not self._queue:
            complain(f'Error: Receiver.{method}() called for "{self.name}", whose queue is empty')
            return None
        return self._queue[0]

    def getQueueLength(self) -> int:
        return len(self._queue)

    def nextPacket(self) -> None:
        if self._head("nextPacket") is not None:
            self._queue.pop(0)

    def getBytes(self) -> bytes:
        head = self._head("getBytes")
        return b"" if head is None else bytes(head[0])

    def getData(self) -> bytes:
        return self.getBytes()

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
        head = self._head("getDataSize")
        return 0 if head is None else len(head[0])

    def getSignalStrength(self) -> float:
        head = self._head("getSignalStrength")
        return math.nan if head is None else float(head[1])

    def getEmitterDirection(self) -> list[float]:
        head = self._head("getEmitterDirection")
        return [math.nan] * 3 if head is None else list(head[2])

    def getChannel(self) -> int:
        return int(self._get("channel", self._field("channel", 0)))

    def setChannel(self, channel: int) -> None:
        self._set("channel", int(channel))
        self._say("set_channel", int(channel))

    queue_length = property(getQueueLength)
    data = property(getBytes)
    string = property(getString)
    signal_strength = property(getSignalStrength)
    emitter_direction = property(getEmitterDirection)
    channel = property(getChannel, setChannel)
