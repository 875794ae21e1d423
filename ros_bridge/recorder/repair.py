"""Completes a recording that was interrupted, or recovers the intact parts of a damaged one.

This is done in place, without copying messages: the file is read once, incomplete data is left out of a new
index or, at the end, cut off, and metadata.yaml is written again. An interrupted repair can be repeated. If
data in the middle is damaged, the original file is kept beside the repaired one.

Source of the format: the MCAP specification, version 0.
"""

from __future__ import annotations

import fcntl
import mmap
import re
import shutil
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    MessageIndex,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
)
from mcap.writer import MCAP0_MAGIC

from ros_bridge.recorder import bag_metadata
from ros_bridge.recorder.bag_limits import chunk_data
from ros_bridge.recorder.bag_metadata import RecordedTopic
from ros_bridge.recorder.facts import METADATA_NAME
from ros_bridge.topics.qos import Qos
from sim_core.base.errors import RecordingError
from sim_core.base.yaml_nodes import read_yaml

HEAD = struct.Struct("<BQ")
"""Opcode and length of a record."""
MESSAGE_HEAD = struct.Struct("<HIQ")
"""Channel, sequence number and log time of a message."""
LIBRARY = "odesim"
"""First word of the library name in the header of odesim's files."""
DAMAGED = ".damaged"
"""Suffix of the original file."""
_CHUNK = re.compile(rb"\x06...\0{5}", re.DOTALL)
"""First bytes of the record of a chunk of less than 16 MB: opcode and length."""
WAIT = 1.0
"""Seconds of wall time to wait for a complete file while it is being recorded."""


@dataclass
class _Contents:
    """Contents of a file, and the end of its last complete record."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    metadata: list[MetadataIndex] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    missing: list[MessageIndex] = field(default_factory=list)
    """Message indexes of the last chunk, if they are missing."""
    end: int = 0
    damaged: list[ByteRange] = field(default_factory=list)
    is_after_damage: bool = False
    """Whether the last chunk was damaged, so that the indexes that follow belong to no chunk."""


class ByteRange(NamedTuple):
    """Range of bytes of a file, without `end`."""

    start: int
    end: int


class Repaired(NamedTuple):
    """Result of a repair.

    Attributes:
        messages: number of messages.
        damaged: damaged ranges that were left out.
        kept: the original file, if something was left out; else None.
    """

    messages: int
    damaged: tuple[ByteRange, ...] = ()
    kept: Path | None = None


def is_whole(file: Path) -> bool:
    """Return whether an MCAP file is complete."""
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - len(MCAP0_MAGIC)))
        return size > 2 * len(MCAP0_MAGIC) and stream.read() == MCAP0_MAGIC


def is_ours(file: Path) -> bool:
    """Return whether odesim wrote an MCAP file; the state of others during recording is unknown."""
    with file.open("rb") as stream:
        return LIBRARY.encode() in stream.read(64)


def is_being_written(file: Path) -> bool:
    """Return whether a process is recording to the file."""
    with file.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def wait_until_whole(file: Path) -> None:
    """Wait until a file that is being written is complete, which it is nearly all the time."""
    limit = time.monotonic() + WAIT
    while not is_whole(file) and time.monotonic() < limit:
        time.sleep(0.01)


def repair(folder: Path, file: Path) -> Repaired:
    """Complete a recording.

    Args:
        folder: folder of the bag.
        file: its MCAP file.

    Raises:
        RecordingError: another process is recording to the file, or it is not an MCAP file.
        OSError: the file cannot be read or written.
    """
    if is_being_written(file):
        raise RecordingError(f"{folder}: is being recorded now, expected a recording that has ended")
    with file.open("r+b") as stream:
        if stream.read(len(MCAP0_MAGIC)) != MCAP0_MAGIC:
            raise RecordingError(f"{file}: found no MCAP file")
        contents = _scan(stream)
        kept = file.with_name(file.name + DAMAGED) if contents.damaged else None
        if kept is not None and not kept.exists():
            shutil.copyfile(file, kept)
        stream.seek(contents.end)
        stream.write(_ending(contents))
        stream.truncate()
    topics = [
        _topic(contents, each) for each in contents.channels.values() if each.schema_id in contents.schemas
    ]
    start, end = _times(contents)
    custom = {**contents.facts, bag_metadata.STATE: bag_metadata.REPAIRED}
    bag_metadata.write_metadata(folder, bag_metadata.make_metadata(file.name, topics, start, end, custom))
    return Repaired(sum(contents.counts.values()), tuple(contents.damaged), kept)


def _records(stream: BinaryIO, at: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Iterate over opcode, position and length (with its head) of each complete record of a section."""
    while at + HEAD.size <= size:
        stream.seek(at)
        opcode, length = HEAD.unpack(stream.read(HEAD.size))
        whole = HEAD.size + length
        if opcode in (0, Opcode.DATA_END, Opcode.FOOTER) or at + whole > size:
            return
        yield opcode, at, whole
        at += whole


def _scan(stream: BinaryIO) -> _Contents:
    size = stream.seek(0, 2)
    found = _Contents(end=len(MCAP0_MAGIC))
    ended = _take_summary(found, stream, size)
    while True:
        for opcode, at, length in _records(stream, found.end, size):
            try:
                _add_record(found, stream, opcode, at, length)
            except Exception:  # damaged bytes may cause any exception
                found.damaged.append(ByteRange(at, at + length))
                found.is_after_damage = opcode == Opcode.CHUNK
            found.end = at + length
        if _is_end(stream, found.end, size):
            return found
        again = _next_chunk(stream, found.end, size)
        if again is None:
            if ended:  # else it was interrupted here, and the rest was never written
                found.damaged.append(ByteRange(found.end, ended))
            return found
        found.damaged.append(ByteRange(found.end, again))
        found.end = again


def _is_end(stream: BinaryIO, at: int, size: int) -> bool:
    stream.seek(at)
    return at >= size or stream.read(1)[0] in (Opcode.DATA_END, Opcode.FOOTER)


def _next_chunk(stream: BinaryIO, start: int, size: int) -> int | None:
    """Return the start of the next complete chunk after a damaged position; None: there is none."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        for match in _CHUNK.finditer(memory, start + 1):
            at = match.start()
            length = HEAD.size + HEAD.unpack_from(memory, at)[1]
            if at + length > size:
                continue
            try:
                chunk = Chunk.read(ReadDataStream(BytesIO(memory[at + HEAD.size : at + length])))
                if (
                    not chunk.uncompressed_crc
                ):  # without a checksum, bytes of a message may look like a chunk; odesim writes one
                    continue
                _content(chunk)
            except Exception:  # bytes that look like a chunk
                continue
            return at
    return None


def _take_summary(found: _Contents, stream: BinaryIO, size: int) -> int:
    """Read the definitions of topics in the summary, because the chunk with the originals may be damaged.

    Returns:
        The position of the summary; 0: the file has none.
    """
    footer = size - len(MCAP0_MAGIC) - HEAD.size - 20
    if footer < 0:
        return 0
    stream.seek(footer)
    opcode, length, summary = struct.unpack("<BQQ", stream.read(HEAD.size + 8))
    if (opcode, length) != (Opcode.FOOTER, 20) or not 0 < summary < footer:
        return 0
    for opcode, at, length in _records(stream, summary, size):
        stream.seek(at + HEAD.size)
        try:
            _take_definition(found, opcode, stream.read(length - HEAD.size))
        except Exception:  # damaged: the definition is in a chunk, or lost
            continue
    return int(summary)


def _add_record(found: _Contents, stream: BinaryIO, opcode: int, at: int, length: int) -> None:
    """Add a record of the data section to the contents; raises any exception if it is damaged."""
    stream.seek(at + HEAD.size)
    if opcode == Opcode.CHUNK:
        _take_chunk(found, Chunk.read(ReadDataStream(stream)), at, length)
        found.is_after_damage = False
    elif opcode == Opcode.MESSAGE_INDEX and found.chunks and not found.is_after_damage:
        (channel,) = struct.unpack("<H", stream.read(2))
        found.missing = [each for each in found.missing if each.channel_id != channel]
        found.chunks[-1].message_index_offsets[channel] = at
        found.chunks[-1].message_index_length += length
    elif opcode == Opcode.METADATA:
        record = Metadata.read(ReadDataStream(stream))
        found.metadata.append(MetadataIndex(length=length, name=record.name, offset=at))
        if record.name == METADATA_NAME:
            found.facts = dict(record.metadata)
    elif opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
        _take_definition(found, opcode, stream.read(length - HEAD.size))


def _content(chunk: Chunk) -> bytes:
    """Return the records in a chunk.

    Raises:
        ValueError: the chunk is damaged.
    """
    data, _ = chunk_data(chunk)
    content: bytes = data.read(chunk.uncompressed_size)
    if len(content) != chunk.uncompressed_size or zlib.crc32(content) != (
        chunk.uncompressed_crc or zlib.crc32(content)
    ):
        raise ValueError("its checksum is another")
    return content


def _take_chunk(found: _Contents, chunk: Chunk, at: int, length: int) -> None:
    content = _content(chunk)
    indexes: dict[int, MessageIndex] = {}
    place = 0
    while place < len(content):
        opcode, size = HEAD.unpack_from(content, place)
        body = place + HEAD.size
        if opcode == Opcode.MESSAGE:
            channel, _, log_time = MESSAGE_HEAD.unpack_from(content, body)
            index = indexes.setdefault(channel, MessageIndex(channel_id=channel, records=[]))
            index.records.append((log_time, place))
            found.counts[channel] = found.counts.get(channel, 0) + 1
        else:
            _take_definition(found, opcode, content[body : body + size])
        place = body + size
    found.missing = list(indexes.values())
    found.chunks.append(
        ChunkIndex(
            chunk_length=length,
            chunk_start_offset=at,
            compression=chunk.compression,
            compressed_size=len(chunk.data),
            message_end_time=chunk.message_end_time,
            message_index_length=0,
            message_index_offsets={},
            message_start_time=chunk.message_start_time,
            uncompressed_size=chunk.uncompressed_size,
        )
    )


def _take_definition(found: _Contents, opcode: int, body: bytes) -> None:
    stream = ReadDataStream(BytesIO(body))
    if opcode == Opcode.SCHEMA:
        schema = Schema.read(stream)
        found.schemas[schema.id] = schema
    elif opcode == Opcode.CHANNEL:
        channel = Channel.read(stream)
        found.channels[channel.id] = channel


def _ending(found: _Contents) -> bytes:
    """Return the data after the last complete record: missing message indexes, the index, the end section."""
    made = RecordBuilder()
    if found.missing:
        last = found.chunks[-1]
        for index in found.missing:
            last.message_index_offsets[index.channel_id] = found.end + made.count
            before = made.count
            index.write(made)
            last.message_index_length += made.count - before
    DataEnd(0).write(made)
    summary = found.end + made.count
    start, end = _times(found)
    for part in (*found.schemas.values(), *found.channels.values()):
        part.write(made)
    Statistics(
        attachment_count=0,
        channel_count=len(found.channels),
        channel_message_counts=found.counts,
        chunk_count=len(found.chunks),
        message_count=sum(found.counts.values()),
        message_end_time=end,
        message_start_time=start,
        metadata_count=len(found.metadata),
        schema_count=len(found.schemas),
    ).write(made)
    for row in (*found.chunks, *found.metadata):
        row.write(made)
    Footer(summary_start=summary, summary_offset_start=0, summary_crc=0).write(made)
    return bytes(made.end()) + MCAP0_MAGIC


def _times(found: _Contents) -> tuple[int, int]:
    start = min((chunk.message_start_time for chunk in found.chunks), default=0)
    return start, max((chunk.message_end_time for chunk in found.chunks), default=0)


def _topic(found: _Contents, channel: Channel) -> RecordedTopic:
    profiles = read_yaml(channel.metadata.get("offered_qos_profiles", ""), "offered_qos_profiles") or [{}]
    first = profiles[0]
    qos = Qos(
        first.get("reliability") != "best_effort",
        int(first.get("depth", 10)),
        first.get("durability") == "transient_local",
    )
    digest = channel.metadata.get("topic_type_hash", "")
    kind = found.schemas[channel.schema_id].name
    return RecordedTopic(channel.topic, kind, digest, qos, found.counts.get(channel.id, 0))
