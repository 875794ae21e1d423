"""Where geometries are found, whose they are, and where they stand."""

from __future__ import annotations

import math

import pytest

from sim_core.model.geometry import Box
from sim_core.model.shapes import bounding_shapes, outermost_robot, visible_shapes
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


def test_bounding_objects_of_every_form(world: Scene) -> None:
    found = {type(record.geometry).__name__: record for record in bounding_shapes(world)}
    robot, wheel = world.find_def("R"), world.find_def("WHEEL")
    assert set(found) == {"Plane", "Box", "Cylinder", "Capsule"}
    assert found["Plane"].solid is world.find_def("GROUND") and found["Plane"].robot is None
    assert found["Cylinder"].solid is wheel and found["Cylinder"].robot is robot
    assert found["Cylinder"].offset.position == pytest.approx((0, 0, 0.5))
    assert found["Capsule"].solid is wheel and found["Capsule"].offset.position == (0, 0, 0)
    boxes = [record for record in bounding_shapes(world) if isinstance(record.geometry, Box)]
    inner = world.find_def("INNER")
    assert {(record.solid, record.robot) for record in boxes} == {(robot, robot), (inner, robot)}
    assert outermost_robot(inner) is robot  # type: ignore[arg-type]


def test_visible_shapes_are_placed_in_the_nearest_solid(world: Scene) -> None:
    plane, box, sphere = visible_shapes(world)
    assert plane.solid is None and plane.offset.position == (0, 0, 0)
    assert box.solid is world.find_def("R")
    assert box.offset.position == pytest.approx((0, 0, 1))
    assert box.offset.apply((1, 0, 0)) == pytest.approx((0, 1, 1))
    assert box.appearance is not None and box.appearance.node is world.find_def("RED")
    assert sphere.solid is world.find_def("SENSOR")
    assert sphere.offset.position == pytest.approx((0.1, 0, 0))
    assert sphere.appearance is None


def test_billboards_and_empty_shapes_hold_nothing() -> None:
    text = "#VRML_SIM R2025a utf8\nBillboard { children [ Shape { geometry Box { } } ] } Shape { }"
    assert list(visible_shapes(parse_scene(text))) == []


def test_scale_stretches_what_is_below() -> None:
    text = """#VRML_SIM R2025a utf8
    Transform { scale 2 3 4 children [
      Pose { translation 1 1 1 children [ Shape { geometry Sphere { } } ] } ] }
    Transform { scale 2 3 4 children [
      Pose { rotation 0 0 1 1.5707963267948966 children [ Shape { geometry Sphere { } } ] } ] }
    """
    straight, turned = visible_shapes(parse_scene(text))
    assert straight.offset.position == (2, 3, 4) and straight.scale == (2, 3, 4)
    assert turned.scale == pytest.approx((3, 2, 4))
    assert math.isclose(turned.offset.rotation[3], 1.0)
