"""W10: Emitter and Receiver: what the book says of their queues, rates, ranges, channels and directions."""

import math
from pathlib import Path

import pytest
from document_runs import run_document

WORLD = """
WorldInfo { basicTimeStep 10 physics "echo" }
Supervisor {
  name "sender" controller "sender"
  children [
    DEF E Emitter { name "radio" maxRange 5 channel 1 baudRate 800 bufferSize 10 }
    Emitter { name "plain" channel 2 }
    Emitter { name "to all" channel -1 }
    Emitter { name "beam" type "infra-red" channel 4 aperture 0.5 }
    Emitter { name "wire" type "serial" channel 5 }
    Emitter { name "plugin" channel 0 }
  ]
}
Robot {
  name "listener" controller "listener" translation 0 0 2
  children [
    Receiver { name "same" channel 1 baudRate 800 }
    Receiver { name "other rate" channel 1 }
    Receiver { name "other bits" channel 1 baudRate 800 byteSize 9 }
    Receiver { name "plain" channel 2 }
    Receiver { name "every" channel -1 bufferSize 20 }
    Receiver { name "beam" type "infra-red" channel 4 rotation 0 1 0 3.14159265 aperture 0.5 }
    Receiver { name "beside" type "infra-red" channel 4 translation 2 0 0 rotation 0 1 0 3.14159265 }
    Receiver { name "wire" type "serial" channel 5 }
    Receiver { name "plugin" channel 7 }
  ]
}
DEF WALL Solid { translation 0 0 -5 boundingObject Box { size 4 4 0.1 } }
"""
SENDER = """
from controller import *
robot = Supervisor()
radio, plain, to_all, beam, wire, plugin = (
    robot.getEmitter(name) for name in ("radio", "plain", "to all", "beam", "wire", "plugin"))
robot.step(10)
print("sizes", radio.getBufferSize(), plain.getBufferSize(), plain.getRange(), plain.getChannel())
print("sent", radio.send("hello"), radio.send("hello"))
print("filled", plain.send(bytes(4097)), plain.send(bytes(4096)), plain.send(b"x"))
robot.step(50)
print("busy", radio.send("hello"))
robot.step(10)
print("free", radio.send("hello"))
robot.step(100)
for meters in (3, 10, -1, -3):
    radio.setRange(meters)
    print("range", radio.getRange())
for channel in (2, -1, -2):
    radio.setChannel(channel)
    print("channel", radio.getChannel())
radio.setRange(1)
radio.setChannel(9)
robot.step(10)
node = robot.getFromDef("E")
print("fields", node.getField("channel").getSFInt32(), node.getField("range").getSFFloat())
robot.worldSave("saved.wbt")
radio.setChannel(1)
radio.send("too far")
plain.send("near")
to_all.send("all")
beam.send("seen")
wire.send("wired")
plugin.send(b"ping")
robot.step(200)
robot.getFromDef("WALL").getField("translation").setSFVec3f([0, 0, 1])
beam.send("hidden")
wire.send("through")
robot.step(200)
robot.simulationQuit(0)
"""
LISTENER = """
from controller import *
robot = Robot()
names = ["same", "other rate", "other bits", "plain", "every", "beam", "beside", "wire", "plugin"]
receivers = [robot.getReceiver(name) for name in names]
for receiver in receivers:
    receiver.enable(10)
while robot.step(10) != -1:
    for receiver in receivers:
        if receiver.name == "every":
            print("waiting", receiver.getQueueLength())
            continue
        while receiver.getQueueLength() > 0:
            text, size = receiver.getString(), receiver.getDataSize()
            print("heard", round(robot.getTime(), 3), receiver.name, "|", text, "|", size,
                  receiver.getSignalStrength(), *receiver.getEmitterDirection())
            receiver.nextPacket()
"""
ECHO = """
def step(api):
    for packet in api.packets:
        api.send(packet + b"-pong", 7)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """The project's folder, and what the controllers have printed."""
    folder = tmp_path_factory.mktemp("radio")
    plugin = folder / "plugins" / "physics" / "echo" / "echo.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(ECHO, encoding="utf-8")
    told = run_document(folder, WORLD, {"sender": SENDER, "listener": LISTENER})
    return folder, told.robots


def heard(lines: list[str], name: str) -> list[tuple[float, str, list[float]]]:
    """Time, text and numbers of the packets that a receiver has heard."""
    found = []
    for line in lines:
        if line.startswith("heard "):
            head, text, rest = (part.strip() for part in line.split("|"))
            _, time, who = head.split(maxsplit=2)
            if who == name:
                found.append((float(time), text, [float(each) for each in rest.split()]))
    return found


def after(lines: list[str], word: str) -> list[list[str]]:
    """The words behind one."""
    return [line.split()[1:] for line in lines if line.startswith(word + " ")]


def test_send_into_a_full_buffer_returns_0(run: tuple[Path, dict[str, list[str]]]) -> None:
    """10 bytes have room for one "hello" with its zero; 6 bytes at 800 bit/s are sent in 60 ms. 4096 is the
    size of a buffer that no field gives."""
    lines = run[1]["sender"]
    assert after(lines, "sizes") == [["10", "4096", "-1.0", "2"]]
    assert after(lines, "sent") == [["1", "0"]]
    assert after(lines, "filled") == [["0", "1", "0"]]
    assert after(lines, "busy") == [["0"]]
    assert after(lines, "free") == [["1"]]
    assert [time for time, text, _ in heard(run[1]["listener"], "same") if text == "hello"] == [0.07, 0.13]


def test_ranges_and_channels_are_those_that_the_fields_allow(run: tuple[Path, dict[str, list[str]]]) -> None:
    """At most maxRange, which is taken for -1 too; what is negative otherwise is refused in one line."""
    folder, robots = run
    lines = robots["sender"]
    assert after(lines, "range") == [["3.0"], ["5.0"], ["5.0"], ["5.0"]]
    assert after(lines, "channel") == [["2"], ["-1"], ["-1"]]
    assert [line for line in lines if line.startswith("Error")] == [
        "Error: Emitter.setRange() called with -3, expected 0 or more, or -1 for no limit",
        "Error: Emitter.setChannel() called with -2, expected -1 (all) or more",
    ]
    assert after(lines, "fields") == [["9", "1.0"]]
    saved = (folder / "controllers" / "sender" / "saved.wbt").read_text(encoding="utf-8")
    assert "channel 9" in saved
    assert "range 1" in saved.replace("1.0", "1")
    assert not [text for _, text, _ in heard(robots["listener"], "same") if text == "too far"]


def test_unequal_rates_or_bits_deliver_nothing(run: tuple[Path, dict[str, list[str]]]) -> None:
    lines = run[1]["listener"]
    assert [text for _, text, _ in heard(lines, "same")] == ["hello", "hello"]
    assert [text for _, text, _ in heard(lines, "other rate")] == [
        "all"
    ]  # sent to all, as fast as it listens
    assert not heard(lines, "other bits")


def test_strength_and_direction(run: tuple[Path, dict[str, list[str]]]) -> None:
    """s = 1/r², r = 2 m; a unit vector in the receiver's axes: along -z, or z of one that is turned."""
    ((_, _, (_, _, *turned)),) = heard(run[1]["listener"], "beam")
    assert turned == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    (_, _, (size, *_)), (_, text, (_, strength, *direction)), *_ = heard(run[1]["listener"], "plain")
    assert size == 4096
    assert text == "near"
    assert strength == pytest.approx(0.25)
    assert direction == pytest.approx([0.0, 0.0, -1.0])
    assert max(int(words[0]) for words in after(run[1]["listener"], "waiting")) > 1


def test_infra_red_needs_sight_and_a_cone_and_a_wire_does_not(run: tuple[Path, dict[str, list[str]]]) -> None:
    lines = run[1]["listener"]
    assert [text for _, text, _ in heard(lines, "beam")] == ["seen"]
    assert not heard(lines, "beside")
    assert [text for _, text, _ in heard(lines, "wire")] == ["wired", "through"]


def test_channel_0_reaches_the_physics_plug_in_which_answers(run: tuple[Path, dict[str, list[str]]]) -> None:
    """It comes from nowhere: without distance, and so without direction."""
    pings = [each for each in heard(run[1]["listener"], "plugin") if each[1] == "ping-pong"]
    ((_, _, (_, strength, *direction)),) = pings
    assert math.isinf(strength)
    assert all(math.isnan(each) for each in direction)
