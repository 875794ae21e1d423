"""Writes an MCAP file that is readable at any time while it grows, and after the writer was killed.

After each write the file ends with an end section (DataEnd, Footer without a summary, magic), so that readers
find a complete file without an index; `finish` writes the index. Because the process may be killed during a
write, the new end section is written first, then the data, and at last the few bytes that replace the former
end section. Only a kill while these bytes are written leaves an incomplete file, which `repair.py` repairs.

Source of the format: the MCAP specification, version 0.
"""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
)
from mcap.writer import MCAP0_MAGIC

from sim_core.base.errors import RecordingError

END = struct.pack("<BQI", 0x0F, 4, 0) + struct.pack("<BQQQI", 0x02, 20, 0, 0, 0) + MCAP0_MAGIC
"""End section: DataEnd without a checksum, Footer without a summary, magic."""
CHUNK_SIZE = 1 << 20
"""Size of a chunk in bytes, as in rosbag2; a single message may be larger."""
PROFILE = "ros2"
NEVER = 1 << 62
HEAD_SIZE = 9
MESSAGE = struct.Struct("<BQHIQQ")
"""Opcode, length, channel, sequence number, log and publish time of a message; its bytes follow."""
CHUNK = struct.Struct("<BQQQQIIQ")
"""Opcode, length, first and last log time, size, checksum, 0 for no compression, size again."""
INDEX = struct.Struct("<BQHI")
"""Opcode, length, channel, and bytes that follow, of the index of a channel's messages in a chunk."""


class GrowingFile:
    """Stream of an MCAP file: collects data, and commits it together with an end section."""

    def __init__(self, path: Path) -> None:
        """Create the file.

        Raises:
            OSError: the file exists or cannot be created.
        """
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(self._handle, fcntl.LOCK_EX)  # until this process ends; `repair.py` checks this lock
        self._committed = 0
        self._pieces: list[bytes] = []
        self._pending = 0

    def write(self, data: bytes) -> int:
        """Append data; return its length."""
        if data:
            self._pieces.append(data)
            self._pending += len(data)
            if self._pending > CHUNK_SIZE:
                self.commit()
        return len(data)

    def tell(self) -> int:
        """Return the position of the next piece of data."""
        return self._committed + self._pending

    def flush(self) -> None:
        """Do nothing; `commit` writes the data."""
        self.commit()

    def commit(self) -> None:
        """Hand all data to the operating system, so that it survives the end of this process.

        Raises:
            OSError: a write failed, for example because the disk is full.
        """
        data = memoryview(b"".join([*self._pieces, END]))
        covered, size = len(END), self._pending
        parts = [(size, None), (covered, size), (0, covered)]
        if size < covered:  # the end sections overlap, but then only a few bytes are written
            parts = [(0, None)]
        for first, last in parts:
            self._write(data[first:last], self._committed + first)
        self._committed += self._pending
        self._pieces, self._pending = [], 0

    def end(self) -> None:
        """Commit the remaining data, which contains an end section, and close the file.

        Raises:
            OSError: a write failed, for example because the disk is full.
        """
        self.commit()
        os.ftruncate(self._handle, self._committed)
        self.close()

    def restore_end(self) -> None:
        """Remove the data of a failed commit and write the former end section again.

        Raises:
            OSError: a write failed.
        """
        os.ftruncate(self._handle, self._committed)
        os.pwrite(self._handle, END, self._committed)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _write(self, data: memoryview, at: int) -> None:
        while data:  # a write may be partial
            done = os.pwrite(self._handle, data, at)
            data, at = data[done:], at + done


class McapFile:
    """Writes schemas, channels and messages of a file.

    The index of the chunks grows with the file, by 10 bytes per chunk and channel. Until the end it is
    kept in a temporary file.
    """

    def __init__(self, path: Path, library: str) -> None:
        """Create the file.

        Raises:
            RecordingError: the file exists or cannot be created.
        """
        try:
            self._stream = GrowingFile(path)
            self._index = TemporaryFile(dir=path.parent)  # noqa: SIM115 # until `finish`
        except OSError as error:
            raise RecordingError(f"{path}: cannot be made: {error.strerror}") from None
        self._schemas: dict[str, Schema] = {}
        self._channels: list[Channel] = []
        self._counts: dict[int, int] = {}
        self._metadata: list[MetadataIndex] = []
        self._chunks = 0
        self._start_ns, self._end_ns = NEVER, 0
        self._pieces: list[bytes] = []
        self._size = 0
        self._places: dict[int, list[int]] = {}
        """For each channel in the chunk: log times and positions of its messages, alternating."""
        self._first_ns, self._last_ns = NEVER, 0
        self._stream.write(MCAP0_MAGIC + record(Header(profile=PROFILE, library=library)))

    def add_topic(self, topic: str, type_name: str, text: str, metadata: dict[str, str]) -> int:
        """Add a channel for messages in CDR; return its id."""
        schema = self._schemas.get(type_name)
        if schema is None:
            schema = Schema(id=len(self._schemas) + 1, name=type_name, encoding="ros2msg", data=text.encode())
            self._schemas[type_name] = schema
            self._put(record(schema))
        number = len(self._channels) + 1
        channel = Channel(
            id=number, schema_id=schema.id, topic=topic, message_encoding="cdr", metadata=metadata
        )
        self._channels.append(channel)
        self._put(record(channel))
        return number

    def add_message(self, channel: int, log_time: int, data: bytes, publish_time: int, sequence: int) -> None:
        """Add a message; times in ns."""
        self._places.setdefault(channel, []).extend((log_time, self._size))
        self._put(MESSAGE.pack(Opcode.MESSAGE, 22 + len(data), channel, sequence, log_time, publish_time))
        self._put(data)
        self._counts[channel] = self._counts.get(channel, 0) + 1
        self._first_ns, self._last_ns = min(self._first_ns, log_time), max(self._last_ns, log_time)
        if self._size > CHUNK_SIZE:
            self._end_chunk()

    def add_metadata(self, name: str, entries: dict[str, str]) -> None:
        """Add a metadata record."""
        self._end_chunk()
        data = record(Metadata(name=name, metadata=entries))
        self._metadata.append(MetadataIndex(offset=self._stream.tell(), length=len(data), name=name))
        self._stream.write(data)

    def flush(self) -> None:
        """Close the chunk and hand all data to the operating system."""
        self._end_chunk()
        self._stream.flush()

    def finish(self) -> None:
        """Write the index and close the file."""
        self._end_chunk()
        self._stream.write(record(DataEnd(data_section_crc=0)))
        summary = self._stream.tell()
        statistics = Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=self._chunks,
            message_count=sum(self._counts.values()),
            message_end_time=self._end_ns,
            message_start_time=min(self._start_ns, self._end_ns),
            metadata_count=len(self._metadata),
            schema_count=len(self._schemas),
        )
        for part in (*self._schemas.values(), *self._channels, statistics):
            self._stream.write(record(part))
        self._index.seek(0)
        while data := self._index.read(CHUNK_SIZE):
            self._stream.write(data)
        for row in self._metadata:
            self._stream.write(record(row))
        footer = Footer(summary_start=summary, summary_offset_start=0, summary_crc=0)
        self._stream.write(record(footer) + MCAP0_MAGIC)
        self._stream.end()
        self._index.close()

    def abort(self) -> None:
        """Close the file without the data that could not be written, which is lost; it stays complete."""
        with suppress(OSError):
            self._stream.restore_end()
        for file in (self._stream, self._index):
            with suppress(OSError):
                file.close()

    def _put(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)

    def _end_chunk(self) -> None:
        if not self._places:
            return  # definitions are written with the first message of a channel
        content = b"".join(self._pieces)
        at, stream = self._stream.tell(), self._stream
        crc, size = zlib.crc32(content), len(content)
        length = CHUNK.size - HEAD_SIZE + size
        stream.write(CHUNK.pack(Opcode.CHUNK, length, self._first_ns, self._last_ns, size, crc, 0, size))
        stream.write(content)
        behind = stream.tell()
        offsets, indexes = {}, bytearray()
        for channel, places in self._places.items():
            offsets[channel] = behind + len(indexes)
            bytes_of = 8 * len(places)
            indexes += INDEX.pack(Opcode.MESSAGE_INDEX, 6 + bytes_of, channel, bytes_of)
            indexes += struct.pack(f"<{len(places)}Q", *places)
        stream.write(bytes(indexes))
        row = ChunkIndex(
            chunk_length=HEAD_SIZE + length,
            chunk_start_offset=at,
            compression="",
            compressed_size=size,
            message_end_time=self._last_ns,
            message_index_length=len(indexes),
            message_index_offsets=offsets,
            message_start_time=self._first_ns,
            uncompressed_size=size,
        )
        self._index.write(record(row))
        self._chunks += 1
        self._start_ns, self._end_ns = min(self._start_ns, self._first_ns), max(self._end_ns, self._last_ns)
        self._pieces, self._size, self._places = [], 0, {}
        self._first_ns, self._last_ns = NEVER, 0


def record(part: McapRecord) -> bytes:
    """Return a record as bytes."""
    made = RecordBuilder()
    part.write(made)
    return bytes(made.end())
