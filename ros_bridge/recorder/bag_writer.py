"""Writes a bag, a folder with metadata.yaml and an .mcap file, in a separate thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from ros_bridge.recorder import bag_metadata, check_new
from ros_bridge.recorder.bag_metadata import RecordedTopic
from ros_bridge.recorder.facts import METADATA_NAME
from ros_bridge.recorder.mcap_file import McapFile
from ros_bridge.topics.definitions import definition
from ros_bridge.topics.qos import SENSOR, Qos
from sim_core import __version__
from sim_core.base.errors import RecordingError, in_one_line

FLUSH_PERIOD = 0.5
"""Longest wall time in s until a message is handed to the operating system."""
CHECK_PERIOD = 0.05
"""Seconds of wall time between two checks of the queue by the writing thread."""
LIMIT = 64 << 20
"""Maximum number of bytes in the queue; `write` blocks while there are more."""


class BagWriter(AbstractContextManager["BagWriter"]):
    """Writes a bag; a context manager that closes it.

    `write` must be called by one thread only. It puts a message into a queue; when the disk is too slow and
    the queue holds `LIMIT` bytes, it blocks, so that nothing is lost. If the process is killed, the bag is
    readable and contains all messages up to `FLUSH_PERIOD` before.

    Attributes:
        folder: folder of the bag.
        topics: topics in the order of their channels, which are counted from 1.
    """

    def __init__(
        self, folder: str | Path, facts: Mapping[str, str] | None = None, limit: int = LIMIT
    ) -> None:
        """Create the folder and start the writing thread.

        Args:
            folder: must not exist.
            facts: written to the custom data of metadata.yaml and to a metadata record of the MCAP file.
            limit: maximum number of bytes in the queue.

        Raises:
            RecordingError: the folder exists or cannot be created.
        """
        self.folder = Path(folder)
        check_new(self.folder)
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise RecordingError(f"{folder}: cannot be made: {error.strerror}") from None
        self.topics: list[RecordedTopic] = []
        self._file = McapFile(self.folder / f"{self.folder.resolve().name}_0.mcap", f"odesim {__version__}")
        self._facts = dict(facts or {})
        self._start_ns, self._end_ns = 1 << 62, 0
        self._limit = limit
        self._queue: deque[tuple[int, int, int, bytes] | RecordedTopic] = deque()
        self._put_bytes = self._written_bytes = 0
        self._wake, self._room = threading.Event(), threading.Event()
        self._closing = False
        self._problem = ""
        """The error after which nothing is written any more."""
        self._is_reported = False
        try:
            self._file.add_metadata(METADATA_NAME, self._facts)
            self._save(bag_metadata.RECORDING)
            self._file.flush()
        except OSError as error:
            raise RecordingError(f"{folder}: cannot be written: {error.strerror}") from None
        self._thread = threading.Thread(target=self._run, name="bag", daemon=True)
        self._thread.start()

    def add_topic(self, name: str, type_name: str, qos: Qos = SENSOR) -> int:
        """Add a topic; return its channel.

        Raises:
            ConfigError: the definition of the type is not found.
        """
        about = definition(type_name)
        topic = RecordedTopic(name, type_name, about.digest, qos)
        self.topics.append(topic)
        self._queue.append(topic)
        return len(self.topics)

    def write(self, channel: int, data: bytes, log_time_ns: int, publish_time_ns: int | None = None) -> None:
        """Write a serialized message.

        Args:
            channel: the channel returned by `add_topic`.
            data: the message in CDR, with its header of four bytes.
            log_time_ns: the time used by players and plots: sim time.
            publish_time_ns: time of sending; None: present wall time.

        Raises:
            RecordingError: an earlier message could not be written.
        """
        if publish_time_ns is None:
            publish_time_ns = time.time_ns()
        self._queue.append((channel, log_time_ns, publish_time_ns, data))
        self._put_bytes += len(data)
        if self._problem or self._put_bytes - self._written_bytes > self._limit:
            self._wait_for_room()

    def close(self) -> None:
        """Write the remaining messages, the index and the final metadata.yaml; a second call does nothing.

        Raises:
            RecordingError: not all could be written, and `write` has not raised an error for it.
        """
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._thread.join()
        if not self._is_reported:
            self._check()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def has_failed(self) -> bool:
        """Whether writing failed; then nothing more is written."""
        return bool(self._problem)

    def _wait_for_room(self) -> None:
        while self._put_bytes - self._written_bytes > self._limit and not self._problem:
            self._room.clear()
            self._wake.set()
            self._room.wait(CHECK_PERIOD)
        self._check()

    def _check(self) -> None:
        if self._problem:
            self._is_reported = True
            raise RecordingError(f"{self.folder}: cannot be written: {self._problem}")

    # ---- in the writing thread

    def _run(self) -> None:
        try:
            self._write_all()
            self._finish()
        except Exception as error:  # also MemoryError; `write` must report it
            self._problem = getattr(error, "strerror", None) or in_one_line(error)
            self._file.abort()
        self._room.set()

    def _write_all(self) -> None:
        flushed, saved, count = time.monotonic(), 0, 0
        while True:
            closing = self._closing  # read before the queue, so that no message put before the end is missed
            count += self._write_waiting()
            now = time.monotonic()
            if now - flushed >= FLUSH_PERIOD:
                flushed = now
                self._file.flush()
                if saved != count:
                    self._save(bag_metadata.RECORDING)
                    saved = count
            if closing:
                return
            self._wake.wait(CHECK_PERIOD)
            self._wake.clear()

    def _write_waiting(self) -> int:
        """Write the messages in the queue, but return in time for the next flush."""
        queue, add, topics = self._queue, self._file.add_message, self.topics
        until = time.monotonic() + FLUSH_PERIOD
        count = 0
        while queue:
            item = queue.popleft()
            if isinstance(item, RecordedTopic):
                text = definition(item.type_name).text
                self._file.add_topic(item.name, item.type_name, text, bag_metadata.channel_metadata(item))
                continue
            channel, log_time, publish_time, data = item
            topic = topics[channel - 1]
            add(channel, log_time, data, publish_time, topic.count & 0xFFFFFFFF)
            topic.count += 1
            count += 1
            if log_time < self._start_ns:
                self._start_ns = log_time
            if log_time > self._end_ns:
                self._end_ns = log_time
            self._written_bytes += len(data)
            if not count & 0xFF:
                self._room.set()
                if time.monotonic() > until and not self._closing:
                    break
        self._room.set()
        return count

    def _finish(self) -> None:
        text = bag_metadata.metadata_text(self._metadata(bag_metadata.COMPLETE))
        self._file.add_metadata("rosbag2", {"serialized_metadata": text})
        self._file.finish()
        self._save(bag_metadata.COMPLETE)

    def _save(self, state: str) -> None:
        quick = state == bag_metadata.RECORDING
        bag_metadata.write_metadata(self.folder, self._metadata(state), quick)

    def _metadata(self, state: str) -> dict[str, object]:
        start_ns = self._start_ns if self._start_ns <= self._end_ns else 0
        custom = {**self._facts, bag_metadata.STATE: state}
        file = f"{self.folder.resolve().name}_0.mcap"
        return bag_metadata.make_metadata(file, list(self.topics), start_ns, self._end_ns, custom)
