"""Limits the memory for reading bags: for data that rosbags and mcap decompress, and for YAML in bags.

A chunk of a few kilobytes may decompress to gigabytes, and the readers of rosbags and mcap have no
parameter for a limit. `limit_readers` replaces the functions with which they decompress by the functions
of this module; no other code depends on the internals of these packages.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from mcap import stream_reader
from mcap.records import Chunk
from rosbags.rosbag1 import reader as rosbag1
from rosbags.rosbag2 import reader, storage_mcap, storage_sqlite3
from rosbags.rosbag2.metadata import parse_qos

from sim_core.base.errors import RecordingError
from sim_core.base.limits import limit, limit_text
from sim_core.base.yaml_nodes import read_yaml

BYTES = "bag_bytes"
FILE_BYTES = "bag_file_bytes"
_DECOMPRESSORS: dict[str, Any] = {
    "zstd": storage_mcap.zstd.ZstdDecompressor,
    "lz4": LZ4FrameDecompressor,
    "bz2": bz2.BZ2Decompressor,
}
_open: Any = storage_mcap.zstd.open
_messages_of: Any = storage_mcap.msgsrc
_definition_of: Any = storage_mcap.get_msgdef
_records_of: Any = stream_reader.get_chunk_data_stream
_held = 0
"""Total size of the chunks that are open, in bytes."""


def unpacked(data: bytes, compression: str, size: int | None = None) -> bytes:
    """Return decompressed bytes.

    Args:
        data: compressed bytes.
        compression: `zstd`, `lz4` or `bz2`.
        size: decompressed size according to the file; None: unknown.

    Raises:
        RecordingError: the size exceeds the limit, or there are more bytes than `size`.
        ValueError: the data is cut off.
    """
    check_size(size or 0)
    most = limit(BYTES) if size is None else size
    made: list[bytes] = []
    count = 0
    while data:
        decompressor = _DECOMPRESSORS[compression]()
        made.append(decompressor.decompress(data, most + 1 - count))
        count += len(made[-1])
        if count > most:
            expected = limit_text(BYTES) if size is None else f"the {size} that are announced"
            raise RecordingError(f"found compressed data of more than {most} bytes, expected {expected}")
        if not decompressor.eof:
            raise ValueError("compressed data that is cut off")
        data = decompressor.unused_data or b""
    return b"".join(made)


def check_size(size: int) -> None:
    """Refuse data whose decompressed size exceeds the limit.

    Raises:
        RecordingError: the size exceeds the limit.
    """
    if size > limit(BYTES):
        raise RecordingError(f"found a chunk of {size} bytes, expected {limit_text(BYTES)}")


@cache
def limit_readers() -> None:
    """Make rosbags and mcap decompress with the functions of this module from now on."""
    storage_mcap.DECOMPRESSORS |= {kind: _unpacker(kind) for kind in ("zstd", "lz4")}
    rosbag1.decompressors.update({kind: _unpacker(kind) for kind in ("bz2", "lz4")})
    storage_mcap.msgsrc = _counted_messages  # type: ignore[assignment]
    storage_mcap.get_msgdef = _definition
    stream_reader.get_chunk_data_stream = chunk_data
    reader.zstd = _Zstd  # type: ignore[assignment]
    for module in (reader, storage_mcap, storage_sqlite3):
        module.parse_qos = _profiles  # type: ignore[attr-defined]


def chunk_data(chunk: Chunk, validate_crc: bool = False) -> Any:
    """Iterate over the records in a chunk, as `mcap` does.

    Raises:
        RecordingError, ValueError: as `unpacked`.
    """
    if chunk.compression not in ("zstd", "lz4"):
        return _records_of(chunk, validate_crc)
    data = unpacked(chunk.data, chunk.compression, chunk.uncompressed_size)
    plain = Chunk(
        "", data, chunk.message_end_time, chunk.message_start_time, chunk.uncompressed_crc, len(data)
    )
    return _records_of(plain, validate_crc)


def _unpacker(kind: str) -> Any:
    return lambda data, size=None: unpacked(data, kind, size)


def _counted_messages(chunk: Any, *arguments: Any) -> Iterator[Any]:
    """Iterate over the messages of a chunk, as rosbags does: first a placeholder, then the messages.

    Raises:
        RecordingError: the chunks that are open at the same time, as their times overlap, are too large.
    """
    global _held
    messages = _messages_of(chunk, *arguments)
    yield next(messages)
    size = chunk.uncompressed_size
    if _held + size > limit(BYTES):
        found = f"found chunks of {_held + size} bytes at the same time"
        raise RecordingError(f"{found}, expected {limit_text(BYTES)}")
    _held += size
    try:
        yield from messages
    finally:
        _held -= size


def _definition(schema: Any) -> Any:
    """Return the definition of a topic's type.

    For events of a service it is that of the service, request and response with a line in between. rosbags
    cannot parse it and would refuse the whole bag, so an empty definition is returned.
    """
    is_service = schema is not None and re.search(r"^---\s*$", str(schema.data), re.MULTILINE)
    return _definition_of(None if is_service else schema)


def _profiles(profiles: Any) -> Any:
    """Return the offered QoS profiles; a text is YAML."""
    return parse_qos(read_yaml(profiles, "offered_qos_profiles") if isinstance(profiles, str) else profiles)


class _Zstd:
    """The part of the module `zstd` that rosbags' reader of folders uses."""

    @staticmethod
    def decompress(data: bytes) -> bytes:
        """Return a decompressed message."""
        return unpacked(data, "zstd")

    @staticmethod
    def open(*arguments: Any) -> Any:
        """Open a file that is compressed as a whole."""
        return _Bounded(_open(*arguments))


class _Bounded:
    """A compressed file that raises an error when more than the limit is read."""

    def __init__(self, file: Any) -> None:
        self._file, self._left = file, limit(FILE_BYTES)

    def __enter__(self) -> _Bounded:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return the next bytes.

        Raises:
            RecordingError: the limit is exceeded.
        """
        data: bytes = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise RecordingError(f"found a compressed file of more bytes, expected {limit_text(FILE_BYTES)}")
        return data
