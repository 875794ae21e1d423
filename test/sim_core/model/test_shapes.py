"""Geometries of a scene: which are found, their owners, and their poses."""

from __future__ import annotations

import math

import pytest

from sim_core.base.ids import NodeId
from sim_core.model.geometry import Box
from sim_core.model.shapes import bounding_shapes, outermost_robot
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene, parse_scene

WORLD = """#VRML_SIM R2025a utf8
Shape { geometry Plane { size 3 3 } }
DEF GROUND Solid { boundingObject Plane { } }
DEF R Robot {
  translation 5 0 0
  children [
    DEF BODY Pose { translation 0 0 1 rotation 0 0 1 1.5707963267948966 children [
      Shape { appearance DEF RED Appearance { } geometry DEF BOX Box { size 1 2 3 } }
      DEF SENSOR DistanceSensor { translation 0.5 0 0 children [
        Pose { translation 0.1 0 0 children [ Shape { geometry Sphere { } } ] } ] }
    ] }
    HingeJoint { jointParameters HingeJointParameters { } endPoint DEF WHEEL Solid { translation 0 1 0
      boundingObject Group { children [
        Pose { translation 0 0 0.5 children [ Shape { geometry Cylinder { radius 0.2 } } ] }
        Capsule { } ] } } }
    DEF INNER Robot { name "inner" boundingObject USE BOX }
  ]
  boundingObject USE BODY
}
"""


@pytest.fixture(scope="module")
def world() -> Scene:
    return parse_scene(WORLD.replace("USE BODY", "Pose { translation 0 0 2 children [ USE BOX ] }"))


def id_of(scene: Scene, name: str) -> NodeId:
    node = scene.find_def(name)
    assert node is not None
    return node.id


def test_bounding_objects_of_every_form(world: Scene) -> None:
    found = {type(record.geometry).__name__: record for record in bounding_shapes(world.nodes)}
    robot, wheel, inner = (world.find_def(name) for name in ("R", "WHEEL", "INNER"))
    assert robot and wheel and inner
    assert set(found) == {"Plane", "Box", "Cylinder", "Capsule"}
    assert found["Plane"].solid == id_of(world, "GROUND") and found["Plane"].robot is None
    assert found["Cylinder"].solid == wheel.id and found["Cylinder"].robot == robot.id
    assert found["Cylinder"].offset.position == pytest.approx((0, 0, 0.5))
    assert found["Capsule"].solid == wheel.id and found["Capsule"].offset.position == (0, 0, 0)
    boxes = [record for record in bounding_shapes(world.nodes) if isinstance(record.geometry, Box)]
    assert {(record.solid, record.robot) for record in boxes} == {(robot.id, robot.id), (inner.id, robot.id)}
    assert outermost_robot(inner) is robot


def test_visible_shapes_are_placed_in_the_nearest_solid(world: Scene) -> None:
    plane, box, sphere = WorldModel(world).visible.records
    assert plane.solid is None and plane.offset.position == (0, 0, 0)
    assert box.solid == id_of(world, "R")
    assert box.offset.position == pytest.approx((0, 0, 1))
    assert box.offset.apply((1, 0, 0)) == pytest.approx((0, 1, 1))
    assert box.appearance is not None and box.appearance.node == id_of(world, "RED")
    assert sphere.solid == id_of(world, "SENSOR")
    assert sphere.offset.position == pytest.approx((0.1, 0, 0))
    assert sphere.appearance is None


def test_billboards_and_empty_shapes_hold_nothing() -> None:
    text = "#VRML_SIM R2025a utf8\nBillboard { children [ Shape { geometry Box { } } ] } Shape { }"
    assert WorldModel(parse_scene(text)).visible.records == []


def test_scale_stretches_what_is_below() -> None:
    text = """#VRML_SIM R2025a utf8
    Transform { scale 2 3 4 children [
      Pose { translation 1 1 1 children [ Shape { geometry Sphere { } } ] } ] }
    Transform { scale 2 3 4 children [
      Pose { rotation 0 0 1 1.5707963267948966 children [ Shape { geometry Sphere { } } ] } ] }
    """
    straight, turned = WorldModel(parse_scene(text)).visible.records
    assert straight.offset.position == (2, 3, 4) and straight.scale == (2, 3, 4)
    assert turned.scale == pytest.approx((3, 2, 4))
    assert math.isclose(turned.offset.rotation[3], 1.0)
