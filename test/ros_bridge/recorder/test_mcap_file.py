"""A recording's file: at every moment what was written and one end; and no memory for what was written."""

import os
import tracemalloc
from pathlib import Path

import pytest
from mcap.reader import make_reader

from ros_bridge.recorder.mcap_file import CHUNK_SIZE, END, GrowingFile, McapFile


@pytest.mark.parametrize("last", [1, len(END) - 1, len(END), 3 * len(END)])
def test_the_file_ends_where_its_writer_ends_it(tmp_path: Path, last: int) -> None:
    """Also when the last piece is shorter than the end that stood in its place."""
    path = tmp_path / "a.mcap"
    stream = GrowingFile(path)
    stream.write(b"a" * 10)
    stream.flush()
    assert path.read_bytes() == b"a" * 10 + END
    stream.write(b"b" * (CHUNK_SIZE + 1))  # committed by itself
    assert path.read_bytes() == b"a" * 10 + b"b" * (CHUNK_SIZE + 1) + END
    assert stream.tell() == 10 + CHUNK_SIZE + 1
    stream.write(b"c" * last)
    stream.end()
    assert path.read_bytes() == b"a" * 10 + b"b" * (CHUNK_SIZE + 1) + b"c" * last


def test_who_is_killed_while_it_writes_leaves_a_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes parts as it likes; between two of them the file has an end and what was committed."""
    path = tmp_path / "a.mcap"
    file = McapFile(path, "odesim")
    channel = file.add_topic("/a", "std_msgs/msg/Empty", "", {})
    committed, seen = 0, []
    pwrite = os.pwrite

    def in_parts(handle: int, data: memoryview, at: int) -> int:
        done = pwrite(handle, data if len(data) <= len(END) else data[: len(data) // 2 + 1], at)
        with path.open("rb") as stream:
            seen.append(sum(1 for _ in make_reader(stream).iter_messages()))
        assert path.read_bytes()[-len(END) :] == END
        assert seen[-1] >= committed
        return done

    file.add_message(channel, 0, bytes(1000), 0, 0)
    file.flush()
    monkeypatch.setattr(os, "pwrite", in_parts)
    for number in range(1, 5):
        committed = number
        file.add_message(channel, number, bytes(1000 * number), number, number)
        file.flush()
        assert seen[-1] == number + 1
    file.finish()
    with path.open("rb") as stream:
        summary = make_reader(stream, validate_crcs=True).get_summary()
        assert summary is not None and len(summary.chunk_indexes) == 5
    assert len(seen) > 20


def test_memory_does_not_grow_with_the_number_of_chunks(tmp_path: Path) -> None:
    channels, chunks = 100, 600
    path = tmp_path / "a.mcap"
    file = McapFile(path, "odesim")
    numbers = [file.add_topic(f"/{each}", "std_msgs/msg/Empty", "", {}) for each in range(channels)]

    def write(first: int, last: int) -> int:
        for number in range(first, last):
            for channel in numbers:
                file.add_message(channel, number, b"1234", number, number)
            file.flush()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = write(0, chunks // 2)
        assert write(chunks // 2, chunks) - before < 64 * chunks  # bytes: an index of each would take 17,000
    finally:
        tracemalloc.stop()
    file.finish()
    with path.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and len(summary.chunk_indexes) == chunks
        assert sum(1 for _ in reader.iter_messages()) == channels * chunks
