"""Records of device nodes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from sim_core.base.errors import OdesimError
from sim_core.model.device_spec import NodeSpec
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Robot { name "outer" selfCollision TRUE children [
  DEF ARM Solid { name "arm" children [
    Pose { children DEF CAMERA Camera { zoom DEF ZOOM Zoom { } children [
      Shape { }
      DistanceSensor { name "ds" lookupTable [ 0 0 0, 1 1 0 ] }
    ] } }
    DEF INNER Robot { name "inner" children [
      DEF JOINT Hinge2Joint {
        jointParameters2 JointParameters { minStop -1 maxStop 2 }
        device2 [ RotationalMotor { name "motor" } Brake { name "brake" } ]
        endPoint Solid { }
      }
      GPS { name "gps" }
    ] }
  ] }
] }
"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


def test_fields_have_their_defaults_and_cannot_be_written(sim: Simulation) -> None:
    spec = sim.robot("inner")["gps"].spec
    assert (spec.type_name, spec.is_a("Device"), spec.where) == ("GPS", True, "w.wbt:15:7")
    assert (spec["resolution"], spec.given) == (-1.0, {"name"})
    with pytest.raises(TypeError):
        spec.own["name"] = "other"
    with pytest.raises(FrozenInstanceError):
        spec.path = "another"


def test_a_part_has_a_spec_and_other_nodes_are_ids(sim: Simulation) -> None:
    node, zoom = sim.supervisor.node("CAMERA"), sim.supervisor.node("ZOOM")
    spec = sim.robot("outer")["camera"].spec
    assert isinstance(spec["zoom"], NodeSpec) and spec["zoom"]["maxFieldOfView"] == 1.5
    assert spec["children"] == tuple(each.id for each in node["children"])
    assert dict(spec.parts) == {zoom.id: "zoom"} and spec["focus"] is None


def test_a_device_record_has_its_axis(sim: Simulation) -> None:
    inner = sim.robot("inner")
    arm, joint = sim.supervisor.node("ARM"), sim.supervisor.node("JOINT")
    gps, motor, brake = (inner[name].spec for name in ("gps", "motor", "brake"))
    assert gps.axis is None and gps.solid == gps.above[0] == gps.robot.id == inner.spec.id
    assert gps.robot.outermost.id == sim.robot("outer").spec.id and gps.robot.outermost["selfCollision"]
    assert sim.robot("outer")["camera"].spec.solid == arm.id
    assert motor.axis.key == brake.axis.key == (joint.id, 1)
    assert motor.axis.stops == (-1.0, 2.0) and motor.axis.first_motor is None


def test_an_edit_makes_a_new_device_record(sim: Simulation) -> None:
    """Only its own fields matter, not those of its parent."""
    robot = sim.robot("outer")
    before, camera = robot["ds"].spec, robot["camera"].spec
    sim.supervisor.set(robot.nodes["ds"], "lookupTable", [(0.0, 0.0, 0.0), (2.0, 1.0, 0.0)])
    assert before["lookupTable"][1] == (1.0, 1.0, 0.0) and robot["camera"].spec is camera
    assert robot["ds"].spec["lookupTable"][1] == (2.0, 1.0, 0.0)
    with pytest.raises(OdesimError, match="increasing"):
        sim.supervisor.set(robot.nodes["ds"], "lookupTable", [(2.0, 0.0, 0.0), (1.0, 1.0, 0.0)])
    assert robot["ds"].spec["lookupTable"][1] == (2.0, 1.0, 0.0) and robot["ds"].max_range == 2.0
