"""Receiver: receives the packets of other robots' emitters."""

from __future__ import annotations

import logging
import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from sim_core.base.errors import CommandError
from sim_core.base.geometry import ZERO, Pose, Vec3, add, norm, normalized, rotate_back, scale, subtract
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import RECORDS, declare
from sim_core.devices.commands import Integer, command
from sim_core.devices.field_checks import number_at_least
from sim_core.devices.noise import Noise
from sim_core.devices.radio.radio_device import RadioDevice
from sim_core.devices.sensor import Reading, Sensor, SensorState
from sim_core.model.device_spec import DeviceSpec

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that has arrived.

    Attributes:
        time_ns: sim time at which it arrived.
        data: its bytes.
        signal_strength: 1/r², r in m, with noise; inf at distance 0, and of a physics plug-in.
        emitter_direction: unit vector to the emitter in the receiver's axes, with noise; 0 at distance 0, NaN
            of a physics plug-in.
    """

    time_ns: int
    data: bytes
    signal_strength: float
    emitter_direction: Vec3


@dataclass(frozen=True, slots=True)
class ReceiverReading(Reading):
    """Packets of one sampling period that fitted into the buffer, in order of arrival.

    Attributes:
        value: the packets; may be empty.
    """

    value: tuple[Packet, ...]


@dataclass(eq=False, kw_only=True)
class ReceiverState(SensorState):
    """State of a receiver.

    Attributes:
        channel: present channel.
        arrived: packets that wait for the next sample.
        queue: packets that were sampled and not read yet.
        queued_bytes: bytes in the queue.
        last_received: elapsed time of the last packet, and how many came at that time.
        lost: packets that did not fit since the start of the simulation.
    """

    channel: int
    arrived: list[Packet] = field(default_factory=list)
    queue: deque[Packet] = field(default_factory=deque)
    queued_bytes: int = 0
    last_received: tuple[int, int] = (0, 0)
    lost: int = 0


class Receiver(RadioDevice, Sensor):
    """A queue of the packets that were received.

    - Packets that arrive wait for the next sample; then each moves to the end of the queue if the bytes of
      all packets there and its own are at most `bufferSize`, and is lost otherwise. So a full buffer loses
      the newest packets, and a smaller packet behind a lost one may still fit.
    - A packet stays in the queue until `next_packet`, or, with `keeps_packets` False, until the reading with
      it has been delivered to the listeners.
    - A receiver that is not enabled, or not wanted (see `Sensor.demand`), receives nothing.
    - Signal strength s = 1/r²·(1 + `signalStrengthNoise`·N(0, 1)), at least 0. `directionNoise`·N(0, 1) is
      added to each component of the unit vector to the emitter, and the sum is normalized again.

    In worlds from before Webots 7.3 `baudRate` and `byteSize` must be those of the emitter, or nothing is
    received; in later ones they have no effect: the emitter's are used. See Webots reference, Receiver.

    Attributes:
        keeps_packets: packets stay until `next_packet`.
        rates: as those of an emitter, which must be the same; None: any.
    """

    channels = declare(value=RECORDS)

    state: ReceiverState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.rates = (self._baud_rate, self._bits) if spec.axes.is_v6 else None
        self._strength_noise = number_at_least(spec, "signalStrengthNoise", 0.0)
        self._direction_noise = number_at_least(spec, "directionNoise", 0.0)
        self._noise = Noise(context.seed) if self._strength_noise or self._direction_noise else None
        self.state = self.initial()
        self.keeps_packets = True

    def on_added(self) -> None:
        """Register with the radio medium."""
        self._medium.add_receiver(self)

    def initial(self) -> ReceiverState:
        """Return the state with the channel of the field and no packets."""
        return ReceiverState(channel=self._channel.start)

    @property
    def lost(self) -> int:
        """Packets that did not fit since the start of the simulation; the first loss is also logged."""
        return self.state.lost

    @property
    def channel(self) -> int:
        """Present channel; -1: all."""
        return self.state.channel

    @property
    def queue_length(self) -> int:
        """Number of packets in the queue."""
        return len(self.state.queue)

    @property
    def head(self) -> Packet | None:
        """Oldest packet in the queue; None: the queue is empty."""
        return self.state.queue[0] if self.state.queue else None

    def next_packet(self) -> Packet:
        """Remove and return the oldest packet in the queue.

        Raises:
            CommandError: the queue is empty.
        """
        state = self.state
        if not state.queue:
            raise CommandError(f"{self.robot_name}/{self.name}: found an empty queue, expected a packet")
        packet = state.queue.popleft()
        state.queued_bytes -= len(packet.data)
        return packet

    def field_now(self, field: str) -> Any:
        """Return the present channel."""
        return self.state.channel

    def edit_field(self, field: str, value: Any) -> None:
        """Set the channel, as its command does."""
        self.set_channel(value)

    @command(meets_faults=False, channel=Integer())
    def set_channel(self, channel: int) -> None:
        """Set the channel to receive on.

        Raises:
            CommandError: not among `allowedChannels`, or below -1; nothing changes.
        """
        self.state.channel = self._channel.checked(channel)

    def receive(self, data: bytes, emitter: Vec3 | None, pose: Pose, time_ns: int) -> None:
        """Receive a packet; called by the medium.

        Args:
            data: its bytes.
            emitter: position of the emitter in the world; None: a physics plug-in, which has no position.
            pose: the receiver's pose.
            time_ns: sim time.
        """
        if emitter is None:
            self.state.arrived.append(Packet(time_ns, data, math.inf, (math.nan, math.nan, math.nan)))
            return
        position, rotation = pose
        offset = subtract(emitter, position)
        distance = norm(offset)
        strength, direction = math.inf, ZERO
        if distance > 0.0:
            strength = 1.0 / (distance * distance)
            direction = scale(rotate_back(rotation, offset), 1.0 / distance)
        if self._noise is not None:
            now, (when, count) = self.world.clock.elapsed_ns, self.state.last_received
            count = count + 1 if when == now else 1
            self.state.last_received = (now, count)
            n, dx, dy, dz = self._noise.normals(time_ns, 4 * count)[-4:]
            strength = max(0.0, strength * (1.0 + self._strength_noise * n))
            direction = normalized(add(direction, scale((dx, dy, dz), self._direction_noise)))
        self.state.arrived.append(Packet(time_ns, data, strength, direction))

    @property
    def is_cumulative(self) -> bool:
        """True: packets are queued at every sample."""
        return True

    def sample(self, time_ns: int) -> ReceiverReading:
        """Move the packets that have arrived to the queue."""
        state = self.state
        if not state.arrived:
            return ReceiverReading(time_ns, ())
        arrived, state.arrived = state.arrived, []
        return ReceiverReading(time_ns, tuple(packet for packet in arrived if self._enqueue(packet)))

    def update(self, time_ns: int) -> None:
        """Make a reading and deliver it to the listeners."""
        super().update(time_ns)
        if not self.keeps_packets:
            self.state.queue.clear()
            self.state.queued_bytes = 0

    def _enqueue(self, packet: Packet) -> bool:
        state = self.state
        size = len(packet.data)
        if self.buffer_size is not None and state.queued_bytes + size > self.buffer_size:
            if not state.lost:
                _log.warning(
                    "%s/%s: the buffer of %d bytes is full, packets are lost from %g s on (logged once)",
                    self.robot_name, self.name, self.buffer_size, packet.time_ns / 1e9,
                )  # fmt: skip
            state.lost += 1
            return False
        state.queue.append(packet)
        state.queued_bytes += size
        return True
