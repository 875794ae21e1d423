"""Topics as data: what is published and subscribed to, before any of it exists on ROS.

All code that lists, publishes, subscribes to, describes or records topics reads these records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.qos import COMMAND, SENSOR, Qos
from sim_core.base.clock import to_seconds
from sim_core.base.outcome import Refused
from sim_core.devices import Sensor
from sim_core.session.pipeline import Action, Command, decoded


class ServiceInfo(NamedTuple):
    """Description of a service or an action."""

    name: str
    type: str
    """Such as `control_msgs/action/FollowJointTrajectory`."""
    robot: str
    """Name in the world file; empty: it belongs to the world."""
    needs: str
    """ROS package that must be installed for it to be served; empty: it is served."""


class InCdr:
    """A message in serialized form.

    Attributes:
        data: CDR, with its header of four bytes.
    """

    data = b""


STATE = 0
"""Used instead of a period in a device's list of topics: with the robot's state."""


@dataclass(frozen=True)
class Topic:
    """Description of a topic.

    A device lists its topics with relative names: `name` and `frame_id` are below those of the device, and
    `depth` holds whatever the parameters say of `qos`.

    Attributes:
        name: absolute name; in a device's list: below the device's topic; empty: that topic itself.
        message_type: class of the messages.
        direction: `publish` or `subscribe`, seen from the simulation.
        frame_id: for the header; empty: none. In a device's list: empty: the device's; `_optical`: its
            optical frame.
        qos: quality of service.
        depth: least number of messages kept, for topics with bursts.
        device: name in the world file; empty: the topic belongs to the robot or the world.
        robot: name in the world file; empty: the topic belongs to the world.
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
        """All classes that its messages may have, one at a time."""
        return (self.message_type,)

    @property
    def type(self) -> str:
        """Name of the message type, such as `sensor_msgs/msg/Range`."""
        return " or ".join(type_name(each) for each in self.types)

    @property
    def period(self) -> float | None:
        """Seconds of sim time between two messages; None: published on events."""
        return None

    @property
    def row(self) -> dict[str, Any]:
        """Description for users and programs."""
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
    """Do nothing: no field of the message is constant."""


@dataclass(frozen=True)
class Publication(Topic):
    """A topic that the simulation publishes.

    Attributes:
        fill: fills the contents: `fill(message, reading)` if there is a `trigger`, else
            `fill(message, time_ns)`. The publisher fills stamp and frame of the header.
        constants: fills, once, the fields that never change.
        trigger: sensor whose readings are all published; None: published periodically.
        period_ns: sim time between two messages; None: only when the node publishes. In a device's list:
        None: each reading; `STATE`: with the robot's state.
        sensors: sensors that must be sampled while there are subscribers.
        always_on: published without subscribers too.
        each: splits a reading into parts, each filled into a message of its own; None: one message.
        in_cdr: `constants` and `fill` get an `InCdr` instead of a message, and write its bytes themselves.
        is_view: for display only, published as often as wall time allows: recordings include it only if
            asked for by name, and its messages differ from run to run.
        in_turn: a message is sent only after every subscriber has confirmed the one before, so that no
            message of a sequence is lost, and a large one arrives before a newer one replaces it.
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
        """Whether it is published once, and again for new subscribers unless it is always on."""
        timed = self.trigger is not None or self.period_ns is not None
        return self.qos.transient_local and not timed

    @property
    def period(self) -> float | None:
        """Seconds of sim time between two messages; None: published on events."""
        period_ns = self.trigger.period_ns if self.trigger else self.period_ns
        return None if period_ns is None or self.each is not None else to_seconds(period_ns)


class Filler(ABC):
    """Fills the messages of a topic."""

    def constants(self, message: Any) -> None:  # noqa: B027 -- most messages have no such fields
        """Fill, once, the fields that never change; without an own method there are none."""

    @abstractmethod
    def fill(self, message: Any, time_ns: int) -> None:
        """Fill the values at a sim time."""


def filled_by(filler: Filler, name: str, message_type: type, **settings: Any) -> Publication:
    """Return the publication of a filler's messages; `settings`: further fields of `Publication`."""
    return Publication(name, message_type, filler.fill, filler.constants, **settings)


@dataclass(frozen=True)
class Subscription(Topic):
    """A topic that commands the simulation.

    Attributes:
        decode: converts a message to actions; raises CommandError if it is wrong in itself.
        also: other classes that `decode` accepts; the topic has one at a time, see `listening`.
        answers_lockstep: whether its messages may be answers in lock-step: `joint_command`.
        fleet: the robots that it commands, except those that are held as arrays.
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
        """Names of the robots that it commands."""
        return self.fleet or (self.robot,)

    def command(self, message: Any) -> Command | Refused:
        """Return the command in a message, or the reason why it is refused."""
        return decoded(self.name, self.decode, message)

    @property
    def types(self) -> tuple[type, ...]:
        """All classes of messages that it accepts."""
        return (self.message_type, *self.also)
