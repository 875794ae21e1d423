"""`odesim record`: a node that records topics of a running system, of any nodes, as `ros2 bag record` does.

Messages are taken as they came over the wire and never made into objects. They are logged by sim time where
/clock is published, else by wall time.
"""

from __future__ import annotations

import json
import re
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from ros_bridge.base.context import make_context
from ros_bridge.base.ending import within
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.signals import handled_signals
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.run_facts import versions
from ros_bridge.topics.qos import Qos, profile
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.errors import ConfigError, OdesimError

NODE = "odesim_recorder"
CLOCK = "/clock"
LOOK_PERIOD = 0.2
"""Seconds of wall time between two looks for new topics."""
CLOCK_WAIT, CLOCK_SILENCE = 3.0, 5.0
"""Seconds of wall time to wait for somebody who publishes /clock, and for what he publishes."""
DEPTH = 5000
"""Messages of a topic that may wait in the middleware."""
END_LIMIT = 0.4
CDR_TIME = struct.Struct("<iI")
"""Seconds and nanoseconds in a little-endian rosgraph_msgs/Clock, behind the four bytes of CDR's header."""


TOPIC_PATTERN = re.compile(r"[/*?][\w/*?\[\]!-]*")
"""A topic's full name, or with the wildcards of fnmatch."""


@dataclass(frozen=True)
class RecordOptions:
    """What `odesim record` is asked to do."""

    folder: str
    patterns: Sequence[str] = ()
    """Names of topics, with `*` and `?`; empty: all."""
    wall_time: bool = False
    """Log by wall time though there is a /clock."""
    duration: float | None = None
    """Seconds of wall time after which the recording ends."""
    ros_args: Sequence[str] = field(default_factory=tuple)


def record(options: RecordOptions) -> int:
    """Record until Ctrl-C or until the duration is over.

    Raises:
        OdesimError: the folder exists, or cannot be written.
    """
    check_options(options)
    about = {
        facts.WHEN: datetime.now(UTC).isoformat(timespec="seconds"),
        facts.VERSIONS: json.dumps(versions()),
    }
    ended = threading.Event()
    with handled_signals() as stop_asked:
        stop_asked(ended.set)
        context = make_context(options.ros_args)
        node = SpunNode(NODE, context=context, enable_rosout=False, start_parameter_services=False)
        try:
            with BagWriter(options.folder, about) as bag:
                recorder = Recorder(node, bag, options, ended.set)
                thread = RosThread(node)
                thread.start()
                print(f"{options.folder}: recording, until Ctrl-C", flush=True)
                ended.wait(options.duration)
                within(END_LIMIT, thread.stop)
                recorder.stop()
        finally:
            within(END_LIMIT, node.destroy_node, context.try_shutdown)
    if recorder.problem is not None:
        raise recorder.problem
    topics = f"{len(bag.topics)} topic{'s' * (len(bag.topics) != 1)}"
    print(f"{options.folder}: {recorder.messages} messages of {topics}")
    if recorder.lost:
        print(
            f"{options.folder}: the middleware lost {recorder.lost} messages before they came",
            file=sys.stderr,
        )
    return 0


def check_options(options: RecordOptions) -> None:
    """Refuse what cannot be meant.

    Raises:
        ConfigError: the duration is no time; a topic's name is none that ROS could have.
    """
    if options.duration is not None and not 0.0 < options.duration <= threading.TIMEOUT_MAX:
        found = f"--duration: found {options.duration:g}"
        raise ConfigError(f"{found}, expected a number above 0, up to {threading.TIMEOUT_MAX:g}")
    for pattern in options.patterns:
        if not TOPIC_PATTERN.fullmatch(pattern):
            raise ConfigError(
                f'found the topic "{pattern}", expected a name such as /robot1/odom, * and ? allowed'
            )


class Recorder:
    """Subscribes to what there is and writes it to a bag.

    Attributes:
        messages: how many were written.
        lost: how many the middleware says it lost.
        problem: why the recording ended by itself.
    """

    def __init__(self, node: Any, bag: BagWriter, options: RecordOptions, end: Callable[[], None]) -> None:
        self._node, self._bag, self._options, self._end = node, bag, options, end
        self._taken: set[str] = set()
        self._sim_ns: int | None = None
        self._held: list[tuple[int, bytes, int]] | None = None if options.wall_time else []
        self._made = time.monotonic()
        self._stopped = False
        self.messages = self.lost = 0
        self.problem: OdesimError | None = None
        self._look()
        self._timer = node.create_timer(LOOK_PERIOD, self._look)

    def stop(self) -> None:
        """What comes from now on is not recorded."""
        self._let_go()
        self._stopped = True

    def _look(self) -> None:
        """Subscribe to new topics; wait no longer for a clock that does not come."""
        waited = time.monotonic() - self._made
        if waited > (CLOCK_SILENCE if CLOCK in self._taken else CLOCK_WAIT):
            self._let_go()
        for name, _ in self._node.get_topic_names_and_types():
            if name not in self._taken and self._is_wanted(name):
                publishers = self._node.get_publishers_info_by_topic(name)
                if publishers:
                    self._taken.add(name)
                    self._take(name, sorted({each.topic_type for each in publishers}), publishers)

    def _is_wanted(self, name: str) -> bool:
        patterns = self._options.patterns
        return name == CLOCK or not patterns or any(fnmatchcase(name, each) for each in patterns)

    def _take(self, name: str, types: Sequence[str], publishers: Sequence[Any]) -> None:
        try:
            message_type = raw_class(types[0])
            channel = self._channel(name, types[0], offered(publishers))
        except (ImportError, AttributeError, OdesimError) as error:
            print(f"{name}: not recorded: {types[0]}: {' '.join(str(error).split())}", file=sys.stderr)
            return
        if len(types) > 1:
            print(f"{name}: found types {', '.join(types)}, recorded is the first", file=sys.stderr)
        qos = profile(offered(publishers)._replace(depth=DEPTH))
        self._node.create_subscription(
            message_type,
            name,
            partial(self._receive, channel, name == CLOCK and not self._options.wall_time),
            qos,
            raw=True,
            event_callbacks=SubscriptionEventCallbacks(message_lost=self._count_lost),
        )

    def _channel(self, name: str, type_name: str, qos: Qos) -> int:
        """The channel of a topic; 0 if it is listened to, but not recorded."""
        patterns = self._options.patterns
        if patterns and not any(fnmatchcase(name, each) for each in patterns):
            return 0
        return self._bag.add_topic(name, type_name, qos)

    def _receive(self, channel: int, is_clock: bool, data: bytes) -> None:
        if self._stopped:
            return
        now_ns = time.time_ns()
        if is_clock:
            seconds, nanoseconds = CDR_TIME.unpack_from(data, 4)
            self._sim_ns = seconds * 1_000_000_000 + nanoseconds
            self._let_go()
        if not channel:
            return
        if self._held is not None:
            self._held.append((channel, data, now_ns))
        else:
            self._write(channel, data, now_ns)

    def _let_go(self) -> None:
        """Write what came before it was known which clock there is."""
        held, self._held = self._held, None
        for item in held or ():
            self._write(*item)

    def _write(self, channel: int, data: bytes, now_ns: int) -> None:
        if self._stopped:
            return
        try:
            self._bag.write(channel, data, now_ns if self._sim_ns is None else self._sim_ns, now_ns)
        except OdesimError as error:
            self.problem = error
            self._stopped = True
            self._end()
            return
        self.messages += 1

    def _count_lost(self, info: Any) -> None:
        self.lost += info.total_count_change


def offered(publishers: Sequence[Any]) -> Qos:
    """What all publishers of a topic offer: reliable only if all are, so that none is left out."""
    profiles = [each.qos_profile for each in publishers]
    return Qos(
        all(each.reliability == ReliabilityPolicy.RELIABLE for each in profiles),
        max([1, *(each.depth for each in profiles)]),
        all(each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in profiles),
    )
