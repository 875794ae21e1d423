"""What Webots' supervisors rely on, in a real run: user input, devices in PROTO, worlds that are saved and
loaded again, and what another supervisor has done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller_runs import run_project, said, write_controllers
from sensor_msgs.msg import Joy
from std_msgs.msg import Int32MultiArray

HEAD = "#VRML_SIM R2025a utf8\n"


def test_waiting_for_user_input_ends_with_a_key_and_the_world_stands_meanwhile(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    """Without an event it ends after its time; a click and a button of the joystick are told apart."""
    source = """
from controller import Keyboard, Supervisor
s = Supervisor()
keyboard = s.getKeyboard()
print("disabled", s.waitForUserInputEvent(s.EVENT_KEYBOARD, 60000) == s.EVENT_NO_EVENT)
box = s.getFromDef("BOX")
print("fields", box.getProtoField("name"), box.getBaseNodeField("name").getSFString(),
      s.getFromDef("INFO").getField("randomSeed").getSFFloat())
keyboard.enable(4)
s.step(4)
time = s.getTime()
print("nothing", s.waitForUserInputEvent(s.EVENT_KEYBOARD, 20) == s.EVENT_NO_EVENT)
mouse = s.EVENT_MOUSE_CLICK | s.EVENT_MOUSE_MOVE | s.EVENT_JOYSTICK_BUTTON
print("others", s.waitForUserInputEvent(mouse, 20) == s.EVENT_NO_EVENT)
print("waiting")
print("key", s.waitForUserInputEvent(s.EVENT_KEYBOARD, 60000) == s.EVENT_KEYBOARD, s.getTime() == time)
s.step(4)
print("pressed", keyboard.getKey() == Keyboard.UP)
s.getMouse().enable(4)
s.getJoystick().enable(4)
s.step(4)
print("clicks")
print("click", s.waitForUserInputEvent(s.EVENT_MOUSE_CLICK, 60000) == s.EVENT_MOUSE_CLICK)
print("button", s.waitForUserInputEvent(s.EVENT_JOYSTICK_BUTTON, 60000) == s.EVENT_JOYSTICK_BUTTON)
"""
    write_controllers(tmp_path, {"boss": source})
    world = tmp_path / "worlds" / "mine.wbt"
    world.parent.mkdir()
    world.write_text(
        HEAD + 'DEF INFO WorldInfo { basicTimeStep 4 } DEF BOX Solid { name "box" }'
        'Robot { name "boss" supervisor TRUE controller "boss" }'
    )
    sim = simulate(world, mode="realtime")
    client.until(lambda: sim.says("boss: waiting"), "the controller that waits")
    assert sim.says("boss: nothing True") and sim.says("boss: others True")
    assert sim.says("boss: disabled True") and sim.says(
        "waitForUserInputEvent() called for a keyboard that is"
    )
    assert sim.says("boss: fields None box 0.0") and sim.says("'randomSeed', which is of type SFInt32")
    keys = client.speak(Int32MultiArray, "/odesim/keyboard")
    keys.publish(Int32MultiArray(data=[315]))
    client.until(lambda: sim.says("boss: key True True"), "the key, in a world that stands")
    client.until(lambda: sim.says("boss: pressed True"), "the key after a step")
    mouse, joystick = client.speak(Joy, "/odesim/mouse"), client.speak(Joy, "/joy")
    client.until(lambda: sim.says("boss: clicks"), "the controller that waits for a click")
    for pressed in (0, 1):
        mouse.publish(Joy(buttons=[pressed, 0, 0], axes=[0.5, 0.5]))
    client.until(lambda: sim.says("boss: click True"), "the click")
    joystick.publish(Joy(buttons=[0], axes=[0.0]))
    joystick.publish(Joy(buttons=[1], axes=[0.5]))
    client.until(lambda: sim.says("boss: button True"), "the button")


SENSING = """PROTO Sensing [ field SFVec3f place 0 0 0.5 field SFString called "gps" ] {
  Robot { supervisor TRUE controller "boss" name "boss" children [
    DEF MAST Pose { translation IS place children DEF OWN GPS { name IS called } } ] } }"""


def test_a_device_in_a_proto_is_a_node_with_a_pose_and_read_only_fields(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "Sensing.proto").write_text(HEAD + SENSING)
    source = """
from controller import Supervisor
s = Supervisor()
gps = s.getDevice("gps")
gps.enable(10)
s.step(10)
node = s.getFromDevice(gps)
print(node.getTypeName(), node.getType() == node.GPS, node.getId() > 0)
print([round(each, 6) for each in node.getPosition()] == [round(each, 6) for each in gps.getValues()])
print(node.getParentNode().getTypeName(), node == s.getSelf().getFromProtoDef("OWN"))
print(s.getFromDef("OWN"), s.getFromDevice(99))
node.getField("name").setSFString("other")
s.step(10)
print(node.getField("name").getSFString())
"""
    world = 'EXTERNPROTO "Sensing.proto"\nWorldInfo { basicTimeStep 10 } Sensing { translation 1 2 0 }'
    sim = run_project(tmp_path, simulate, world, {"boss": source}, 0.1)
    assert sim.code == 0, sim.lines
    kind, place, above, none, *refused, name = said(sim, "boss")
    assert (kind, place, above, none) == ("GPS True True", "True", "Pose True", "None None")
    assert name == "gps" and len(refused) == 1 and "read only" in refused[0]


def test_a_world_that_is_saved_and_reloaded_has_the_custom_data(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """The controllers begin anew, at time 0, with what the file says now."""
    source = """
from controller import Supervisor
s = Supervisor()
print(s.getCustomData(), s.getTime(), s.getFromDef("BALL").getField("radius").getSFFloat())
if s.getCustomData() == "first":
    s.setCustomData("second")
    s.getFromDef("BALL").getField("radius").setSFFloat(0.25)
    s.step(10)
    print(s.worldSave())
    s.worldReload()
    s.step(10)
s.step(10)
"""
    world = """WorldInfo { basicTimeStep 10 } Shape { geometry DEF BALL Sphere { radius 0.5 } }
      Robot { name "boss" supervisor TRUE controller "boss" customData "first" }"""
    sim = run_project(tmp_path, simulate, world, {"boss": source}, 0.1)
    assert sim.code == 0, sim.lines
    assert said(sim, "boss") == ["first 0.0 0.5", "True", "second 0.0 0.25"]
    assert 'customData "second"' in (tmp_path / "worlds" / "mine.wbt").read_text()


SENDER = """
import time
from controller import Robot
robot = Robot()
emitter = robot.getDevice("emitter")
round, before = 0, -1.0
while robot.step(10) != -1:
    round += robot.getTime() < before
    before = robot.getTime()
    time.sleep(PAUSE)
    if not (ONCE and round):
        emitter.send(f"{robot.getName()} {round}")
"""


def test_a_reset_empties_what_is_under_way_between_emitters_and_receivers(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """What was sent before it never arrives, whoever spoke first: not what waits in an emitter, on the air,
    in a receiver or to be read; and two supervisors that speak in one step do not hold each other."""
    world = """WorldInfo { basicTimeStep 10 }
Robot { name "boss" controller "boss" supervisor TRUE children Receiver { name "receiver" } }
Robot { name "other" controller "other" supervisor TRUE }
Robot { name "early" controller "early" children Emitter { name "emitter" } }
Robot { name "late" controller "late" children Emitter { name "emitter" } }
Robot { name "slow" controller "slow" children Emitter { name "emitter" baudRate 1600 bufferSize 100 } }"""
    boss = """
from controller import Supervisor
boss = Supervisor()
receiver = boss.getDevice("receiver")
receiver.enable(10)
for _ in range(3):
    boss.step(10)
print(receiver.getQueueLength())
boss.simulationReset()
for _ in range(6):
    boss.step(10)
    heard = []
    while receiver.getQueueLength():
        heard.append(receiver.getString())
        receiver.nextPacket()
    print(round(boss.getTime(), 3), *sorted(heard), sep=", ")
"""
    other = """
from controller import Supervisor
other = Supervisor()
while other.step(10) != -1:
    other.getRoot()
"""
    senders = {"early": (0.0, False), "late": (0.05, False), "slow": (0.0, True)}
    sources = {
        name: SENDER.replace("PAUSE", str(pause)).replace("ONCE", str(once))
        for name, (pause, once) in senders.items()
    }
    sim = run_project(tmp_path, simulate, world, {"boss": boss, "other": other, **sources}, 0.1)
    assert sim.code == 0, sim.lines
    unread, *heard = said(sim, "boss")
    assert unread == "4"  # of two senders, at 20 and at 30 ms
    assert heard == ["0.01", *(f"{time}, early 1, late 1" for time in (0.02, 0.03, 0.04, 0.05, 0.06))]


OWN_WORLD = """WorldInfo { basicTimeStep 10 }
DEF BOX Solid { name "box" children DEF LID Solid { name "lid" } }
DEF BOSS Robot { name "boss" controller "boss" supervisor TRUE translation 1 2 3 }
Robot { name "other" controller "other" supervisor TRUE }"""
IDLE = "from controller import Robot\nr = Robot()\nwhile r.step(10) != -1: pass\n"
COMING_AND_GOING = """
from controller import Supervisor
s = Supervisor()
box, lid = s.getFromDef("BOX"), s.getFromDef("LID")
name, children = box.getField("name"), box.getField("children")
print(box.getId() > 0, lid.getId() > box.getId(), name.getType() == name.SF_STRING)
box.remove()
for node in (box, lid):
    print(node.getId(), repr(node.getDef()), node.getType(), repr(node.getTypeName()), node.isProto(),
          node.getField("name"))
print(name.getType(), repr(name.getTypeName()), children.getCount(), repr(name.getSFString()))
own = s.getSelf().getField("children")
before = s.getNumberOfDevices()
own.importMFNodeFromString(-1, 'GPS { name "new" translation 0 0 1 }')
gps = s.getDevice("new")
print(before, s.getNumberOfDevices(), s.getDeviceByIndex(before) is gps, s.getFromDevice(gps).getTypeName())
gps.enable(10)
s.step(10)
print(gps.getValues())
"""


def test_what_has_been_removed_has_no_number_and_what_is_imported_is_there_at_once(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """Of a node, of those below it, and of their fields; a device that comes to the own robot is found
    before the next step."""
    sources = {"boss": COMING_AND_GOING, "other": IDLE}
    sim = run_project(tmp_path, simulate, OWN_WORLD, sources, 0.1)
    assert sim.code == 0, sim.lines
    told = said(sim, "boss")
    errors = [line for line in told if "no longer" in line]
    assert [line for line in told if line not in errors] == [
        "True True True",
        *["-1 '' 0 '' False None"] * 2,
        "0 '' -1 ''",
        "0 1 True GPS",
        "[1.0, 2.0, 4.0]",
    ]
    assert len(errors) == 16  # one for each question


def test_a_robot_that_is_no_supervisor_any_more_has_its_rights_until_the_next_step(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """As the field says at the end of a step; another supervisor gives the rights again."""
    boss = """
from controller import Supervisor
s = Supervisor()
own = s.getSelf()
def say():
    print(s.getSupervisor(), own.getId() == number, s.getFromDef("BOX") is not None)
number = own.getId()
own.getField("supervisor").setSFBool(False)
say()
s.step(10)
say()
print(own.getId())
while not s.getSupervisor() and s.step(10) != -1:
    pass
say()
"""
    other = """
from controller import Supervisor
s = Supervisor()
for _ in range(5):
    s.step(10)
s.getFromDef("BOSS").getField("supervisor").setSFBool(True)
while s.step(10) != -1:
    pass
"""
    sim = run_project(tmp_path, simulate, OWN_WORLD, {"boss": boss, "other": other}, 0.2)
    assert sim.code == 0, sim.lines
    told = said(sim, "boss")
    refused = [line for line in told if "not a supervisor" in line]
    assert [line for line in told if line not in refused] == [
        "True True True",
        "False False False",
        "-1",
        "True True True",
    ]
    assert len(refused) == 3


IN_C = r"""
#include <stdio.h>
#include <webots/robot.h>
#include <webots/gps.h>
#include <webots/supervisor.h>

int main(void) {
  wb_robot_init();
  WbNodeRef box = wb_supervisor_node_get_from_def("BOX"), lid = wb_supervisor_node_get_from_def("LID");
  WbFieldRef name = wb_supervisor_node_get_field(box, "name");
  printf("%d %d\n", wb_supervisor_node_get_id(box) > 0, wb_supervisor_field_get_type(name) == WB_SF_STRING);
  printf("%g\n", wb_supervisor_field_get_sf_float(name));
  wb_supervisor_node_remove(box);
  printf("%d %d %d\n", wb_supervisor_node_get_id(box), wb_supervisor_node_get_id(lid),
         wb_supervisor_field_get_type(name));
  WbNodeRef own = wb_supervisor_node_get_self();
  WbFieldRef children = wb_supervisor_node_get_field(own, "children");
  for (int i = 0; i < 2; i++) {
    const char *text = i ? "LED { name \"led\" }" : "GPS { name \"new\" }";
    wb_supervisor_field_import_mf_node_from_string(children, -1, text);
    printf("%d of %d\n", wb_robot_get_device(i ? "led" : "new"), wb_robot_get_number_of_devices());
  }
  WbDeviceTag gps = wb_robot_get_device("new");
  wb_gps_enable(gps, 10);
  wb_robot_step(10);
  const double *place = wb_gps_get_values(gps);
  printf("%g %g %g\n", place[0], place[1], place[2]);
  wb_supervisor_field_set_sf_bool(wb_supervisor_node_get_field(own, "supervisor"), false);
  printf("%d %d\n", wb_robot_get_supervisor(), wb_supervisor_node_get_id(own) > 0);
  wb_robot_step(10);
  printf("%d %d\n", wb_robot_get_supervisor(), wb_supervisor_node_get_id(own));
  fflush(stdout);
  while (wb_robot_step(10) != -1) {
  }
  return 0;
}
"""


def test_the_same_rules_in_c(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    """Removed nodes, imported devices, the rights of a supervisor, and a field of another type."""
    place = tmp_path / "controllers" / "boss"
    place.mkdir(parents=True)
    (place / "boss.c").write_text(IN_C, encoding="utf-8")
    sim = run_project(tmp_path, simulate, OWN_WORLD, {"other": IDLE}, 0.1)
    assert sim.code == 0, sim.lines
    told = said(sim, "boss")
    complaints = [line for line in told if "expected" in line or "no longer" in line]
    assert [line for line in told if line not in complaints] == [
        "1 1",
        "0",
        "-1 -1 0",
        "1 of 1",
        "2 of 2",
        "1 2 3",
        "1 1",
        "0 -1",
    ]
    assert "which is SFString" in complaints[0] and "not a supervisor" in complaints[-1]
