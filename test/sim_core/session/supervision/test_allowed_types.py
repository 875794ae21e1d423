"""Changes of a node's type, and types that are allowed in a place."""

import pytest

from sim_core.base.errors import SceneError
from sim_core.scene import Node, parse_scene
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.allowed_types import types_for, types_instead

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 gravity 10 }
Viewpoint { }
DEF CRATE Solid { translation 0 0 5 name "crate" boundingObject DEF BOX Box { size 1 1 1 }
  children [ DEF SHAPE Shape { geometry USE BOX } GPS { name "gps" } ]
  physics Physics { density -1 mass 2 } }
DEF ARM Robot { translation 3 0 1 name "arm" children HingeJoint {
  jointParameters HingeJointParameters { } device DEF MOTOR RotationalMotor { } endPoint Solid { } } }
"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "yard.wbt"))


def node(sim: Simulation, name: str) -> Node:
    return sim.supervisor.node(name)


def test_a_solid_becomes_a_robot_that_goes_on_falling(sim: Simulation) -> None:
    for _ in range(25):  # 0.1 s, 1 m/s
        sim.step()
    height, (linear, _) = sim.supervisor.pose("CRATE").position[2], sim.supervisor.velocity("CRATE")
    assert "Robot" in types_instead(node(sim, "CRATE"))
    sim.supervisor.change_type("CRATE", "Robot")
    robot = node(sim, "CRATE")
    assert (robot.type_name, robot["name"], robot.id) == ("Robot", "crate", sim.robots["crate"].node.id)
    assert list(sim.robots["crate"].devices) == ["gps"]
    assert sim.supervisor.pose("CRATE").position[2] == pytest.approx(height, abs=1e-9)
    assert sim.supervisor.velocity("CRATE")[0] == pytest.approx(linear)
    assert linear[2] == pytest.approx(-1.0, rel=0.05)
    sim.supervisor.change_type("CRATE", "Supervisor")  # as in the scene tree of Webots
    assert node(sim, "CRATE")["supervisor"]
    sim.supervisor.change_type("CRATE", "Pose")
    assert "crate" not in sim.robots
    assert sim.supervisor.get("CRATE", "translation")[2] == pytest.approx(height, abs=1e-9)
    assert not node(sim, "CRATE").has_field("physics")
    sim.reset()
    assert (node(sim, "CRATE").type_name, list(sim.robots)) == ("Solid", ["arm"])
    assert sim.supervisor.pose("CRATE").position == pytest.approx((0, 0, 5))


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("CRATE", "Box", "as a Box, expected one of .*Group.*Robot"),
        ("CRATE", "Robt", "did you mean .*Robot"),
        ("SHAPE", "Group", "a node whose type can be changed"),
        ("root[0]", "Fog", "the removal of WorldInfo"),
    ],
)
def test_types_that_do_not_fit_are_refused(sim: Simulation, name: str, kind: str, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        sim.supervisor.change_type(name, kind)
    assert node(sim, "CRATE").type_name == "Solid"


def test_a_second_viewpoint_is_refused(sim: Simulation) -> None:
    with pytest.raises(SceneError, match=r"a second Viewpoint, beside that at yard.wbt:3:1"):
        sim.supervisor.import_text("Viewpoint { }")


def test_types_that_a_field_accepts(sim: Simulation) -> None:
    crate, arm = node(sim, "CRATE"), node(sim, "ARM")
    assert types_for(crate, "boundingObject")[:3] == ["Billboard", "Box", "Capsule"]
    assert "Solid" not in types_for(crate, "boundingObject")
    assert types_for(crate, "physics") == ["Physics"]
    assert {"Shape", "Robot", "Camera", "PointLight"} <= set(types_for(crate, "children"))
    assert "Box" not in types_for(crate, "children")
    assert {"Camera", "HingeJoint"} <= set(types_for(arm, "children"))
    assert {"Robot", "Fog"} <= set(types_for(None, "children"))
    out_of_place = {"WorldInfo", "Physics", "Box", "Camera", "HingeJoint", "Track", "Propeller"}
    assert out_of_place.isdisjoint(types_for(None, "children"))
    assert "SpotLight" not in types_instead(node(sim, "SHAPE"))
