"""A damaged bag is refused in one line; `odesim bag repair` saves what is whole and names what is not."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest
from mcap.reader import make_reader

from ros_bridge.cli.__main__ import main
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.changes import JOURNAL
from ros_bridge.recorder.repair import DAMAGED
from sim_core.base.errors import RecordingError

COUNT = 60
SIZE = 100_000


def content(number: int) -> bytes:
    """A std_msgs/msg/UInt8MultiArray in CDR, each another."""
    return b"\0\1\0\0" + struct.pack("<IIII", 0, 0, SIZE, number) + bytes(SIZE - 4)


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """Six chunks or so."""
    folder = tmp_path / "bag"
    with BagWriter(folder, {"odesim.world": "w.wbt"}) as writer:
        channel = writer.add_topic("/a", "std_msgs/msg/UInt8MultiArray")
        for number in range(COUNT):
            writer.write(channel, content(number), number * 1_000_000, 5)
    return folder


def chunks(folder: Path) -> list[tuple[int, int, set[int]]]:
    """Where each chunk begins, its length, and the numbers of its messages."""
    with (folder / "bag_0.mcap").open("rb") as stream:
        summary = make_reader(stream).get_summary()
        assert summary is not None
        return [
            (
                each.chunk_start_offset,
                each.chunk_length,
                set(range(each.message_start_time // 1_000_000, each.message_end_time // 1_000_000 + 1)),
            )
            for each in sorted(summary.chunk_indexes, key=lambda each: each.chunk_start_offset)
            if each.uncompressed_size > SIZE
        ]


def overwrite(folder: Path, at: int, data: bytes) -> None:
    with (folder / "bag_0.mcap").open("r+b") as stream:
        stream.seek(at)
        stream.write(data)


def read(folder: Path) -> list[int]:
    with Bag(folder) as opened:
        found = []
        for _, time_ns, message in opened.messages(["/a"]):
            number = time_ns // 1_000_000
            assert bytes(message.data[:4]) == struct.pack("<I", number)
            found.append(number)
        assert opened.facts["odesim.world"] == "w.wbt"
        return found


@pytest.mark.parametrize("which", [0, 2, -1])
@pytest.mark.parametrize("place", ["data", "head"])
def test_one_chunk_is_damaged(bag: Path, which: int, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    at, length, lost = chunks(bag)[which]
    before = (bag / "bag_0.mcap").read_bytes()
    if place == "data":
        overwrite(bag, at + length // 2, b"damaged")
    else:
        overwrite(bag, at, b"\xff" * 64)
    damaged = (bag / "bag_0.mcap").read_bytes()
    assert damaged != before
    with pytest.raises(RecordingError, match="odesim bag repair saves what is whole") as caught:
        read(bag)
    assert "\n" not in str(caught.value)
    assert main(["bag", "repair", str(bag)]) == 0
    said = capsys.readouterr()
    places = [
        list(map(int, line.split("bytes ")[1].split(" are")[0].split(" to ")))
        for line in said.err.splitlines()
    ]
    assert any(start <= at + length // 2 < end for start, end in places)
    assert read(bag) == sorted(set(range(COUNT)) - lost)
    assert (bag / f"bag_0.mcap{DAMAGED}").read_bytes() == damaged
    assert f"it holds {COUNT - len(lost)} messages; as it was: " in said.out


WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF BALL Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
"""
ABOUT = {
    facts.WORLD: "w.wbt",
    facts.WORLD_HASH: hashlib.sha256(WORLD.encode()).hexdigest(),
    facts.SEED: "0",
    facts.PARAMETERS: '{"seed": 0}',
    facts.JOURNAL: JOURNAL,
    facts.URDF: "[]",
    facts.OPTIONS: '{"skip_missing": false}',
}
END = '{"what": "end", "time_ns": 0}'


def told(folder: Path, change: str = END, about: dict[str, str] | None = None) -> list[str]:
    """A bag of one change of `WORLD`; the words for `odesim replay`."""
    world = folder / "w.wbt"
    world.write_text(WORLD)
    with BagWriter(folder / "bag", {**ABOUT, **(about or {})}) as writer:
        data = change.encode() + b"\0"
        channel = writer.add_topic(facts.CHANGES, "std_msgs/msg/String")
        writer.write(channel, b"\0\1\0\0" + struct.pack("<I", len(data)) + data, 0, 0)
    return ["replay", str(folder / "bag"), "--world", str(world)]


def test_a_change_is_repeated(tmp_path: Path) -> None:
    action = '{"do": "Remove", "node": "BALL"}'
    change = f'{{"what": "command", "time_ns": 0, "from": "x", "actions": [{action}]}}'
    assert main(told(tmp_path, change)) == 0


@pytest.mark.parametrize(
    "change",
    [
        *("{", "[]", "[" * 100_000, '{"what": 5, "time_ns": 0}', '{"what": "end"}'),
        *('{"what": "end", "time_ns": 1e999}', '{"what": "end", "time_ns": 900000000000000000}'),
        *('{"what": "reset", "time_ns": 0}', '{"what": "reset", "time_ns": 0, "seed": []}'),
        '{"what": "reset_scope", "time_ns": 0, "scope": "all"}',
        '{"what": "command", "time_ns": 0, "from": "x"}',
        '{"what": "command", "time_ns": 0, "from": "x", "actions": [5]}',
        '{"what": "command", "time_ns": 0, "from": "x", "actions": [{"do": []}]}',
        '{"what": "command", "time_ns": 0, "from": "x", "actions": [{"do": {"base64": 5}}]}',
        '{"what": "load_world", "time_ns": 0}',
    ],
    ids=lambda change: change[:60],
)
def test_a_change_that_makes_no_sense_is_refused(
    tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = told(tmp_path, change)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and len(said) < 1000, said
    assert main(["bag", "commands", words[1]]) in (0, 2)


@pytest.mark.parametrize("name", [facts.PARAMETERS, facts.URDF, facts.OPTIONS, facts.COMMANDS, facts.FILES])
@pytest.mark.parametrize("text", ["{", "5", '"a"', "[" * 100_000], ids=["torn", "number", "text", "deep"])
def test_facts_that_make_no_sense_are_refused(
    tmp_path: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = told(tmp_path, about={name: text})
    words = ["bag", "commands", words[1]] if name == facts.COMMANDS else words
    assert main(words) == 2
    said = capsys.readouterr().err
    assert name in said and said.count("\n") == 1 and len(said) < 1000, said


def test_metadata_is_damaged(bag: Path) -> None:
    file = bag / "metadata.yaml"
    whole = file.read_bytes()
    for text in (
        b"\xff\xfe",
        b"rosbag2_bagfile_information: 5",
        whole.replace(b"count: ", b"count: x"),
        whole.replace(b"nanoseconds: ", b"nanoseconds: 1" + 400 * b"0"),
        whole.replace(b"count: ", b"count: 1" + 400 * b"0"),
        whole.replace(b"type: std_msgs/msg/UInt8MultiArray", b"type: 5"),
    ):
        file.write_bytes(text)
        with pytest.raises(RecordingError) as caught:
            read(bag)
        assert "\n" not in str(caught.value)
        assert main(["bag", "repair", str(bag)]) == 0
        assert read(bag) == list(range(COUNT))
        assert not (bag / f"bag_0.mcap{DAMAGED}").exists()


def test_its_end_is_torn_off(bag: Path) -> None:
    at, length, lost = chunks(bag)[3]
    with (bag / "bag_0.mcap").open("r+b") as stream:
        stream.truncate(at + length // 2)
    assert read(bag) == list(range(min(lost)))


def test_what_looks_like_a_chunk_in_a_message_of_a_torn_one_is_none(tmp_path: Path) -> None:
    """A chunk's record: times, size and checksum (0: unknown), no compression, no records (MCAP, Chunk)."""
    chunk = struct.pack("<BQQQQIIQ", 6, 40, 0, 0, 0, 0, 0, 0)
    data = b"\0\1\0\0" + struct.pack("<III", 0, 0, SIZE) + (chunk * SIZE)[:SIZE]
    folder = tmp_path / "bag"
    with BagWriter(folder, {"odesim.world": "w.wbt"}) as writer:
        channel = writer.add_topic("/a", "std_msgs/msg/UInt8MultiArray")
        for number in range(COUNT):
            writer.write(channel, data, number * 1_000_000, 5)
    at, length, lost = chunks(folder)[2]
    with (folder / "bag_0.mcap").open("r+b") as stream:
        stream.truncate(at + length // 2)
    with Bag(folder) as opened:
        assert [time_ns // 1_000_000 for _, time_ns, _ in opened.messages(["/a"])] == list(range(min(lost)))
    assert not (folder / f"bag_0.mcap{DAMAGED}").exists()
