"""Records a simulation from inside it: what it publishes, commands it carries out, changes of its world.

Each message is serialized once, for the bag and for who listens. Its log time is the sim time it is about
(that of its header); its publish time is wall time. A command is logged with the sim time at which the step
starts that it was applied before, whenever it came. The order in the file is the order of events: that, not
wall time, is what a replay needs.

A reset sets sim time back but not log time, which goes on from where it was: headers tell sim time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rclpy.serialization import serialize_message
from std_msgs.msg import String

from ros_bridge.conversions import type_name
from ros_bridge.publishing import Port
from ros_bridge.qos import COMMAND
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.topics import Publication
from sim_core.errors import ConfigError, hint

CHANGES = "/odesim/changes"
"""Recorded only: a std_msgs/String in JSON for each change that came otherwise than by a topic."""
Changed = Callable[[Port, int], None]


class RecordedPort(Port):
    """A publisher whose messages go into the bag too, and which is always wanted therefore."""

    def __init__(self, recording: Recording, node: Any, publication: Publication, changed: Changed) -> None:
        super().__init__(node, publication, changed)
        self._write = recording.writer(publication)
        self._last: tuple[int, bytes] = (-1, b"")

    @property
    def wanted(self) -> bool:
        """Always."""
        return True

    def publish(self, time_ns: int, source: Any) -> None:
        """Fill the message, record it, and send it if somebody listens."""
        data = serialize_message(self._filled(time_ns, source))
        if not self._was_said(time_ns, data):
            self._write(time_ns, data)
        if self._subscribers or self.publication.always_on:
            self._send(data)

    def _was_said(self, time_ns: int, data: bytes) -> bool:
        """Whether this is sent only because somebody came or time stands still."""
        if self.publication.trigger is not None:
            return self.is_repeating
        said = (time_ns, data) == self._last
        self._last = (time_ns, data)
        return said


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


class Recording:
    """The recording of one run of the simulation node."""

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
        self._offset_ns = self._end_ns = 0

    def make_port(self, node: Any, publication: Publication, changed: Changed) -> Port:
        """The port of a topic, recorded if it is to be."""
        if self._patterns and not any(fnmatchcase(publication.name, each) for each in self._patterns):
            return Port(node, publication, changed)
        return RecordedPort(self, node, publication, changed)

    def writer(self, publication: Publication) -> Callable[[int, bytes], None]:
        """Writes serialized messages of a topic: `write(time_ns, data)`."""
        channel = self._channel(publication.name, publication.message_type)
        bag = self._bag

        def write(time_ns: int, data: bytes) -> None:
            bag.write(channel, data, time_ns + self._offset_ns)

        return write

    def command(self, topic: str, message: Any, time_ns: int) -> None:
        """A message is carried out before the step that starts at this sim time."""
        channel = self._channel(topic, type(message))
        self._bag.write(channel, serialize_message(message), time_ns + self._offset_ns)

    def change(self, time_ns: int, what: str, **details: Any) -> None:
        """Something changes the world that came by no topic."""
        message = String(data=json.dumps({"time_ns": time_ns, "what": what, **details}))
        self.command(CHANGES, message, time_ns)

    def restarted(self, time_ns: int, step_ns: int) -> None:
        """Sim time goes from here back to 0."""
        self._offset_ns += time_ns + step_ns

    def close(self, time_ns: int) -> None:
        """The run has ended.

        Raises:
            RecordingError: not all could be written.
        """
        self.change(time_ns, "end")
        self._bag.close()

    def _channel(self, topic: str, message_type: type) -> int:
        key = (topic, message_type)
        if key not in self._channels:
            self._channels[key] = self._bag.add_topic(topic, type_name(message_type), COMMAND)
        return self._channels[key]
