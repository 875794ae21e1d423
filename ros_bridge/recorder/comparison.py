"""Compares what a simulation publishes with what was recorded, message by message, without DDS."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.fields import first_difference
from ros_bridge.recorder.serializing_port import SerializingPort
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.publishing import Port
from ros_bridge.topics.records import Publication
from sim_core.base.clock import to_seconds
from sim_core.devices.vision.picture_sensor import PictureSensor


class Difference(NamedTuple):
    """Where a replay differs."""

    topic: str
    time_ns: int
    """Log time, which goes on over resets."""
    field: str
    """Empty: the message as a whole."""
    recorded: Any
    now: Any

    def __str__(self) -> str:
        place = f"{self.topic} at {to_seconds(self.time_ns):.9g} s"
        if not self.field:
            return f"{place}: recorded {self.recorded}, now {self.now}"
        return f"{place}: {self.field}: recorded {self.recorded!r}, now {self.now!r}"


class Comparison:
    """Two streams for each topic, recorded and now; what comes first waits for the other.

    Attributes:
        topics: that are compared.
        difference: the first that was found; None: so far there is none.
        skip_pictures: compare nothing that comes of pictures.
        messages: how many were found identical.
        offset_ns: log time minus sim time.
    """

    def __init__(self, bag: Bag, topics: Collection[str], skip_pictures: bool = False) -> None:
        self._bag = bag
        self.topics = set(topics)
        self.skip_pictures = skip_pictures
        self.difference: Difference | None = None
        self.offset_ns = 0
        self.messages = 0
        self.seen: set[str] = set()
        self._recorded: dict[str, deque[tuple[int, bytes]]] = {name: deque() for name in self.topics}
        self._now: dict[str, deque[tuple[int, bytes]]] = {name: deque() for name in self.topics}
        self._types: dict[str, str] = {}

    def make_port(self, node: Any, publication: Publication, changed: Callable[[Port, int], None]) -> Port:
        """The port of a topic: compared, or silent."""
        return ComparedPort(self, node, publication, changed)

    def recorded(self, topic: str, time_ns: int, data: bytes) -> None:
        """A message of the bag."""
        waiting = self._now[topic]
        if waiting:
            self._compare(topic, (time_ns, data), waiting.popleft())
        else:
            self._recorded[topic].append((time_ns, data))

    def published(self, publication: Publication, log_time_ns: int, data: bytes) -> None:
        """A message of the simulation."""
        topic, now = publication.name, (log_time_ns, data)
        self._types[topic] = type_name(publication.message_type)
        waiting = self._recorded[topic]
        if waiting:
            self._compare(topic, waiting.popleft(), now)
        else:
            self._now[topic].append(now)

    def check_all_recorded(self) -> None:
        """Everything of the bag up to now has been given: what was published more is a difference."""
        for topic, waiting in self._now.items():
            if waiting:
                self._differs(topic, waiting[0][0], "", "nothing", "a message")

    def check_all_published(self, until_ns: int) -> None:
        """Everything up to a log time has been published: what the bag has more is a difference."""
        for topic, waiting in self._recorded.items():
            if waiting and waiting[0][0] <= until_ns:
                self._differs(topic, waiting[0][0], "", "a message", "nothing")

    def _compare(self, topic: str, recorded: tuple[int, bytes], now: tuple[int, bytes]) -> None:
        if self.difference is not None:  # the rest follows from that
            return
        self.seen.add(topic)
        self.messages += 1
        if recorded == now:
            return
        first = min(recorded[0], now[0])
        if recorded[0] < now[0]:
            self._differs(topic, first, "", "a message", "nothing")
            return
        if recorded[0] > now[0]:
            self._differs(topic, first, "", "nothing", "a message")
            return
        kind = self._types[topic]
        if self._bag.canonical(recorded[1], kind) == self._bag.canonical(now[1], kind):
            return  # only what lies between fields differs
        name, a, b = first_difference(self._bag.read(recorded[1], kind), self._bag.read(now[1], kind))
        self._differs(topic, first, name, a, b)

    def _differs(self, topic: str, time_ns: int, field: str, recorded: Any, now: Any) -> None:
        if self.difference is None:
            self.difference = Difference(topic, time_ns, field, recorded, now)


class ComparedPort(SerializingPort):
    """Gives its messages to a comparison; a topic that is not compared is not wanted."""

    def __init__(
        self,
        comparison: Comparison,
        node: Any,
        publication: Publication,
        changed: Callable[[Port, int], None],
    ) -> None:
        self._comparison = comparison
        drawn = any(isinstance(sensor, PictureSensor) for sensor in publication.sensors)
        if drawn and comparison.skip_pictures:
            comparison.topics.discard(publication.name)
        self._is_compared = publication.name in comparison.topics
        super().__init__(node, publication, changed)

    def _open(self, publication: Publication, changed: Callable[[Port, int], None]) -> None:
        """Nobody is told that it is there."""

    def end(self) -> None:
        """Nobody needs to know."""

    @property
    def wanted(self) -> bool:
        """Whether it is compared."""
        return self._is_compared

    def publish(self, time_ns: int, source: Any) -> None:
        """Compare the message."""
        if self._is_compared:
            data, log_time_ns, is_new = self._serialized(time_ns, self._comparison.offset_ns, source)
            if is_new:
                self._comparison.published(self.publication, log_time_ns, data)
