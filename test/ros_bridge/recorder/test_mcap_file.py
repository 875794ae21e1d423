"""The stream under a recording: at every moment what was written and one end; at the end that alone."""

from pathlib import Path

import pytest

from ros_bridge.recorder.mcap_file import CHUNK_SIZE, END, GrowingFile


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
