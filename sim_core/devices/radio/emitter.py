"""Emitter: sends packets to the receivers of other robots."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sim_core.base.clock import NANOSECONDS
from sim_core.base.errors import CommandError
from sim_core.devices.base import Actuator, DeviceContext, DeviceState
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Bytes, Integer, Number, command
from sim_core.devices.field_checks import field_error, number_or_off
from sim_core.devices.radio.radio_device import RadioDevice
from sim_core.model.device_spec import DeviceSpec


class Transmission(NamedTuple):
    """A packet in an emitter's queue, with the channel and the range at the time of `send`."""

    data: bytes
    channel: int
    range: float
    """m; inf: no limit."""
    due_ns: int
    """Elapsed time at which its last bit has been sent, rounded up to whole nanoseconds."""


@dataclass(eq=False, kw_only=True)
class EmitterState(DeviceState):
    """State of an emitter.

    Attributes:
        channel, range: of the next packets; m, inf without limit.
        queue: packets that are not completely sent yet.
        queued_bytes: bytes in the queue.
        free_at: end of the last packet in ns·baudRate, so that it is exact.
        refused: packets that did not fit since the start of the simulation.
    """

    channel: int
    range: float
    queue: deque[Transmission] = field(default_factory=deque)
    queued_bytes: int = 0
    free_at: int = 0
    refused: int = 0


class Emitter(RadioDevice, Actuator):
    """A queue of packets that are sent one after another.

    Sending a packet of n bytes takes n·`byteSize`/`baudRate` seconds: 8n/b with 8 bits per byte. With t the
    sim time of `send` (between two steps: the time at which the next step starts):

        start = max(t, end of the packet before)       end = start + n·byteSize/baudRate

    It arrives, whole, at the end of the first step that starts at t or later and ends at `end` or later; with
    `baudRate` -1, end = t: at the end of the step that follows `send`. Nothing is rounded before that. The
    receivers are determined then, from the positions of emitters and receivers at the end of that step, with
    the channel and the range that the emitter had at `send`. See Webots reference, Emitter. The queue holds
    at most `bufferSize` bytes, including the packet being sent; a packet that does not fit is not sent, and
    those before it are not affected.

    Attributes:
        max_range: the largest range that can be set, m; inf: no limit.
        rates: bits per s (None: unlimited), and bits sent for one byte.
    """

    state: EmitterState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.max_range = number_or_off(spec, "maxRange", math.inf, "no limit")
        self._start_range = number_or_off(spec, "range", math.inf, "no limit")
        if math.isinf(self._start_range):
            self._start_range = self.max_range
        if self._start_range > self.max_range:
            raise field_error(spec, "range", spec["range"], f"at most maxRange, {self.max_range:g} m")
        self.rates = self._baud_rate, self._bits
        self.state = self.initial()

    def on_added(self) -> None:
        """Register with the radio medium."""
        self._medium.add_emitter(self)

    def initial(self) -> EmitterState:
        """Return the state with channel and range of the fields and an empty queue."""
        return EmitterState(channel=self._channel.start, range=self._start_range)

    @property
    def channel(self) -> int:
        """Channel of the next packets; -1: received on all channels."""
        return self.state.channel

    @property
    def range(self) -> float:
        """Range of the next packets, m; inf: no limit."""
        return self.state.range

    @property
    def queued_bytes(self) -> int:
        """Bytes in the queue."""
        return self.state.queued_bytes

    @property
    def refused(self) -> int:
        """Packets that did not fit since the start of the simulation."""
        return self.state.refused

    def field_now(self, field: str) -> Any:
        """Return the present channel, or the range with -1 for no limit."""
        if field == "channel":
            return self.state.channel
        if self.state.range == self._start_range:
            return self.spec["range"]
        return -1.0 if math.isinf(self.state.range) else self.state.range

    def edit_field(self, field: str, value: Any) -> None:
        """Set channel or range, as their commands do."""
        if field == "channel":
            self.set_channel(value)
        else:
            self.set_range(value)

    @command(meets_faults=False, channel=Integer())
    def set_channel(self, channel: int) -> None:
        """Set the channel of the next packets.

        Raises:
            CommandError: not among `allowedChannels`, or below -1; nothing changes.
        """
        self.state.channel = self._channel.checked(channel)

    @command(meets_faults=False, distance=Number("m"))
    def set_range(self, distance: float) -> str | None:
        """Set the range of the next packets, m; -1 (or inf): `maxRange`.

        Returns:
            A message if the range was clamped to maxRange, else None.

        Raises:
            CommandError: negative, but not -1, or NaN; nothing changes.
        """
        if distance in (-1.0, math.inf):
            self.state.range = self.max_range
            return None
        what = f"{self.robot_name}/{self.name}: range"
        distance = check_finite(what, distance)
        if distance < 0.0:
            raise CommandError(f"{what}: found {distance:g}, expected 0 or more, or -1 for no limit")
        reach = self.state.range = min(distance, self.max_range)
        return f"clamped from {distance:g} to maxRange, {reach:g} m" if reach < distance else None

    @command(data=Bytes(), answer_if_lost=True)
    def send(self, data: bytes) -> bool:
        """Put a packet into the queue.

        Returns:
            False if it does not fit, or the robot's battery is empty; then it is lost.

        Raises:
            CommandError: the packet is empty.
        """
        state = self.state
        size = len(data)
        if size == 0:
            raise CommandError(
                f"{self.robot_name}/{self.name}: found a packet of 0 bytes, expected 1 or more"
            )
        if not self.is_powered:
            return False
        if self.buffer_size is not None and state.queued_bytes + size > self.buffer_size:
            state.refused += 1
            return False
        due_ns = self._due(size)
        state.queue.append(Transmission(bytes(data), state.channel, state.range, due_ns))
        state.queued_bytes += size
        self._medium.wake(self)
        return True

    def dequeue(self, elapsed_ns: int) -> list[Transmission]:
        """Remove and return the packets that are completely sent by this elapsed time; called by the
        medium."""
        state = self.state
        sent = []
        while state.queue and state.queue[0].due_ns <= elapsed_ns:
            packet = state.queue.popleft()
            state.queued_bytes -= len(packet.data)
            sent.append(packet)
        return sent

    @property
    def is_sending(self) -> bool:
        """True if the queue is not empty."""
        return bool(self.state.queue)

    def deactivate(self) -> None:
        """Discard the packets in the queue."""
        state = self.state
        state.queue.clear()
        state.queued_bytes = state.free_at = 0

    def _due(self, size: int) -> int:
        state = self.state
        now = self.world.clock.elapsed_ns
        baud = self._baud_rate
        if baud is None:
            return now
        state.free_at = max(now * baud, state.free_at) + size * self._bits * NANOSECONDS
        return -(-state.free_at // baud)
