"""ROS topics as channels of a Foxglove server, subscribed to while a client is."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from foxglove import Channel, Context, Schema
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

from ros_bridge.recorder.record_node import offered
from ros_bridge.topics.conversions import has_header
from ros_bridge.topics.definitions import definition
from ros_bridge.topics.names import CLOCK, STATIC
from ros_bridge.topics.qos import SENSOR, Qos, profile
from ros_bridge.topics.tf_message import NAME as TF_TYPE
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.clock import NANOSECONDS
from sim_core.base.errors import OdesimError, in_one_line

STAMP = struct.Struct("<iI")
BEHIND_HEADER, BEHIND_COUNT = 4, 8
"""Offset of the stamp in a message that begins with a header, and in one that begins with a list."""
LITTLE_ENDIAN = 1
SAME_TIME_NS = 3600 * NANOSECONDS
"""Stamps that differ more from the clock belong to another clock."""


@dataclass
class ServedTopic:
    """A topic offered to clients.

    Attributes:
        type_name: such as `sensor_msgs/msg/Range`.
        stamp_at: offset of the stamp in its bytes; None: it has none.
        clients: numbers of the subscribed clients.
        qos: of our subscription.
    """

    name: str
    type_name: str
    message_type: Any
    channel: Any
    stamp_at: int | None
    clients: set[int] = field(default_factory=set)
    subscription: Any = None
    qos: Qos = SENSOR


class Channels:
    """All topics of the domain that are not hidden, as channels with definitions; for use in one thread.

    Args:
        node: node for subscriptions, spun by another thread.
        context: of the server.
        now: returns the clock's time in ns, for messages without a stamp; None: wall time.
        warn: receives a line about each topic that cannot be shown.
    """

    def __init__(
        self, node: Any, context: Context, now: Callable[[], int | None], warn: Callable[[str], object]
    ) -> None:
        self._node, self._context, self._now, self._warn = node, context, now, warn
        self._topics: dict[str, ServedTopic] = {}
        self._ids: dict[int, ServedTopic] = {}
        self._warned: set[tuple[str, str]] = set()

    def update_topics(self, found: Mapping[str, Sequence[str]]) -> None:
        """Update the channels to the present topics, and the subscriptions to their publishers.

        Args:
            found: types of each topic.
        """
        for name, kinds in found.items():
            if topic_or_service_is_hidden(name):
                continue
            there = self._topics.get(name)
            kind = kinds[0] if len(kinds) == 1 else self._choose_type(name, kinds, there)
            if there is None or there.type_name != kind:
                self._add(name, kind)
            elif there.subscription is not None and self._offered(name) != there.qos:
                self._subscribe(there)
        for name in [name for name in self._topics if name not in found]:
            self._remove(name)

    def subscribed(self, channel: int, client: int) -> None:
        """Note that a client has subscribed to a channel, by number.

        If the topic keeps its last message for late subscribers, we subscribe again to receive it once more.
        """
        topic = self._ids.get(channel)
        if topic is None:
            return
        topic.clients.add(client)
        if topic.subscription is None or topic.qos.transient_local:
            self._subscribe(topic)

    def unsubscribed(self, channel: int, client: int) -> None:
        """Note that a client has unsubscribed or disconnected."""
        topic = self._ids.get(channel)
        if topic is None:
            return
        topic.clients.discard(client)
        if not topic.clients:
            self._unsubscribe(topic)

    def close(self) -> None:
        """Close all subscriptions."""
        for topic in self._topics.values():
            self._unsubscribe(topic)

    def _choose_type(self, name: str, kinds: Sequence[str], there: ServedTopic | None) -> str:
        """Return the type to use for a topic with several: a published one, if possible the present one."""
        published = {each.topic_type for each in self._node.get_publishers_info_by_topic(name)}
        some = [kind for kind in kinds if kind in published] or kinds
        return there.type_name if there is not None and there.type_name in some else some[0]

    def _add(self, name: str, kind: str) -> None:
        if (name, kind) in self._warned:
            return
        try:
            text = definition(kind).text
            message_type = raw_class(kind)
        except (ImportError, AttributeError, ValueError, OdesimError) as error:
            self._warned.add((name, kind))
            self._warn(f"{name}: not shown: {kind}: {in_one_line(error)}")
            return
        self._remove(name)  # clients subscribe to the channel that replaces it
        schema = Schema(name=kind, encoding="ros2msg", data=text.encode())
        channel = Channel(name, schema=schema, message_encoding="cdr", context=self._context)
        topic = ServedTopic(name, kind, message_type, channel, _stamp_at(name, kind, message_type))
        self._topics[name] = self._ids[channel.id()] = topic

    def _remove(self, name: str) -> None:
        topic = self._topics.pop(name, None)
        if topic is None:
            return
        del self._ids[topic.channel.id()]
        self._unsubscribe(topic)
        topic.channel.close()

    def _offered(self, name: str) -> Qos:
        """Return QoS compatible with a topic's publishers; without one, QoS compatible with most."""
        publishers = self._node.get_publishers_info_by_topic(name)
        return (offered(publishers) if publishers else SENSOR).at_least(SENSOR.depth)

    def _subscribe(self, topic: ServedTopic) -> None:
        self._unsubscribe(topic)
        topic.qos = self._offered(topic.name)
        topic.subscription = self._node.create_subscription(
            topic.message_type, topic.name, partial(self._receive, topic), profile(topic.qos), raw=True
        )

    def _unsubscribe(self, topic: ServedTopic) -> None:
        if topic.subscription is not None:
            self._node.destroy_subscription(topic.subscription)
            topic.subscription = None

    def _receive(self, topic: ServedTopic, data: bytes) -> None:
        """Forward a serialized message; called in the ROS thread."""
        topic.channel.log(data, log_time=log_time(topic.stamp_at, data, self._now()))


def log_time(stamp_at: int | None, data: bytes, now_ns: int | None) -> int | None:
    """Return the time of a message, ns, in the time of the clock.

    Args:
        stamp_at: offset of its stamp; None: it has none.
        data: the message in CDR.
        now_ns: time of the clock; None: there is none, use wall time.
    """
    if now_ns is None or stamp_at is None or data[1] != LITTLE_ENDIAN or len(data) < stamp_at + STAMP.size:
        return now_ns
    seconds, nanoseconds = STAMP.unpack_from(data, stamp_at)
    stamp_ns: int = seconds * NANOSECONDS + nanoseconds
    return stamp_ns if stamp_ns > 0 and abs(stamp_ns - now_ns) < SAME_TIME_NS else now_ns


def _stamp_at(name: str, kind: str, message_type: Any) -> int | None:
    """Return the offset of the stamp in the bytes of a message."""
    if kind == TF_TYPE:
        return None if name.endswith(STATIC) else BEHIND_COUNT
    fields = message_type.get_fields_and_field_types()
    begins_with_it = name == CLOCK or (has_header(message_type) and next(iter(fields)) == "header")
    return BEHIND_HEADER if begins_with_it else None
