"""A real simulation with clients of Webots' protocol: their answers, and the effects of their packets."""

import math
import mmap
import os
import signal
import struct
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from processes import ODESIM, ReadProcess
from sensor_msgs.msg import Joy
from waiting import wait_until
from webots_client import Answer, WebotsClient, pretend_version, text

from ros_bridge.webots_protocol.socket_folders import user

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Background { skyColor [ 0.25 0.5 1 ] }
DEF BOX Solid { translation 3 0 1 name "box" }
DEF ME Robot {
  translation 1 2 0.5 name "my robot" controller "<extern>" supervisor TRUE customData "first" model "test"
  children [
    GPS { name "gps" }
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [
      RotationalMotor { name "motor" maxVelocity 8 minPosition -2 maxPosition 2 }
      PositionSensor { name "angle" } Brake { name "brake" }
    ] endPoint Solid { name "arm" physics Physics { } boundingObject Box { size 0.1 0.1 0.1 } } }
    Camera { name "camera" width 4 height 2 }
    Display { name "display" width 4 height 2 }
    Emitter { name "emitter" channel 3 } Receiver { name "receiver" channel 3 }
    Skin { name "skin" }
  ]
}
Robot { name "other" controller "<extern>" children [ Emitter { name "out" channel 3 } ] }
"""
NUMBER = 2000 + os.getpid() % 30000
GPS, MOTOR, ANGLE, BRAKE, CAMERA, DISPLAY, EMITTER, RECEIVER = range(1, 9)
NODE_TYPES = {"R2025a": (34, 44, 57), "R2023a": (33, 43, 56)}
"""Of Robot, GPS and RotationalMotor, as their `nodes.h` counts them."""


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadProcess]:
    world = tmp_path_factory.mktemp("worlds") / "small.wbt"
    world.write_text(WORLD, encoding="utf-8")
    options = ("--webots-protocol", str(NUMBER), "--webots-tcp", "--mode", "fast", "--wait-extern")
    process = ReadProcess(*ODESIM, "run", world, *options)
    process.until_it_says("controllers made for Webots may connect")
    process.until_it_says("step 16 ms")
    yield process
    process.send(signal.SIGINT)  # it takes its folders away
    process.wait()
    process.end()
    assert not local().parent.exists()


@pytest.fixture
def library(tmp_path: Path) -> mmap.mmap:
    """This process looks like one with the library of R2025a."""
    return pretend_version(tmp_path, "R2025a")


def local(robot: str = "my%20robot", kind: str = "extern") -> Path:
    return Path(f"/tmp/webots/{user()}/{NUMBER}/ipc/{robot}/{kind}")


def read_configure(answer: Answer, version: str) -> dict[str, Any]:
    """The first answer, in the order of the protocol's description."""
    robot_type, *_ = NODE_TYPES[version]
    is_early = version == "R2023a"
    answer.expect(0, 0, "")
    told: dict[str, Any] = {}
    if not is_early:
        told["name"], told["version"] = answer.text(), answer.text()
    told["supervisor"], told["synchronization"], count, kind, told["time"] = answer.take("BBHHd")
    assert kind == robot_type
    if is_early:
        told["name"] = answer.text()
    told["devices"] = [(answer.take("H")[0], answer.text(), answer.text()) for _ in range(count - 1)]
    (told["step"],) = answer.take("d")
    names = ("project", "world", "model", "window", "remote", "controller", "custom")
    told |= {name: answer.text() for name in names}
    assert answer.take("BBi") == (0, 0, 2)  # no window, and fast
    if told["supervisor"]:
        told["own"] = answer.expect(0, 0, "IIBB")
        told["type"], told["def"] = answer.text(), answer.text()
    return told


def begun(client: WebotsClient) -> dict[str, Any]:
    return read_configure(client.ask(), "R2025a")


def until_free(robot: str) -> None:
    """Wait until the previous client has been removed."""
    wait_until(lambda: _is_free(robot), f"a place at {robot}")


def _is_free(robot: str) -> bool:
    with WebotsClient(NUMBER, robot) as client:
        return client.greeting == b"CONNECTED"


def test_the_first_answer_describes_robot_and_devices(simulation: ReadProcess, library: mmap.mmap) -> None:
    until_free("my robot")
    with WebotsClient(local()) as client:
        answer = client.ask()
        told = read_configure(answer, "R2025a")
        assert (told["name"], told["model"], told["custom"], told["step"]) == (
            "my robot",
            "test",
            "first",
            16.0,
        )
        assert (told["controller"], told["type"], told["def"]) == ("<extern>", "Robot", "ME")
        assert told["world"].endswith("worlds0/small.wbt")
        names = [name for _, name, _ in told["devices"]]
        assert names == [
            "gps", "motor", "angle", "brake", "camera", "display", "emitter", "receiver",
        ]  # the Skin is left out  # fmt: skip
        _, gps, motor = NODE_TYPES["R2025a"]
        assert [kind for kind, _, _ in told["devices"]][:2] == [gps, motor]
        assert answer.expect(GPS, 0, "i") == (0,)
        kind, *numbers = answer.expect(MOTOR, 0, "i11d")
        assert (kind, numbers[:3], numbers[10]) == (0, [-2.0, 2.0, 8.0], 1.0)
        assert answer.take("i") == (0,)  # coupled motors
        assert answer.expect(ANGLE, 0, "i") == answer.expect(BRAKE, 0, "i") == (0,)
        _, width, height, fov = answer.expect(CAMERA, 0, "IHHd")
        assert (width, height) == (4, 2)
        assert fov == pytest.approx(0.7854, abs=1e-4)


def test_clients_of_other_versions_are_told_in_their_own_order(
    simulation: ReadProcess, tmp_path: Path
) -> None:
    until_free("my robot")
    mapped = pretend_version(tmp_path, "planar camera")
    with WebotsClient(Path(f"/tmp/webots-{NUMBER}/ipc/my robot/extern")) as client:
        told = read_configure(client.ask(), "R2023a")
        assert told["name"] == "my robot"
        assert told["devices"][0][0] == NODE_TYPES["R2023a"][1]
    mapped.close()
    unknown = pretend_version(tmp_path, "R2031b")
    with WebotsClient(local()) as client, pytest.raises(OSError):
        client.ask()
    unknown.close()
    simulation.until_it_says("R2031b")


def test_a_robot_has_one_client_and_others_are_refused(simulation: ReadProcess) -> None:
    until_free("other")
    with WebotsClient(NUMBER, "other") as client:
        begun(client)
        with WebotsClient(NUMBER, "other") as second:
            assert second.greeting == b"FORBIDDEN"
        with WebotsClient(NUMBER, "nobody") as third:
            assert third.greeting == b"FORBIDDEN"


def with_both(places: tuple[Any, Any]) -> tuple[WebotsClient, WebotsClient]:
    clients = WebotsClient(*places[0]), WebotsClient(*places[1])
    for each in clients:
        begun(each)
    return clients


def step_both(mine: WebotsClient, other: WebotsClient, *blocks: tuple[int, bytes]) -> Answer:
    """Let both make a step; return the first one's answer."""
    other.send(16)
    answer = mine.ask(16, *blocks)
    other.answer()
    return answer


def picture_file(answer: Answer) -> Path:
    """Return the message of the camera, which follows the first readings."""
    while not answer.has_next(CAMERA, 8):
        answer.take("B")
    assert answer.expect(CAMERA, 8, "i") == (32,)
    return Path(answer.text())


@pytest.mark.parametrize("is_remote", [False, True], ids=["local", "tcp"])
def test_devices_measure_and_obey(simulation: ReadProcess, library: mmap.mmap, is_remote: bool) -> None:
    """A GPS that stands, a motor at 0.5 rad/s, a picture of the sky, a packet that is heard a step later."""
    until_free("my robot")
    until_free("other")
    places = ((NUMBER, "my robot"), (NUMBER, "other")) if is_remote else ((local(),), (local("other"),))
    mine, other = with_both(places)
    with mine, other:
        period = struct.pack("<BH", 1, 16)
        motor = struct.pack("<HdHd", 1, math.inf, 2, 0.5)
        send = struct.pack("<Bidi", 0, 3, -1.0, 5) + b"hello"
        other.send(16, (1, send))
        answer = mine.ask(
            16, (GPS, period), (MOTOR, motor), (ANGLE, period), (CAMERA, period), (RECEIVER, period)
        )
        other.answer()
        (first,) = answer.expect(0, 4, "d")
        file = None if is_remote else picture_file(answer)
        angles = []
        for step in range(1, 4):
            answer = step_both(mine, other)
            assert answer.delay == 0
            (time,) = answer.expect(0, 4, "d")
            assert time == pytest.approx(first + 0.016 * step)
            x, y, z, *_ = answer.expect(GPS, 2, "7d")
            assert (x, y, z) == pytest.approx((1.0, 2.0, 0.5))
            angles += answer.expect(ANGLE, 1, "d")
            picture = answer.pictures[CAMERA] if file is None else file.read_bytes()
            assert len(picture) == 32
            if answer.left:
                channel, *direction, strength, length = answer.expect(RECEIVER, 1, "i3ddi")
                assert (channel, length) == (3, 5)
                assert math.hypot(*direction) == pytest.approx(1.0)
                assert strength == pytest.approx(1.0 / (1.0 + 4.0 + 0.25))
                assert bytes(answer.take("5B")) == b"hello"
        assert [b - a for a, b in pairwise(angles)] == pytest.approx([0.008, 0.008])
        blue, green, red, alpha = picture[:4]
        assert (blue, alpha) == (255, 255)
        assert blue > green > red


def test_a_question_about_a_device_is_answered_without_a_step(
    simulation: ReadProcess, library: mmap.mmap
) -> None:
    until_free("my robot")
    with WebotsClient(local()) as client:
        begun(client)
        wanted = {"motor": 57, "angle": 52, "brake": 37}
        answer = client.ask(0, (MOTOR, struct.pack("<HH", 8, wanted["angle"])))
        assert answer.expect(MOTOR, 8, "H") == (ANGLE,)
        answer = client.ask(0, (BRAKE, struct.pack("<BdH", 6, 0.1, wanted["motor"])))
        assert answer.expect(BRAKE, 4, "H") == (MOTOR,)
        answer = client.ask(0, (ANGLE, struct.pack("<BH", 2, 60)))  # a TouchSensor: there is none
        assert answer.expect(ANGLE, 2, "H") == (0,)
        red = struct.pack("<Bi", 16, 0xFF0000) + struct.pack("<Bh4iB", 35, 2, 0, 2, 0, 1, 1)
        answer = client.ask(0, (DISPLAY, red + struct.pack("<Bi", 66, 0)))
        *_, width, height = answer.expect(DISPLAY, 66, "iii")
        pixels = bytes(answer.take("32B"))
        assert (width, height) == (4, 2)
        assert pixels[:8] == bytes((0, 0, 255, 255)) * 2
        assert pixels[8:16] == bytes((0, 0, 0, 255)) * 2


def test_a_supervisor_finds_sets_and_changes_the_world(simulation: ReadProcess, library: mmap.mmap) -> None:
    until_free("my robot")
    with WebotsClient(local()) as client:
        begun(client)

        def ask(data: bytes) -> Answer:
            answer = client.ask(0, (0, data))
            if answer.has_next(0, 4):
                answer.expect(0, 4, "d")
            return answer

        answer = ask(b"\x54" + text("BOX") + struct.pack("<i", -1))  # 84: by DEF
        box, kind, tag, parent, is_proto = answer.expect(0, 84, "IIiIB")
        assert (kind, tag, parent, is_proto, answer.text()) == (80, -1, 0, 0, "Solid")
        answer = ask(struct.pack("<BIi", 87, box, -1) + text("translation") + b"\0")
        field, kind, inside, count, *_ = answer.expect(0, 87, "iiBiii")
        assert (kind, inside, count, answer.text()) == (5, 0, -1, "translation")
        get = struct.pack("<BIiIB", 88, box, -1, field, 0)
        answer = ask(get)
        assert answer.expect(0, 88, "i3i3d") == (5, box, -1, field, 3.0, 0.0, 1.0)
        ask(struct.pack("<BIIIi3d", 62, box, field, 5, -1, 4.0, 1.0, 2.0))
        assert ask(get).expect(0, 88, "i3i3d")[4:] == (4.0, 1.0, 2.0)
        assert ask(struct.pack("<BI", 90, box)).expect(0, 90, "3d") == (4.0, 1.0, 2.0)
        rows = ask(struct.pack("<BI", 91, box)).expect(0, 91, "9d")
        assert rows == pytest.approx((1, 0, 0, 0, 1, 0, 0, 0, 1))

        answer = ask(struct.pack("<BIi", 87, 0, -1) + text("children") + b"\0")  # of the root group
        children, kind, _, count, *_ = answer.expect(0, 87, "iiBiii")
        assert (kind, count) == (0x19, 5)
        new = text('DEF NEW Solid { name "new" }')
        answer = ask(struct.pack("<BIIi", 89, 0, children, count) + new)
        assert answer.expect(0, 20, "i") == (0,)  # how many there are now
        assert (answer.text(), answer.take("i")) == ("children", (6,))
        answer = ask(struct.pack("<BIiIBI", 88, 0, -1, children, 0, 5))
        kind, *_, made = answer.expect(0, 88, "i3iI")
        assert kind == 0x19
        answer = ask(struct.pack("<BI", 97, made))
        assert answer.expect(0, 97, "I") == (made,)
        assert answer.expect(0, 20, "i") == (0,)
        assert (answer.text(), answer.take("i")) == ("children", (5,))
        answer = ask(b"\x54" + text("NEW") + struct.pack("<i", -1))
        assert answer.expect(0, 84, "I") == (0,)


@pytest.mark.parametrize("events", [4, 1], ids=["keys", "mouse"])
def test_waiting_for_input_is_answered_at_once_and_again_when_it_is_over(
    simulation: ReadProcess, library: mmap.mmap, events: int
) -> None:
    """Wait 0.2 s of wall time without input; 4 stands for keys, 1 for a click."""
    until_free("my robot")
    with WebotsClient(local()) as client:
        begun(client)
        start = time.monotonic()
        answer = client.ask(0, (0, struct.pack("<BHBii", 34, 16, 80, events, 200)))
        assert not answer.has_next(0, 80)
        assert client.answer().expect(0, 80, "i") == (0,)
        assert time.monotonic() - start >= 0.2


def test_mouse_and_joystick_come_from_their_topics(
    simulation: ReadProcess, library: mmap.mmap, client: Any
) -> None:
    """Enabled with 35 and 36; 3 describes the joystick, which is unknown first, 7 and 8 are the input."""
    until_free("my robot")
    until_free("other")
    mine, other = with_both(((local(),), (local("other"),)))
    with mine, other:
        answer = step_both(mine, other, (0, struct.pack("<BHBHBB", 35, 16, 36, 16, 39, 1)))
        answer.expect(0, 4, "d")
        assert answer.expect(0, 3, "iii") == (-1, -1, -1) and answer.text() == ""
        step_both(mine, other)  # the simulation subscribes once the devices are enabled
        mouse, joystick = client.speak(Joy, "/odesim/mouse"), client.speak(Joy, "/joy")
        found: dict[str, Any] = {}

        def has_both() -> bool:
            mouse.publish(Joy(buttons=[0, 1, 0], axes=[0.25, 0.5, 1.0, 2.0, 3.0]))
            joystick.publish(Joy(buttons=[1, 0, 1], axes=[0.0, 1.0]))
            answer = step_both(mine, other)
            answer.expect(0, 4, "d")
            if answer.has_next(0, 8):
                found["mouse"] = answer.expect(0, 8, "3B5d")
            if answer.has_next(0, 3):
                found["shape"] = answer.expect(0, 3, "iii"), answer.text()
            if answer.has_next(0, 7):
                found["joystick"] = answer.expect(0, 7, "3i3ii")
            return len(found) == 3

        client.until(has_both, "mouse and joystick")
        assert found["mouse"] == (0, 1, 0, 0.25, 0.5, 1.0, 2.0, 3.0)
        assert found["shape"] == ((2, 3, 0), "sensor_msgs/Joy")
        assert found["joystick"] == (2, 0, 2, 2, 0, -32767, 0)  # buttons 0 and 2, two axes, no pov


def test_the_model_is_told_as_urdf_with_a_prefix(simulation: ReadProcess, library: mmap.mmap) -> None:
    until_free("my robot")
    with WebotsClient(local()) as client:
        begun(client)
        answer = client.ask(0, (0, struct.pack("<BH", 46, 5) + text("pre_")))
        if answer.has_next(0, 4):
            answer.expect(0, 4, "d")
        answer.expect(0, 46, "")
        robot = ElementTree.fromstring(answer.text())
        links = {each.attrib["name"] for each in robot.iter("link")}
        parents = {each.attrib["link"] for each in robot.iter("parent")}
        assert links and all(name.startswith("pre_") for name in links)
        assert parents <= links


def test_what_is_no_packet_ends_the_connection_with_one_line(
    simulation: ReadProcess, library: mmap.mmap
) -> None:
    mistakes = (
        struct.pack("<II", 4, 0),  # shorter than its header
        struct.pack("<IIHi", 14, 0, 1, 99),  # a block longer than the packet
        struct.pack("<IIHiB", 15, 0, 77, 1, 1),  # no such device
        struct.pack("<IIHiB", 15, 0, 1, 1, 250),  # no such message
    )
    for data in mistakes:
        until_free("my robot")
        with WebotsClient(local()) as client:
            begun(client)
            client.socket.sendall(data)
            assert client.answer().expect(0, 2, "") == ()  # QUIT, then what it asks at its end
            client.answer()
            with pytest.raises(ConnectionResetError):
                client.answer()
    let_go = "the connection is closed"
    wait_until(lambda: len(simulation.says(let_go)) == len(mistakes), "one line for each")
    assert not simulation.says("Traceback")
