"""Chunks and files of bags are unpacked within limits, and so is the YAML within them."""

from __future__ import annotations

import io
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from lz4.frame import compress as lz4
from mcap.writer import CompressionType, Writer
from rosbags.rosbag2 import storage_mcap

from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_limits import unpacked
from ros_bridge.recorder.bag_metadata import RecordedTopic, channel_metadata
from ros_bridge.topics.qos import SENSOR
from sim_core.base.errors import RecordingError
from sim_core.base.limits import VARIABLE

zstd: Any = storage_mcap.zstd.compress
MEGABYTE = 1 << 20
KINDS = {"zstd": zstd, "lz4": lz4}
CHUNK = 40_000
QOS = channel_metadata(RecordedTopic("/a", "", "", SENSOR))["offered_qos_profiles"]


def bag(folder: Path, kind: CompressionType, chunks: int = 4, qos: str = QOS) -> Path:
    """A file with chunks of one message each, which begin at the same time and end one after the other."""
    out = io.BytesIO()
    writer = Writer(out, chunk_size=CHUNK // 2, compression=kind)
    writer.start("ros2")
    schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
    channel = writer.register_channel("/a", "cdr", schema, {"offered_qos_profiles": qos})
    for number in range(chunks):
        text = bytes([97 + number]) * CHUNK + b"\0"
        data = b"\0\1\0\0" + struct.pack("<I", len(text)) + text
        writer.add_message(channel, number, data, number)
    writer.finish()
    file = folder / "bag.mcap"
    file.write_bytes(out.getvalue())
    return file


def texts(file: Path) -> list[str]:
    with Bag(file) as opened:
        return [message.data for _, _, message in opened.messages(["/a"])]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_within_its_size_is_unpacked(kind: str) -> None:
    data = bytes(range(256)) * 100
    packed = KINDS[kind](data)
    assert unpacked(packed, kind, len(data)) == unpacked(packed, kind) == data
    assert unpacked(packed + packed, kind, 2 * len(data)) == 2 * data
    with pytest.raises(ValueError, match="cut off"):
        unpacked(packed[:-8], kind, len(data))


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_is_announced_is_not_unpacked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = KINDS[kind](bytes(64 * MEGABYTE))
    tracemalloc.start()
    try:
        for size, limit in ((1000, 10**6), (None, 1000)):
            monkeypatch.setenv(VARIABLE, f"bag_bytes={limit}")
            with pytest.raises(RecordingError, match="found compressed data of more than 1000 bytes"):
                unpacked(packed, kind, size)
        with pytest.raises(RecordingError, match="found a chunk of 1001 bytes, expected at most 1000"):
            unpacked(packed, kind, 1001)
        assert tracemalloc.get_traced_memory()[1] < MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [CompressionType.ZSTD, CompressionType.LZ4])
def test_chunks_are_held_against_the_limit(
    kind: CompressionType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = bag(tmp_path, kind)
    assert texts(file) == [chr(97 + number) * CHUNK for number in range(4)]
    monkeypatch.setenv(VARIABLE, f"bag_bytes={CHUNK // 2}")
    with pytest.raises(RecordingError, match=r"found .*, expected at most 20000 .*bag_bytes"):
        texts(file)
    with Bag(file) as opened, pytest.raises(RecordingError, match="expected at most 20000"):
        list(opened.in_file_order())


def test_chunks_that_are_open_at_once_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four that begin at the same time, as the index says: all are unpacked to find the first message."""
    file = bag(tmp_path, CompressionType.ZSTD)
    monkeypatch.setenv(VARIABLE, f"bag_bytes={2 * CHUNK}")
    assert len(texts(file)) == 4  # one after the other
    data = file.read_bytes()
    index = data.rindex(b"\x0b", 0, len(data) - 37)
    changed = bytearray(data)
    for found in re.finditer(rb"\x08.\0{7}", data[: len(data) - 37]):
        if found.start() > len(data) // 2:
            changed[found.end() : found.end() + 8] = bytes(8)
    assert index > 0
    file.write_bytes(changed)
    with pytest.raises(RecordingError, match="bytes at the same time, expected at most 80000"):
        texts(file)


def test_the_yaml_in_a_bag_is_read_within_limits(tmp_path: Path) -> None:
    doubled = "".join(f"- &x{n} [*x{n - 1}, *x{n - 1}]\n" for n in range(1, 60))
    with pytest.raises(RecordingError, match="too many values"):
        texts(bag(tmp_path, CompressionType.NONE, qos=f"- &x0 [1]\n{doubled}"))
    folder = tmp_path / "folder"
    folder.mkdir()
    bag(folder, CompressionType.NONE)
    (folder / "metadata.yaml").write_text("[" * 900, encoding="utf-8")
    with pytest.raises(RecordingError, match=r"metadata\.yaml:1:101: found one more level"):
        Bag(folder)
