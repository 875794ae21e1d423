"""Bags are whole, also after a kill, and readers that are not ours read them."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from mcap.reader import NonSeekingReader, make_reader
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import Range
from std_msgs.msg import UInt8MultiArray
from waiting import wait_until

from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.topics.definitions import definition
from sim_core.base.errors import ConfigError, RecordingError

ROOT = Path(__file__).resolve().parents[3]


def a_range(value: float) -> bytes:
    message = Range()
    message.range = float(value)
    message.header.frame_id = "robot1/ds"
    return serialize_message(message)


def record(folder: Path, count: int = 1000) -> None:
    with BagWriter(folder, {"odesim.world": "w.wbt"}) as bag:
        one = bag.add_topic("/one", "sensor_msgs/msg/Range")
        two = bag.add_topic("/two", "sensor_msgs/msg/Range")
        for i in range(count):
            bag.write(one, a_range(i), i * 1000, 5)
            bag.write(two, a_range(-i), i * 1000 + 1)


def test_what_is_written_is_read_by_rosbags_with_the_definitions_in_the_bag(tmp_path: Path) -> None:
    record(tmp_path / "bag")
    with AnyReader([tmp_path / "bag"]) as reader:
        assert reader.message_count == 2000
        assert {c.topic: c.msgcount for c in reader.connections} == {"/one": 1000, "/two": 1000}
        assert reader.duration == 999_001 + 1
        for i, (connection, stamp, data) in enumerate(
            reader.messages([c for c in reader.connections if c.topic == "/one"])
        ):
            message = reader.deserialize(data, connection.msgtype)
            assert (stamp, message.range, message.header.frame_id) == (i * 1000, i, "robot1/ds")
            assert message.variance == 0.0  # a field that older definitions lack
        assert i == 999


def test_what_is_written_is_read_by_the_mcap_library_in_order_with_both_times(tmp_path: Path) -> None:
    record(tmp_path / "bag", 10)
    with (tmp_path / "bag" / "bag_0.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == 20
        assert {record.name for record in reader.iter_metadata()} == {"odesim", "rosbag2"}
        first = next(iter(reader.iter_messages(["/one"], log_time_order=False)))
    schema, channel, message = first
    assert schema is not None and (schema.name, schema.encoding) == ("sensor_msgs/msg/Range", "ros2msg")
    assert channel.message_encoding == "cdr" and message.publish_time == 5
    assert deserialize_message(message.data, Range).range == 0.0


def test_metadata_has_the_form_of_rosbag2(tmp_path: Path) -> None:
    record(tmp_path / "bag", 10)
    text = (tmp_path / "bag" / "metadata.yaml").read_text()
    found = yaml.safe_load(text)["rosbag2_bagfile_information"]
    assert found["storage_identifier"] == "mcap" and found["relative_file_paths"] == ["bag_0.mcap"]
    assert found["custom_data"] == {"odesim.world": "w.wbt", "odesim.state": "complete"}
    topic = found["topics_with_message_count"][0]["topic_metadata"]
    assert topic["offered_qos_profiles"][0]["reliability"] == "reliable"
    assert "&id" not in text


def test_the_digest_of_a_definition_is_the_one_that_ros_gives_it() -> None:
    file = Path(sys.prefix) / "share" / "sensor_msgs" / "msg" / "Range.json"
    if not file.is_file():
        pytest.skip("type descriptions are not installed here")
    digests = {
        row["type_name"]: row["hash_string"] for row in yaml.safe_load(file.read_text())["type_hashes"]
    }
    about = definition("sensor_msgs/msg/Range")
    assert about.digest == digests["sensor_msgs/msg/Range"]
    assert "MSG: builtin_interfaces/Time" in about.text


def test_a_type_that_is_nowhere_is_named() -> None:
    with pytest.raises(ConfigError, match="message type no_msgs/msg/Thing"):
        definition("no_msgs/msg/Thing")


def test_an_existing_folder_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "bag").mkdir()
    with pytest.raises(RecordingError, match="exists already"):
        BagWriter(tmp_path / "bag")
    assert list((tmp_path / "bag").iterdir()) == []


def test_a_writer_faster_than_the_disk_waits_and_loses_nothing(tmp_path: Path) -> None:
    data = serialize_message(UInt8MultiArray(data=bytes(1 << 20)))
    with BagWriter(tmp_path / "bag", limit=3 << 20) as bag:
        channel = bag.add_topic("/blob", "std_msgs/msg/UInt8MultiArray")
        most = 0
        for i in range(100):
            bag.write(channel, data, i)
            most = max(most, bag._put_bytes - bag._written_bytes)
    assert most <= 3 << 20
    with Reader(tmp_path / "bag") as reader:
        assert sum(len(data) for _, _, data in reader.messages()) == 100 * len(data)


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    bag = BagWriter(tmp_path / "bag")
    channel = bag.add_topic("/one", "sensor_msgs/msg/Range")
    os.close(bag._file._stream._handle)  # as if the disk had gone
    bag._file._stream._handle = os.open("/dev/full", os.O_WRONLY)
    bag.write(channel, a_range(1.0), 0)
    with pytest.raises(RecordingError, match="cannot be written"):
        bag.close()


KILLED = """
import sys, time
from rclpy.serialization import serialize_message
from std_msgs.msg import UInt8MultiArray
from ros_bridge.recorder.bag_writer import BagWriter
data = [serialize_message(UInt8MultiArray(data=bytes([i % 251] * (i % 40000)))) for i in range(500)]
with BagWriter(sys.argv[1]) as bag:
    channel = bag.add_topic("/blob", "std_msgs/msg/UInt8MultiArray")
    i = 0
    while True:
        bag.write(channel, data[i % 500], i)
        print(i, time.monotonic(), flush=True)
        i += 1
        if i % 20 == 0:
            time.sleep(0.001)
"""


@pytest.mark.parametrize("delay", [0.9, 1.37])
def test_after_a_kill_the_bag_opens_and_has_all_up_to_the_last_second(tmp_path: Path, delay: float) -> None:
    folder = tmp_path / "bag"
    out = tmp_path / "out"
    with out.open("w") as said:
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], cwd=ROOT, stdout=said)
        wait_until(lambda: out.stat().st_size > 0, "the first message")
        time.sleep(delay)  # the kill may come at any moment
        killed = time.monotonic()
        process.send_signal(signal.SIGKILL)
        process.wait()
    lines = [line.split() for line in out.read_text().splitlines() if line.count(".") == 1]
    due = sum(float(when) < killed - 1.0 for _, when in lines)
    with Reader(folder) as reader:
        found = [(stamp, len(data), hashlib.sha1(data).digest()) for _, stamp, data in reader.messages()]
    assert len(found) >= max(due, 1)
    assert [stamp for stamp, _, _ in found] == list(range(len(found)))
    assert found[3][1] == 4 + 4 + 4 + 4 + 3  # CDR header, empty layout, data offset, length, three bytes
    with (folder / "bag_0.mcap").open("rb") as file:
        assert sum(1 for _ in NonSeekingReader(file).iter_messages()) == len(found)
    with (folder / "bag_0.mcap").open("rb") as file:
        assert sum(1 for _ in make_reader(file).iter_messages()) == len(found)
