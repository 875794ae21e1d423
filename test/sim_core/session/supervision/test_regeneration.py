"""PROTO instances whose parameters are changed during simulation."""

import hashlib
import math
from pathlib import Path

import pytest
from swinging import bits_of

from sim_core.base.errors import OdesimError
from sim_core.scene import Node
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.parameters import fields_of, regenerates

HEADER = "#VRML_SIM R2025a utf8\n"
PROTOS = {
    "Block": """# template language: javascript
PROTO Block [
  field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFString name "block"
  field SFVec3f size 1 1 1 field SFFloat mass 2 field SFInt32{1, 2} count 1
] {
  %< if (fields.mass.value > 100) throw new Error("too heavy"); >%
  Solid { translation IS translation rotation IS rotation name IS name
    children DEF S Shape { geometry Box { size IS size } } boundingObject USE S
    physics Physics { density -1 mass IS mass } } }""",
    "Pendulum": """# template language: javascript
PROTO Pendulum [ field SFVec3f translation 0 0 0 field SFFloat length 1 field SFFloat bob 0.1 ] {
  %< const z = -fields.length.value; >%
  Solid { translation IS translation children HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 }
    endPoint Solid { translation 0 0 %<= z >% boundingObject Sphere { radius IS bob }
      physics Physics { density -1 mass 1 inertiaMatrix [ 1e-6 1e-6 1e-6, 0 0 0 ] } } } } }""",
    "Rover": """# template language: javascript
PROTO Rover [ field SFVec3f translation 0 0 0 field SFString name "rover"
    field SFString controller "void" field SFFloat range 1 field MFNode slot [ ] ] {
  Robot { translation IS translation name IS name controller IS controller
    children [ DistanceSensor { name "eye" type "laser" lookupTable [ 0 0 0, 9 9 0 ] }
      Group { children IS slot } Shape { geometry Sphere { radius IS range } } ]
    boundingObject Sphere { radius %<= fields.range.value >% } physics Physics { density -1 mass 1 } } }""",
    "Pair": """EXTERNPROTO "Block.proto"
PROTO Pair [ field SFVec3f size 1 1 1 ] { Group { children Block { size IS size name "in" } } }""",
    "Sized": """EXTERNPROTO "Block.proto"
PROTO Sized [ field SFVec3f translation 0 0 0 field SFVec3f size 1 1 1 field SFFloat weight 2 ] {
  Block { translation IS translation size IS size mass IS weight } }""",
}
WORLD = (
    "\n".join(f'EXTERNPROTO "{name}.proto"' for name in PROTOS)
    + """
WorldInfo { basicTimeStep 4 gravity 10 }
DEF B Block { translation 0 0 5 }
DEF P Pendulum { translation 0 8 3 }
DEF R Rover { translation 20 0 5 slot GPS { name "gps" } }
DEF PAIR Pair { }
DEF SIZED Sized { translation 30 0 5 }
DEF EYE Robot { name "watcher" translation 0 -9 5 rotation 0 0 1 1.5707963267948966
  children DistanceSensor { name "ds" type "laser" lookupTable [ 0 0 0, 50 50 0 ] } }
"""
)


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    for name, text in PROTOS.items():
        (tmp_path / f"{name}.proto").write_text(HEADER + text, encoding="utf-8")
    world = tmp_path / "w.wbt"
    world.write_text(HEADER + WORLD, encoding="utf-8")
    return load_world(world)


def distance(sim: Simulation) -> float:
    sensor = sim.robot("watcher")["ds"]
    sim.sample([sensor])
    return float(sensor.value)


def run(sim: Simulation, steps: int) -> str:
    digest = hashlib.sha256()
    for _ in range(steps):
        sim.step()
        sensors = [sim.robot("watcher")["ds"], *list(sim.robot("rover").devices.values())]
        sim.sample(sensors)
        digest.update(repr((bits_of(sim.physics), [each.value for each in sensors])).encode())
    return digest.hexdigest()


def test_a_ray_meets_the_box_of_the_new_size(sim: Simulation) -> None:
    supervisor = sim.supervisor
    assert distance(sim) == pytest.approx(9.0 - 0.5)
    supervisor.set("B", "size", (1.0, 4.0, 1.0))
    assert distance(sim) == pytest.approx(9.0 - 2.0)
    assert supervisor.get("B", "size") == (1.0, 4.0, 1.0)
    sim.reset()
    assert distance(sim) == pytest.approx(9.0 - 0.5) and supervisor.get("B", "size") == (1.0, 1.0, 1.0)


def test_a_regenerated_solid_keeps_pose_and_velocity(sim: Simulation) -> None:
    """Semi-implicit Euler: v = -g·n·h, z = z0 - g·h²·n·(n + 1)/2, whatever happens to mass and size."""
    supervisor, h = sim.supervisor, 0.004
    supervisor.set_velocity("B", (1.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    sim.step(10)
    supervisor.set("B", "mass", 4.0)
    supervisor.set("B", "size", (0.5, 0.5, 2.0))
    sim.step(10)
    assert supervisor.get("B", "translation") == pytest.approx((20 * h, 0.0, 5.0 - 10.0 * h * h * 210))
    linear, angular = supervisor.velocity("B")
    assert linear == pytest.approx((1.0, 0.0, -10.0 * h * 20)) and angular == pytest.approx((0.0, 0.0, 0.5))
    turn = supervisor.get("B", "rotation")
    assert turn[2] * turn[3] == pytest.approx(20 * h * 0.5, abs=1e-4)
    supervisor.add_force("B", (6.0, 0.0, 0.0))
    sim.step()
    assert supervisor.velocity("B")[0][0] == pytest.approx(1.0 + 6.0 / 4.0 * h)


def test_unchanged_joints_keep_their_positions(sim: Simulation) -> None:
    """A pendulum at rest at an angle a begins to swing back with g/l·sin(a), with its new length l."""
    supervisor, h = sim.supervisor, 0.004
    pendulum = supervisor.node("P")
    joint = next(each for each in pendulum.walk() if each.type_name == "HingeJoint")
    sim.physics.can.editing.set_joint_position(joint.id, 0, 0.5)
    supervisor.set("P", "length", 2.0)
    joint = next(each for each in supervisor.node("P").walk() if each.type_name == "HingeJoint")
    bob = supervisor.pose(joint["endPoint"]).position
    assert bob == pytest.approx((-2.0 * math.sin(0.5), 8.0, 3.0 - 2.0 * math.cos(0.5)))
    sim.step()
    speed = sim.physics.axis(joint.id, 0).velocity
    assert speed == pytest.approx(-10.0 / 2.0 * math.sin(0.5) * h, rel=1e-3)


def test_names_refer_to_the_regenerated_node(sim: Simulation) -> None:
    supervisor = sim.supervisor
    block, shape = supervisor.node("B"), inside(sim, "B")
    name, part = supervisor.numbers.name(block), supervisor.numbers.name(shape)
    supervisor.set(name, "mass", 3.0)
    assert supervisor.node("B") is block and supervisor.node(name) is block
    assert supervisor.get(block, "mass") == 3.0 and block["physics"]["mass"] == 3.0
    assert inside(sim, "B") is not shape and supervisor.find(part) is None  # new nodes have other numbers
    assert supervisor.numbers.lasting(sim.scene, name) == "root[1]"
    assert [each.def_name for each in sim.scene.nodes[1:3]] == ["B", "P"]
    sim.reset()
    assert supervisor.node(name) is block and supervisor.node(part) is shape is inside(sim, "B")


def test_bound_fields_change_in_place(sim: Simulation) -> None:
    block = sim.supervisor.node("B")
    before = list(block.walk())
    sim.supervisor.set("B", "size", (2.0, 3.0, 4.0))
    assert list(block.walk()) == before
    assert [each["size"] for each in before if each.type_name == "Box"] == [(2.0, 3.0, 4.0)] * 2
    sim.supervisor.set("SIZED", "size", (0.5, 0.5, 0.5))  # through the instance at the root of its body
    sim.supervisor.set("PAIR", "size", (0.25, 0.25, 0.25))  # and through one within it
    for name, size in (("SIZED", 0.5), ("PAIR", 0.25)):
        boxes = [each for each in sim.supervisor.node(name).walk() if each.type_name == "Box"]
        assert [each["size"] for each in boxes] == [(size, size, size)] * 2
    sim.reset()
    assert {each["size"] for each in before if each.type_name == "Box"} == {(1.0, 1.0, 1.0)}


def test_a_robot_restarts_in_its_place(sim: Simulation) -> None:
    supervisor = sim.supervisor
    sim.step(10)
    before = sim.robot("rover")
    where = supervisor.pose("R").position
    supervisor.set("R", "range", 2.0)
    robot = sim.robot("rover")
    assert robot is not before and list(sim.robots) == ["rover", "watcher"]
    assert list(robot.devices) == ["eye", "gps"]
    assert supervisor.pose("R").position == pytest.approx(where)
    sim.sample([robot["gps"]])
    assert robot["gps"].value == pytest.approx(where)
    sim.reset()
    assert sim.robot("rover") is before


def test_a_run_with_a_change_repeats_and_a_reset_undoes_it(sim: Simulation) -> None:
    def change() -> str:
        run(sim, 20)
        sim.supervisor.set("B", "size", (0.5, 0.4, 0.3))
        sim.supervisor.set("R", "range", 0.5)
        return run(sim, 50)

    untouched = run(sim, 50)
    sim.reset()
    first = change()
    sim.reset()
    assert run(sim, 50) == untouched
    sim.reset()
    assert change() == first
    snapshot = sim.snapshot()
    after = run(sim, 30)
    sim.supervisor.set("B", "size", (2.0, 2.0, 2.0))
    sim.step(5)
    sim.restore(snapshot)
    assert sim.supervisor.get("B", "size") == (0.5, 0.4, 0.3)
    assert run(sim, 30) == after


def test_nodes_that_a_parameter_holds_are_edited_where_they_were_given(
    sim: Simulation, tmp_path: Path
) -> None:
    gps = sim.robot("rover").nodes["gps"]
    assert gps.original is not None and gps.original.parent is sim.supervisor.node("R")
    sim.supervisor.set(gps, "description", "seen")
    assert gps.original["description"] == gps["description"] == "seen"
    assert (
        load_world(sim.supervisor.save(tmp_path / "saved.wbt")).robot("rover").nodes["gps"]["description"]
        == "seen"
    )


def test_copies_by_use_and_instances_of_instances(sim: Simulation) -> None:
    supervisor = sim.supervisor
    supervisor.import_text("DEF G Group { children [ DEF ONE Block { translation 50 0 1 } USE ONE ] }")
    supervisor.set("ONE", "size", (3.0, 3.0, 3.0))
    group = supervisor.node("G")
    assert [each.proto.fields["size"] for each in group["children"]] == [(3.0, 3.0, 3.0)] * 2
    assert [each.use_name for each in group["children"]] == [None, "ONE"]
    supervisor.set("PAIR", "size", (0.5, 0.5, 0.5))
    (inner,) = supervisor.node("PAIR")["children"]
    assert inner["boundingObject"]["geometry"]["size"] == (0.5, 0.5, 0.5)
    supervisor.set("SIZED", "size", (0.25, 0.25, 0.25))
    assert supervisor.node("SIZED")["boundingObject"]["geometry"]["size"] == (0.25, 0.25, 0.25)


def test_saved_worlds_have_the_new_values(sim: Simulation, tmp_path: Path) -> None:
    sim.step(10)
    sim.supervisor.set("B", "mass", 3.0)
    other = load_world(sim.supervisor.save(tmp_path / "saved.wbt"))
    assert other.supervisor.get("B", "mass") == 3.0
    for name in ("translation", "linearVelocity"):
        assert other.supervisor.get("B", name) == pytest.approx(sim.supervisor.get("B", name))


def test_fields_are_those_of_the_interface_and_what_is_beside(sim: Simulation) -> None:
    block = sim.supervisor.node("B")
    assert list(fields_of(block))[:6] == ["translation", "rotation", "name", "size", "mass", "count"]
    assert "linearVelocity" in fields_of(block)
    made = [field for field in fields_of(block) if regenerates(block, field)]
    assert made == ["mass"]  # the template reads it, also through the PROTO around it
    sized = sim.supervisor.node("SIZED")
    assert [field for field in fields_of(sized) if regenerates(sized, field)] == ["weight"]


def inside(sim: Simulation, name: str) -> Node:
    found: Node = sim.supervisor.node(name)["children"][0]
    return found


def test_impossible_changes_are_refused_in_one_line(sim: Simulation) -> None:
    supervisor = sim.supervisor
    sim.step(3)
    state = bits_of(sim.physics)
    supervisor.import_text('DEF CAR Robot { name "car" translation 90 0 0 children DEF HELD Block { } }')
    supervisor.remove("CAR")
    refused = [
        ("B", "size", (1.0, 2.0), r"B\.size cannot be \(1\.0, 2\.0\).*expected 3 numbers"),
        ("B", "size", (-1.0, 1.0, 1.0), "size"),
        ("B", "mass", 1000.0, r"B\.mass cannot be 1000: the template of PROTO Block.*too heavy"),
        ("B", "count", 7, "expected one of 1, 2"),
        ("B", "siz", 7, 'no field "siz"'),
        ("R", "slot", [], "expected a field of numbers or text"),
        ("R", "controller", "other", "when the world is loaded"),
        (inside(sim, "PAIR"), "size", (2.0, 2.0, 2.0), "a part of a Pair"),
        (inside(sim, "B")["geometry"], "size", (2.0, 2.0, 2.0), "a part of a Block.*that the Block is given"),
    ]
    for node, field, value, why in refused:
        with pytest.raises(OdesimError, match=why) as caught:
            supervisor.set(node, field, value)
        assert "\n" not in str(caught.value)
    assert bits_of(sim.physics) == state
    assert supervisor.get("B", "size") == (1.0, 1.0, 1.0)


def test_a_change_asked_for_during_a_step_waits(sim: Simulation) -> None:
    seen = []

    def task(_: int) -> None:
        if not seen:
            sim.supervisor.set("B", "size", (2.0, 2.0, 2.0))
            seen.append(sim.supervisor.get("B", "size"))

    sim.every(0.0, task)
    sim.step(2)
    assert seen == [(1.0, 1.0, 1.0)] and sim.supervisor.get("B", "size") == (2.0, 2.0, 2.0)


def test_in_the_fast_2d_mode_too(tmp_path: Path, sim: Simulation) -> None:
    world = tmp_path / "flat.wbt"
    world.write_text(
        HEADER + 'EXTERNPROTO "Block.proto"\nWorldInfo { fast2d "enki" }\nDEF B Block { }\n', encoding="utf-8"
    )
    flat = load_world(world)
    flat.supervisor.set("B", "size", (2.0, 2.0, 2.0))
    assert flat.supervisor.get("B", "size") == (2.0, 2.0, 2.0)
    flat.reset()
    assert flat.supervisor.get("B", "size") == sim.supervisor.get("B", "size")
