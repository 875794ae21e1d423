"""`odesim record`: a node that records topics of any nodes, as `ros2 bag record` does.

Messages are recorded in serialized form. A bag has one clock: /clock, before whose first message nothing is
written, or on request wall time.
"""

from __future__ import annotations

import heapq
import json
import re
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from ros_bridge.base.context import make_context
from ros_bridge.base.ros_thread import RosThread, SpunNode
from ros_bridge.base.shutdown import call_within
from ros_bridge.base.signals import handled_signals
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.run_facts import versions
from ros_bridge.topics.names import VIEWS
from ros_bridge.topics.qos import Qos, profile
from ros_bridge.topics.tf_message import raw_class
from sim_core.base.errors import ConfigError, OdesimError

NODE = "odesim_recorder"
CLOCK = "/clock"
CHECK_PERIOD = 0.2
"""Seconds of wall time between two checks for new topics."""
CLOCK_WAIT = 3.0
"""Seconds of wall time without /clock after which a line tells that the recorder waits."""
HELD_NS = 1_000_000_000
"""Messages received up to this time (ns) before the first /clock are written with it, because topics are
found one after the other. Messages of transient-local publishers may be older."""
DEPTH = 5000
"""Queue length of a subscription."""
END_LIMIT = 0.4
WITHOUT_CLOCK = "--wall-time records without one"
CDR_TIME = struct.Struct("<iI")
"""Seconds and nanoseconds in a little-endian rosgraph_msgs/Clock, after the CDR header of four bytes."""


TOPIC_PATTERN = re.compile(r"[/*?][\w/*?\[\]!-]*")
"""Full name of a topic, or a pattern with the wildcards of fnmatch."""


@dataclass(frozen=True)
class RecordOptions:
    """Options of `odesim record`."""

    folder: str
    patterns: Sequence[str] = ()
    """Topic names, with `*` and `?`; empty: all topics except those for display, `VIEWS`."""
    wall_time: bool = False
    """Use wall time instead of /clock as log time."""
    duration: float | None = None
    """Seconds of wall time after which the recording ends."""
    ros_args: Sequence[str] = field(default_factory=tuple)


def record(options: RecordOptions) -> int:
    """Record until Ctrl-C or until the duration has passed.

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
                call_within(END_LIMIT, thread.stop_spinning)
                recorder.end_recording()
        finally:
            call_within(END_LIMIT, node.destroy_node, context.try_shutdown)
    if recorder.problem is not None:
        raise recorder.problem
    topics = f"{len(bag.topics)} topic{'s' * (len(bag.topics) != 1)}"
    print(f"{options.folder}: {recorder.messages} messages of {topics}")
    if recorder.waits:
        print(f"{options.folder}: no /clock came, so nothing is in it; {WITHOUT_CLOCK}", file=sys.stderr)
    if recorder.lost:
        print(
            f"{options.folder}: the middleware lost {recorder.lost} messages before they came",
            file=sys.stderr,
        )
    return 0


def check_options(options: RecordOptions) -> None:
    """Check the options.

    Raises:
        ConfigError: the duration is not positive, or a topic name is not valid in ROS.
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
    """Subscribes to topics and writes their messages to a bag.

    Attributes:
        messages: number of recorded messages.
        lost: number of messages that the middleware reported as lost.
        problem: why the recording ended early.
        waits: whether the first /clock has not been received yet.
    """

    def __init__(self, node: Any, bag: BagWriter, options: RecordOptions, end: Callable[[], None]) -> None:
        self._node, self._bag, self._options, self._end = node, bag, options, end
        self._taken: set[str] = set()
        self._sim_ns: int | None = None
        self.waits = not options.wall_time
        self._held: dict[int, deque[tuple[int, int, bytes]]] = {}
        self._lasting: set[int] = set()
        self._made = time.monotonic()
        self._stopped = self._has_told = False
        self.messages = self.lost = 0
        self.problem: OdesimError | None = None
        self._check_topics()
        self._timer = node.create_timer(CHECK_PERIOD, self._check_topics)

    def end_recording(self) -> None:
        """Record no further messages."""
        self._stopped = True

    def _check_topics(self) -> None:
        """Subscribe to new topics; log what the recorder waits for."""
        if self.waits and not self._has_told and time.monotonic() - self._made > CLOCK_WAIT:
            self._has_told = True
            wait = "waiting for /clock, which a simulation publishes"
            print(f"{self._options.folder}: {wait}; {WITHOUT_CLOCK}", flush=True)
        for name, _ in self._node.get_topic_names_and_types():
            if name not in self._taken and (name == CLOCK or self._is_recorded(name)):
                publishers = self._node.get_publishers_info_by_topic(name)
                if publishers:
                    self._taken.add(name)
                    self._subscribe_to(name, sorted({each.topic_type for each in publishers}), publishers)

    def _is_recorded(self, name: str) -> bool:
        patterns = self._options.patterns
        if not patterns:
            return re.search(VIEWS, name) is None
        return any(fnmatchcase(name, each) for each in patterns)

    def _subscribe_to(self, name: str, types: Sequence[str], publishers: Sequence[Any]) -> None:
        try:
            message_type = raw_class(types[0])
            qos = offered(publishers)
            channel = self._bag.add_topic(name, types[0], qos) if self._is_recorded(name) else 0
        except (ImportError, AttributeError, OdesimError) as error:
            print(f"{name}: not recorded: {types[0]}: {' '.join(str(error).split())}", file=sys.stderr)
            return
        if len(types) > 1:
            print(f"{name}: found types {', '.join(types)}, recorded is the first", file=sys.stderr)
        if self.waits and channel:
            self._held[channel] = deque(maxlen=qos.depth if qos.transient_local else DEPTH)
            if qos.transient_local:
                self._lasting.add(channel)
        self._node.create_subscription(
            message_type,
            name,
            partial(self._receive, channel, name == CLOCK and not self._options.wall_time),
            profile(qos._replace(depth=DEPTH)),
            raw=True,
            event_callbacks=SubscriptionEventCallbacks(message_lost=self._count_lost),
        )

    def _receive(self, channel: int, is_clock: bool, data: bytes) -> None:
        if self._stopped:
            return
        now_ns = time.time_ns()
        if is_clock:
            seconds, nanoseconds = CDR_TIME.unpack_from(data, 4)
            self._sim_ns = seconds * 1_000_000_000 + nanoseconds
            if self.waits:
                self._write_held(now_ns)
        if not channel:
            return
        if self.waits:
            self._hold(channel, data, now_ns)
        else:
            self._write(channel, data, now_ns)

    def _hold(self, channel: int, data: bytes, now_ns: int) -> None:
        held = self._held[channel]
        held.append((now_ns, channel, data))
        while channel not in self._lasting and held[0][0] < now_ns - HELD_NS:
            held.popleft()

    def _write_held(self, now_ns: int) -> None:
        """Write the messages received shortly before the first /clock, and transient-local ones."""
        self.waits = False
        every, self._held = heapq.merge(*self._held.values()), {}
        for came_ns, channel, data in every:
            if channel in self._lasting or came_ns >= now_ns - HELD_NS:
                self._write(channel, data, came_ns)

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
    """Return the QoS that all publishers of a topic offer: reliable only if all of them are reliable."""
    profiles = [each.qos_profile for each in publishers]
    return Qos(
        all(each.reliability == ReliabilityPolicy.RELIABLE for each in profiles),
        max([1, *(each.depth for each in profiles)]),
        all(each.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in profiles),
    )
