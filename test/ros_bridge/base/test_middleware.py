import os
import socket
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pictures import needs_gl
from processes import ReadProcess
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

from ros_bridge.base import middleware
from ros_bridge.base.installed_ros import has_fast_dds_2
from ros_bridge.processes.controller_plans import Plan, environment
from ros_bridge.topics.conversions import time_of
from sim_core.scene import load_scene

PROFILE = middleware.PROFILES[has_fast_dds_2()]
"""The variable that the Fast DDS of this machine reads."""
OTHER = middleware.PROFILES[not has_fast_dds_2()]
LIMIT = 20.0
BY_DEFAULT = 5 + 1 + round(LIMIT / 3.0)
"""Most announcements that Fast DDS sends within the time limit with default settings."""
PARTICIPANT = 25
"""A participant number that does not exist here; those from 0 to 31 are announced to."""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (middleware.TRANSPORTS, *middleware.PROFILES):
        monkeypatch.setenv(name, "")  # so that changes made here are undone
        monkeypatch.delenv(name)
    monkeypatch.setenv(middleware.RANGE, middleware.LOCALHOST)


def test_a_simulation_announces_itself_more_often_than_fast_dds_does_by_itself(
    world_file: Any, simulate: Any
) -> None:
    """On the port of a participant (RTPS, 9.6.2.3): PB + DG·domain + d1 + PG·participant."""
    port = 7400 + 250 * int(os.environ["ROS_DOMAIN_ID"]) + 10 + 2 * PARTICIPANT
    announcements = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", port))
        listener.settimeout(LIMIT)
        simulate(world_file(), mode="paused")
        end = time.monotonic() + LIMIT
        while announcements <= 2 * BY_DEFAULT and time.monotonic() < end:
            announcements += listener.recv(65536)[:4] == b"RTPS"
    assert announcements > 2 * BY_DEFAULT


def test_what_the_user_has_chosen_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROFILE, "mine.xml")
    monkeypatch.setenv(middleware.TRANSPORTS, "SHM")
    middleware.prepare()
    assert os.environ[PROFILE] == "mine.xml"
    assert OTHER not in os.environ
    assert os.environ[middleware.TRANSPORTS] == "SHM"


def test_a_profile_in_the_current_folder_stays_in_force(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / middleware.FOLDER_PROFILES[0]).write_text("<dds/>")
    monkeypatch.chdir(tmp_path)
    middleware.prepare()
    assert not any(name in os.environ for name in middleware.PROFILES)


@pytest.mark.parametrize(
    ("wanted", "folder", "left"),
    [("LOCALHOST", "localhost", "SYSTEM_DEFAULT"), ("SUBNET", "config", "SUBNET")],
)
def test_our_profile_says_what_rmw_fastrtps_would_say_with_shared_memory(
    monkeypatch: pytest.MonkeyPatch, wanted: str, folder: str, left: str
) -> None:
    monkeypatch.setenv(middleware.RANGE, wanted)
    middleware.prepare()
    assert Path(os.environ[PROFILE]).parent.name == folder
    assert os.environ[middleware.RANGE] == left


@pytest.mark.parametrize(
    "profile", sorted(middleware.CONFIG.rglob("fast_dds*.xml")), ids=lambda file: file.stem
)
def test_nobody_asks_what_types_are_made_of(profile: Path) -> None:
    """Some waited for the answer forever: of ten nodes that start at once one, in one of a hundred runs."""
    found = {
        prop[0].text: prop[1].text
        for prop in ElementTree.parse(profile).iter("{http://www.eprosima.com}property")
    }
    assert found["fastdds.type_propagation"] == "disabled"


SERVER = """
import rclpy, time
from std_srvs.srv import Trigger
called = []
def answer(request, response):
    called.append(time.monotonic())
    return response
rclpy.init()
node = rclpy.create_node("server")
node.create_service(Trigger, "it", answer)
while not called:
    rclpy.spin_once(node)
print(time.monotonic() - called[0])
"""
CLIENT = """
import rclpy
from std_srvs.srv import Trigger
rclpy.init()
node = rclpy.create_node("client")
client = node.create_client(Trigger, "it")
while True:
    client.call_async(Trigger.Request())
    rclpy.spin_once(node, timeout_sec=0.5)
"""
UNHEARD = """<dds xmlns="http://www.eprosima.com"><profiles><data_reader profile_name="client">
<qos><partition><names><name>nowhere</name></names></partition></qos></data_reader></profiles></dds>"""
"""The profile of a client whose reader for answers no service ever knows."""


@pytest.mark.parametrize(
    ("wanted", "largest"), [("SUBNET", 0), ("SUBNET", 1 << 20), (middleware.LOCALHOST, 0)]
)
def test_a_service_waits_until_lost_words_of_its_client_have_come_again(
    wanted: str, largest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discovery repeats what was lost after 1 s."""
    (tmp_path / "client.xml").write_text(UNHEARD)
    monkeypatch.setenv(middleware.RANGE, wanted)
    with middleware.simulation_settings(largest):
        server = ReadProcess(sys.executable, "-c", SERVER, anew=True)
        monkeypatch.setenv(PROFILE, str(tmp_path / "client.xml"))
        monkeypatch.setenv(middleware.RANGE, middleware.OF_PROFILE)
        client = ReadProcess(sys.executable, "-c", CLIENT, anew=True)
        try:
            assert server.wait() == 0
        finally:
            client.end()
            server.end()
    assert server.says("client will not receive response")
    assert float(server.lines[-1]) > 1.2


@pytest.mark.parametrize(
    ("variable", "value"), [("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp"), ("ROS_STATIC_PEERS", "192.0.2.1")]
)
def test_what_another_middleware_or_other_peers_make_of_the_range_is_left_to_them(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    middleware.prepare()
    assert os.environ[middleware.RANGE] == middleware.LOCALHOST


def install_rclpy(version: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is asked for the version of rclpy find this one."""
    about = folder / f"rclpy-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: rclpy\nVersion: {version}\n")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize(("rclpy", "name"), [("7.1.6", 1), ("9.1.2", 0), ("99.0.0", 0)])
@pytest.mark.parametrize("sourced", ["jazzy", "kilted", ""])
def test_each_fast_dds_gets_the_variable_that_it_reads_whatever_is_sourced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rclpy: str, name: int, sourced: str
) -> None:
    monkeypatch.setenv("ROS_DISTRO", sourced)
    install_rclpy(rclpy, tmp_path, monkeypatch)
    middleware.prepare()
    assert Path(os.environ[middleware.PROFILES[name]]).name == "fast_dds.xml"
    assert middleware.PROFILES[1 - name] not in os.environ


def with_profile(largest: int) -> tuple[Any, dict[str, str]]:
    """Return the profile of a simulation as XML, and the environment in which its node is created."""
    with middleware.simulation_settings(largest):
        seen = dict(os.environ)
        return ElementTree.parse(seen[PROFILE]), seen


def words_of(profile: str) -> list[str]:
    return [each.tag.partition("}")[2] for each in ElementTree.parse(profile).iter()]


def content(profile: str | Path) -> str:
    """What a profile says, whichever Fast DDS it is written for."""
    said = ElementTree.canonicalize(from_file=profile)
    return said.replace("nackSupressionDuration", "nack_supression_duration")


def segments(tree: Any) -> list[int]:
    return [int(size.text) for size in tree.iter("{http://www.eprosima.com}segment_size")]


@pytest.mark.parametrize(("largest", "segment"), [(60_000, 0), (1 << 20, 16 << 20), (5 << 20, 20 << 20)])
def test_four_of_the_largest_messages_fit_into_the_segment_and_small_ones_need_none(
    largest: int, segment: int
) -> None:
    tree, seen = with_profile(largest)
    assert segments(tree) == [segment] * bool(segment)
    assert seen[middleware.TRANSPORTS] == "UDPv4"  # beside it
    assert Path(seen[PROFILE]).exists() == (not segment and not has_fast_dds_2())
    assert seen[middleware.RANGE] == (middleware.LOCALHOST if segment else middleware.OF_PROFILE)


def test_there_is_no_shared_memory_where_there_is_no_room_for_it_or_the_user_has_said_what_to_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(middleware, "SHARED_MEMORY", tmp_path / "nowhere")
        assert segments(with_profile(1 << 20)[0]) == []
    monkeypatch.setenv(middleware.TRANSPORTS, "UDPv4")
    tree, seen = with_profile(1 << 20)
    assert segments(tree) == []
    assert [kind.text for kind in tree.iter("{http://www.eprosima.com}type")] == ["UDPv4"]
    assert seen[middleware.TRANSPORTS] == "UDPv4"


def test_a_controller_that_somebody_starts_asks_for_no_types_and_keeps_its_transports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    middleware.prepare_controller()
    needed = None if has_fast_dds_2() else str(middleware.CONFIG / "fast_dds_controllers.xml")
    assert os.environ.get(PROFILE) == needed
    assert middleware.TRANSPORTS not in os.environ
    assert os.environ[middleware.RANGE] == middleware.LOCALHOST
    monkeypatch.setenv(PROFILE, "mine.xml")
    middleware.prepare_controller()
    assert os.environ[PROFILE] == "mine.xml"


@pytest.mark.parametrize(
    ("rclpy", "name", "word"),
    [("7.1.6", 1, "nackSupressionDuration"), ("9.1.2", 0, "nack_supression_duration")],
)
def test_the_time_in_which_nothing_counts_as_missed_is_told_in_the_words_of_each_fast_dds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rclpy: str, name: int, word: str
) -> None:
    """Fast DDS ignores a whole file that contains an unknown element."""
    install_rclpy(rclpy, tmp_path, monkeypatch)
    for largest in (0, 1 << 20):
        with middleware.simulation_settings(largest):
            told = [words_of(os.environ[middleware.PROFILES[name]])]
        told.append(words_of(os.environ[middleware.PROFILES[name]]))  # to the controllers
        assert all([each for each in words if "upression" in each] == [word] for words in told)
        monkeypatch.delenv(middleware.PROFILES[name])
        monkeypatch.delenv(middleware.TRANSPORTS, raising=False)


@pytest.mark.parametrize(
    ("largest", "transports", "profile", "found"),
    [
        (60_000, "UDPv4", "localhost/fast_dds_controllers.xml", "SYSTEM_DEFAULT"),
        (70_000, None, "fast_dds_controllers.xml", "LOCALHOST"),
    ],
)
def test_controllers_announce_themselves_as_usual_and_can_read_large_messages(
    monkeypatch: pytest.MonkeyPatch, largest: int, transports: str | None, profile: str, found: str
) -> None:
    plan = Plan("robot", "swarm", ["python"], None)
    with_profile(largest)
    made = environment(plan, None)
    assert made.get(middleware.TRANSPORTS) == transports
    assert content(made[PROFILE]) == content(middleware.CONFIG / profile)
    assert made[middleware.RANGE] == found
    monkeypatch.setenv(PROFILE, "mine.xml")
    with middleware.simulation_settings(70_000):
        assert os.environ[PROFILE] == "mine.xml"
    assert environment(plan, None)[PROFILE] == "mine.xml"


PICTURES = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 }
Robot { name "r" controller "<none>" children [ Camera { name "cam" width 1280 height 720 }
  RangeFinder { name "rf" width 640 height 100 } Display { width 64 height 64 }
  Lidar { horizontalResolution 1000 numberOfLayers 16 } ] }
"""


@needs_gl
def test_a_plain_best_effort_subscriber_gets_large_pictures(
    tmp_path: Path, simulate: Any, client: Any
) -> None:
    """Of pictures of 3.7 MB, five per second, hardly any arrived complete over fragmented UDP."""
    world = tmp_path / "pictures.wbt"
    world.write_text(PICTURES)
    assert middleware.largest_message(load_scene(world)) == 1280 * 720 * 4
    got: list[int] = []
    client.node.create_subscription(
        Image,
        "/r/cam/image_color",
        lambda each: got.append(time_of(each.header.stamp)),
        qos_profile_sensor_data,
    )
    period = ["-p", "robots.r.cam.sampling_period:=0.1"]
    simulate(world, mode="realtime", speed=0.5, ros_args=period)
    client.until(lambda: len(got) >= 15, "15 pictures", 2.0 * LIMIT)
    assert (got[-1] - got[-11]) // 100_000_000 < 15, got  # while they find each other some may be lost
