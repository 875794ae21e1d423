import math

import pytest

from sim_core.model.wheels import WheelGeometry, hinge_wheel
from sim_core.scene import parse_scene


def wheel(
    end_point: str, parameters: str = "axis 0 1 0 anchor 0 0.25 0", around: str = "%s"
) -> WheelGeometry | None:
    joint = f"HingeJoint {{ jointParameters HingeJointParameters {{ {parameters} }} endPoint {end_point} }}"
    scene = parse_scene("#VRML_SIM R2025a utf8\nRobot { children " + around % joint + " }", "a.wbt")
    found = next(node for node in scene.walk() if node.type_name == "HingeJoint")
    return hinge_wheel(found, scene.nodes[-1])


CYLINDER = """Solid { translation 0 0.25 0 rotation 1 0 0 1.5707963
  boundingObject Cylinder { radius 0.2 height 0.02 } }"""


def test_a_cylinder_along_the_axis_is_a_wheel() -> None:
    found = wheel(CYLINDER)
    assert found is not None
    assert found.centre == pytest.approx((0.0, 0.25, 0.0))
    assert found.axis == pytest.approx((0.0, 1.0, 0.0))
    assert found.radius == 0.2


def test_a_wheel_at_the_end_of_slots_is_one() -> None:
    """As in AckermannVehicle: one Slot is the vehicle's, one the wheel's."""
    assert wheel(f"Slot {{ endPoint Slot {{ endPoint {CYLINDER} }} }}") == wheel(CYLINDER)
    assert wheel("Slot { }") is None


def test_a_cylinder_across_the_axis_is_none() -> None:
    assert wheel(CYLINDER, "axis 1 0 0 anchor 0 0.25 0") is None


def test_a_sphere_rolls_about_any_axis() -> None:
    found = wheel("Solid { translation 0.1 0 0 boundingObject Sphere { radius 0.05 } }", "axis 0 -2 0")
    assert found == WheelGeometry((0.1, 0.0, 0.0), (0.0, -1.0, 0.0), 0.05)


def test_a_box_is_no_wheel() -> None:
    assert wheel("Solid { boundingObject Box { } }") is None
    assert wheel("Solid { }") is None


def test_shapes_in_groups_and_poses_are_found() -> None:
    shape = "Shape { geometry Cylinder { radius 0.1 height 0.02 } }"
    turned = f"Pose {{ rotation 1 0 0 1.5707963 children {shape} }}"
    group = f"Group {{ children [ Box {{ size 0.01 0.01 0.01 }} {turned} ] }}"
    found = wheel(f"Solid {{ translation 0 0.3 0 boundingObject {group} }}")
    assert found is not None
    assert found.radius == 0.1
    assert found.centre == pytest.approx((0.0, 0.3, 0.0))


def test_poses_around_the_joint_count() -> None:
    """Turned by 90° about z, the joint's y axis is the robot's -x axis."""
    turned = f"Pose {{ translation 0 0 0.1 rotation 0 0 1 {math.pi / 2} children %s }}"
    found = wheel(CYLINDER, around=turned)
    assert found is not None
    assert found.axis == pytest.approx((-1.0, 0.0, 0.0), abs=1e-9)
    assert found.centre == pytest.approx((-0.25, 0.0, 0.1), abs=1e-9)


def test_a_wheel_on_a_steered_part_is_not_on_the_body() -> None:
    upright = "jointParameters HingeJointParameters { axis 0 0 1 }"
    steered = f"HingeJoint {{ {upright} endPoint Solid {{ children %s }} }}"
    joint = f"HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 }} endPoint {CYLINDER} }}"
    scene = parse_scene("#VRML_SIM R2025a utf8\nRobot { children " + steered % joint + " }", "a.wbt")
    inner = [node for node in scene.walk() if node.type_name == "HingeJoint"][1]
    assert hinge_wheel(inner, scene.nodes[-1]) is None
