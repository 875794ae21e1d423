"""A node for the topic commands that inspects topics and can be interrupted with Ctrl-C at any time."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros_bridge.base.context import make_context
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.shutdown import call_within, time_limit
from ros_bridge.base.signals import handled_signals
from ros_bridge.topics.conversions import full_type
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.errors import ConfigError, hint
from sim_core.base.simple_queue import get_within

RCLError: type[Exception] = rclpy_implementation.RCLError
NODE_NAME = "_odesim_topic"
"""A leading underscore hides a node, like a topic."""
CHECK_PERIOD = 0.05
FOUND_LIMIT = 4.0
"""Seconds of wall time in which a given topic must be found."""
MAX_WAITING = 1000
"""Most messages waiting to be shown; further ones are dropped."""
END_LIMIT = 0.5


class Interrupted(Exception):
    """Raised after Ctrl-C."""


class TopicInspector:
    """The node, and a queue of received items.

    Attributes:
        node: spun by its own thread.
    """

    def __init__(self, node: Any) -> None:
        self.node = node
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stopped = False
        self._ros = RosThread(node)
        self._ros.start()

    def interrupt(self) -> None:
        """Stop waiting; may be called from any thread and from signal handlers."""
        self._stopped = True
        self._queue.put(None)

    def put(self, item: Any) -> None:
        """Add an item for the waiting thread."""
        if self._queue.qsize() < MAX_WAITING:
            self._queue.put(item)

    def next_item(self, until: float | None = None) -> Any:
        """Return the next item; None: there was none until a time of `time.monotonic`.

        Raises:
            Interrupted: after Ctrl-C.
        """
        while not self._stopped:
            left = 1.0 if until is None else min(1.0, until - time.monotonic())
            if left <= 0.0:
                return None
            try:
                return get_within(self._queue, left)
            except queue.Empty:
                continue
        raise Interrupted

    def sleep(self, seconds: float) -> None:
        """Wait, dropping received items.

        Raises:
            Interrupted: after Ctrl-C.
        """
        until = time.monotonic() + seconds
        while self.next_item(until) is not None:
            pass
        if self._stopped:
            raise Interrupted

    def close(self) -> None:
        """Stop the node's thread."""
        self._ros.stop_spinning()

    def topics(self, with_hidden: bool = False) -> dict[str, list[str]]:
        """Return names and types of all present topics."""
        found = dict(self.node.get_topic_names_and_types())
        return {name: found[name] for name in found if with_hidden or not topic_or_service_is_hidden(name)}

    def full_name(self, topic: str) -> str:
        """Return the full name of a topic.

        Raises:
            ConfigError: the name is not valid.
        """
        try:
            name = str(self.node.resolve_topic_name(topic))
            validate_full_topic_name(name)
        except (RCLError, InvalidTopicNameException, ValueError) as error:
            reason = " ".join(str(error).split()).removeprefix("failed to resolve name: ")
            reason = reason.partition(", at /")[0]  # the rest is a position in rcl's source
            raise ConfigError(f'topic "{topic}": {reason}') from None
        return name

    def wait_for_discovery(self, seconds: float) -> None:
        """Wait for discovery: until nothing new has been found for a while, at most `seconds`.

        Raises:
            Interrupted: after Ctrl-C.
        """
        end, known, since = time.monotonic() + seconds, set(OWN), time.monotonic()
        while time.monotonic() < end:
            now = set(self.topics(True))
            if not now <= known:
                known, since = known | now, time.monotonic()
            elif known > set(OWN) and time.monotonic() - since > seconds / 3.0:
                return
            self.sleep(CHECK_PERIOD)

    def found(self, topic: str, is_there: Callable[[str], Any] | None = None) -> list[str]:
        """Return the types of a topic when it has been discovered.

        Args:
            topic: its name.
            is_there: whether a name counts as found; None: always.

        Raises:
            ConfigError: there is no such topic.
            Interrupted: after Ctrl-C.
        """
        name, end = self.full_name(topic), time.monotonic() + FOUND_LIMIT
        while True:
            known = self.topics(True)
            if name in known and (is_there is None or is_there(name)):
                return known[name]
            if time.monotonic() > end:
                break
            self.sleep(CHECK_PERIOD)
        others = [each for each in self.topics() if each not in OWN]
        what = "it has no publisher" if name in known else f"found none of that name{hint(name, others)}"
        raise ConfigError(f"topic {name}: {what}; see odesim topic list")

    def class_of(self, topic: str, kind: str | None = None) -> tuple[str, Any]:
        """Return the type of a published topic, and its message class.

        Args:
            topic: its name.
            kind: its type, if it need not be published yet; None: the published one.

        Raises:
            ConfigError: it has no publisher, it has several types, or its type is not installed.
            Interrupted: after Ctrl-C.
        """
        if kind is not None:
            found = known_type(kind)
            with suppress(ConfigError):  # publishers would tell which QoS fits
                self.found(topic, self.node.count_publishers)
            return found
        self.found(topic, self.node.count_publishers)
        infos = self.node.get_publishers_info_by_topic(self.full_name(topic))
        kinds = sorted({info.topic_type for info in infos})
        if len(kinds) != 1:
            raise ConfigError(f"topic {topic}: found the types {', '.join(kinds)}, expected one: name it")
        return known_type(kinds[0])


OWN = ("/rosout", "/parameter_events")
"""Topics that exist because of this node."""


def known_type(name: str) -> tuple[str, Any]:
    """Return the full name of a type, and its message class.

    Raises:
        ConfigError: it does not exist, or its package is not installed.
    """
    kind = full_type(name)
    try:
        return kind, raw_class(kind)
    except (ImportError, AttributeError):
        package = kind.partition("/")[0]
        raise ConfigError(f"type {name}: found none of that name in an installed package {package}") from None


@contextmanager
def topic_inspector(ros_args: Sequence[str], name: str = NODE_NAME) -> Iterator[TopicInspector]:
    """Run a node with its thread; within the context, Ctrl-C makes waiting methods raise `Interrupted`.

    This ends the context.

    Raises:
        ConfigError: ROS arguments are wrong.
    """
    with handled_signals() as stop_asked:
        context = make_context(ros_args)
        node = SpunNode(name, context=context, enable_rosout=False, start_parameter_services=False)
        made = TopicInspector(node)
        stop_asked(made.interrupt)
        try:
            yield made
        except Interrupted:
            pass
        finally:
            with time_limit(4 * END_LIMIT):
                call_within(END_LIMIT, made.close)
                call_within(END_LIMIT, node.destroy_node, context.try_shutdown)
