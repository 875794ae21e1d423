"""Bags of `ros2 bag record` that are otherwise than ours: compressed, in parts, with events of services."""

from pathlib import Path
from typing import Any

import pytest
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from ros_bridge.cli.__main__ import main
from ros_bridge.recorder.bag import Bag
from sim_core.base.errors import RecordingError

STORE = get_typestore(Stores.ROS2_KILTED)
STRING: Any = STORE.types["std_msgs/msg/String"]
TYPE = "std_msgs/msg/String"
SERVICE = b"""bool data # request\n---\nbool success\nstring message\n"""
"""What rosbag2 says of the type of a service's events: std_srvs/srv/SetBool."""


def text(number: int) -> bytes:
    return bytes(STORE.serialize_cdr(STRING(data=f"text {number}"), TYPE))


def texts(bag: Bag, topic: str) -> list[tuple[int, str]]:
    return [(time_ns, message.data) for _, time_ns, message in bag.messages([topic])]


@pytest.mark.parametrize(
    ("storage", "mode"),
    [
        *((StoragePlugin.MCAP, mode) for mode in CompressionMode),
        *((StoragePlugin.SQLITE3, mode) for mode in CompressionMode if mode != CompressionMode.STORAGE),
    ],
)
def test_bags_are_read_however_they_are_stored_and_compressed(
    storage: StoragePlugin, mode: CompressionMode, tmp_path: Path
) -> None:
    folder = tmp_path / "bag"
    writer = Writer(folder, version=9, storage_plugin=storage)
    if mode != CompressionMode.NONE:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection("/text", TYPE, typestore=STORE)
        for number in range(5):
            writer.write(connection, 10 * number, text(number))
    with Bag(folder) as bag:
        assert bag.rows["/text"].messages == 5
        assert texts(bag, "/text") == [(10 * number, f"text {number}") for number in range(5)]
        if bag.files[0].suffix != ".mcap":
            with pytest.raises(RecordingError, match=r"found no \.mcap file, expected a bag of odesim run"):
                list(bag.in_file_order())


def write_mcap(file: Path, first: int, service: bool = False) -> None:
    with file.open("wb") as stream:
        writer = McapWriter(stream)
        writer.start("ros2", "test")
        schema = writer.register_schema(TYPE, "ros2msg", b"string data")
        channel = writer.register_channel("/text", "cdr", schema, {"offered_qos_profiles": ""})
        if service:
            event = writer.register_schema("std_srvs/srv/SetBool_Event", "ros2msg", SERVICE)
            asked = writer.register_channel("/it/_service_event", "cdr", event, {"offered_qos_profiles": ""})
            writer.add_message(asked, first, b"\0\1\0\0", first)
        for number in range(first, first + 3):
            writer.add_message(channel, number, text(number), number)
        writer.finish()


def test_parts_of_a_bag_without_metadata_are_one_bag(tmp_path: Path) -> None:
    """What is left when a recorder is killed before it writes metadata.yaml."""
    for part in range(3):
        write_mcap(tmp_path / f"bag_{part}.mcap", first=100 * part)
    with Bag(tmp_path) as bag:
        expected = [100 * part + number for part in range(3) for number in range(3)]
        assert texts(bag, "/text") == [(number, f"text {number}") for number in expected]


def test_events_of_services_keep_nobody_from_the_other_topics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bag.mcap"
    write_mcap(file, first=0, service=True)
    with Bag(file) as bag:
        assert {name: row.messages for name, row in bag.rows.items()} == {"/it/_service_event": 1, "/text": 3}
        assert len(texts(bag, "/text")) == 3
    assert main(["bag", "csv", str(file), "--out", str(tmp_path / "all")]) == 0
    said = capsys.readouterr()
    assert said.err == "/it/_service_event: left out, found no definition of std_srvs/srv/SetBool_Event\n"
    assert [each.name for each in (tmp_path / "all").iterdir()] == ["text.csv"]
    assert main(["bag", "csv", str(file), "/it/*", "--out", str(tmp_path / "events")]) == 2
    expected = f"{file}: found no definition of std_srvs/srv/SetBool_Event in it\n"
    assert capsys.readouterr().err == expected
