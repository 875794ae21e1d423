"""The supervisor against closed formulas, round trips, and impossible requests."""

import hashlib
from math import pi
from pathlib import Path

import pytest
from PIL import Image
from swinging import bits_of

from sim_core.base.errors import CommandError, OdesimError, PhysicsError, SceneError, SceneErrors
from sim_core.recording.label_pictures import Label
from sim_core.scene import Node, parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.present_state import save_text, text_for_anywhere

WHEEL = """HingeJoint {{
  jointParameters {parameters}HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
  device RotationalMotor {{ name "motor {side}" maxVelocity 20 }}
  endPoint Solid {{ name "wheel {side}" translation 0 {y} 0 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder {{ radius 0.1 height 0.02 }} physics Physics {{ density 500 }} }}
}}"""
WORLD = (
    """#VRML_SIM R2025a utf8
DEF INFO WorldInfo { basicTimeStep 4 }
DEF FLOOR Solid { name "floor" boundingObject Plane { size 40 40 } }
DEF LAMP PointLight { location 0 0 3 }
DEF TABLE Solid { name "table" translation 3 0 0.5 boundingObject Box { size 0.2 4 1 } }
DEF BALL Solid { name "ball" translation 0 4 5
  children Shape { appearance DEF LOOK PBRAppearance { } geometry USE B }
  boundingObject DEF B Sphere { radius 0.1 }
  physics DEF P Physics { density -1 mass 2 } }
DEF ROBOT Robot { name "r1" translation 0 0 0.1
  boundingObject Cylinder { radius 0.2 height 0.1 } physics Physics { density 100 }
  children [
"""
    + WHEEL.format(parameters="DEF JP ", side="left", y=0.2)
    + WHEEL.format(parameters="", side="right", y=-0.2)
    + """
    GPS { name "gps" }
    DistanceSensor { name "ds" type "laser" lookupTable [ 0 0 0, 9 9 0 ] }
    DEF CASTER Solid { name "caster" translation 0.15 0 -0.08 boundingObject Sphere { radius 0.02 } } ] }
"""
).replace("geometry USE B }", "geometry Sphere { radius 0.1 } }")
BOX = 'DEF NEW Solid { name "new" translation 8 8 0.5 boundingObject Box { size 1 1 1 } physics Physics { } }'


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


def named(sim: Simulation, name: str) -> Node:
    """Return the first node with this `name`."""
    return next(node for node in sim.scene.walk() if node.has_field("name") and node["name"] == name)


def drive(sim: Simulation, steps: int) -> str:
    """Drive, and return a hash of all results."""
    robot = sim.robot("r1")
    robot["motor left"].set_velocity(3.0)
    robot["motor right"].set_velocity(2.5)
    digest = hashlib.sha256()
    for _ in range(steps):
        sim.step()
        digest.update(repr((bits_of(sim.physics), robot["gps"].value, robot["ds"].value)).encode())
    return digest.hexdigest()


def test_nodes_are_found_by_def_by_path_and_robots_by_name(sim: Simulation) -> None:
    supervisor = sim.supervisor
    ball = supervisor.node("BALL")
    assert ball["name"] == "ball" and supervisor.node("r1") is supervisor.node("ROBOT")
    assert supervisor.node("BALL.P") is ball["physics"]
    wheel = named(sim, "wheel left")
    assert supervisor.node(wheel.path()) is wheel
    with pytest.raises(SceneError, match=r'no node "BAL".*did you mean "BALL"'):
        supervisor.node("BAL")


def test_a_solid_falls_freely_from_where_it_is_put(sim: Simulation) -> None:
    supervisor, h, g = sim.supervisor, 0.004, 9.81
    sim.step(10)
    supervisor.set("BALL", "translation", (1.0, 2.0, 30.0))
    assert supervisor.get("BALL", "translation") == (1.0, 2.0, 30.0)
    supervisor.set_velocity("BALL", (1.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    sim.step(50)  # semi-implicit Euler: z = z0 - g h² n (n + 1) / 2
    assert supervisor.get("BALL", "translation") == pytest.approx((1.2, 2.0, 30.0 - g * h * h * 1275))
    linear, angular = supervisor.velocity("BALL")
    assert linear == pytest.approx((1.0, 0.0, -g * h * 50)) and angular == pytest.approx((0.0, 0.0, 2.0))
    supervisor.set("BALL", "linearVelocity", (0.0, 5.0, 0.0))
    assert supervisor.get("BALL", "linearVelocity") == pytest.approx((0.0, 5.0, 0.0))
    assert supervisor.get("BALL", "angularVelocity") == pytest.approx((0.0, 0.0, 2.0))
    supervisor.reset_physics("BALL")
    assert supervisor.velocity("BALL") == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_forces_and_torques_act_for_one_step(sim: Simulation) -> None:
    supervisor, h, mass, radius = sim.supervisor, 0.004, 2.0, 0.1
    supervisor.add_force("BALL", (10.0, 0.0, 0.0))
    sim.step(5)
    assert supervisor.velocity("BALL")[0][0] == pytest.approx(10.0 / mass * h)
    inertia = 0.4 * mass * radius**2
    supervisor.add_torque("BALL", (0.0, 0.0, 1.0))
    sim.step(2)
    assert supervisor.velocity("BALL")[1][2] == pytest.approx(h / inertia, rel=1e-9)
    supervisor.reset_physics("BALL")
    supervisor.add_force("BALL", (0.0, 3.0, 0.0), offset=(radius, 0.0, 0.0), relative=False)
    turned = supervisor.pose("BALL").apply((radius, 0.0, 0.0))
    arm = turned[0] - supervisor.pose("BALL").position[0]
    sim.step()
    assert supervisor.velocity("BALL")[1][2] == pytest.approx(3.0 * arm * h / inertia, rel=1e-6)
    with pytest.raises(PhysicsError, match="no Physics"):
        supervisor.add_force("TABLE", (1.0, 0.0, 0.0))
    with pytest.raises(PhysicsError, match="expected 3"):
        supervisor.add_torque("BALL", (1.0, 0.0))


def test_a_robot_is_moved_with_all_its_parts(sim: Simulation) -> None:
    drive(sim, 50)
    supervisor = sim.supervisor
    wheel = supervisor.node("ROBOT")["children"][0]["endPoint"]
    relative = supervisor.pose("ROBOT").inverse() * supervisor.pose(wheel)
    angle = supervisor.get("JP", "position")
    supervisor.set("ROBOT", "rotation", (0.0, 0.0, 1.0, 1.5))
    supervisor.set("ROBOT", "translation", (5.0, -5.0, 0.1))
    now = supervisor.pose("ROBOT").inverse() * supervisor.pose(wheel)
    assert now.position == pytest.approx(relative.position) and now.rotation == pytest.approx(
        relative.rotation
    )
    assert supervisor.get("ROBOT", "rotation") == pytest.approx((0.0, 0.0, 1.0, 1.5))
    assert supervisor.get("JP", "position") == pytest.approx(angle)
    sim.step()
    assert sim.robot("r1")["gps"].value == pytest.approx((5.0, -5.0, 0.1), abs=0.01)


def test_a_fixed_solid_is_moved_and_rays_hit_it_there(sim: Simulation) -> None:
    sim.step()
    assert sim.robot("r1")["ds"].value == pytest.approx(2.9, abs=1e-3)
    sim.supervisor.set("TABLE", "translation", (2.0, 0.0, 0.5))
    sim.step()
    assert sim.robot("r1")["ds"].value == pytest.approx(1.9, abs=1e-3)
    sim.supervisor.set("FLOOR", "translation", (0.0, 0.0, -1.0))  # a plane: the physics is rebuilt
    sim.step(500)
    assert sim.supervisor.get("ROBOT", "translation")[2] == pytest.approx(-0.9, abs=0.02)


def test_the_position_of_a_joint_is_set(sim: Simulation) -> None:
    supervisor = sim.supervisor
    sim.robot("r1")
    supervisor.set("ROBOT", "translation", (0.0, 0.0, 9.0))
    for wanted in (1.0, 7.5, -20.0):
        supervisor.set("JP", "position", wanted)
        assert supervisor.get("JP", "position") == pytest.approx(wanted)
        wheel = supervisor.node("ROBOT")["children"][0]["endPoint"]
        centre = supervisor.pose("ROBOT").inverse().apply(supervisor.pose(wheel).position)
        assert centre == pytest.approx((0.0, 0.2, 0.0))


def test_a_rebuild_changes_nothing_else(sim: Simulation) -> None:
    drive(sim, 100)
    twin = Simulation(parse_scene(WORLD, "w.wbt"))
    drive(twin, 100)
    state = bits_of(sim.physics)
    sim.supervisor.import_text(BOX)
    sim.supervisor.remove("NEW")
    assert bits_of(sim.physics) == state
    twin.physics.set_state(twin.physics.get_state())
    for each in (sim, twin):
        each.step(100)
    one, other = (each.supervisor.get("ROBOT", "translation") for each in (sim, twin))
    assert one == pytest.approx(other, abs=1e-9)


def test_masses_sizes_and_gravity_apply_at_once(sim: Simulation) -> None:
    supervisor = sim.supervisor
    supervisor.set("P", "mass", 5.0)
    supervisor.add_force("BALL", (10.0, 0.0, 0.0))
    sim.step()
    assert supervisor.velocity("BALL")[0][0] == pytest.approx(10.0 / 5.0 * 0.004)
    supervisor.set("INFO", "gravity", 1.62)
    before = supervisor.velocity("BALL")[0][2]
    sim.step(10)
    assert supervisor.velocity("BALL")[0][2] - before == pytest.approx(-1.62 * 0.04)
    supervisor.set("INFO", "gravity", 9.81)
    supervisor.set("B", "radius", 0.5)
    supervisor.set("BALL", "translation", (0.0, 4.0, 0.6))
    sim.step(1500)
    assert supervisor.get("BALL", "translation")[2] == pytest.approx(0.5, abs=0.01)


def test_colours_and_lights_change(sim: Simulation) -> None:
    told: list[int] = []
    supervisor = sim.supervisor
    supervisor.changed.append(lambda: told.append(1))
    supervisor.set("LOOK", "baseColor", (1.0, 0.0, 0.0))
    supervisor.set("LAMP", "on", False)
    supervisor.set("LAMP", "intensity", 0.5)
    assert supervisor.get("LOOK", "baseColor") == (1.0, 0.0, 0.0) and len(told) == 3
    from sim_core.devices.light.lights import Lights

    lights = sim.media.of(Lights)
    assert lights.table[0][1] == 0.0 or not lights.specs[0]["on"]
    supervisor.import_text("PointLight { location 1 1 1 }")
    assert len(lights.specs) == 2


def test_copies_made_by_use_change_with_their_original() -> None:
    text = """#VRML_SIM R2025a utf8
    Solid { children DEF S Shape { geometry Box { size 1 1 1 } } boundingObject USE S
      physics Physics { } }"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    box = sim.supervisor.node("S")["geometry"]
    sim.supervisor.set(box, "size", (2.0, 2.0, 2.0))
    assert sim.scene.nodes[0]["boundingObject"]["geometry"]["size"] == (2.0, 2.0, 2.0)
    sim.supervisor.add_force(sim.scene.nodes[0], (8000.0, 0.0, 0.0))
    sim.step()
    step = sim.step_ns / 1e9
    assert sim.supervisor.velocity(sim.scene.nodes[0])[0][0] == pytest.approx(step)  # 8 m³ at 1000 kg/m³


def test_a_reset_undoes_all_changes(sim: Simulation) -> None:
    fresh = drive(Simulation(parse_scene(WORLD, "w.wbt")), 150)
    drive(sim, 30)
    supervisor = sim.supervisor
    supervisor.set("TABLE", "translation", (2.0, 0.0, 0.5))
    supervisor.set("P", "mass", 5.0)
    supervisor.import_text(BOX)
    supervisor.import_text('Robot { name "r2" translation 9 9 9 children GPS { name "gps" } }')
    assert list(sim.robots) == ["r1", "r2"]
    robot = sim.robots["r1"]
    supervisor.remove("r1")
    assert list(sim.robots) == ["r2"]
    sim.step(20)
    sim.reset()
    assert list(sim.robots) == ["r1"] and sim.robots["r1"] is robot
    assert supervisor.get("P", "mass") == 2.0 and supervisor.find("NEW") is None
    assert drive(sim, 150) == fresh


def test_an_imported_robot_works(sim: Simulation) -> None:
    sim.step(3)
    sim.supervisor.import_text('Robot { name "r2" translation 9 9 1 children GPS { name "gps" } }')
    sim.step()
    assert sim.robot("r2")["gps"].value == (9.0, 9.0, 1.0)
    gps = sim.robot("r2")["gps"]
    sim.supervisor.remove("r2")
    with pytest.raises(OdesimError, match='no robot "r2"'):
        sim.robot("r2")
    sim.step()
    assert gps.reading.time_ns == sim.time_ns - sim.step_ns


def test_an_imported_robot_whose_name_is_taken_gets_a_number(sim: Simulation) -> None:
    robot = sim.robot("r1")
    for _ in range(2):
        sim.supervisor.import_text('Robot { name "r1" }', index=0)
    assert sorted(sim.robots) == ["r1", "r1(1)", "r1(2)"] and sim.robot("r1") is robot


def test_a_change_requested_during_a_step_waits_for_the_next(sim: Simulation) -> None:
    seen: list[float] = []

    def task(_: int) -> None:
        if sim.time_ns == sim.step_ns:
            sim.supervisor.set("TABLE", "translation", (2.0, 0.0, 0.5))
            seen.append(sim.supervisor.get("TABLE", "translation")[0])

    sim.every(0.0, task)
    sim.step(2)
    assert seen == [3.0] and sim.supervisor.get("TABLE", "translation")[0] == 2.0


def test_a_saved_world_continues_alike(sim: Simulation, tmp_path: Path) -> None:
    drive(sim, 200)
    sim.supervisor.import_text(BOX)
    file = sim.supervisor.save(tmp_path / "saved.wbt")
    other = load_world(file)
    for name in ("ROBOT", "BALL", "NEW", "TABLE"):
        for field in ("translation", "rotation", "linearVelocity", "angularVelocity"):
            now, loaded = sim.supervisor.get(name, field), other.supervisor.get(name, field)
            assert loaded == pytest.approx(now, abs=1e-9), (name, field)
    turned = other.supervisor.get("JP", "position")
    assert turned == pytest.approx(sim.supervisor.get("JP", "position"))
    for each in (sim, other):
        for side in ("left", "right"):
            each.robot("r1")[f"motor {side}"].set_velocity(2.0)
        each.step(100)
    for name in ("ROBOT", "BALL", "NEW"):
        now, loaded = (each.supervisor.get(name, "translation") for each in (sim, other))
        assert loaded == pytest.approx(now, abs=1e-5)


def test_parts_of_proto_instances_are_saved_in_hidden_fields(tmp_path: Path) -> None:
    (tmp_path / "Arm.proto").write_text(
        """#VRML_SIM R2025a utf8
PROTO Arm [ field SFVec3f translation 0 0 0 ] {
  Robot { translation IS translation name "arm" boundingObject Box { } physics Physics { }
    children HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 }
      device RotationalMotor { name "m" }
      endPoint Solid { name "hand" translation 0 0 2 boundingObject Box { } physics Physics { } } } }
}
""",
        encoding="utf-8",
    )
    world = tmp_path / "w.wbt"
    world.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "Arm.proto"\nArm { translation 1 0 5 }\n', encoding="utf-8"
    )
    sim = load_world(world)
    sim.robot("arm")["m"].set_velocity(1.0)
    sim.step(40)
    saved = sim.supervisor.save(tmp_path / "saved.wbt")
    text = saved.read_text(encoding="utf-8")
    assert "hidden translation_1" in text and "hidden position_0_0" in text and "Arm {" in text
    other = load_world(saved)
    hands = [named(each, "hand") for each in (sim, other)]
    poses = [each.supervisor.pose(hand) for each, hand in zip((sim, other), hands, strict=True)]
    assert poses[1].position == pytest.approx(poses[0].position)
    assert poses[1].rotation == pytest.approx(poses[0].rotation)
    with pytest.raises(SceneError, match="a part of a Arm"):
        sim.supervisor.remove(hands[0])


def test_files_are_imported_and_worlds_loaded_anew(sim: Simulation, tmp_path: Path) -> None:
    world = tmp_path / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    (tmp_path / "box.wbo").write_text("#VRML_OBJ R2025a utf8\n" + BOX, encoding="utf-8")
    sim = load_world(world)
    supervisor = sim.supervisor
    supervisor.import_file(tmp_path / "box.wbo")
    sim.step(5)
    assert supervisor.find("NEW") is not None
    supervisor.load_world(world)
    assert sim.time_ns == 0 and sim.supervisor is supervisor and supervisor.find("NEW") is None
    assert drive(sim, 60) == drive(load_world(world), 60)
    (tmp_path / "other.wbt").write_text("#VRML_SIM R2025a utf8\n" + BOX, encoding="utf-8")
    supervisor.load_world(tmp_path / "other.wbt")
    sim.step(10)
    assert not sim.robots and supervisor.find("NEW") is not None
    with pytest.raises(OdesimError, match=r"nowhere\.wbt"):
        supervisor.load_world(tmp_path / "nowhere.wbt")
    sim.step()


@pytest.mark.parametrize(
    ("node", "field", "value", "words"),
    [
        ("BALL", "translation", (1.0, 2.0), "BALL.translation cannot be"),
        ("BALL", "translation", (1.0, 2.0, float("nan")), "3 numbers"),
        ("BALL", "weight", 1.0, 'no field "weight"'),
        ("BALL", "children", [], "holds nodes"),
        ("BALL", "translation", (1e300, 0.0, 0.0), "finite"),
        ("P", "mass", -5.0, "Physics.mass -5"),
        ("B", "radius", -1.0, "radius"),
        ("ROBOT", "name", "other", "another field"),
        ("ROBOT", "controller", "x", "when the world is loaded"),
        ("INFO", "basicTimeStep", 8.0, "when the world is loaded"),
        ("JP", "position", float("inf"), "a number"),
    ],
)
def test_bad_changes_are_refused_and_change_nothing(
    sim: Simulation, node: str, field: str, value: object, words: str
) -> None:
    drive(sim, 20)
    state = bits_of(sim.physics)
    with pytest.raises(OdesimError, match=words) as refusal:
        sim.supervisor.set(node, field, value)
    assert "\n" not in str(refusal.value)
    assert bits_of(sim.physics) == state
    sim.step(3)


@pytest.mark.parametrize(
    ("text", "into", "field", "words"),
    [
        ("", None, "children", "no node"),
        ("Sold { }", None, "children", "unknown node"),
        ("WorldInfo { }", None, "children", "import of a WorldInfo"),
        (BOX, "BALL", "physics", "holds one node"),
        (BOX, "BALL", "name", "holds nodes"),
        (BOX, "BALL", "childs", 'no field "childs"'),
        (BOX, "LOOK", "textureTransform", "Solid in PBRAppearance"),
        ("Solid { boundingObject Box { size -1 1 1 } physics Physics { } }", None, "children", "size"),
    ],
)
def test_bad_imports_are_refused_and_change_nothing(
    sim: Simulation, text: str, into: str | None, field: str, words: str
) -> None:
    drive(sim, 20)
    state, roots = bits_of(sim.physics), len(sim.scene.nodes)
    with pytest.raises(OdesimError, match=words):
        sim.supervisor.import_text(text, into, field)
    assert bits_of(sim.physics) == state and len(sim.scene.nodes) == roots
    sim.step(3)


def test_bad_removals_are_refused(sim: Simulation) -> None:
    with pytest.raises(SceneError, match="can do without"):
        sim.supervisor.remove("INFO")
    ball = sim.supervisor.node("BALL")
    sim.supervisor.remove(ball)
    with pytest.raises(SceneError, match="not in the world"):
        sim.supervisor.remove(ball)


def test_all_that_a_task_removes_in_one_step_is_gone(sim: Simulation) -> None:
    gone = ("BALL", "TABLE", "LAMP")

    def remove(_: int) -> None:
        for name in gone:
            if sim.supervisor.find(name) is not None:
                sim.supervisor.remove(name)

    sim.every(0.0, remove)
    sim.step(1)
    sim.apply_edits()
    assert [sim.supervisor.find(name) for name in gone] == [None, None, None]
    assert sim.supervisor.find("ROBOT") is not None


@pytest.mark.parametrize("name", [".", "[", "]", "..", "root[99]", "BALL[0]", "#", ""])
def test_unknown_names_find_nothing(sim: Simulation, name: str) -> None:
    assert sim.supervisor.find(name) is None


def test_labels_are_kept_and_checked(sim: Simulation) -> None:
    supervisor = sim.supervisor
    supervisor.set_label(1, Label("goal", 0.1, 0.1, 0.2, (1.0, 0.0, 0.0)))
    supervisor.set_label(0, Label("0:1"))
    assert [number for number, _ in supervisor.labels.items()] == [0, 1]
    supervisor.set_label(0, None)
    assert [label.text for _, label in supervisor.labels.items()] == ["goal"]
    for bad in (Label("x", size=0.0), Label("x", x=float("nan")), Label("x", colour=(2.0, 0.0, 0.0))):
        with pytest.raises(CommandError, match="label 2"):
            supervisor.set_label(2, bad)
    with pytest.raises(CommandError, match="0 to 99"):
        supervisor.set_label(100, Label("x"))
    sim.reset()
    assert not supervisor.labels.items()


def test_a_saved_world_leaves_out_what_equals_its_default(tmp_path: Path) -> None:
    world = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 32 title "x" info [ ] }
    DEF A Solid { translation 0 0 0 rotation 0 0 1 0 name "solid" children [
      Shape { geometry Box { size 2 2 2 } castShadows TRUE } Shape { geometry Box { size 2 1 2 } } ] }"""
    sim = Simulation(parse_scene(world))
    sim.supervisor.set("A", "translation", (1.0, 0.0, 0.0))
    sim.supervisor.set("A", "translation", (0.0, 0.0, 0.0))
    saved = sim.supervisor.save(tmp_path / "saved.wbt").read_text().split()
    expected = """#VRML_SIM R2025a utf8 WorldInfo { title "x" } DEF A Solid { children [
      Shape { geometry Box { } } Shape { geometry Box { size 2 1 2 } } ] }"""
    assert saved == expected.split()


def test_a_world_that_is_saved_elsewhere_finds_the_files_of_its_project(tmp_path: Path) -> None:
    """PROTO files and pictures, in any folder; beside its file a world keeps its names."""
    lab, other = tmp_path / "lab", tmp_path / "other"
    for folder in (lab / "worlds", lab / "protos", other):
        folder.mkdir(parents=True)
    Image.new("RGB", (2, 2)).save(lab / "worlds" / "floor.png")
    proto = '#VRML_SIM R2025a utf8\nPROTO Post [ ] { Solid { name "post" } }'
    (lab / "protos" / "Post.proto").write_text(proto, encoding="utf-8")
    first = lab / "worlds" / "first.wbt"
    first.write_text(
        """#VRML_SIM R2025a utf8
        EXTERNPROTO "../protos/Post.proto"
        WorldInfo { }
        Post { }
        Shape { appearance PBRAppearance { baseColorMap ImageTexture { url "floor.png" } } }""",
        encoding="utf-8",
    )
    sim = load_world(first)
    beside = sim.supervisor.save(first.with_name("second.wbt")).read_text(encoding="utf-8")
    assert '"../protos/Post.proto"' in beside and '"floor.png"' in beside
    sim.supervisor.save(other / "third.wbt")
    (other / "fourth.wbt").write_text(text_for_anywhere(sim.world), encoding="utf-8")
    for name in ("third", "fourth"):
        again = load_world(other / f"{name}.wbt")
        assert not again.scene.warnings and named(again, "post")
    assert save_text(sim.world) == beside


def test_imported_text_may_use_a_name_of_the_world(sim: Simulation) -> None:
    """The nodes are one with the original: a change of one changes both."""
    sim.supervisor.import_text("DEF LOOK Shape { geometry DEF CUBE Box { size 1 2 3 } }")
    (solid,) = sim.supervisor.import_text(
        'Solid { name "new" children [ USE LOOK ] boundingObject USE CUBE }'
    )
    assert solid["boundingObject"]["size"] == (1.0, 2.0, 3.0)
    sim.supervisor.set("CUBE", "size", (4.0, 5.0, 6.0))
    assert solid["boundingObject"]["size"] == solid["children"][0]["geometry"]["size"] == (4.0, 5.0, 6.0)
    with pytest.raises(SceneErrors, match="USE of NOTHING"):
        sim.supervisor.import_text("Solid { children [ USE NOTHING ] }")


def test_a_reset_keeps_fields_without_effect_on_the_start(sim: Simulation) -> None:
    """Fields without effect on the start keep their values, on nodes of the start, and nothing else does."""
    supervisor = sim.supervisor
    robot = next(iter(sim.robots.values())).node
    before = supervisor.get(robot, "translation")
    for count in range(2):
        for field, value in (
            ("customData", f"run {count}"),
            ("controllerArgs", ["a", "b"]),
            ("description", "d"),
            ("supervisor", True),
        ):
            supervisor.set(robot, field, value)
        supervisor.set(robot, "translation", (1.0, 2.0, 3.0))
        supervisor.import_text('DEF NEW Solid { name "new" }')
        supervisor.set("NEW", "description", "gone with it")
        sim.step()
        sim.reset()
        assert supervisor.get(robot, "translation") == before and supervisor.find("NEW") is None
        assert supervisor.get(robot, "customData") == f"run {count}"
        kept = [supervisor.get(robot, each) for each in ("controllerArgs", "description", "supervisor")]
        assert kept == [["a", "b"], "d", True]


def test_a_rotating_head_turns_after_an_edit_of_the_start() -> None:
    """The head of a lidar is set in motion when the lidar is created."""
    world = Path(__file__).resolve().parents[4] / "worlds" / "devices" / "lidar.wbt"
    edited, other = load_world(world), load_world(world)
    crate = next(node for node in edited.scene.walk() if node.is_a("Solid") and node["name"] == "crate")
    x, y, z = crate["translation"]
    edited.supervisor.set(crate, "translation", (x, y, z + 1.0))
    for sim in (edited, other):
        sim.step(3)
    states = [sim.physics.get_state() for sim in (edited, other)]
    assert states[0].driven == states[1].driven and any(speed for _, speed, _ in states[0].driven)


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("physics", ["", "physics Physics { }"])
def test_a_pose_is_read_back_as_it_was_set(physics: str, steps: int) -> None:
    """Not as another axis and angle of the same rotation, until a step has moved it."""
    solid = f"Solid {{ boundingObject Sphere {{ }} {physics} }}"
    scene = parse_scene(f"""#VRML_SIM R2025a utf8
        WorldInfo {{ gravity 0 }}
        DEF A {solid.replace("{", '{ name "a" translation 5 0 0', 1)}
        DEF B Pose {{ translation 0 0 3 rotation 1 0 0 0.3 children DEF C {solid} }}""")
    sim = Simulation(scene)
    sim.step(steps)
    place, turn = (0.1, 0.2, 0.3), (0.0, 0.0, 2.0, 7.0)
    for name in ("A", "C"):
        for _ in range(2):
            sim.supervisor.set(name, "translation", place)
            sim.supervisor.set(name, "rotation", turn)
            assert sim.supervisor.get(name, "translation") == place
            assert sim.supervisor.get(name, "rotation") == turn
            sim.step()
        now = sim.supervisor.get(name, "rotation")
        assert now == turn or (physics and now == pytest.approx((0.0, 0.0, 1.0, 7.0 - 2.0 * pi)))
        sim.supervisor.set(name, "rotation", (0.0, 0.0, 1.0, 0.5))
        assert sim.supervisor.get(name, "rotation") == (0.0, 0.0, 1.0, 0.5)
    sim.reset()
    assert sim.supervisor.get("A", "rotation") == (0.0, 0.0, 1.0, 0.0)
