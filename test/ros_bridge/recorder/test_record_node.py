"""`odesim record`: any topics, from when it found them, with nothing missing."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from rclpy.duration import Duration
from rosbags.highlevel import AnyReader
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Int32

from ros_bridge.recorder.record_node import HELD_NS
from ros_bridge.topics.qos import LATCHED, profile

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def recorder() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `odesim record`."""
    running: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ros_bridge.cli", "record", *words]
        running.append(
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        )
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_all_messages_of_chosen_topics_are_recorded_over_dds(
    recorder: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    one = client.node.create_publisher(Int32, "/count/one", 1000)
    two = client.node.create_publisher(Int32, "/count/two", 1000)
    other = client.node.create_publisher(Int32, "/other", 10)
    process = recorder(str(tmp_path / "bag"), "/count/*", "--wall-time")
    client.until(lambda: one.get_subscription_count() and two.get_subscription_count(), "the recorder")
    file = tmp_path / "bag" / "bag_0.mcap"
    # Both ends must know of each other: one sends until something is in the file.
    client.until(lambda: one.publish(Int32(data=-1)) or b"/count/one" in file.read_bytes(), "the file")
    for number in range(500):
        for publisher in (one, two, other):
            publisher.publish(Int32(data=number))
    for publisher in (one, two):
        assert publisher.wait_for_all_acked(Duration(seconds=10))
    client.until(lambda: file.read_bytes().count((499).to_bytes(4, "little")) >= 2, "the last messages")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    found: dict[str, list[int]] = {}
    with AnyReader([tmp_path / "bag"]) as reader:
        for connection, _, data in reader.messages():
            found.setdefault(connection.topic, []).append(reader.deserialize(data, connection.msgtype).data)
    assert sorted(found) == ["/count/one", "/count/two"]
    assert [number for number in found["/count/one"] if number >= 0] == list(range(500))
    assert found["/count/two"] == list(range(found["/count/two"][0], 500)) and found["/count/two"][0] < 5
    assert f"{sum(map(len, found.values()))} messages of 2 topics" in said


def test_a_simulation_is_logged_by_its_time_and_its_latched_topics_are_there(
    recorder: Callable[..., Any],
    simulate: Callable[..., Any],
    world_file: Callable[..., Path],
    client: Any,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "bag"
    simulate(world_file(), mode="realtime")
    client.until(lambda: client.node.count_publishers("/clock"), "the simulation")
    process = recorder(str(folder))
    file = folder / "bag_0.mcap"
    client.until(lambda: file.is_file() and file.stat().st_size > 300_000, "some data")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    with AnyReader([folder]) as reader:
        assert {"/clock", "/odesim/markers", "/robot1/gps", "/robot1/robot_description"} <= {
            c.topic for c in reader.connections if c.msgcount
        }
        for connection, log_time, data in reader.messages():
            if connection.topic == "/robot1/gps":
                stamp = reader.deserialize(data, connection.msgtype).header.stamp
                late = log_time - (stamp.sec * 10**9 + stamp.nanosec)
                assert abs(late) < 2 * 10**9  # wall time is 50 years off


def test_a_recording_begun_before_the_simulation_has_one_clock(
    recorder: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    """Before the first /clock nothing is written but what waits for late subscribers; then it counts."""
    note = client.node.create_publisher(Int32, "/note", 100)
    said = client.node.create_publisher(Int32, "/said", profile(LATCHED))
    said.publish(Int32(data=7))
    process = recorder(str(tmp_path / "bag"), "/note", "/said")
    client.until(note.get_subscription_count, "the recorder")
    lines: list[str] = []
    threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, "")), daemon=True).start()

    def is_waiting() -> bool:
        note.publish(Int32(data=-1))
        return any("waiting for /clock" in line for line in lines)

    client.until(is_waiting, "a line that says so")
    note.publish(Int32(data=-1))
    time.sleep(HELD_NS / 1e9 + 0.1)  # the messages of before get too old
    clock = client.node.create_publisher(Clock, "/clock", 100)
    client.until(clock.get_subscription_count, "the recorder at the clock")
    file, sent = tmp_path / "bag" / "bag_0.mcap", 0
    while b"/note" not in file.read_bytes() or sent < 20:
        sent += 1
        clock.publish(Clock(clock=Time(sec=1, nanosec=sent)))
        note.publish(Int32(data=sent))
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, lines
    with AnyReader([tmp_path / "bag"]) as reader:
        found = [
            (each.topic, log_time, reader.deserialize(data, each.msgtype).data)
            for each, log_time, data in reader.messages()
        ]
    assert ("/said", 10**9 + 1, 7) in found
    assert {data > 0 for _, _, data in found} == {True}, "what came before the clock is not there"
    assert all(0 <= log_time - 10**9 <= sent for _, log_time, _ in found), "one clock"


def test_without_a_clock_it_says_that_nothing_was_written(
    recorder: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    publisher = client.node.create_publisher(Int32, "/note", 10)
    process = recorder(str(tmp_path / "bag"), "/note", "--duration", "2")
    client.until(lambda: publisher.publish(Int32(data=1)) or process.poll() is not None, "its end")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "no /clock came, so nothing is in it; --wall-time records without one" in said


def test_an_existing_folder_is_refused(recorder: Callable[..., Any], tmp_path: Path) -> None:
    process = recorder(str(tmp_path))
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and "exists already" in said and "Traceback" not in said
