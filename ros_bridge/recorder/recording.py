"""Records a simulation from inside: published messages, executed commands, changes of its world.

Each message is serialized once, for the bag and for subscribers. Its log time is the sim time of its contents
(that of its header); its publish time is wall time. The log time of a command is the sim time at the start
of the step before which it was applied, whenever it was received. The order in the file is the order of
events, which a replay needs.

A reset sets sim time to 0, but log time continues: headers contain sim time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.changes import to_text
from ros_bridge.recorder.facts import CHANGES
from ros_bridge.topics.cdr import serialize
from ros_bridge.topics.conversions import type_name
from ros_bridge.topics.publishing import Changed, Port
from ros_bridge.topics.qos import COMMAND, Qos
from ros_bridge.topics.records import Publication
from sim_core.base.errors import ConfigError, hint


class SerializingPort(Port):
    """Port that serializes messages and determines their log time, except for repeated messages.

    Messages are repeated for new subscribers or while the simulation is paused. That depends on wall time and
    is not recorded.
    """

    _last: tuple[int, bytes] = (-1, b"")

    def _serialized(self, time_ns: int, offset_ns: int, source: Any) -> tuple[bytes, int, bool]:
        """Return the message, its log time, and whether it is new."""
        data, log_time_ns = serialize(self._filled(time_ns, source)), time_ns + offset_ns
        if self.is_repeating or self.publication.trigger is not None:
            return data, log_time_ns, not self.is_repeating
        is_new = (log_time_ns, data) != self._last
        self._last = (log_time_ns, data)
        return data, log_time_ns, is_new


class RecordedPort(SerializingPort):
    """Publisher whose messages are also recorded, so that it always publishes."""

    def __init__(
        self, recording: BagRecording, node: Any, publication: Publication, changed: Changed
    ) -> None:
        super().__init__(node, publication, changed)
        self._recording = recording
        self._write = recording.writer(publication)

    @property
    def wanted(self) -> bool:
        """Whether it publishes: always."""
        return True

    def publish(self, time_ns: int, source: Any) -> None:
        """Fill the message, record it, and send it if there are subscribers."""
        data, log_time_ns, is_new = self._serialized(time_ns, self._recording.offset_ns, source)
        if is_new:
            self._write(data, log_time_ns)
        if self._subscribers or self.publication.always_on:
            self._send(data)


def check_patterns(patterns: Iterable[str], names: Sequence[str]) -> None:
    """Check that each pattern matches a topic.

    Raises:
        ConfigError: a pattern matches none; the message names the closest topic.
    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ConfigError(
                f"--record-topic {pattern}: found no such topic{hint(pattern, names)}; see odesim info"
            )


class BagRecording:
    """The recording of one run of the simulation node.

    Attributes:
        offset_ns: log time minus sim time.
    """

    def __init__(self, folder: str | Path, patterns: Sequence[str], facts: Mapping[str, str]) -> None:
        """Start a bag.

        Args:
            folder: must not exist.
            patterns: topics to record, with `*` and `?`; empty: all topics. Commands are always recorded.
            facts: facts about the run.

        Raises:
            RecordingError: the folder exists or cannot be created.
        """
        self._bag = BagWriter(folder, facts)
        self._patterns = tuple(patterns)
        self._channels: dict[tuple[str, type], int] = {}
        self.offset_ns = 0

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """Return the port of a topic, which records its messages if a pattern matches."""
        named = any(fnmatchcase(publication.name, each) for each in self._patterns)
        if not named and (self._patterns or publication.is_view):
            return Port(node, publication, changed)
        return RecordedPort(self, node, publication, changed)

    def writer(self, publication: Publication) -> Callable[[bytes, int], None]:
        """Return a function that writes serialized messages of a topic: `write(data, log_time_ns)`."""
        channel = self._channel(publication.name, publication.message_type, publication.qos)
        return partial(self._bag.write, channel)

    def command(self, topic: str, message: Any, time_ns: int) -> None:
        """Record a command that is applied before the step that starts at this sim time."""
        channel = self._channel(topic, type(message), COMMAND)
        self._bag.write(channel, serialize(message), time_ns + self.offset_ns)

    def note_change(self, time_ns: int, what: str, **details: Any) -> None:
        """Record a change of the world that was not made through a topic."""
        message = String(data=to_text({"time_ns": time_ns, "what": what, **details}))
        self.command(CHANGES, message, time_ns)

    def restarted(self, time_ns: int, step_ns: int) -> None:
        """Note that sim time is set to 0 at this sim time."""
        self.offset_ns += time_ns + step_ns

    def close(self, time_ns: int) -> None:
        """Close the bag at the end of the run.

        Raises:
            RecordingError: not all could be written, and no error was raised for it yet.
        """
        if not self._bag.has_failed:
            self.note_change(time_ns, "end")
        self._bag.close()

    def _channel(self, topic: str, message_type: type, qos: Qos) -> int:
        key = (topic, message_type)
        if key not in self._channels:
            self._channels[key] = self._bag.add_topic(topic, type_name(message_type), qos)
        return self._channels[key]
