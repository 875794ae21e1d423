"""A recorded run is the same again to the last bit, whenever its commands came; what differs is found."""

import json
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, Twist, WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.serialization import deserialize_message, serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Range
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray
from waiting import wait_until

from ros_bridge.cli.__main__ import main
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.player import is_reading
from ros_bridge.recorder.replay import replay
from ros_bridge.topics.conversions import time_of


def forged(source: Path, target: Path, change: Callable[[str, int, bytes], bytes]) -> None:
    """A copy of a bag in which messages are changed: `change(topic, log time, data)`."""
    with Bag(source) as bag, BagWriter(target, bag.facts) as copy:
        channels: dict[str, int] = {}
        for item in bag.in_file_order():
            if item.topic not in channels:
                channels[item.topic] = copy.add_topic(item.topic, item.type_name)
            data = change(item.topic, item.log_time_ns, item.data)
            copy.write(channels[item.topic], data, item.log_time_ns)


LATE = (
    (String, "/old/robot_description"),
    (MarkerArray, "/odesim/markers"),
    (DiagnosticArray, "/odesim/status"),
)
"""What is said at the start, and again to whoever comes."""


class Recording:
    """A run that is recorded.

    Attributes:
        run: its process. bag: where it is recorded.
    """

    def __init__(self, run: Any, bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.run, self.bag = run, bag
        self._capsys = capsys

    def end(self) -> None:
        """By Ctrl-C."""
        self.run.send(signal.SIGINT)
        assert self.run.wait() == 0, self.run.lines

    def changes(self) -> list[dict[str, Any]]:
        """What was done to the world, beside commands."""
        with Bag(self.bag) as bag:
            return [json.loads(bag.decode(m.data, m.type_name).data) for m in bag.in_file_order()
                    if m.topic == facts.CHANGES]  # fmt: skip

    def is_identical(self, *options: str) -> str:
        """Replay it; returns what is said of that, the last line of which begins with `identical`."""
        code, said = main(["replay", str(self.bag), *options]), self._capsys.readouterr()
        assert code == 0 and said.out.splitlines()[-1].startswith("identical: "), said
        return said.out


Record = Callable[..., Recording]


@pytest.fixture
def record(simulate: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Record:
    """Starts a run of a world that is recorded."""

    def start(world: Path, **options: Any) -> Recording:
        bag = tmp_path / "bag"
        return Recording(simulate(world, record=str(bag), **options), bag, capsys)

    return start


def drive_about(client: Any, commands: int = 40) -> None:
    """Commands that come at no particular time."""
    wheels = client.speak(Twist, "/old/cmd_vel")
    moment = random.Random(1)
    for _ in range(commands):
        order = Twist()
        order.linear.x, order.angular.z = moment.uniform(-0.5, 0.5), moment.uniform(-1.0, 1.0)
        wheels.publish(order)
        client.until(lambda: True, "nothing")
        time.sleep(moment.uniform(0.0, 0.02))


def clock_time(message: Clock) -> float:
    return message.clock.sec + 1e-9 * message.clock.nanosec


def set_parameter(client: Any, name: str, value: ParameterValue) -> None:
    request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
    answer = client.call("set_parameters", request, SetParameters)
    assert answer.results[0].successful, answer.results[0].reason


def test_commands_of_asynchronous_controllers_and_edits_of_the_world_are_repeated(
    record: Record, world_file: Callable[..., Path], client: Any
) -> None:
    recording = record(world_file(), mode="realtime", speed=4.0, seed=7)
    drive_about(client)
    place = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=[1.0, 2.0, 0.1])
    set_parameter(client, "robot1.translation", place)
    for kind, topic in LATE:
        heard = client.listen(kind, topic)
        client.until(partial(len, heard), f"what comes on {topic}")
    push = WrenchStamped()
    push.header.frame_id = "old"
    push.wrench.force.x = 20.0
    client.speak(WrenchStamped, "/odesim/wrench").publish(push)
    text = 'Solid { name "ball" translation 0 5 1 boundingObject Sphere { radius 0.1 } physics Physics { } }'
    client.speak(String, "/odesim/import_node").publish(String(data=text))
    drive_about(client, 10)
    set_parameter(client, "seed", ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=8))
    client.call("reset")
    drive_about(client, 10)
    client.call("physics_reset")
    drive_about(client, 3)
    recording.end()
    said = recording.is_identical()
    with Bag(recording.bag) as opened:
        compared = [row for row in opened.rows.values() if is_reading(row.name)]
        inputs = ("/old/cmd_vel", "/odesim/wrench", "/odesim/import_node", facts.CHANGES)
        readings = [row for row in compared if row.name not in inputs]
        assert 0 < opened.rows["/old/cmd_vel"].messages <= 63
        assert f"{sum(row.messages for row in readings)} messages of {len(readings)} topics" in said
    asked = [change for change in recording.changes() if change["what"] != "outcome"]
    assert [change["what"] for change in asked] == ["command", "command", "reset", "command", "end"]
    place_told, seed, reset, stop, _ = asked
    assert place_told["from"] == "robot1.translation"
    assert place_told["actions"] == [
        {"do": "SetField", "node": "robot1", "field": "translation", "value": [1.0, 2.0, 0.1]}
    ]
    assert seed["actions"] == [{"do": "SetParameter", "name": "seed", "value": 8}]
    assert reset["seed"] == 8
    assert stop["actions"] == [{"do": "StopAll"}]


def test_a_reset_that_keeps_the_clock_is_repeated_and_no_stamp_goes_back(
    record: Record, world_file: Callable[..., Path], client: Any
) -> None:
    recording = record(world_file(), mode="realtime", speed=4.0, seed=7, ros_args=["-p", "reset:=keep_clock"])
    restarts = client.listen(Time, "/clock/restarts")
    truth = client.listen(Odometry, "/old/ground_truth")
    drive_about(client, 10)
    client.until(lambda: truth and abs(truth[-1].pose.pose.position.x) > 0.02, "a robot that has driven")
    restarts.clear()
    answer = client.call("reset")
    assert answer.success and answer.message.startswith("reset, at ") and answer.message != "reset, at 0 s"
    drive_about(client, 10)
    recording.end()
    recording.is_identical()
    assert [each["what"] for each in recording.changes()] == ["reset_keeping_clock", "end"] and not restarts
    with Bag(recording.bag) as opened:
        for name in ("/clock", "/old/odom", "/old/ground_truth", "/robot1/gps"):
            found = list(opened.messages([name]))
            stamps = [
                time_of(message.clock if name == "/clock" else message.header.stamp) for *_, message in found
            ]
            assert stamps == sorted(stamps), name
        moved = [message.pose.pose.position for *_, message in opened.messages(["/old/ground_truth"])]
    back = min(range(1, len(moved)), key=lambda k: abs(moved[k].x) - abs(moved[k - 1].x))
    assert abs(moved[back].x) < 0.01 < abs(moved[back - 1].x)  # it stands where it began


@pytest.fixture
def recorded(record: Record, world_file: Callable[..., Path], client: Any) -> Path:
    """A bag of a drive of 0.2 s and more, and of 0.1 s behind its last command."""
    recording = record(world_file(), mode="realtime", speed=2.0, seed=7)
    clock = client.listen(Clock, "/clock")
    drive_about(client, 20)
    client.until(lambda: clock, "a time")
    until = max(0.2, clock_time(clock[-1]) + 0.1)
    client.until(lambda: clock_time(clock[-1]) > until, "what the last command leads to")
    recording.end()
    return recording.bag


def test_the_first_difference_is_named(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong_from = 100_000_000

    def change(topic: str, time_ns: int, data: bytes) -> bytes:
        if topic != "/robot1/gps" or time_ns < wrong_from:
            return data
        message = deserialize_message(data, PointStamped)
        message.point.y = 123.0
        return serialize_message(message)

    forged(recorded, tmp_path / "forged", change)
    with Bag(tmp_path / "forged") as bag:
        found = replay(bag).difference
    assert found is not None
    assert (found.topic, found.time_ns, found.field, found.recorded) == (
        "/robot1/gps",
        wrong_from,
        "point.y",
        123.0,
    )
    assert main(["replay", str(tmp_path / "forged")]) == 1
    assert "/robot1/gps at 0.1 s: point.y: recorded 123.0, now " in capsys.readouterr().out


def test_another_command_leads_to_other_readings_after_it(recorded: Path, tmp_path: Path) -> None:
    times: list[int] = []

    def change(topic: str, time_ns: int, data: bytes) -> bytes:
        if topic != "/old/cmd_vel":
            return data
        times.append(time_ns)
        if len(times) < 5:
            return data
        message = deserialize_message(data, Twist)
        message.linear.x += 0.2
        return serialize_message(message)

    forged(recorded, tmp_path / "forged", change)
    with Bag(tmp_path / "forged") as bag:
        found = replay(bag).difference
    assert found is not None and found.topic.startswith(("/old/", "/tf"))
    assert times[4] < found.time_ns <= times[4] + 20_000_000  # states are published every 20 ms


def test_another_world_or_a_bag_of_something_else_is_refused_with_a_line(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = tmp_path / "worlds" / "small.wbt"
    world.write_text(world.read_text().replace("accuracy 0.1", "accuracy 0.2"))
    assert main(["replay", str(recorded)]) == 2
    assert "has changed since" in capsys.readouterr().err
    world.unlink()
    assert main(["replay", str(recorded)]) == 2
    assert "--world FILE says where it is" in capsys.readouterr().err
    with BagWriter(tmp_path / "other"):
        pass
    assert main(["replay", str(tmp_path / "other")]) == 2
    assert "expected a bag of odesim run --record" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "nowhere")]) == 2
    assert "not found" in capsys.readouterr().err


CAMERAS = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DirectionalLight { direction 0.3 0.2 -1 }
Solid { name "ball" translation 1.5 0 1 children DEF B Shape { appearance PBRAppearance { baseColor 1 0 0 }
  geometry Sphere { radius 0.2 } } boundingObject USE B physics Physics { } }
Robot { name "r" controller "<none>" translation 0 0 0.5 children [
  Camera { name "cam" width 64 height 48 noise 0.05 } RangeFinder { name "rf" width 32 height 24 } ] }
"""


def test_pictures_are_all_recorded_in_real_time_and_repeated(record: Record, tmp_path: Path) -> None:
    pytest.importorskip("moderngl")
    world = tmp_path / "cameras.wbt"
    world.write_text(CAMERAS)
    recording = record(world, mode="realtime", duration=0.4)
    assert recording.run.wait() == 0, recording.run.lines
    if recording.run.says("no pictures"):
        pytest.skip("nothing draws here")
    with Bag(recording.bag) as opened:
        assert opened.rows["/r/cam/image_color"].messages == 50
    recording.is_identical()
    said = recording.is_identical("--skip-pictures")
    assert "of 4 topics" in said  # ground truth, description, transforms


def test_a_killed_recording_is_repaired_and_repeated(record: Record, world_file: Callable[..., Path]) -> None:
    recording = record(world_file(), mode="fast")
    run, bag = recording.run, recording.bag
    file = bag / "bag_0.mcap"
    wait_until(lambda: file.is_file() and file.stat().st_size > 1_000_000, lambda: run.lines)
    run.send(signal.SIGKILL)
    run.wait()
    with file.open("r+b") as stream:  # the worst case: killed in the middle of a write
        stream.seek(0, 2)
        stream.truncate(stream.tell() - 1000)
    first, second = recording.is_identical().splitlines()
    assert "the recording was interrupted; repaired" in first
    assert recording.is_identical().splitlines() == [second]


def test_a_proto_instance_that_is_made_anew_is_made_anew_in_a_replay(
    record: Record, world_file: Callable[..., Path], client: Any
) -> None:
    world = world_file()
    (world.parent / "Block.proto").write_text(
        """#VRML_SIM R2025a utf8
PROTO Block [ field SFVec3f translation 0 0 0 field SFVec3f size 1 1 1 ] {
  Solid { translation IS translation boundingObject Box { size IS size } physics Physics { } } }
""",
        encoding="utf-8",
    )
    text = world.read_text(encoding="utf-8").replace("\n", '\nEXTERNPROTO "Block.proto"\n', 1)
    world.write_text(text + "DEF B Block { translation 2 0 0.6 }\n", encoding="utf-8")
    recording = record(world, mode="realtime", speed=2.0, seed=7)
    ranges = client.listen(Range, "/robot1/ds")
    client.until(lambda: ranges and ranges[-1].range < 1.6, "the near side of the box")
    size = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="0.1 0.1 0.1")
    set_parameter(client, "B.size", size)
    client.until(lambda: ranges[-1].range > 2.0, "the wall behind it")
    recording.end()
    recording.is_identical()


def test_another_world_is_loaded_again_and_one_that_was_refused_is_not(
    record: Record, world_file: Callable[..., Path], client: Any
) -> None:
    """Refused: a device whose topic would be that of the robot's pose. The other world has longer steps."""
    world = world_file()
    recording = record(world, mode="realtime", speed=2.0, seed=7)
    run = recording.run
    drive_about(client, 5)
    load = client.speak(String, "/odesim/load_world")
    other = (
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
        'Robot { name "other" children GPS { name "%s" } }\n'
    )
    for name in ("ground_truth", "gps"):
        (world.parent / f"{name}.wbt").write_text(other % name)
    load.publish(String(data=str(world.parent / "ground_truth.wbt")))
    client.until(lambda: run.says("expected one"), "the refusal")
    drive_about(client, 5)  # the robot of before is there
    load.publish(String(data=str(world.parent / "gps.wbt")))
    client.until(lambda: run.says("gps.wbt"), "the other world")
    places = client.listen(PointStamped, "/other/gps")
    client.until(lambda: places, "a reading")
    place = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=[1.0, 2.0, 0.0])
    set_parameter(client, "other.translation", place)
    client.until(lambda: places[-1].point.y == 2.0, "the place that was set")
    recording.end()
    recording.is_identical()
    with Bag(recording.bag) as opened:
        assert opened.rows["/other/gps"].messages > 0
    assert [change["what"] for change in recording.changes()] == ["load_world", "command", "end"]


def test_a_physics_plug_in_works_again_and_another_one_is_refused(
    record: Record,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = tmp_path / "worlds" / "windy.wbt"
    plugin = tmp_path / "plugins" / "physics" / "wind" / "wind.py"
    world.parent.mkdir()
    plugin.parent.mkdir(parents=True)
    world.write_text(
        '#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 physics "wind" }\n'
        'Robot { name "robot1" children GPS { name "gps" } boundingObject Sphere { radius 0.1 } '
        "physics Physics { density -1 mass 1 } }\n"
    )
    plugin.write_text('def step(api):\n    api.solid("robot1").add_force([1.0 + api.time, 0, 0])\n')
    recording = record(world, mode="fast", duration=0.4)
    assert recording.run.wait() == 0, recording.run.lines
    recording.is_identical()
    plugin.write_text(plugin.read_text().replace("1.0", "2.0"))
    assert main(["replay", str(recording.bag)]) == 2
    assert f"{plugin}: has changed since" in capsys.readouterr().err
