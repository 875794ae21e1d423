"""Friction that depends on the direction, rolling friction, and contacts within a robot."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import SceneError
from sim_core.engines.ode.contacts.asymmetry import combined, combined_slip

G = 9.81
FLOOR = 'Solid { name "floor" contactMaterial "ground" boundingObject Plane { } }\n'
BOX = """Solid {{ name "body" contactMaterial "thing" translation 0 0 {z} rotation {turn} {start}
  boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ }} }}\n"""
BALL = """Solid {{ name "body" contactMaterial "thing" translation {at} {start}
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }} }}\n"""


def contact(fields: str, first: str = "thing", second: str = "ground") -> str:
    return f"""contactProperties ContactProperties {{ material1 "{first}" material2 "{second}" bounce 0
      {fields} }} physicsDisableTime 0"""


def slide(lab, fields: str, direction: float, turn: float = 0.0, floor: str = FLOOR, **materials) -> float:
    """Return the friction coefficient of a box, turned by `turn` in plan view, that slides in a direction."""
    start = f"linearVelocity {2 * math.cos(direction)} {2 * math.sin(direction)} 0"
    text = BOX.format(z=0.0495, turn=f"0 0 1 {turn}", start=start)
    world, scene = lab.make(floor + text, 1.0, contact(fields, **materials))
    lab.run(world, 0.02)  # until it rests on the floor
    frame = world.frame(lab.solid(scene, "body").id)
    before = frame.linear_velocity()
    lab.run(world, 0.05)
    after = frame.linear_velocity()
    return math.dist(before, after) / 0.05 / G


def test_coefficients_of_both_sides_add_up() -> None:
    assert combined([0.5], 0.3, 0.9) == (0.5, 0.5)
    assert combined([0.5, 0.2], 1.0, 0.0) == (1.0, 0.4)
    assert combined([0.5, 0.2], 0.0, 1.0) == (0.7, 0.7)
    assert combined([0.5, 0.2, 0.1], 0.3, 0.9) == pytest.approx((0.6, 0.3))
    assert combined([0.5, 0.2, 0.1, 0.3], 1.0, 0.0) == pytest.approx((0.6, 0.5))
    assert combined([0.5, 0.2, 0.1, 0.3], 0.0, 1.0) == pytest.approx((0.8, 0.3))
    assert combined_slip([10.0, 0.0], 0.3, 0.9) == (10.0, 0.0)


@pytest.mark.parametrize("turn", [0.0, 0.6, math.pi / 2])
def test_three_values_follow_the_first_material_and_add_the_second(lab, turn: float) -> None:
    fields = "coulombFriction [ 0.5 0.2 0.1 ]"
    assert slide(lab, fields, turn, turn) == pytest.approx(0.6, rel=0.03)
    assert slide(lab, fields, turn + math.pi / 2, turn) == pytest.approx(0.3, rel=0.03)


def test_three_values_belong_to_material1_in_either_order(lab) -> None:
    fields = "coulombFriction [ 0.5 0.2 0.1 ]"
    turned = FLOOR.replace("boundingObject", "rotation 0 0 1 1.5707963267948966 boundingObject")
    swapped = {"first": "ground", "second": "thing"}
    assert slide(lab, fields, 0.0, 0.0, turned, **swapped) == pytest.approx(0.3, rel=0.03)
    assert slide(lab, fields, math.pi / 2, 0.0, turned, **swapped) == pytest.approx(0.6, rel=0.03)


def test_four_values_give_each_side_its_own_pair(lab) -> None:
    fields = "coulombFriction [ 0.5 0.2 0.1 0.3 ]"
    assert slide(lab, fields, 0.0) == pytest.approx(0.6, rel=0.03)
    assert slide(lab, fields, math.pi / 2) == pytest.approx(0.5, rel=0.03)
    # the box turned by a quarter against the floor: its x lies on the floor's y
    turn = math.pi / 2
    assert slide(lab, fields, turn, turn) == pytest.approx(0.5 + 0.3, rel=0.03)
    assert slide(lab, fields, 0.0, turn) == pytest.approx(0.2 + 0.1, rel=0.03)


def test_two_values_apply_to_both_sides(lab) -> None:
    fields = "coulombFriction [ 0.3 0.1 ]"
    assert slide(lab, fields, 0.0) == pytest.approx(0.6, rel=0.03)
    assert slide(lab, fields, math.pi / 2) == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize(
    ("first", "second", "turn"), [("thing", "ground", 0.0), ("ground", "thing", 0.6), ("thing", "thing", 0.6)]
)
def test_friction_rotation_rotates_the_directions(lab, first: str, second: str, turn: float) -> None:
    """By -0.5 about the normal into the box, which points up, for either material1; with two equal materials
    the directions are the floor's, not the turned box's."""
    fields = "coulombFriction [ 0.5 0.2 0 ] frictionRotation 0.5 0"
    floor = FLOOR.replace('"ground"', '"thing"') if first == second else FLOOR
    for direction, mu in ((-0.5, 0.5), (-0.5 + math.pi / 2, 0.2)):
        found = slide(lab, fields, direction, turn, floor, first=first, second=second)
        assert found == pytest.approx(mu, rel=0.03)


def test_a_ball_has_no_directions(lab) -> None:
    text = BALL.format(at="0 0 0.0995", start="linearVelocity 2 0 0")
    world, scene = lab.make(FLOOR + text, 1.0, contact("coulombFriction [ 0.2 0.9 0.9 ]"))
    lab.run(world, 0.1)
    assert world.frame(lab.solid(scene, "body").id).linear_velocity()[0] == pytest.approx(
        2 - 0.2 * G * 0.1, rel=0.01
    )


def test_mecanum_wheels_strafe(lab) -> None:
    """Rollers at 45°: free along -x+y at the front right and rear left wheels, along x+y at the others."""
    wheel = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} {y} -0.05 }}
      endPoint Solid {{ name "{name}" translation {x} {y} -0.05 rotation 1 0 0 -1.5707963267948966
        contactMaterial "{material}" boundingObject Cylinder {{ height 0.04 radius 0.05 }}
        physics Physics {{ }} }} }}"""
    places = {"fr": (0.2, -0.15), "fl": (0.2, 0.15), "rr": (-0.2, -0.15), "rl": (-0.2, 0.15)}
    wheels = " ".join(
        wheel.format(x=x, y=y, name=name, material="inner" if name in ("fr", "rl") else "outer")
        for name, (x, y) in places.items()
    )
    robot = f"""Robot {{ name "robot" translation 0 0 0.1 children [ {wheels} ]
      boundingObject Box {{ size 0.5 0.25 0.06 }} physics Physics {{ density -1 mass 20 }} }}"""
    properties = " ".join(
        f"""ContactProperties {{ material1 "{material}" material2 "ground" coulombFriction [ 0 2 0 ]
          frictionRotation {angle} 0 bounce 0 forceDependentSlip [ 10 0 ] }}"""
        for material, angle in (("inner", -0.785398), ("outer", 0.785398))
    )
    world, scene = lab.make(FLOOR + robot, 2.0, f"contactProperties [ {properties} ]")
    speed = 4.0
    for index, sign in enumerate((1, -1, -1, 1)):  # front right, front left, rear right, rear left
        world.axis(lab.joint(scene, index=index).id).drive(sign * speed, 10.0)
    lab.run(world, 1.5)
    x, y, _ = world.frame(lab.solid(scene, "robot").id).linear_velocity()
    # vy = r·(fr + rl - fl - rr)/4
    assert (x, y) == pytest.approx((0.0, 0.05 * speed), abs=0.01)


@pytest.mark.parametrize("step", [1.0, 8.0])
@pytest.mark.parametrize("direction", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("floor", ["plane", "still box"])
def test_a_rolling_ball_stops_after_7_r_v2_by_10_rho_g(
    lab, step: float, direction: float, floor: str
) -> None:
    # torque rho·N about the contact, inertia 7/5·m·r² there: a = 5·rho·g/(7·r)
    r, v, rho = 0.1, 0.5, 0.004
    c, s = math.cos(direction), math.sin(direction)
    start = f"linearVelocity {v * c} {v * s} 0 angularVelocity {-v / r * s} {v / r * c} 0"
    plane = FLOOR
    if floor != "plane":  # too narrow for the compiled loop of floors
        plane = FLOOR.replace(
            "Plane { }", f"Pose {{ rotation 0 0 1 {direction} children Box {{ size 8 0.9 2 }} }}"
        )
        plane = plane.replace("boundingObject", "translation 0 0 -1 boundingObject")
    text = BALL.format(at="0 0 0.0990", start=start)
    world, scene = lab.make(plane + text, step, contact(f"rollingFriction {rho} 0 0"))
    frame = world.frame(lab.solid(scene, "body").id)
    lab.run(world, 7 * r * v / (5 * rho * G) + 0.5)
    x, y, _ = frame.pose().position
    assert math.hypot(*frame.linear_velocity()) < 1e-3
    assert math.hypot(x, y) == pytest.approx(7 * r * v * v / (10 * rho * G), rel=0.04, abs=v * step / 1000)
    assert math.atan2(y, x) == pytest.approx(math.remainder(direction, 2 * math.pi), abs=0.02)


def test_spinning_friction_stops_a_spin_but_no_rolling(lab) -> None:
    r, rho_n, w = 0.1, 0.005, 6.0
    text = BALL.format(at="0 0 0.0990", start=f"linearVelocity 0.5 0 0 angularVelocity 0 5 {w}")
    world, scene = lab.make(FLOOR + text, 1.0, contact(f"rollingFriction 0 0 {rho_n}"))
    lab.run(world, 0.3)
    frame = world.frame(lab.solid(scene, "body").id)
    # torque rho_n·m·g about the normal, inertia 2/5·m·r²
    assert frame.angular_velocity()[2] == pytest.approx(w - rho_n * G / (0.4 * r * r) * 0.3, rel=0.02)
    assert frame.linear_velocity()[0] == pytest.approx(0.5, rel=0.01)


def test_rolling_friction_about_one_axis_of_the_world(lab) -> None:
    # direction 1 of a level contact is y, in ODE: about it a ball rolls along x
    for velocity, spin, stops in (("0.5 0 0", "0 5 0", True), ("0 0.5 0", "-5 0 0", False)):
        text = BALL.format(at="0 0 0.0990", start=f"linearVelocity {velocity} angularVelocity {spin}")
        world, scene = lab.make(FLOOR + text, 2.0, contact("rollingFriction 0.02 0 0.001"))
        lab.run(world, 1.0)
        speed = math.hypot(*world.frame(lab.solid(scene, "body").id).linear_velocity())
        assert (speed < 0.01) is stops


def test_a_ball_with_rolling_friction_rests_on_a_slope_of_rho_by_r(lab) -> None:
    r, rho = 0.1, 0.01
    for slope, stays in ((0.9 * rho / r, True), (1.2 * rho / r, False)):
        plane = FLOOR.replace("boundingObject", f"rotation 0 1 0 {slope} boundingObject")
        world, scene = lab.make(
            plane + BALL.format(at="0 0 0.0995", start=""), 4.0, contact(f"rollingFriction {rho} 0 0")
        )
        frame = world.frame(lab.solid(scene, "body").id)
        lab.run(world, 3.0)
        assert (math.hypot(*frame.linear_velocity()) < 1e-3) is stays


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ("rollingFriction -2 0 0", "ContactProperties.rollingFriction -2, expected 0 or more, or -1"),
        ("coulombFriction [ 1 1 1 1 1 ]", "ContactProperties.coulombFriction with 5 values"),
        ("frictionRotation 1e300 0", "ContactProperties.frictionRotation"),
    ],
)
def test_invalid_values_are_refused(lab, fields: str, text: str) -> None:
    with pytest.raises(SceneError) as caught:
        lab.make(FLOOR, 8.0, contact(fields))
    assert text in str(caught.value)


@pytest.mark.parametrize("collides", [False, True])
def test_parts_of_a_robot_collide_with_self_collision(lab, collides: bool) -> None:
    """Two arms on hinges, 0.3 m apart, fall towards each other: they collide, or pass through each other."""
    arm = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} 0 0.5 }}
      endPoint Solid {{ name "{name}" translation {at} 0 0.69 rotation 0 1 0 {tilt}
        boundingObject Box {{ size 0.04 0.04 0.4 }} physics Physics {{ }} }} }}"""
    shift = 0.2 * math.sin(0.3)
    arms = arm.format(x=-0.15, at=-0.15 + shift, name="left", tilt=0.3)
    arms += arm.format(x=0.15, at=0.15 - shift, name="right", tilt=-0.3)
    robot = f"""Robot {{ name "robot" selfCollision {str(collides).upper()} translation 0 0 0.05
      children [ {arms} ] boundingObject Box {{ size 0.6 0.2 0.1 }}
      physics Physics {{ density -1 mass 100 }} }}"""
    world, scene = lab.make(FLOOR + robot, 2.0)
    left, right = (world.frame(lab.solid(scene, name).id) for name in ("left", "right"))
    nearest = -1.0
    for _ in range(500):
        world.step()
        nearest = max(nearest, left.pose().position[0] - right.pose().position[0])
    # they meet with their tips, 0.02 m from the middle: 0.4 m above the hinge, the centres at half of that
    assert nearest == pytest.approx((-0.3 - 0.04) / 2, abs=0.01) if collides else nearest > 0.05
