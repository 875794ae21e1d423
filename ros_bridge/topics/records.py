"""Topics as data: what is published and listened to, before any of it is on ROS.

All that lists topics, publishes them, subscribes to them, describes or records them reads these records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.qos import COMMAND, SENSOR, Qos
from sim_core.base.clock import to_seconds
from sim_core.base.outcome import Refused
from sim_core.devices import Sensor
from sim_core.session.pipeline import Action, Command, decoded


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


STATE = 0
"""In place of a period, in a device's own list: that of the robot's state."""


@dataclass(frozen=True)
class Topic:
    """What a topic is.

    A device lists its topics before they have their place: `name` and `frame_id` go below those of the
    device, and `depth` is kept whatever the parameters say of `qos`.

    Attributes:
        name: absolute name; of a device's own list: below the device's topic; empty: that topic itself.
        message_type: class of the messages.
        direction: `publish` or `subscribe`, seen from the simulation.
        frame_id: for the header; empty: none. Of a device's own list: empty: the device's; `_optical`: that
            of its pictures.
        qos: quality of service.
        depth: messages kept at least, for topics on which many come at once.
        device: name in the world file; empty: of the robot or of the world.
        robot: name in the world file; empty: of the world.
    """

    name: str
    message_type: type
    direction: str = "publish"
    _: KW_ONLY
    frame_id: str = ""
    qos: Qos = SENSOR
    depth: int = 0
    device: str = ""
    robot: str = ""

    @property
    def types(self) -> tuple[type, ...]:
        """All classes of messages that it may have, one at a time."""
        return (self.message_type,)

    @property
    def type(self) -> str:
        """`sensor_msgs/msg/Range`"""
        return " or ".join(type_name(each) for each in self.types)

    @property
    def period(self) -> float | None:
        """Seconds of sim time between two messages; None: when something happens."""
        return None

    @property
    def row(self) -> dict[str, Any]:
        """What there is to know about it, for people and programs that are told."""
        return {
            "name": self.name,
            "type": self.type,
            "direction": self.direction,
            "frame_id": self.frame_id,
            "period": self.period,
            "device": self.device,
            "robot": self.robot,
        }


def _nothing(message: Any) -> None:
    """Nothing in the message is constant."""


@dataclass(frozen=True)
class Publication(Topic):
    """A topic that the simulation publishes.

    Attributes:
        fill: puts the contents in: `fill(message, reading)` if there is a `trigger`, else
            `fill(message, time_ns)`. The header's stamp and frame are filled by the publisher.
        constants: puts in, once, what never changes.
        trigger: the sensor whose every reading is published; None: published by period.
        period_ns: sim time between two messages; None: only when the node says so. Of a device's own list:
            None: each reading; `STATE`: with the robot's state.
        sensors: must be sampled while somebody listens.
        always_on: published without a subscriber too.
        each: the parts of a reading that are a message each: `fill` gets them one by one; None: the reading
            is one message.
        in_cdr: `constants` and `fill` get an `InCdr` in place of a message, and make its bytes themselves.
        is_view: for windows only, made as often as wall time allows: recordings leave it out unless they are
            asked for it by name, and no two runs have the same messages.
        in_turn: a message follows when every subscriber has confirmed the one before, so that none of those
            that build on each other is lost, and a large one arrives before a newer one takes its place.
    """

    direction: str = field(default="publish", init=False)
    fill: Callable[[Any, Any], None]
    constants: Callable[[Any], None] = _nothing
    _: KW_ONLY
    trigger: Sensor | None = None
    period_ns: int | None = None
    sensors: tuple[Sensor, ...] = ()
    always_on: bool = False
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
    def period(self) -> float | None:
        """Seconds of sim time between two messages; None: when something happens."""
        period_ns = self.trigger.period_ns if self.trigger else self.period_ns
        return None if period_ns is None or self.each is not None else to_seconds(period_ns)


@dataclass(frozen=True)
class Subscription(Topic):
    """A topic that commands the simulation.

    Attributes:
        decode: what a message wishes; raises CommandError if it is wrong in itself.
        also: other classes that `decode` understands; the topic has one at a time, see `listening`.
        answers_lockstep: its messages may be answers in lock-step: `joint_command`.
        fleet: the robots that it commands, all of them but those that are held as arrays.
    """

    direction: str = field(default="subscribe", init=False)
    decode: Callable[[Any], tuple[Action, ...]]
    _: KW_ONLY
    qos: Qos = COMMAND
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
