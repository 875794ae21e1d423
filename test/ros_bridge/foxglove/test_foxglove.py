"""`odesim view --foxglove`: a client of Foxglove's protocol shows a simulation and drives a robot."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("foxglove", reason="needs the Python package foxglove-sdk")

from foxglove_client import FoxgloveClient
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from pictures import needs_gl
from processes import ODESIM, ReadProcess, started
from rclpy.serialization import serialize_message

ROOT = Path(__file__).resolve().parents[3]
DEVICES = """Camera { name "eye" width 32 height 24 }
    Lidar { name "scanner" horizontalResolution 90 fieldOfView 3.1 numberOfLayers 1 maxRange 9 } GPS {"""


class Served(ReadProcess):
    """The server."""

    def __init__(self, *options: str) -> None:
        super().__init__(*ODESIM, "view", "--foxglove", "--port", "0", *options)
        self.until_it_says("foxglove: ws://")
        self.address = self.says("foxglove: ws://")[0].split()[1]


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    yield from started(Served)


@pytest.fixture
def world(world_file: Callable[..., Path]) -> Path:
    file = world_file()
    file.write_text(file.read_text(encoding="utf-8").replace("GPS {", DEVICES, 1), encoding="utf-8")
    return file


@needs_gl
def test_a_client_sees_pictures_scans_and_transforms_and_drives(
    simulate: Callable[..., Any], world: Path, serve: Callable[..., Served]
) -> None:
    simulate(world, mode="realtime")
    served = serve()
    client = FoxgloveClient(served.address)
    client.until(lambda: client.info, "the server")
    assert {"clientPublish", "time"} <= set(client.info["capabilities"])
    assert client.info["supportedEncodings"] == ["cdr", "json"]

    picture = client.first("/robot1/eye/image_color")
    assert (picture.width, picture.height) == (32, 24) and len(picture.data) == 24 * picture.step
    scan = client.first("/robot1/scanner")
    assert len(scan.ranges) == 90 and np.isfinite(scan.ranges).any()  # the wall
    static = client.first("/tf_static")
    frames = {each.child_frame_id: each.header.frame_id for each in static.transforms}
    assert frames["robot1/scanner"] == "robot1/base_link" and frames["robot1/odom"] == "world"
    moving = client.first("/tf")
    assert "robot1/base_link" in {each.child_frame_id for each in moving.transforms}

    # a message is logged by the sim time that it is about, and the server tells sim time
    log_time, data = client.messages["/robot1/scanner"][-1]
    stamp = client.decoded("/robot1/scanner", data).header.stamp
    assert log_time == stamp.sec * 10**9 + stamp.nanosec
    client.until(lambda: client.times, "the time")
    assert 0 < client.times[-1] < 3600 * 10**9

    # topics that the simulation only subscribes to are listed too, because publishing needs their definitions
    client.until(lambda: "/robot1/cmd_vel" in client.channels, "cmd_vel")
    assert "Vector3 linear" in " ".join(client.channels["/robot1/cmd_vel"]["schema"].split())
    client.subscribe("/robot1/ground_truth")

    def x_now() -> float:
        messages = client.messages.get("/robot1/ground_truth")
        return (
            client.decoded("/robot1/ground_truth", messages[-1][1]).pose.pose.position.x if messages else 0.0
        )

    client.advertise(7, "/robot1/cmd_vel", "geometry_msgs/Twist", "json")
    client.until(
        lambda: client.publish(7, json.dumps({"linear": {"x": 0.4}}).encode()) or x_now() > 0.1, "driving"
    )
    client.unadvertise(7)
    client.advertise(8, "/robot1/cmd_vel", "geometry_msgs/msg/Twist", "cdr")
    back = Twist()
    back.linear.x = -0.4
    client.until(lambda: client.publish(8, serialize_message(back)) or x_now() < 0.05, "driving back")
    client.close()
    served.send(signal.SIGINT)
    assert served.wait(20.0) == 0
    said = [line for line in served.lines if "unknown channel" not in line]  # of the SDK: see `_ask_again`
    assert said == [f"foxglove: {served.address} as a Foxglove WebSocket; press Ctrl-C to stop"]


def test_a_topic_is_listened_to_while_a_client_wants_it(client: Any, serve: Callable[..., Served]) -> None:
    publisher = client.node.create_publisher(Odometry, "/count", 10)
    served = serve()
    one, two = FoxgloveClient(served.address), FoxgloveClient(served.address)
    one.until(lambda: "/count" in one.channels, "the channel")
    assert publisher.get_subscription_count() == 0
    number = one.subscribe("/count")
    two.subscribe("/count")
    for each in (one, two):  # whose first request may arrive before the server has the channel
        each.until(lambda each=each: publisher.publish(Odometry()) or each.messages.get("/count"), "both")  # type: ignore[misc]
    assert publisher.get_subscription_count() == 1
    one.unsubscribe(number)
    count = len(two.messages["/count"])
    two.until(
        lambda: publisher.publish(Odometry()) or len(two.messages["/count"]) > count + 3, "the other one"
    )
    two.close()  # a client that goes without a word leaves nothing behind either
    client.until(lambda: publisher.get_subscription_count() == 0, "the end of it")
    client.node.destroy_publisher(publisher)
    one.until(lambda: "/count" not in one.channels, "the end of the topic")
    one.close()


def test_what_is_kept_for_late_subscribers_reaches_each_client(
    client: Any, serve: Callable[..., Served]
) -> None:
    from std_msgs.msg import String

    from ros_bridge.topics.qos import LATCHED, profile

    publisher = client.node.create_publisher(String, "/map_name", profile(LATCHED))
    publisher.publish(String(data="hall"))
    served = serve()
    for _ in range(2):
        each = FoxgloveClient(served.address)
        assert each.first("/map_name").data == "hall"


def test_best_effort_publishers_are_heard(client: Any, serve: Callable[..., Served]) -> None:
    from std_msgs.msg import String

    from ros_bridge.topics.qos import Qos, profile

    publisher = client.node.create_publisher(String, "/lossy", profile(Qos(reliable=False)))
    each = FoxgloveClient(serve().address)
    each.subscribe("/lossy")
    each.until(lambda: publisher.publish(String(data="x")) or each.messages.get("/lossy"), "a message")


def test_what_clients_say_wrongly_is_told_and_goes_nowhere(client: Any, serve: Callable[..., Served]) -> None:
    heard: list[Any] = []
    client.node.create_subscription(Twist, "/cmd_vel", heard.append, 10)
    served = serve()
    each = FoxgloveClient(served.address)
    each.advertise(1, "/cmd_vel", "no_msgs/msg/Such", "cdr")
    each.advertise(2, "/cmd_vel", "geometry_msgs/msg/Twist", "protobuf")
    each.advertise(3, "/cmd vel", "geometry_msgs/msg/Twist", "json")
    each.advertise(4, "/cmd_vel", "geometry_msgs/msg/Twist", "cdr")
    each.advertise(5, "/cmd_vel", "geometry_msgs/msg/Twist", "json")
    each.publish(4, b"\0\1\0\0 too short")
    for said in (b"{", b"[]", b'{"linear": {"q": 1}}', b'{"linear": 3}'):
        each.publish(5, said)
    each.until(lambda: len(each.statuses) >= 5, "five lines")
    good = Twist()
    good.linear.x = 1.5
    client.until(lambda: each.publish(4, serialize_message(good)) or heard, "what is right")
    assert {message.linear.x for message in heard} == {1.5}
    served.until_it_says("/cmd_vel: refused: ")
    served.until_it_says("/cmd vel: cannot be published: ")
    assert not served.says("Traceback")


def test_who_only_looks_publishes_nothing(client: Any, serve: Callable[..., Served]) -> None:
    each = FoxgloveClient(serve("--view-only").address)
    each.until(lambda: each.info, "the server")
    assert "clientPublish" not in each.info["capabilities"]
    each.advertise(1, "/cmd_vel", "geometry_msgs/msg/Twist", "json")
    each.until(lambda: each.statuses, "the refusal")
    assert client.node.count_publishers("/cmd_vel") == 0


def test_it_ends_with_the_simulation(
    simulate: Callable[..., Any], world_file: Callable[..., Path], serve: Callable[..., Served]
) -> None:
    run = simulate(world_file(), mode="realtime")
    served = serve("--exit-with-simulation")
    each = FoxgloveClient(served.address)
    each.until(lambda: "/odesim/status" in each.channels, "the simulation")
    each.until(
        lambda: each.times, "its time"
    )  # it runs: one that ends while it starts says no good-bye on DDS
    run.send(signal.SIGINT)  # perhaps while the server still adds its channels
    assert run.wait() == 0
    # where the simulation's good-bye is lost, as with UDP it may be, its lease must run out first
    assert served.wait(90.0) == 0


def test_a_reset_lets_clients_begin_anew(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any, serve: Callable[..., Served]
) -> None:
    simulate(world_file(), mode="realtime")
    each = FoxgloveClient(serve().address)
    each.until(lambda: each.times and each.times[-1] > 10**9, "a second")
    before = each.info["sessionId"]
    client.call("reset")
    each.until(lambda: each.info["sessionId"] != before, "another session")
    each.until(lambda: each.times[-1] < 10**9, "the time anew")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--foxglove", "--port", "70000"), "--port: found 70000, expected 0 to 65535"),
        (("--origin", "https://a.example"), "--origin: found no --foxglove, expected both"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words: tuple[str, ...], line: str) -> None:
    ended = subprocess.run([*ODESIM, "view", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"{line}\n")


def test_without_the_package_one_line_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['foxglove'] = None\n"
        "from ros_bridge.cli.__main__ import main; sys.exit(main(['view', '--foxglove']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    expected = "the Python package foxglove is not installed: pip install foxglove-sdk\n"
    assert (ended.returncode, ended.stderr) == (2, expected)
