"""Parameters of PROTO instances, and nodes of their bodies, in a running world."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.base.errors import OdesimError, SceneError
from sim_core.scene import Node
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\n"
SIZED = """# template language: javascript
PROTO Sized [ field SFVec3f translation 0 0 0 field SFFloat size 1 ] {
  DEF BASE Solid { translation IS translation name "sized"
    boundingObject Box { size %<= fields.size.value >% 1 1 } } }"""
HOLDER = "PROTO Holder [ field MFNode slot [ ] ] { Solid { children [ Group { children IS slot } ] } }"
READER = """# template language: javascript
PROTO Reader [ field MFNode slot [ ] ] { Solid { children [ Group { children IS slot } ]
  boundingObject Box {
    size %<= fields.slot.value.length >% %<= fields.slot.value[0].fields.size.value >% 1 } } }"""
TWICE = """PROTO Twice [ field SFVec3f translation 0 0 0 field MFNode slot [ ] ] {
  Solid { translation IS translation children [
    Pose { translation 0 1 0 children IS slot } Pose { translation 0 2 0 children IS slot } ] } }"""
DEEP = """EXTERNPROTO "Shift.proto"
PROTO Deep [ field SFVec3f translation 0 0 0 ] { Pose { translation IS translation children [
  Shift { slot [ Shift { slot [ DEF INSIDE Pose { translation 1 0 1 } ] } ] } ] } }"""
SHIFT = "PROTO Shift [ field MFNode slot [ ] ] { Pose { translation 1 0 0 children IS slot } }"
DEFAULTS = """PROTO Defaults [ field SFNode shape DEF BOX Box { } ] {
  Solid { children Shape { geometry IS shape } } }"""
PROTOS = {
    "Sized": SIZED, "Holder": HOLDER, "Reader": READER, "Twice": TWICE, "Deep": DEEP, "Shift": SHIFT,
    "Defaults": DEFAULTS,
}  # fmt: skip
Make = Callable[[str], Simulation]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a simulation of a world with these PROTO files."""
    for name, text in PROTOS.items():
        (tmp_path / f"{name}.proto").write_text(HEAD + text, encoding="utf-8")

    def make(world: str) -> Simulation:
        lines = "".join(f'EXTERNPROTO "{name}.proto"\n' for name in PROTOS)
        (tmp_path / "w.wbt").write_text(HEAD + lines + world, encoding="utf-8")
        return load_world(tmp_path / "w.wbt")

    return make


def found(sim: Simulation, name: str) -> Node:
    return sim.supervisor.node(name)


def box(node: Node) -> tuple[float, ...]:
    size: tuple[float, ...] = node["boundingObject"]["size"]
    return size


def saved_again(sim: Simulation, make: Make) -> Simulation:
    """Return the world that is read from the text of this one."""
    text = Path(sim.supervisor.save(Path(sim.scene.file).with_name("saved.wbt"))).read_text(encoding="utf-8")
    return make("".join(line + "\n" for line in text.splitlines()[1:] if not line.startswith("EXTERNPROTO")))


def test_a_proto_in_a_parameter_of_another_is_regenerated(make: Make) -> None:
    sim = make("Holder { slot [ DEF PART Sized { } ] }")
    sim.supervisor.set("PART", "size", 3.0)
    assert box(found(sim, "PART")) == (3.0, 1.0, 1.0)
    assert box(found(saved_again(sim, make), "PART")) == (3.0, 1.0, 1.0)
    sim.reset()
    assert box(found(sim, "PART")) == (1.0, 1.0, 1.0)


def test_a_template_follows_changes_of_its_parameters(make: Make) -> None:
    sim = make(
        "DEF OUT Reader { slot [ DEF PART Sized { } DEF BALL Sphere { } ] }".replace(
            " DEF BALL Sphere { }", ""
        )
    )
    sim.supervisor.set("PART", "size", 3.0)
    assert box(found(sim, "OUT")) == (1.0, 3.0, 1.0)
    assert box(found(sim, "PART")) == (3.0, 1.0, 1.0)
    sim.supervisor.import_text("Sized { size 5 }", "OUT", "slot", 0)
    assert box(found(sim, "OUT")) == (2.0, 5.0, 1.0)
    sim.supervisor.remove("PART")
    assert box(found(sim, "OUT")) == (1.0, 5.0, 1.0)
    sim.reset()
    assert box(found(sim, "OUT")) == (1.0, 1.0, 1.0)


def test_nodes_are_added_to_a_parameter_and_removed(make: Make) -> None:
    sim = make("DEF OUT Twice { slot [ DEF IN Group { } ] }")
    (ball,) = sim.supervisor.import_text('Solid { name "ball" translation 0 0 1 }', "IN")
    sim.supervisor.import_text('Solid { name "second" }', "OUT", "slot")
    names = [each["name"] for each in sim.scene.walk() if each.is_a("Solid")]
    assert names == ["solid", "ball", "second", "ball", "second"]
    assert sim.supervisor.pose(ball).position == (0.0, 1.0, 1.0)
    again = saved_again(sim, make)
    assert [each["name"] for each in again.scene.walk() if each.is_a("Solid")] == names
    sim.supervisor.remove(ball)
    assert [each["name"] for each in sim.scene.walk() if each.is_a("Solid")] == ["solid", "second", "second"]
    with pytest.raises(SceneError, match="a part of a Twice"):
        sim.supervisor.import_text("Group { }", found(sim, "OUT")["children"][0])


def test_each_copy_of_a_parameter_has_its_own_pose_and_inner_ones_move_along(make: Make) -> None:
    sim = make(
        "Twice { translation 1 0 0 slot DEF S Solid { translation 0 0 1 } } "
        "DEF OUT Deep { translation 1 0 0 }"
    )
    places = [sim.supervisor.pose(each).position for each in sim.scene.walk() if each.def_name == "S"]
    assert places == [(1.0, 1.0, 1.0), (1.0, 2.0, 1.0)]
    proto = found(sim, "OUT").proto
    assert proto is not None
    inside = sim.scene.shown(proto.defs["INSIDE"])
    assert sim.supervisor.pose(inside).position == (4.0, 0.0, 1.0)  # 1 and 1 and 1 and 1
    sim.supervisor.set("OUT", "translation", (0.0, 1.0, 0.0))
    assert sim.supervisor.pose(inside).position == (3.0, 1.0, 1.0)


def test_names_that_a_proto_gives_its_root_and_its_defaults_are_found(make: Make) -> None:
    sim = make("Sized { } DEF OWN Sized { } Defaults { }")
    assert sim.supervisor.find("BASE") is sim.scene.nodes[0]
    assert found(sim, "BOX").type_name == "Box"


def test_devices_are_added_to_a_running_robot_and_removed(make: Make) -> None:
    """A motor turns its joint as far as commanded; a reset undoes everything."""
    sim = make(
        'WorldInfo { gravity 0 } DEF R Robot { children DEF G Group { children GPS { name "first" } } }'
    )
    robot = sim.robots["robot"]
    first = robot["first"]
    sim.step(2)
    sim.supervisor.import_text('GPS { name "gps" translation 0 0 3 }', "G")
    sim.supervisor.import_text(
        """HingeJoint { device [ RotationalMotor { name "m" maxTorque 100 } PositionSensor { name "p" } ]
        endPoint Solid { name "arm" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } }""",
        "R",
    )
    assert list(robot.devices) == ["first", "gps", "m", "p"] and robot["first"] is first
    robot["m"].set_position(1.0)
    sim.step(50)
    assert robot["gps"].reading.value == (0.0, 0.0, 3.0)
    assert robot["p"].reading.value == pytest.approx(1.0, abs=1e-3)
    motor = robot["m"]
    with pytest.raises(OdesimError):
        sim.supervisor.import_text('Camera { name "cam" width -3 }', "G")
    assert list(robot.devices) == ["first", "gps", "m", "p"] and robot["m"] is motor
    sim.supervisor.remove(robot.nodes["gps"])
    assert list(robot.devices) == ["first", "m", "p"]
    before = sim.snapshot()
    sim.step(3)
    sim.reset()
    assert list(robot.devices) == ["first"] and robot["first"] is first
    sim.restore(before)
    assert list(robot.devices) == ["first", "m", "p"]
    sim.step(3)
    assert robot["p"].reading.value == pytest.approx(1.0, abs=1e-3)


def test_arguments_of_controllers_and_the_rights_of_supervisors_change_while_a_world_runs(make: Make) -> None:
    sim = make("DEF R Robot { }")
    sim.step()
    sim.supervisor.set("R", "controllerArgs", ["a", "b"])
    sim.supervisor.set("R", "supervisor", True)
    robot = found(sim, "R")
    assert (robot["controllerArgs"], robot["supervisor"]) == (["a", "b"], True)


def test_a_moved_end_of_a_joint_is_held_there(make: Make) -> None:
    """An arm of 1 m is lengthened to 3 m: with velocity v across, it turns about the axis at v/3."""
    sim = make("""WorldInfo { gravity 0 basicTimeStep 1 } Solid { name "base" children HingeJoint {
      jointParameters DEF AT HingeJointParameters { axis 0 1 0 } endPoint DEF ARM Solid { translation 1 0 0
        boundingObject Sphere { radius 0.01 } physics Physics { density -1 mass 1 } } } }""")
    sim.step(3)
    sim.supervisor.set("ARM", "translation", (3.0, 0.0, 0.0))
    assert sim.supervisor.get("ARM", "translation") == (3.0, 0.0, 0.0)
    sim.step(20)
    assert sim.supervisor.pose("ARM").position == pytest.approx((3.0, 0.0, 0.0), abs=1e-9)
    sim.supervisor.set_velocity("ARM", (0.0, 0.0, -0.3), (0.0, 0.1, 0.0))
    sim.step(1000)
    turn = math.hypot(*sim.supervisor.pose("ARM").position)
    assert turn == pytest.approx(3.0, abs=1e-3)
    assert sim.supervisor.get("AT", "position") == pytest.approx(0.1, abs=1e-3)


def test_a_solid_below_a_pose_follows_it(make: Make) -> None:
    sim = make("""WorldInfo { gravity 0 } Solid { children DEF P Pose { translation 1 0 0
      children DEF S Solid { name "in" translation 1 0 0 boundingObject Box { } physics Physics { } } } }""")
    sim.step(2)
    sim.supervisor.set("P", "translation", (3.0, 0.0, 0.0))
    sim.step(2)
    assert sim.supervisor.pose("S").position == (4.0, 0.0, 0.0)


BALL = """PROTO Ball [ field SFFloat radius 0.1 field MFNode slot [ DEF CORE Pose { translation 0 0 7 } ] ] {
  Solid { children [ Shape { geometry Sphere { radius IS radius } } Group { children IS slot } ] } }"""
BASE = """PROTO Base [ field SFNode look Appearance { } field MFNode slot [ ] ] {
  Solid { name "base" children [
    Shape { appearance IS look geometry Box { } } Group { children IS slot } ] } }"""
DERIVED = """EXTERNPROTO "Base.proto" EXTERNPROTO "Ball.proto"
PROTO Derived [ field SFNode look PBRAppearance { roughness 0.5 }
  field MFNode slot [ DEF GIVEN Ball { radius 0.3 } DEF PLACE Pose { translation 1 2 3 } ] ] {
  Base { look IS look slot IS slot } }"""
RULED = """# template language: javascript
EXTERNPROTO "Sized.proto"
PROTO Ruled [ field MFNode slot [ DEF ITEM Sized { size 2 } ] ] {
  Solid { children [ Group { children IS slot } ]
  boundingObject Box { size 1 %<= fields.slot.value[0].fields.size.value >% 1 } } }"""
PROTOS.update(Ball=BALL, Base=BASE, Derived=DERIVED, Ruled=RULED)


def test_nodes_of_defaults_are_each_instances_own_and_can_be_changed(make: Make) -> None:
    """A PROTO among them by its parameters, other nodes by their fields, also where a derived PROTO passes
    its default on, and a default in a default. Values equal to the default are not written."""
    sim = make("DEF ONE Derived { } DEF TWO Derived { }")
    before = Path(sim.supervisor.save(Path(sim.scene.file).with_name("before.wbt"))).read_text(
        encoding="utf-8"
    )
    assert "GIVEN" not in before and "roughness" not in before

    def shown(name: str) -> tuple[float, float, float, float]:
        nodes = {each.type_name: each for each in found(sim, name).walk() if each.def_name != "CORE"}
        core = next(each for each in found(sim, name).walk() if each.def_name == "CORE")
        radius, roughness = nodes["Sphere"]["radius"], nodes["PBRAppearance"]["roughness"]
        return radius, roughness, nodes["Pose"]["translation"][0], core["translation"][2]

    look = sim.supervisor.get("ONE", "look")
    ball, place = sim.supervisor.get("ONE", "slot")
    (core,) = sim.supervisor.get(sim.scene.shown(ball), "slot")
    for node, field, value in (
        (ball, "radius", 0.7), (look, "roughness", 0.9), (place, "translation", (4, 5, 6)),
        (core, "translation", (0, 0, 8)),
    ):  # fmt: skip
        sim.supervisor.set(sim.scene.shown(node), field, value)
    assert shown("ONE") == (0.7, 0.9, 4.0, 8.0) and shown("TWO") == (0.3, 0.5, 1.0, 7.0)
    again = saved_again(sim, make)
    assert [each["radius"] for each in again.scene.walk() if each.type_name == "Sphere"] == [0.7, 0.3]
    sim.supervisor.import_text("DEF MORE Pose { }", "TWO", "slot")
    sim.supervisor.remove(sim.scene.shown(sim.supervisor.get("TWO", "slot")[0]))
    names = [each.def_name for each in found(sim, "TWO").walk() if each.def_name]
    assert names == ["TWO", "PLACE", "MORE"] and shown("ONE")[0] == 0.7
    sim.reset()
    assert shown("ONE") == shown("TWO") == (0.3, 0.5, 1.0, 7.0)


def test_a_template_reads_its_default_nodes_and_follows_their_changes(make: Make) -> None:
    """A node that a supervisor references survives a regeneration."""
    sim = make("DEF OUT Ruled { }")
    assert box(found(sim, "OUT")) == (1.0, 2.0, 1.0)
    (item,) = sim.supervisor.get("OUT", "slot")
    sim.supervisor.set(sim.scene.shown(item), "size", 4.0)
    assert box(found(sim, "OUT")) == (1.0, 4.0, 1.0)
    assert sim.supervisor.get("OUT", "slot") == [item] and sim.scene.holds(item)
