"""`odesim run --record`: every message of every topic, as often as the periods say, and every command."""

import json
import resource
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from geometry_msgs.msg import Twist
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from waiting import wait_until

from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.facts import CHANGES
from ros_bridge.recorder.run_facts import hash_of

MS = 1_000_000
LIMIT = 60.0


def messages(folder: Path, topic: str) -> list[tuple[int, Any]]:
    """Log times and messages of a topic."""
    with AnyReader([folder]) as reader:
        chosen = [c for c in reader.connections if c.topic == topic]
        return [(t, reader.deserialize(data, c.msgtype)) for c, t, data in reader.messages(chosen)]


def counts(folder: Path) -> dict[str, int]:
    with AnyReader([folder]) as reader:
        return dict(Counter(c.topic for c, _, _ in reader.messages()))


def test_a_run_is_recorded_whole_though_nobody_listens(
    simulate: Callable[..., Any], world_file: Callable[..., Path], tmp_path: Path
) -> None:
    world, bag = world_file(), tmp_path / "bag"
    run = simulate(world, mode="fast", duration=2.0, record=str(bag))
    assert run.wait() == 0, run.lines
    found = counts(bag)
    # no sampling period is given: every step of 4 ms
    assert found["/robot1/gps"] == 500 and found["/robot1/ds"] == 500
    assert found["/clock"] == 1 + len(range(12, 2001, 12))  # at 0, then 10 ms rounded up to whole steps
    assert found["/robot1/ground_truth"] == 100 and found["/robot1/joint_states"] == 100
    assert found["/robot1/robot_description"] == 1
    stamps = [
        (t, m.header.stamp.sec * 10**9 + m.header.stamp.nanosec) for t, m in messages(bag, "/robot1/ds")
    ]
    assert stamps == [(t, t) for t in range(4 * MS, 2001 * MS, 4 * MS)]
    facts = yaml.safe_load((bag / "metadata.yaml").read_text())["rosbag2_bagfile_information"]["custom_data"]
    assert facts["odesim.world_sha256"] == hash_of(world)
    assert json.loads(facts["odesim.parameters"])["duration"] == 2.0
    assert [json.loads(m.data)["what"] for _, m in messages(bag, CHANGES)] == ["end"]


def test_a_recording_has_the_transforms_with_their_definition(
    simulate: Callable[..., Any], world_file: Callable[..., Path], tmp_path: Path
) -> None:
    """Though tf2_msgs need not be installed, also for who reads it: readers know the type by the file."""
    bag = tmp_path / "bag"
    run = simulate(world_file(), mode="fast", duration=1.0, record=str(bag))
    assert run.wait() == 0, run.lines
    moving, static = messages(bag, "/tf"), messages(bag, "/tf_static")
    assert len(moving) == 50 and len(static) == 1
    tree = {each.child_frame_id: each.header.frame_id for _, m in moving + static for each in m.transforms}
    frame, above = "robot1/ds", []
    while frame in tree:
        frame = tree[frame]
        above.append(frame)
    assert above == ["robot1/base_link", "robot1/odom", "world"]
    (truth, *_) = [m for t, m in messages(bag, "/robot1/ground_truth") if t == moving[-1][0]]
    (sent,) = [each for each in moving[-1][1].transforms if each.child_frame_id == "robot1/base_link"]
    assert (sent.header.stamp.sec, sent.header.stamp.nanosec) == (1, 0) and truth.header.stamp.sec == 1
    with (bag / "bag_0.mcap").open("rb") as stream:
        reader = make_reader(stream)
        schema = next(s for s, channel, _ in reader.iter_messages(topics=["/tf"]) if s is not None)
    assert (schema.name, schema.encoding) == ("tf2_msgs/msg/TFMessage", "ros2msg")
    first, *rest = schema.data.decode().split("=" * 80 + "\n")
    assert first.split() == ["geometry_msgs/TransformStamped[]", "transforms"]
    assert {part.split("\n")[0] for part in rest} == {
        "MSG: geometry_msgs/TransformStamped",
        "MSG: geometry_msgs/Transform",
        "MSG: geometry_msgs/Vector3",
        "MSG: geometry_msgs/Quaternion",
        "MSG: std_msgs/Header",
        "MSG: builtin_interfaces/Time",
    }


def test_chosen_topics_alone_are_recorded_and_sampled(
    simulate: Callable[..., Any], world_file: Callable[..., Path], tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    topics = ["/robot1/ds", "/old/*"]
    run = simulate(world_file(), mode="fast", duration=1.0, record=str(bag), record_topic=topics)
    assert run.wait() == 0, run.lines
    assert set(counts(bag)) == {
        "/robot1/ds",
        "/old/ground_truth",
        "/old/joint_states",
        "/old/arm/force_feedback",
        "/old/odom",
        "/old/robot_description",
        CHANGES,
    }


def test_wrong_topics_and_existing_folders_are_one_line(
    simulate: Callable[..., Any], world_file: Callable[..., Path], tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    run = simulate(world_file(), record=str(bag), record_topic=["/robot1/dds"])
    assert run.wait() == 2
    assert len(run.says('no such topic (did you mean "/robot1/ds"?)')) == 1 and not bag.exists()
    bag.mkdir()
    again = simulate(world_file(), record=str(bag))
    assert again.wait() == 2
    assert again.lines == [f"{bag}: exists already, expected a new folder: no recording is overwritten"]


def test_a_full_disk_ends_the_run_with_a_line_and_leaves_a_bag_that_opens(
    simulate: Callable[..., Any], world_file: Callable[..., Path], tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    run = simulate(world_file(), mode="fast", record=str(bag))
    file = bag / "bag_0.mcap"
    wait_until(lambda: file.is_file() and file.stat().st_size > 100_000, lambda: run.lines)
    most = file.stat().st_size + 5_000_000
    resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (most, most))
    assert run.wait() == 2
    assert len(run.says(f"{bag}: cannot be written: File too large")) == 1
    assert not run.says("Traceback")
    with Bag(bag) as opened:
        assert opened.rows["/robot1/gps"].messages > 100


def test_commands_and_resets_are_recorded_with_the_time_they_were_applied_at(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any, tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    run = simulate(world_file(), mode="paused", record=str(bag), record_topic=["/clock"])
    speak = client.speak(Twist, "/old/cmd_vel")
    for _ in range(3):
        client.call("step")
    order = Twist()
    order.linear.x = 0.25
    speak.publish(order)
    client.until(lambda: (bag / "bag_0.mcap").read_bytes().count(b"cmd_vel"), "the command in the bag")
    client.call("step")
    client.call("reset")
    client.call("step")
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines
    commands = messages(bag, "/old/cmd_vel")
    assert [(time, message.linear.x) for time, message in commands] == [(12 * MS, 0.25)]
    changes = [(t, json.loads(m.data)) for t, m in messages(bag, CHANGES)]
    assert [(t // MS, c["what"], c["time_ns"] // MS) for t, c in changes] == [
        (16, "reset", 16),
        (16 + 4 + 4, "end", 4),  # log time goes on: one step for the way back, and the step made since
    ]
