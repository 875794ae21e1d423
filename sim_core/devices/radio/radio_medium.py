"""Radio medium: finds the receivers of each packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray, IntArray
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.devices.base import DeviceKey
from sim_core.devices.media import Media, Medium
from sim_core.devices.radio.radio_fields import ALL_CHANNELS, INFRA_RED, PLUGIN_CHANNEL
from sim_core.devices.ranging.line_of_sight import are_clear

if TYPE_CHECKING:
    from sim_core.devices.radio.emitter import Emitter, Transmission
    from sim_core.devices.radio.receiver import Receiver


@dataclass(eq=False)
class RadioState(State):
    """Emitters with packets in their queues, in the order in which they began to send."""

    sending: tuple[DeviceKey, ...] = ()


class RadioMedium(Medium):
    """Delivers packets from emitters to receivers at the end of each step.

    A receiver gets a packet if it belongs to another robot, has the emitter's type, has the packet's channel
    (or one of the two is -1), is at most the packet's range away, and is enabled with a subscriber or
    controller. For infra-red, additionally, each is inside the other's cone, and nothing with a bounding
    object except the two robots stands between them. It gets only packets with matching rates
    (`Receiver.rates`).

    The physics plug-in receives all packets on channel 0 or -1, at any distance. All receivers of the channel
    get the packets that it sends, at the end of the same step, before all others.

    Packets that arrive in the same step are delivered in the order of their transmissions' ends, then of the
    emitters in the world; those of one emitter in the order in which they were sent.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        self._numbers: dict[Emitter, int] = {}
        self._sending: dict[Emitter, None] = {}
        super().__init__(media)
        self._plugin = self.world.plugin
        self._groups: dict[str, _ReceiverGroup] = {}

    @property
    def state(self) -> State:
        """Emitters with packets in their queues."""
        return RadioState(tuple([emitter.key for emitter in self._sending]))

    @state.setter
    def state(self, state: State) -> None:
        keys = state.sending if isinstance(state, RadioState) else ()
        emitters = {emitter.key: emitter for emitter in self._numbers} if keys else {}
        self._sending = {emitters[key]: None for key in keys}

    def remove_devices(self) -> None:
        """Remove all emitters and receivers."""
        for each in (self._numbers, self._sending, self._groups):
            each.clear()

    def add_emitter(self, emitter: Emitter) -> None:
        """Add an emitter."""
        self._numbers[emitter] = len(self._numbers)
        if emitter.is_sending:
            self._sending[emitter] = None

    def add_receiver(self, receiver: Receiver) -> None:
        """Add a receiver."""
        self._groups.setdefault(receiver.type, _ReceiverGroup()).add_receiver(receiver)

    def wake(self, emitter: Emitter) -> None:
        """Note that an emitter has a packet in its queue."""
        if emitter in self._numbers:
            self._sending[emitter] = None

    def after_step(self, time_ns: int) -> None:
        """Deliver the packets that are due."""
        sending = self._sending
        if self._plugin is not None and self._plugin.sent:
            for group in self._groups.values():
                group.read_receivers()
                for data, channel in self._plugin.sent:
                    for index in group.tuned(channel):
                        group.receivers[index].receive(data, None, group.poses[index], time_ns)
        if not sending:
            return
        now = self.world.clock.elapsed_ns
        due: list[tuple[int, int, Emitter, Transmission]] = []
        for emitter in list(sending):
            number = self._numbers[emitter]
            due += [(packet.due_ns, number, emitter, packet) for packet in emitter.dequeue(now)]
            if not emitter.is_sending:
                del sending[emitter]
        if not due:
            return
        due.sort(key=lambda item: item[:2])  # keeps the order of packets of one emitter
        for group in self._groups.values():
            group.read_receivers()
        for _, _, emitter, packet in due:
            self._deliver(emitter, packet, time_ns)

    def _deliver(self, emitter: Emitter, packet: Transmission, time_ns: int) -> None:
        if self._plugin is not None and packet.channel in (PLUGIN_CHANNEL, ALL_CHANNELS):
            self._plugin.received.append(packet.data)
        group = self._groups.get(emitter.type)
        if group is None:
            return
        pose = emitter.frame.pose()
        reached = group.reached(emitter, packet, pose)
        if emitter.type == INFRA_RED and len(reached):
            robots = [group.receivers[index].spec.robot for index in reached]
            own = emitter.spec.robot
            clear = are_clear(self.rays, pose.position, group.positions[reached], own, robots)
            reached = reached[clear]
        for index in reached:
            group.receivers[index].receive(packet.data, pose.position, group.poses[index], time_ns)


class _ReceiverGroup:
    """The receivers of one type, with the values that are the same for all packets of a step."""

    def __init__(self) -> None:
        self.receivers: list[Receiver] = []
        self._robots: dict[NodeId, int] = {}
        self._robot_ids: IntArray = np.empty(0, np.int64)
        self._checks_rates = False

    def add_receiver(self, receiver: Receiver) -> None:
        self.receivers.append(receiver)
        robot = self._robots.setdefault(receiver.spec.robot.id, len(self._robots))
        self._robot_ids = np.append(self._robot_ids, robot)
        self._checks_rates |= receiver.rates is not None

    def read_receivers(self) -> None:
        """Read the poses, channels and states of all receivers."""
        self.poses = [receiver.frame.pose() for receiver in self.receivers]
        self.positions: FloatArray = np.array([pose.position for pose in self.poses])
        self._axes: FloatArray = np.array([pose.rotation[::3] for pose in self.poses])
        self._cones: FloatArray = np.array([receiver.cone for receiver in self.receivers])
        self._channels = np.array([receiver.channel for receiver in self.receivers])
        self._listening = np.array([_needs_reading(receiver) for receiver in self.receivers])

    def tuned(self, channel: int) -> IntArray:
        """Return the indices of the receivers on a channel, in file order."""
        return np.flatnonzero(self._receives(channel))

    def _receives(self, channel: int) -> BoolArray:
        if channel == ALL_CHANNELS:
            return self._listening
        return self._listening & ((self._channels == channel) | (self._channels == ALL_CHANNELS))

    def reached(self, emitter: Emitter, packet: Transmission, pose: Pose) -> IntArray:
        """Return the indices of the receivers that get a packet if nothing stands in between, in file
        order."""
        receives = self._receives(packet.channel) & (
            self._robot_ids != self._robots.get(emitter.spec.robot.id, -1)
        )
        if self._checks_rates:
            receives &= [each.rates in (None, emitter.rates) for each in self.receivers]
        offsets = self.positions - pose.position
        squares = np.einsum("ij,ij->i", offsets, offsets)
        receives &= squares <= packet.range * packet.range
        if emitter.type == INFRA_RED:
            distances = np.sqrt(squares)
            receives &= offsets @ pose.rotation[::3] >= emitter.cone * distances
            receives &= -np.einsum("ij,ij->i", offsets, self._axes) >= self._cones * distances
        return np.flatnonzero(receives)


def _needs_reading(receiver: Receiver) -> bool:
    """Return True if the receiver's next reading will be made."""
    faults = receiver.reading_faults
    return receiver.is_wanted() or (faults is not None and faults.needs_sample())
