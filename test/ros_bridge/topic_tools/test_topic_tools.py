"""`odesim topic` beside a running simulation."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import TwistStamped
from processes import ODESIM, ReadProcess, finished, started
from std_msgs.msg import String
from waiting import wait_until

from ros_bridge.topics.qos import LATCHED, profile

ROOT = Path(__file__).resolve().parents[3]


def topic(*words: str) -> subprocess.CompletedProcess[str]:
    return finished(*ODESIM, "topic", *words)


def said(*words: str) -> str:
    ended = topic(*words)
    assert (ended.returncode, ended.stderr) == (0, ""), (ended.stdout, ended.stderr)
    return ended.stdout


class Tool(ReadProcess):
    """A command that runs until Ctrl-C."""

    def __init__(self, *words: str) -> None:
        super().__init__(*ODESIM, "topic", *words)

    def interrupted(self) -> list[str]:
        self.send(signal.SIGINT)
        assert self.wait(20.0) == 0, self.lines
        return self.lines


@pytest.fixture
def tool() -> Iterator[Callable[..., Tool]]:
    yield from started(Tool)


@pytest.fixture
def running(simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any) -> Any:
    run = simulate(world_file(), mode="realtime")
    client.until(lambda: client.node.count_publishers("/robot1/ds"), "the simulation")
    return run


def test_topics_types_and_numbers_of_those_who_have_them(running: Any) -> None:
    lines = said("list").splitlines()
    assert {"/robot1/ds", "/robot1/cmd_vel", "/clock", "/tf"} <= set(lines) and lines == sorted(lines)
    with_types = said("list", "-t").splitlines()
    assert "/robot1/ds [sensor_msgs/msg/Range]" in with_types
    assert "/tf [tf2_msgs/msg/TFMessage]" in with_types
    known = " * /robot1/cmd_vel [geometry_msgs/msg/Twist] 1 subscriber"
    wait_until(lambda: known in said("list", "-v"), "who listens")  # each finds them anew
    published, subscribed = said("list", "-v").split("\n\n")[:2]
    assert published.startswith("Published topics:\n * /")
    assert " * /robot1/ds [sensor_msgs/msg/Range] 1 publisher\n" in published
    assert subscribed.startswith("Subscribed topics:\n * /")
    wait_until(lambda: int(said("list", "-c")) >= len(lines) - 2, "as many again")  # each finds them anew
    assert "/robot1/ds\n" in said("find", "sensor_msgs/Range")
    assert said("type", "/robot1/ds") == "sensor_msgs/msg/Range\n"


def test_what_there_is_to_know_about_a_topic(running: Any) -> None:
    assert (
        said("info", "/robot1/ds")
        == "Type: sensor_msgs/msg/Range\nPublisher count: 1\nSubscription count: 0\n"
    )
    text = said("info", "-v", "/tf_static")
    assert text.startswith("Type: tf2_msgs/msg/TFMessage\n\nPublisher count: 1\n\nNode name: odesim\n")
    assert "Topic type hash: RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087" in text
    assert "Durability: TRANSIENT_LOCAL" in text and text.endswith("Subscription count: 0\n\n")


def test_messages_are_echoed(running: Any) -> None:
    text, end = said("echo", "--once", "/robot1/ground_truth").rsplit("---\n", 1)
    truth = yaml.safe_load(text)
    assert (
        end == "" and truth["header"]["frame_id"] == "world" and truth["child_frame_id"] == "robot1/base_link"
    )
    assert len(truth["pose"]["covariance"]) == 36
    lines = said("echo", "/robot1/ground_truth", "--once", "--no-arr", "--field", "pose").splitlines()
    assert lines[-2:] == ["covariance: '<array type: double[36]>'", "---"]
    position = said("echo", "/robot1/ground_truth", "--once", "--csv", "--field", "pose.pose.position")
    assert [abs(float(each)) < 1.0 for each in position.split(",")] == [True] * 3
    static = yaml.safe_load(said("echo", "--once", "/tf_static").replace("---\n", ""))
    assert "robot1/ds" in {each["child_frame_id"] for each in static["transforms"]}
    late = said("echo", "/robot1/ground_truth", "--once", "--filter", "m.stamp.sec >= 1", "--field", "header")
    assert yaml.safe_load(late.replace("---\n", ""))["stamp"]["sec"] >= 1
    assert said("echo", "/robot1/ds", "nav_msgs/msg/Odometry", "--timeout", "0.5") == ""


def test_a_robot_is_driven_and_its_topics_are_measured(running: Any, tool: Callable[..., Tool]) -> None:
    out = said("pub", "-1", "/robot1/cmd_vel", "geometry_msgs/msg/Twist", "{linear: {x: 0.3}}")
    first, rest = out.split("publisher: beginning loop\n")
    assert first in ("", "Waiting for at least 1 matching subscription(s)...\n")
    assert rest.startswith("publishing #1: geometry_msgs.msg.Twist(linear=geometry_msgs.msg.Vector3(x=0.3, ")
    moving = "abs(m.twist.twist.linear.x - 0.3) < 0.05"
    assert "child_frame_id: robot1/" in said("echo", "/robot1/ground_truth", "--once", "--filter", moving)
    hz = tool("hz", "/robot1/ground_truth", "-w", "20")
    hz.until_it_says("window: 20")
    lines = hz.interrupted()
    assert lines[-2].startswith("average rate: ") and 20.0 < float(lines[-2].split()[-1]) < 80.0
    both = tool("hz", "/robot1/ground_truth", "/robot1/odom")
    both.until_it_says("/robot1/odom           ")
    assert "Subscribed to [/robot1/odom]" in both.interrupted()
    bw = tool("bw", "/robot1/ground_truth")
    bw.until_it_says("Message size mean: 0.7")
    assert bw.interrupted()[0] == "Subscribed to [/robot1/ground_truth]"


def test_publishing_at_a_rate_with_stamps_of_now(client: Any, tool: Callable[..., Tool]) -> None:
    heard: list[TwistStamped] = []
    client.node.create_subscription(TwistStamped, "/go", heard.append, 10)
    values = "{header: auto, twist: {angular: {z: 1}}}"
    ended = tool("pub", "-t", "3", "-r", "50", "-p", "2", "/go", "geometry_msgs/TwistStamped", values)
    client.until(lambda: len(heard) == 3, "three")
    assert ended.wait() == 0
    assert len(ended.says("publishing #")) == 1
    assert all(each.twist.angular.z == 1.0 and each.header.stamp.sec > 1_000_000_000 for each in heard)
    assert heard[0].header.stamp != heard[2].header.stamp
    forever = tool("pub", "-r", "20", "/go", "geometry_msgs/msg/TwistStamped")
    client.until(lambda: len(heard) > 6, "more")
    forever.interrupted()


def test_what_is_kept_for_late_subscribers_is_echoed(client: Any) -> None:
    publisher = client.node.create_publisher(String, "/kept", profile(LATCHED))
    publisher.publish(String(data="hall"))
    assert said("echo", "--once", "/kept") == "data: hall\n---\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("echo", "/robot1/dss"), "topic /robot1/dss: found none of that name; see odesim topic list"),
        (("hz", "/nothing"), "topic /nothing: found none of that name; see odesim topic list"),
        (("info", "/nothing"), "topic /nothing: found none of that name; see odesim topic list"),
        (
            ("pub", "/x", "std_msgs/msg/Strin"),
            "type std_msgs/msg/Strin: found none of that name in an installed package std_msgs",
        ),
        (
            ("pub", "/x", "no_msgs/Such"),
            "type no_msgs/Such: found none of that name in an installed package no_msgs",
        ),
        (("pub", "/x", "Such"), 'found the type "Such", expected one such as geometry_msgs/msg/Twist'),
        (
            ("pub", "/x", "std_msgs/String", "data"),
            "values: found 'data', expected fields in YAML, such as '{data: 1}'",
        ),
        (("pub", "/x", "std_msgs/String", "{datas: a}"), 'found "datas", expected a field of String: data'),
        (("pub", "/x", "std_msgs/Int8", "{data: 300}"), 'found 300 for "data", expected int8'),
        (
            ("pub", "-1", "--max-wait-time-secs", "0.2", "/x", "std_msgs/Int8"),
            "topic /x: found 0 subscribers in 0.2 s, expected 1",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words: tuple[str, ...], line: str) -> None:
    ended = topic(*words)
    assert (ended.returncode, ended.stderr) == (2, f"{line}\n")
    assert ended.stdout in ("", "Waiting for at least 1 matching subscription(s)...\n")


@pytest.mark.parametrize("words", [("/a b",), ("/1",), ("",)])
def test_names_that_no_topic_can_have(words: tuple[str, ...]) -> None:
    ended = topic("type", *words)
    assert ended.returncode == 2 and ended.stderr.startswith(f'topic "{words[0]}": ')
    assert len(ended.stderr.splitlines()) == 1


def test_a_reader_that_has_seen_enough_is_no_error(client: Any) -> None:
    publisher = client.node.create_publisher(String, "/many", 10)
    command = " ".join([*ODESIM, "topic echo /many | head -n 1"])
    process = subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    client.until(lambda: publisher.publish(String(data="x")) or process.poll() is not None, "the end")
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "data: x\n", "")


def test_interrupted_while_it_waits_it_ends_in_silence(tool: Callable[..., Tool], client: Any) -> None:
    waiting = tool("pub", "-1", "/nobody", "std_msgs/msg/String")
    waiting.until_it_says("Waiting for at least 1")
    assert set(waiting.interrupted()) == {"Waiting for at least 1 matching subscription(s)..."}


def printed_commands() -> list[list[str]]:
    """Return the commands in docs/ros_interface.md, without comments."""
    text = (ROOT / "docs" / "ros_interface.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    odesim topic (.*)", text, re.MULTILINE)
    return [shlex.split(re.split(r"\s{2,}#", line)[0]) for line in lines]


def test_the_commands_of_the_document_do_what_it_says(
    simulate: Callable[..., Any], client: Any, tool: Callable[..., Tool]
) -> None:
    """Commands without an end are interrupted after their first output.

    Publishing commands are run last: a robot subscribes to one type of `cmd_vel` at a time.
    """
    commands = printed_commands()
    assert {words[0] for words in commands} == {
        *("list", "info", "type", "find", "echo", "hz", "bw", "pub"),
    }
    world = ROOT / "worlds" / "wall_avoiders.wbt"
    simulate(world, mode="realtime", controllers=False)
    client.until(lambda: client.node.count_publishers("/robot1/ds_front"), "the simulation")
    running = {str(words): tool(*words) for words in commands if words[0] != "pub"}
    for words in commands:
        each = running.get(str(words)) or tool(*words)
        goes_on = words[0] in ("echo", "hz", "bw", "pub") and not {"--once", "-1"} & set(words)
        if goes_on:
            each.until_it_says({"hz": "std_dev", "bw": "/s from", "pub": "publishing #"}.get(words[0], "---"))
            each.interrupted()
        assert each.wait() == 0 and each.lines, (words, each.lines)
        assert not each.says("Traceback")
