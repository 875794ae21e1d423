"""Topics as data: what is published and listened to, before any of it is on ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.qos import COMMAND, SENSOR, Qos
from sim_core.base.clock import to_seconds
from sim_core.base.outcome import Refused
from sim_core.devices import Sensor
from sim_core.session.pipeline import Command, Wish, decoded


class TopicInfo(NamedTuple):
    """What there is to know about a topic."""

    name: str
    type: str
    """`sensor_msgs/msg/Range`"""
    direction: str
    """`publish` or `subscribe`, seen from the simulation."""
    frame_id: str
    """In the header; empty if the message has none."""
    period: float | None
    """Seconds of sim time between two messages; None: when something happens."""
    device: str
    """Name in the world file; empty: of the robot or of the world."""
    robot: str
    """Name in the world file; empty: of the world."""


class ServedInfo(NamedTuple):
    """What there is to know about a service or an action."""

    name: str
    type: str
    """`control_msgs/action/FollowJointTrajectory`"""
    robot: str
    """Name in the world file; empty: of the world."""
    needs: str
    """The ROS package that is not installed, without which it is not served; empty: it is served."""


class InCdr:
    """A message as the bytes that go over the wire.

    Attributes:
        data: in CDR, with its four bytes of header.
    """

    data = b""


def _nothing(message: Any) -> None:
    """Nothing in the message is constant."""


@dataclass(frozen=True)
class Publication:
    """A topic that the simulation publishes.

    Attributes:
        name: absolute name of the topic.
        message_type: class of the message.
        fill: puts the contents in: `fill(message, reading)` if there is a `trigger`, else
            `fill(message, time_ns)`.
        constants: puts in, once, what never changes.
        trigger: the sensor whose every reading is published; None: published by period.
        period_ns: sim time between two messages; None: only when the node says so.
        sensors: must be sampled while somebody listens.
        frame_id: for the header; empty: none.
        always_on: published without a subscriber too.
        each: the parts of a reading that are a message each; None: the reading is one message.
        in_cdr: `constants` and `fill` get an `InCdr` in place of a message, and make its bytes themselves.
        is_view: for windows only, made as often as wall time allows: recordings leave it out unless they are
            asked for it by name, and no two runs have the same messages.
        in_turn: a message follows when every subscriber has confirmed the one before, so that none of those
            that build on each other is lost, and a large one arrives before a newer one takes its place.
    """

    name: str
    message_type: type
    fill: Callable[[Any, Any], None]
    constants: Callable[[Any], None] = _nothing
    trigger: Sensor | None = None
    period_ns: int | None = None
    sensors: tuple[Sensor, ...] = ()
    frame_id: str = ""
    qos: Qos = SENSOR
    always_on: bool = False
    device: str = ""
    robot: str = ""
    each: Callable[[Any], Iterable[Any]] | None = None
    in_cdr: bool = False
    is_view: bool = False
    in_turn: bool = False

    @property
    def is_constant(self) -> bool:
        """Whether it is published when somebody comes, and at no other time."""
        timed = self.trigger is not None or self.period_ns is not None
        return self.qos.transient_local and not timed and not self.always_on

    @property
    def info(self) -> TopicInfo:
        """The topic in words."""
        period_ns = self.trigger.period_ns if self.trigger else self.period_ns
        if self.each is not None:
            period_ns = None
        period = None if period_ns is None else to_seconds(period_ns)
        kind = type_name(self.message_type)
        return TopicInfo(self.name, kind, "publish", self.frame_id, period, self.device, self.robot)


@dataclass(frozen=True)
class Subscription:
    """A topic that commands the simulation.

    Attributes:
        name: absolute name of the topic.
        message_type: class of the messages.
        decode: as in `base.Input`.
        also: other classes that `decode` understands; the topic has one at a time, see `listening`.
        answers_lockstep: its messages may be answers in lock-step: `joint_command`.
        fleet: the robots that it commands, all of them but those that are held as arrays.
    """

    name: str
    message_type: type
    decode: Callable[[Any], tuple[Wish, ...]]
    qos: Qos = COMMAND
    device: str = ""
    robot: str = ""
    answers_lockstep: bool = False
    also: tuple[type, ...] = ()
    fleet: tuple[str, ...] = ()

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of those that it commands."""
        return self.fleet or (self.robot,)

    def command(self, message: Any) -> Command | Refused:
        """What a message commands, or why it does not."""
        return decoded(self.name, self.decode, message)

    @property
    def types(self) -> tuple[type, ...]:
        """All classes of messages that it takes."""
        return (self.message_type, *self.also)

    @property
    def info(self) -> TopicInfo:
        """The topic in words."""
        kinds = " or ".join(type_name(each) for each in self.types)
        return TopicInfo(self.name, kinds, "subscribe", "", None, self.device, self.robot)
