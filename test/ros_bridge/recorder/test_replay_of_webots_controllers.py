"""Runs with controllers that import `controller` are repeated from what these commanded and changed."""

import json
import math
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import said, write_controllers
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from ros_bridge.parameters.options import RunOptions
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_journal import journal
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.changes import COMMAND, command_of, described_command, from_text, to_text
from ros_bridge.recorder.replay import replay
from ros_bridge.recorder.run_facts import run_facts
from sim_core.base.errors import RecordingError
from sim_core.session.load_world import load_world
from sim_core.session.pipeline import Command
from sim_core.session.robot_commands import DeviceCommand
from sim_core.session.world_commands import StopAll

WORLD = """
WorldInfo { basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
DEF BALL Robot { name "ball" controller "void" translation 0 0 0.1 children GPS { name "gps" }
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }
Robot { name "boss" controller "boss" supervisor TRUE SYNC translation 0 2 0.1
  children [ Emitter { name "emitter" } Speaker { name "speaker" } ] }
Robot { name "arm" controller "arm" SYNC translation 0 -2 0.1 children [
  Receiver { name "receiver" }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device [ RotationalMotor { name "motor" maxTorque 5 } PositionSensor { name "angle" } ]
    endPoint Solid { translation 0.2 0 0
      boundingObject Box { size 0.4 0.05 0.05 } physics Physics { density -1 mass 0.3 } } } ] }
"""
BOSS = r"""
from controller import Supervisor
boss = Supervisor()
ball = boss.getFromDef("BALL")
place = ball.getField("translation")
emitter = boss.getDevice("emitter")
children = boss.getRoot().getField("children")
for k in range(60):
    if boss.step(16) == -1:
        break
    emitter.send(bytes([k, 255 - k]))
    if k % 20 == 5:
        ball.addForce([30.0, 5.0, 0.0], False)
    if k % 20 == 12:
        place.setSFVec3f([0.1 * k, 0.0, 0.3])
        ball.resetPhysics()
    if k == 15:
        children.importMFNodeFromString(-1, 'DEF NEW Robot { name "new" controller "<none>" '
            'translation 1 1 1 children GPS { name "gps" } '
            'boundingObject Sphere { radius 0.1 } physics Physics { } }')
    if k == 30:
        boss.getFromDef("NEW").setVelocity([1, 0, 0, 0, 0, 0])
    if k == 40:
        boss.getFromDef("NEW").remove()
        boss.setLabel(0, "gone", 0, 0, 0.1, 0xFF0000, 0)
    if k == 50:
        boss.simulationReset()
print("over")
while boss.step(16) != -1:
    pass
"""
ARM = r"""
from controller import Robot
arm = Robot()
motor, angle, receiver = (arm.getDevice(name) for name in ("motor", "angle", "receiver"))
receiver.enable(8)
angle.enable(24)
heard = 0
arm.step(8)
print("on")
while arm.step(8) != -1:
    while receiver.getQueueLength() > 0:
        heard += sum(receiver.getBytes())
        motor.setPosition(heard % 100 / 50.0)
        receiver.nextPacket()
print("heard", heard, angle.getValue())
"""


@pytest.mark.parametrize("synchronization", ["TRUE", "FALSE"])
def test_commands_requests_and_a_reset_are_repeated_to_the_last_bit(
    synchronization: str, tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    world = WORLD.replace("SYNC", f"synchronization {synchronization}")
    write_controllers(tmp_path, {"boss": BOSS, "arm": ARM})
    file = tmp_path / "worlds" / "mine.wbt"
    file.parent.mkdir()
    file.write_text("#VRML_SIM R2025a utf8\n" + world, encoding="utf-8")
    if synchronization == "TRUE":
        run = simulate(file, duration=1.2, record=str(tmp_path / "bag"), mode="fast")
    else:
        run = simulate(file, record=str(tmp_path / "bag"), mode="realtime", speed=2.0)
        run.until_it_says("boss: over")
        run.until_it_says("arm: on")
        run.send(signal.SIGINT)
    assert run.wait(60.0) == 0, run.lines
    with Bag(tmp_path / "bag") as bag:
        changes = [
            from_text(bag.decode(item.data, item.type_name).data)
            for item in bag.in_file_order()
            if item.topic == facts.CHANGES
        ]
        result = replay(bag)
        lines = [line.split(maxsplit=1) for line in journal(bag)]
    actions = [action for change in changes for action in change.get("actions", [])]
    assert {action["do"] for action in actions} >= {"Begin", "DeviceCommand", "Enable"}
    assert result.difference is None
    assert result.messages > 500
    if synchronization == "TRUE":
        assert "reset" in {change["what"] for change in changes}
        assert said(run, "boss") == ["over"]
        sent = [action["arguments"]["data"] for action in actions if action.get("command") == "send"]
        assert sent == [bytes([k, 255 - k]) for k in range(60)]
        told = [line for _, line in lines]
        assert told[0].partition("  ")[2].startswith("Begin(")  # of who was there first
        assert [line for line in told if " emitter." in line][:2] == [
            r"boss  emitter.send(b'\x00\xff')",
            r"boss  emitter.send(b'\x01\xfe')",
        ]
        assert any(line.startswith("arm  motor.set_webots_position(") for line in told)
        assert any(line.startswith("boss  AddForce(") for line in told)
        assert told[-1].startswith("end")


def test_a_change_goes_to_text_and_back() -> None:
    far = Command("arm", (DeviceCommand("arm", "motor", "set_webots_position", {"position": math.inf}),))
    packet = Command("arm", (DeviceCommand("arm", "emitter", "send", {"data": b"\0\xff"}), StopAll()))
    for command in (far, packet):
        text = to_text({"time_ns": 0, "what": COMMAND, **described_command(command)})
        assert "\\u0000" not in text and json.loads(text)
        assert command_of(from_text(text)) == command


def test_a_command_of_the_former_version_is_read_with_the_present_names() -> None:
    command = Command("arm", (DeviceCommand("arm", "led", "set", {"value": 1}), StopAll()))
    text = to_text({"time_ns": 0, "what": COMMAND, **described_command(command)})
    former = text.replace('"actions"', '"wishes"').replace('"DeviceCommand"', '"Tell"')
    assert former != text and from_text(former) == from_text(text)
    assert command_of(from_text(former)) == command


def test_a_journal_of_another_form_is_refused_in_one_line(tmp_path: Path, world_file: Any) -> None:
    world = world_file("mine")
    sim = load_world(world)
    facts_of_old = run_facts(sim, {}, RunOptions(str(world)), [])
    del facts_of_old[facts.JOURNAL]
    with BagWriter(tmp_path / "bag", facts_of_old) as writer:
        channel = writer.add_topic(facts.CHANGES, "std_msgs/msg/String")
        text = to_text({"time_ns": 0, "what": "controller_commands", "robot": "robot1", "commands": []})
        writer.write(channel, serialize_message(String(data=text)), 0)
    with (
        Bag(tmp_path / "bag") as bag,
        pytest.raises(
            RecordingError, match=r'"controller_commands" in a journal of form 2, expected form 3 or 4'
        ),
    ):
        replay(bag)
