"""An MCAP file that can be read at any moment while it is written, and after the writer was killed.

Whatever is written is followed at once by an end (DataEnd, Footer without a summary, magic), which the next
piece overwrites in the same system call. A reader finds a whole file without an index; `close` writes the
index. Only a kill in the middle of that call leaves an open end, which `bag_repair` mends.

Source of the format: the MCAP specification, version 0.
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from mcap.writer import MCAP0_MAGIC, CompressionType, Writer

from sim_core.base.errors import RecordingError

END = struct.pack("<BQI", 0x0F, 4, 0) + struct.pack("<BQQQI", 0x02, 20, 0, 0, 0) + MCAP0_MAGIC
"""DataEnd without a checksum, Footer without a summary, magic."""
CHUNK_SIZE = 1 << 20
"""Bytes of messages in a chunk, as in rosbag2; one message may be larger."""
PROFILE = "ros2"


class GrowingFile:
    """The stream under an MCAP writer: collects what is written, and commits it with an end behind it."""

    def __init__(self, path: Path) -> None:
        """Make the file.

        Raises:
            OSError: it exists, or cannot be made.
        """
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(self._handle, fcntl.LOCK_EX)  # until this process ends: who repairs asks for it
        self._committed = 0
        self._pieces: list[bytes] = []
        self._pending = 0

    def write(self, data: bytes) -> int:
        """Take what comes next."""
        if data:
            self._pieces.append(data)
            self._pending += len(data)
            if self._pending > CHUNK_SIZE:
                self.commit()
        return len(data)

    def tell(self) -> int:
        """Where the next piece will be."""
        return self._committed + self._pending

    def flush(self) -> None:
        """As files have it."""
        self.commit()

    def commit(self, end: bytes = END) -> None:
        """Hand everything to the operating system: from now on it outlives this process.

        Raises:
            OSError: the disk is full, or the like.
        """
        pieces = [*self._pieces, end]
        left = self._pending + len(end)
        at = self._committed
        while left:
            done = os.pwritev(self._handle, pieces, at)
            left -= done
            at += done
            if left:  # the disk took a part
                rest = b"".join(pieces)[done:]
                pieces = [rest]
        self._committed += self._pending
        self._pieces, self._pending = [], 0

    def end(self) -> None:
        """Commit what is left, which has an end of its own, and let go of the file.

        Raises:
            OSError: the disk is full, or the like.
        """
        self.commit(b"")
        os.ftruncate(self._handle, self._committed)  # what is left may be shorter than the end that it covers
        self.close()

    def close(self) -> None:
        """Let go of the file; twice does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


class McapFile:
    """Schemas, channels and messages of one file."""

    def __init__(self, path: Path, library: str) -> None:
        """Make the file.

        Raises:
            RecordingError: it exists, or cannot be made.
        """
        self._path = path
        try:
            self._stream = GrowingFile(path)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be made: {error.strerror}") from None
        self._writer = Writer(
            self._stream,  # type: ignore[arg-type] # it writes and tells, more is not asked of it
            chunk_size=CHUNK_SIZE,
            compression=CompressionType.NONE,
        )
        self._schemas: dict[str, int] = {}
        self._writer.start(PROFILE, library)
        self.add_message = self._writer.add_message

    def add_topic(self, topic: str, type_name: str, text: str, metadata: dict[str, str]) -> int:
        """A channel for messages in CDR; returns its id."""
        if type_name not in self._schemas:
            made = self._writer.register_schema(type_name, "ros2msg", text.encode())
            self._schemas[type_name] = made
        return int(self._writer.register_channel(topic, "cdr", self._schemas[type_name], metadata))

    def add_metadata(self, name: str, entries: dict[str, str]) -> None:
        """Facts beside the messages."""
        self._writer.add_metadata(name, entries)

    def flush(self) -> None:
        """Close the chunk and hand all to the operating system."""
        self._writer.flush()

    def finish(self) -> None:
        """Write the index, and let go."""
        self._writer.finish()
        self._stream.end()

    def let_go(self) -> None:
        """Close the file as it is."""
        self._stream.close()
