"""Records a simulation from inside it: what it publishes, commands it carries out, changes of its world.

Each message is serialized once, for the bag and for who listens. Its log time is the sim time it is about
(that of its header); its publish time is wall time. A command is logged with the sim time at which the step
starts that it was applied before, whenever it came. The order in the file is the order of events: that, not
wall time, is what a replay needs.

A reset sets sim time back but not log time, which goes on from where it was: headers tell sim time.
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
    """Hands messages on as bytes with a log time, save those that are sent again.

    A message is sent again because somebody came to listen, or because time stands still: that depends
    on wall time and is no part of what happened.
    """

    _last: tuple[int, bytes] = (-1, b"")

    def _serialized(self, time_ns: int, offset_ns: int, source: Any) -> tuple[bytes, int, bool]:
        """The message, its log time, and whether it is new."""
        data, log_time_ns = serialize(self._filled(time_ns, source)), time_ns + offset_ns
        if self.is_repeating or self.publication.trigger is not None:
            return data, log_time_ns, not self.is_repeating
        is_new = (log_time_ns, data) != self._last
        self._last = (log_time_ns, data)
        return data, log_time_ns, is_new


class RecordedPort(SerializingPort):
    """A publisher whose messages go into the bag too, and which is always wanted therefore."""

    def __init__(
        self, recording: BagRecording, node: Any, publication: Publication, changed: Changed
    ) -> None:
        super().__init__(node, publication, changed)
        self._recording = recording
        self._write = recording.writer(publication)

    @property
    def wanted(self) -> bool:
        """Always."""
        return True

    def publish(self, time_ns: int, source: Any) -> None:
        """Fill the message, record it, and send it if somebody listens."""
        data, log_time_ns, is_new = self._serialized(time_ns, self._recording.offset_ns, source)
        if is_new:
            self._write(data, log_time_ns)
        if self._subscribers or self.publication.always_on:
            self._send(data)


def check_patterns(patterns: Iterable[str], names: Sequence[str]) -> None:
    """See that each pattern fits a topic.

    Raises:
        ConfigError: one does not; names the closest topic.
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
            patterns: names of topics to record, `*` and `?` allowed; empty: all. Commands always are.
            facts: about the run.

        Raises:
            RecordingError: the folder exists or cannot be made.
        """
        self._bag = BagWriter(folder, facts)
        self._patterns = tuple(patterns)
        self._channels: dict[tuple[str, type], int] = {}
        self.offset_ns = 0

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """The port of a topic, recorded if it is to be."""
        named = any(fnmatchcase(publication.name, each) for each in self._patterns)
        if not named and (self._patterns or publication.is_view):
            return Port(node, publication, changed)
        return RecordedPort(self, node, publication, changed)

    def writer(self, publication: Publication) -> Callable[[bytes, int], None]:
        """Writes serialized messages of a topic: `write(data, log_time_ns)`."""
        channel = self._channel(publication.name, publication.message_type, publication.qos)
        return partial(self._bag.write, channel)

    def command(self, topic: str, message: Any, time_ns: int) -> None:
        """A message is carried out before the step that starts at this sim time."""
        channel = self._channel(topic, type(message), COMMAND)
        self._bag.write(channel, serialize(message), time_ns + self.offset_ns)

    def note_change(self, time_ns: int, what: str, **details: Any) -> None:
        """Something changes the world that came by no topic."""
        message = String(data=to_text({"time_ns": time_ns, "what": what, **details}))
        self.command(CHANGES, message, time_ns)

    def restarted(self, time_ns: int, step_ns: int) -> None:
        """Sim time goes from here back to 0."""
        self.offset_ns += time_ns + step_ns

    def close(self, time_ns: int) -> None:
        """The run has ended.

        Raises:
            RecordingError: not all could be written, and nobody was told yet.
        """
        if not self._bag.has_failed:
            self.note_change(time_ns, "end")
        self._bag.close()

    def _channel(self, topic: str, message_type: type, qos: Qos) -> int:
        key = (topic, message_type)
        if key not in self._channels:
            self._channels[key] = self._bag.add_topic(topic, type_name(message_type), qos)
        return self._channels[key]
