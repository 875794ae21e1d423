"""A node that looks at the topics of others, and ends by Ctrl-C whatever it waits for."""

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
from ros_bridge.base.ending import bounded, within
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.signals import handled_signals
from ros_bridge.topics.conversions import full_type
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.errors import ConfigError, hint
from sim_core.base.simple_queue import get_within

RCLError: type[Exception] = rclpy_implementation.RCLError
NODE_NAME = "_odesim_topic"
"""A leading underscore hides a node, as it does a topic."""
LOOK_PERIOD = 0.05
FOUND_LIMIT = 4.0
"""Seconds of wall time in which a topic that is named must be found."""
MOST_WAITING = 1000
"""Messages that may wait to be shown; what comes while so many do is left out."""
END_LIMIT = 0.5


class Stopped(Exception):
    """Ctrl-C has come."""


class Desk:
    """The node, and a queue of what comes.

    Attributes:
        node: spun by a thread of its own.
    """

    def __init__(self, node: Any) -> None:
        self.node = node
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stopped = False
        self._ros = RosThread(node)
        self._ros.start()

    def stop(self) -> None:
        """Have whoever waits stop; may be called from any thread and from signal handlers."""
        self._stopped = True
        self._queue.put(None)

    def put(self, item: Any) -> None:
        """Hand something to the thread that waits."""
        if self._queue.qsize() < MOST_WAITING:
            self._queue.put(item)

    def next_item(self, until: float | None = None) -> Any:
        """What comes next; None: nothing until then, a time of `time.monotonic`.

        Raises:
            Stopped: Ctrl-C has come.
        """
        while not self._stopped:
            left = 1.0 if until is None else min(1.0, until - time.monotonic())
            if left <= 0.0:
                return None
            try:
                return get_within(self._queue, left)
            except queue.Empty:
                continue
        raise Stopped

    def sleep(self, seconds: float) -> None:
        """Wait, and forget what comes meanwhile.

        Raises:
            Stopped: Ctrl-C has come.
        """
        until = time.monotonic() + seconds
        while self.next_item(until) is not None:
            pass
        if self._stopped:
            raise Stopped

    def close(self) -> None:
        """Listen no more."""
        self._ros.stop()

    def topics(self, with_hidden: bool = False) -> dict[str, list[str]]:
        """Names and types of all topics of now."""
        found = dict(self.node.get_topic_names_and_types())
        return {name: found[name] for name in found if with_hidden or not topic_or_service_is_hidden(name)}

    def full_name(self, topic: str) -> str:
        """The name as it is on the graph.

        Raises:
            ConfigError: no topic can be called so.
        """
        try:
            name = str(self.node.resolve_topic_name(topic))
            validate_full_topic_name(name)
        except (RCLError, InvalidTopicNameException, ValueError) as error:
            reason = " ".join(str(error).split()).removeprefix("failed to resolve name: ")
            reason = reason.partition(", at /")[0]  # behind it are places in rcl's source
            raise ConfigError(f'topic "{topic}": {reason}') from None
        return name

    def wait_for_discovery(self, seconds: float) -> None:
        """Wait for those who are there to be known: until nothing new has come for a while, at most so long.

        Raises:
            Stopped: Ctrl-C has come.
        """
        end, known, since = time.monotonic() + seconds, set(OWN), time.monotonic()
        while time.monotonic() < end:
            now = set(self.topics(True))
            if not now <= known:
                known, since = known | now, time.monotonic()
            elif known > set(OWN) and time.monotonic() - since > seconds / 3.0:
                return
            self.sleep(LOOK_PERIOD)

    def found(self, topic: str, is_there: Callable[[str], Any] | None = None) -> list[str]:
        """The types of a topic, once it is known.

        Args:
            topic: its name.
            is_there: says of a name whether it counts; None: any does.

        Raises:
            ConfigError: there is none.
            Stopped: Ctrl-C has come.
        """
        name, end = self.full_name(topic), time.monotonic() + FOUND_LIMIT
        while True:
            known = self.topics(True)
            if name in known and (is_there is None or is_there(name)):
                return known[name]
            if time.monotonic() > end:
                break
            self.sleep(LOOK_PERIOD)
        others = [each for each in self.topics() if each not in OWN]
        what = (
            "found nobody who publishes it"
            if name in known
            else f"found none of that name{hint(name, others)}"
        )
        raise ConfigError(f"topic {name}: {what}; see odesim topic list")

    def class_of(self, topic: str, kind: str | None = None) -> tuple[str, Any]:
        """The type of a topic that somebody publishes, and the class of its messages.

        Args:
            topic: its name.
            kind: its type, where it need not be published yet; None: the one that is published.

        Raises:
            ConfigError: nobody publishes it, it has several types, or its type is not installed.
            Stopped: Ctrl-C has come.
        """
        if kind is not None:
            found = known_type(kind)
            with suppress(ConfigError):  # those who publish it say with which quality of service
                self.found(topic, self.node.count_publishers)
            return found
        self.found(topic, self.node.count_publishers)
        infos = self.node.get_publishers_info_by_topic(self.full_name(topic))
        kinds = sorted({info.topic_type for info in infos})
        if len(kinds) != 1:
            raise ConfigError(f"topic {topic}: found the types {', '.join(kinds)}, expected one: name it")
        return known_type(kinds[0])


OWN = ("/rosout", "/parameter_events")
"""Topics that are there because a node is."""


def known_type(name: str) -> tuple[str, Any]:
    """The full name of a type, and the class of its messages.

    Raises:
        ConfigError: there is none of that name, or its package is not installed.
    """
    kind = full_type(name)
    try:
        return kind, raw_class(kind)
    except (ImportError, AttributeError):
        package = kind.partition("/")[0]
        raise ConfigError(f"type {name}: found none of that name in an installed package {package}") from None


@contextmanager
def desk(ros_args: Sequence[str], name: str = NODE_NAME) -> Iterator[Desk]:
    """A node with its thread; within it, Ctrl-C raises `Stopped` wherever the desk waits, which ends it.

    Raises:
        ConfigError: wrong arguments for ROS.
    """
    with handled_signals() as stop_asked:
        context = make_context(ros_args)
        node = SpunNode(name, context=context, enable_rosout=False, start_parameter_services=False)
        made = Desk(node)
        stop_asked(made.stop)
        try:
            yield made
        except Stopped:
            pass
        finally:
            with bounded(4 * END_LIMIT):
                within(END_LIMIT, made.close)
                within(END_LIMIT, node.destroy_node, context.try_shutdown)
