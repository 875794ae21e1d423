"""Worlds with mistakes run, as in Webots, without impossible parts; mistakes in edits are refused."""

from pathlib import Path

import pytest

from sim_core.base.errors import DeviceError, Mistake, OdesimError, SceneError, SceneErrors
from sim_core.scene import Scene, load_scene, write_scene
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.supervisor import Supervisor

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
BODY = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { }"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WEBOTS_HOME", raising=False)

    def read(text: str, lenient: bool = True) -> Scene:
        (tmp_path / "w.wbt").write_text(HEAD + text if not text.startswith("#") else text)
        return load_scene(tmp_path / "w.wbt", lenient=lenient)

    return read


def _told(sim: Simulation) -> list[str]:
    warnings = [*sim.scene.warnings, *sim.physics.warnings]
    for robot in sim.robots.values():
        warnings += robot.warnings
    return [str(each).split("w.wbt:", 1)[-1] for each in warnings if isinstance(each, Mistake)]


LEFT_OUT = {
    f"Solid {{ {BODY} children Solid {{ boundingObject Plane {{ }} }} }}": "Plane in the boundingObject",
    f"Solid {{ {BODY} children Solid {{ boundingObject Cone {{ }} }} }}": "Cone in a boundingObject",
    'Solid { boundingObject Mesh { url "nothing.stl" } physics Physics { } }': 'Mesh.url "nothing.stl"',
    "Transform { scale 1 2 3 children Solid { boundingObject Sphere { } } }": "Transform.scale 1 2 3",
    'Robot { children [ HingeJoint { device [ RotationalMotor { } RotationalMotor { name "b" } ]'
    " endPoint Solid { } } ] }": "a second motor at one axis",
    "Robot { children HingeJoint { device LinearMotor { } endPoint Solid { } } }": "a LinearMotor in a Hinge",
    "Robot { children [ Camera { width 8000 height 8000 } ] }": "64000000 pixels in all",
}


@pytest.mark.parametrize("text", LEFT_OUT)
def test_impossible_parts_are_left_out_with_one_line(world, text: str) -> None:
    with pytest.raises(OdesimError) as strict:
        Simulation(world(text, lenient=False))
    assert LEFT_OUT[text] in str(strict.value)
    sim = Simulation(world(text))
    (line,) = _told(sim)
    assert LEFT_OUT[text] in line
    for _ in range(5):
        sim.step()


def test_a_device_that_is_left_out_is_listed_and_the_others_work(world) -> None:
    joint = (
        "HingeJoint { device [ RotationalMotor { } LinearMotor { } PositionSensor { } ] endPoint Solid { } }"
    )
    robot = Simulation(world(f"Robot {{ children [ {joint} GPS {{ }} ] }}")).robots["robot"]
    assert set(robot.devices) == {"rotational motor", "position sensor", "gps"}
    assert [each.type_name for each in robot.left_out.values()] == ["LinearMotor"]


def test_a_joint_beyond_its_stop_is_pushed_back(world) -> None:
    parameters = "HingeJointParameters { axis 0 0 1 minStop 0.5 maxStop 1 }"
    end = f"device RotationalMotor {{ }} endPoint Solid {{ {BODY} }}"
    sim = Simulation(world(f"Robot {{ children HingeJoint {{ jointParameters {parameters} {end} }} }}"))
    (line,) = _told(sim)
    assert "joint position 0 beyond its stops 0.5 and 1" in line
    motor = sim.robot("robot")["rotational motor"]
    motor.set_effort(0.0)
    sim.run(2.0)
    assert 0.45 < motor.axis.position < 1.05


def test_a_body_without_usable_mass_has_1_kg(world) -> None:
    sim = Simulation(world("Solid { physics Physics { mass 2 inertiaMatrix [ -1 1 1, 0 0 0 ] } }"))
    (body,) = sim.physics.masses()
    assert body.mass == pytest.approx(2.0)


def test_a_missing_plugin_does_not_run(world) -> None:
    text = f'#VRML_SIM R2025a utf8\nWorldInfo {{ physics "mine" }}\nSolid {{ {BODY} }}'
    sim = Simulation(world(text))
    (line,) = _told(sim)
    assert line.startswith("2:1: ") and 'no physics plug-in "mine"' in line
    sim.step()


FAILING = "PROTO Bad [ field SFFloat x 1 ] {{ {} {{ %< throw new Error('no'); >% }} }}"


@pytest.mark.parametrize(
    ("base", "place", "stands"),
    [
        ("Solid", "{}", "Group"),
        ("Solid", "Group {{ children [ {} Sphere {{ }} ] }}", "Group"),
        ("PBRAppearance", "Shape {{ appearance {} }}", "PBRAppearance"),
    ],
)
def test_a_template_that_fails_makes_an_empty_node(
    tmp_path, world, base: str, place: str, stands: str
) -> None:
    (tmp_path / "Bad.proto").write_text("#VRML_SIM R2025a utf8\n" + FAILING.format(base))
    text = f'#VRML_SIM R2025a utf8\nEXTERNPROTO "Bad.proto"\n{place.format("Bad { x 3 }")}'
    with pytest.raises(SceneErrors, match="the template of PROTO Bad"):
        world(text, lenient=False)
    sim = Simulation(world(text))
    (line,) = _told(sim)
    assert "the template of PROTO Bad" in line and "its node is empty" in line
    (node,) = [each for each in sim.scene.walk() if each.proto is not None]
    assert node.type_name == stands and not node.fields
    assert "Bad {" in write_scene(sim.scene) and "x 3" in write_scene(sim.scene)


def test_an_edit_with_a_mistake_is_refused_and_others_are_not(world) -> None:
    floor = 'Solid { name "floor" boundingObject DEF P Plane { } }'
    sim = Simulation(
        world(f'Robot {{ supervisor TRUE }}\nSolid {{ {BODY} children {floor} }}\nSolid {{ name "b" }}')
    )
    assert len(_told(sim)) == 1
    Supervisor(sim).import_text('Solid { name "new" translation 9 0 0 }')
    with pytest.raises(SceneError, match="Plane in the boundingObject"):
        Supervisor(sim).import_text(f'Solid {{ name "c" {BODY} children {floor} }}')
    sim.step()


def test_a_field_that_was_reset_reads_as_the_value_used(world) -> None:
    sim = Simulation(world("Robot { supervisor TRUE children [ Camera { width 0 } ] }"))
    camera = next(each for each in sim.scene.walk() if each.type_name == "Camera")
    assert camera["width"] == 1 and "width 0" in write_scene(sim.scene)
    assert sim.robot("robot")["camera"].width == 1


def test_strict_loading_refuses_mistakes(world) -> None:
    with pytest.raises(DeviceError, match=r"Camera\.width: found 0"):
        Simulation(world("Robot { children [ Camera { width 0 } ] }", lenient=False))


def test_a_regenerated_instance_keeps_reset_values(tmp_path: Path, world) -> None:
    (tmp_path / "Eye.proto").write_text(
        "#VRML_SIM R2025a utf8\nPROTO Eye [ field SFFloat x 1 field SFFloat r 0 ] { Robot { supervisor TRUE"
        ' children [ GPS { name "gps%<= fields.x.value >%" resolution %<= fields.r.value >% } ] } }'
    )
    sim = Simulation(world('#VRML_SIM R2025a utf8\nEXTERNPROTO "Eye.proto"\nDEF E Eye { }'))
    (line,) = _told(sim)
    assert "GPS.resolution is 0, using -1" in line
    Supervisor(sim).set("E", "x", 2.0)
    assert set(sim.robot("robot").devices) == {"gps2"}
    with pytest.raises(SceneError, match=r"GPS\.resolution is -3"):
        Supervisor(sim).set("E", "r", -3.0)
