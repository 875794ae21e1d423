"""Joints of several axes, tested by formulas: gimbals (BallJoint) and steered wheels (Hinge2Joint)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sim_core.base.errors import PhysicsError
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Node, Scene

NO_G = "gravity 0 physicsDisableTime 0"
MASS, RADIUS = 2.0, 0.1
INERTIA = 0.4 * MASS * RADIUS**2
BALL = f"boundingObject Sphere {{ radius {RADIUS} }} physics Physics {{ density -1 mass {MASS} }}"
HEAVY = 'name "base" boundingObject Sphere { radius 0.5 } physics Physics { density 1e6 }'
ORDERS = {"BallJoint": "xyz", "Hinge2Joint": "zy"}


def turn(axis: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    rows = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis])


def turns(kind: str, angles: tuple[float, ...]) -> np.ndarray:
    """Return the rotation of the end point: one axis after the other, each turned by the ones before it."""
    product = np.eye(3)
    for axis, angle in zip(ORDERS[kind], angles, strict=True):
        product = product @ turn(axis, angle)
    return product


def joint(
    kind: str, *parameters: str, solid: str = BALL, base: str = "", pose: str = "", anchor: str = "0 0 0"
) -> str:
    """Return a gimbal about x, y, z or a wheel that is steered about z and rolls about y."""
    extra = [*parameters, "", "", ""]
    if kind == "BallJoint":
        fields = f"""jointParameters BallJointParameters {{ anchor {anchor} {extra[0]} }}
          jointParameters2 JointParameters {{ axis 1 0 0 {extra[1]} }}
          jointParameters3 JointParameters {{ axis 0 0 1 {extra[2]} }}"""
    else:
        fields = f"""jointParameters HingeJointParameters {{ axis 0 0 1 anchor {anchor} {extra[0]} }}
          jointParameters2 JointParameters {{ axis 0 1 0 {extra[1]} }}"""
    return f"""Solid {{ {base} children {kind} {{ {fields}
      endPoint Solid {{ name "end" {pose} {solid} }} }} }}"""


def axes_of(world: PhysicsWorld, scene: Scene, kind: str) -> list:
    node: Node = next(each for each in scene.walk() if each.type_name == kind)
    return [world.axis(node.id, index) for index in range(len(ORDERS[kind]))]


def rotation_of(world: PhysicsWorld, scene: Scene) -> np.ndarray:
    end = next(node for node in scene.walk() if node.is_a("Solid") and node["name"] == "end")
    return np.array(world.frame(end.id).pose().rotation).reshape(3, 3)


def go(world: PhysicsWorld, axes: list, targets: tuple[float, ...], seconds: float = 3.0) -> None:
    """Apply proportional control to all axes at once."""
    for _ in range(round(seconds * 1e9 / world.clock.step_ns)):
        for axis, target in zip(axes, targets, strict=True):
            axis.drive(10.0 * (target - axis.position), 1e4)
        world.step()


@pytest.mark.parametrize("kind", ["BallJoint", "Hinge2Joint"])
@pytest.mark.parametrize(("solid", "base"), [(BALL, ""), (BALL, HEAVY), ("", "")])
def test_positions_are_successive_rotations(lab, kind: str, solid: str, base: str) -> None:
    world, scene = lab.make(joint(kind, solid=solid, base=base), 4.0, NO_G)
    axes = axes_of(world, scene, kind)
    targets = (0.5, 0.8, -1.2)[: len(axes)]
    go(world, axes, targets)
    assert [axis.position for axis in axes] == pytest.approx(targets, abs=1e-6)
    base_turn = np.array(world.frame(scene.nodes[-1].id).pose().rotation).reshape(3, 3)
    assert base_turn.T @ rotation_of(world, scene) == pytest.approx(turns(kind, targets), abs=1e-4)


@pytest.mark.parametrize("kind", ["BallJoint", "Hinge2Joint"])
@pytest.mark.parametrize("solid", [BALL, ""])
def test_positions_in_the_file_belong_to_the_pose_in_the_file(lab, kind: str, solid: str) -> None:
    """Driven to 0, the end point has no rotation."""
    start = (0.4, 0.3, -0.6)[: len(ORDERS[kind])]
    matrix = turns(kind, start)
    angle = math.acos((np.trace(matrix) - 1) / 2)
    skew = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    axis = skew / (2 * math.sin(angle))
    pose = f"rotation {axis[0]!r} {axis[1]!r} {axis[2]!r} {angle!r}".replace("np.float64(", "").replace(
        ")", ""
    )
    parameters = [f"position {value}" for value in start]
    world, scene = lab.make(joint(kind, *parameters, solid=solid, pose=pose), 4.0, NO_G)
    axes = axes_of(world, scene, kind)
    assert [each.position for each in axes] == pytest.approx(start)
    go(world, axes, tuple(0.0 for _ in axes))
    assert rotation_of(world, scene) == pytest.approx(np.eye(3), abs=1e-5)


@pytest.mark.parametrize("rate", [0.9, -0.9])
def test_one_ring_turns_at_its_rate_while_the_others_hold(lab, rate: float) -> None:
    """The first and the third axis are not perpendicular here: each must still keep its own rate."""
    world, scene = lab.make(joint("BallJoint"), 2.0, NO_G)
    axes = axes_of(world, scene, "BallJoint")
    go(world, axes, (0.2, 0.8, 0.0))
    for axis, speed in zip(axes, (0.0, 0.0, rate), strict=True):
        axis.drive(speed, 1e4)
    lab.run(world, 1.0)
    assert [axis.velocity for axis in axes] == pytest.approx([0.0, 0.0, rate], abs=2e-3)
    assert [axis.position for axis in axes] == pytest.approx([0.2, 0.8, rate], abs=4e-3)


@pytest.mark.parametrize("driven", [0, 1, 2])
def test_a_torque_on_one_ring_accelerates_by_the_mass_matrix(lab, driven: int) -> None:
    """A ball of inertia I in massless rings: M = I·(1, 0, s; 0, 1, 0; s, 0, 1), s = sin b; q'' = M⁻¹·τ."""
    world, scene = lab.make(joint("BallJoint"), 1.0, NO_G)
    axes = axes_of(world, scene, "BallJoint")
    go(world, axes, (0.0, 0.6, 0.0), 4.0)
    for axis in axes:
        axis.release()
    axes[driven].apply_effort(0.05)
    world.step()
    s = math.sin(0.6)
    masses = INERTIA * np.array([[1, 0, s], [0, 1, 0], [s, 0, 1]])
    expected = np.linalg.solve(masses, 0.05 * np.eye(3)[driven]) * 1e-3
    assert [axis.velocity for axis in axes] == pytest.approx(expected, abs=2e-3 * abs(expected).max())


def test_motors_of_a_gimbal_hold_a_weight_with_the_torques_of_its_potential(lab) -> None:
    """τᵢ = ∂V/∂qᵢ of V = m·g·z, z = (Rx·Ry·Rz·r)_z."""
    r = np.array([0.3, 0.1, -0.2])
    solid = f"translation {r[0]} {r[1]} {r[2]} {BALL}"
    world, scene = lab.make(joint("BallJoint", solid=solid), 2.0, "physicsDisableTime 0")
    axes = axes_of(world, scene, "BallJoint")
    for axis in axes:
        axis.enable_feedback()
    angles = (0.5, 0.7, -0.4)
    go(world, axes, angles, 4.0)
    held = [axis.position for axis in axes]
    expected = []
    for index in range(3):
        ends = []
        for change in (1e-6, -1e-6):
            q = list(held)
            q[index] += change
            ends.append(MASS * 9.81 * (turns("BallJoint", tuple(q)) @ r)[2])
        expected.append((ends[0] - ends[1]) / 2e-6)
    assert [axis.feedback() for axis in axes] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("kind", "index"), [("BallJoint", 0), ("BallJoint", 2), ("Hinge2Joint", 1)])
def test_a_spring_on_one_axis_swings_by_the_formula(lab, kind: str, index: int) -> None:
    """q'' = -k·q/I while the other axes are held; also where the rings are not perpendicular."""
    k = 0.5
    parameters = [""] * 3
    parameters[index] = f"springConstant {k}"
    world, scene = lab.make(joint(kind, *parameters), 0.5, NO_G)
    axes = axes_of(world, scene, kind)
    targets = [0.0] * len(axes)
    if kind == "BallJoint":
        targets[1] = 0.8
    targets[index] = 0.3
    go(world, axes, tuple(targets), 2.0)
    axes[index].release()
    for other in axes:
        if other is not axes[index]:
            other.drive(0.0, 1e4)
    quarter = 0.5 * math.pi * math.sqrt(INERTIA / k)
    lab.run(world, quarter)
    assert axes[index].position == pytest.approx(0.0, abs=0.01)
    assert axes[index].velocity == pytest.approx(-0.3 * math.sqrt(k / INERTIA), rel=0.02)


@pytest.mark.parametrize(
    ("kind", "index"),
    [("BallJoint", 0), ("BallJoint", 1), ("BallJoint", 2), ("Hinge2Joint", 0), ("Hinge2Joint", 1)],
)
def test_a_brake_on_one_axis_slows_that_axis(lab, kind: str, index: int) -> None:
    """v = v₀·exp(-d·t/I) while the other axes are held."""
    damping = 0.02
    world, scene = lab.make(joint(kind), 1.0, NO_G)
    axes = axes_of(world, scene, kind)
    if kind == "BallJoint":
        go(world, axes, (0.0, 0.5 if index != 1 else 0.0, 0.0))
    for other in axes:
        other.drive(1.0 if other is axes[index] else 0.0, 1e4)
    world.step()
    axes[index].release()
    axes[index].set_brake(damping)
    before = axes[index].velocity
    lab.run(world, 0.5)
    assert axes[index].velocity == pytest.approx(before * math.exp(-damping * 0.5 / INERTIA), rel=0.02)


@pytest.mark.parametrize(
    ("kind", "index"), [("BallJoint", 0), ("BallJoint", 1), ("BallJoint", 2), ("Hinge2Joint", 0)]
)
def test_stops_of_each_axis_hold(lab, kind: str, index: int) -> None:
    parameters = [""] * 3
    parameters[index] = "minStop -0.2 maxStop 0.4"
    world, scene = lab.make(joint(kind, *parameters), 2.0, NO_G)
    axes = axes_of(world, scene, kind)
    for speed, stop in ((1.0, 0.4), (-1.0, -0.2)):
        for other in axes:
            other.drive(speed if other is axes[index] else 0.0, 0.5)
        lab.run(world, 2.0)
        assert axes[index].position == pytest.approx(stop, abs=0.01)


@pytest.mark.parametrize("index", [0, 1])
def test_stops_of_each_axis_hold_without_physics(lab, index: int) -> None:
    parameters = ["", ""]
    parameters[index] = "minStop -0.2 maxStop 0.4"
    world, scene = lab.make(joint("Hinge2Joint", *parameters, solid=""), 2.0, NO_G)
    axes = axes_of(world, scene, "Hinge2Joint")
    axes[index].drive(1.0, 1.0)
    lab.run(world, 1.0)
    assert axes[index].position == 0.4


@pytest.mark.parametrize("steering", [0.0, 0.5])
def test_a_steered_wheel_rolls_along_its_heading(lab, steering: float) -> None:
    """On a rail along the heading a wheel of radius r that turns at w moves at w*r."""
    rail = f"axis {math.cos(steering)!r} {math.sin(steering)!r} 0"
    text = f"""{lab.floor}
      Solid {{ translation 0 0 0.1 children SliderJoint {{ jointParameters JointParameters {{ {rail} }}
        endPoint Solid {{ name "fork" boundingObject Box {{ size 0.02 0.02 0.02 }} physics Physics {{ }}
          children Hinge2Joint {{
            jointParameters HingeJointParameters {{ axis 0 0 1 }}
            jointParameters2 JointParameters {{ axis 0 1 0 }}
            endPoint Solid {{ name "end" rotation 1 0 0 1.5707963267948966 translation 0 0 -0.001
              boundingObject Cylinder {{ radius 0.1 height 0.02 }} physics Physics {{ density -1 mass 1 }} }}
          }} }} }} }}"""
    world, scene = lab.make(text, 4.0, "physicsDisableTime 0")
    axes = axes_of(world, scene, "Hinge2Joint")
    slider = world.axis(lab.joint(scene, "SliderJoint").id)
    go(world, axes, (steering, 0.0), 2.0)
    axes[0].drive(0.0, 10.0)
    axes[1].drive(3.0, 10.0)
    lab.run(world, 0.3)
    start, turned = slider.position, axes[1].position
    lab.run(world, 1.0)
    assert slider.position - start == pytest.approx(0.1 * (axes[1].position - turned), rel=0.01)
    assert axes[0].position == pytest.approx(steering, abs=0.01)


def test_wheels_may_have_any_rotation_relative_to_their_car(lab) -> None:
    """ODE's first estimate of the axes is x of the car and y of the wheel, which are parallel here.

    (At some headings to the last bit, where ODE would end the process.)
    """
    for heading in np.linspace(-3.0, 3.0, 61):
        text = f"""Solid {{ rotation 0 0 1 {float(heading)!r}
          boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }}
          children Pose {{ rotation 0 0 1 -1.5707963267948966 children Hinge2Joint {{
            jointParameters HingeJointParameters {{ axis 0 0 1 }}
            jointParameters2 JointParameters {{ axis -1 0 0 }}
            endPoint Solid {{ name "end" {BALL} }} }} }} }}"""
        world, scene = lab.make(text, 4.0, NO_G)
        axes = axes_of(world, scene, "Hinge2Joint")
        axes[1].drive(2.0, 10.0)
        lab.run(world, 0.1)
        assert axes[1].position == pytest.approx(0.2, rel=0.1)
        assert axes[0].position == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("first", "third", "axes"),
    [
        ("1 0 0", "0 1 0", "x-zy"),
        ("0 1 0", None, "yx-z"),
        ("1 0 0", None, "xz-y"),
        (None, "0 1 0", "x-zy"),
        (None, "0 0 1", "y-xz"),
        (None, None, "xyz"),
        ("0 0 2", "0 0 1", "xyz"),
    ],
)
def test_axes_of_a_ball_joint_need_not_be_x_y_z(lab, first: str | None, third: str | None, axes: str) -> None:
    """jointParameters2 gives axis 1, jointParameters3 axis 3, and axis 2 = axis 3 × axis 1 (WbBallJoint).

    A missing one is axis 3 × z, or axis 1 × x; where that is zero, × the other of the two.
    """
    stated = "".join(
        f"jointParameters{index} JointParameters {{ axis {axis} }} "
        for index, axis in ((2, first), (3, third))
        if axis is not None
    )
    text = f"""Solid {{ children BallJoint {{ {stated} endPoint Solid {{ name "end" {BALL} }} }} }}"""
    world, scene = lab.make(text, 4.0, NO_G)
    go(world, axes_of(world, scene, "BallJoint"), (0.3, 0.4, 0.5))
    expected, angles = np.eye(3), iter((0.3, 0.4, 0.5))
    for sign, axis in re.findall("(-?)([xyz])", axes):
        expected = expected @ turn(axis, next(angles) * (-1 if sign else 1))
    assert rotation_of(world, scene) == pytest.approx(expected, abs=1e-5)
    assert bool(world.warnings) is (first == "0 0 2")


@pytest.mark.parametrize("index", [0, 1, 2])
def test_the_spring_of_one_axis_applies_to_all_axes_without_one(lab, index: int) -> None:
    """q'' = -k·q/I about each axis, after a quarter of the period at q = 0 with q' = -q₀·√(k/I)."""
    k = 0.5
    text = f"""Solid {{ children BallJoint {{
      jointParameters BallJointParameters {{ springConstant {k} }}
      endPoint Solid {{ name "end" {BALL} }} }} }}"""
    world, scene = lab.make(text, 0.5, NO_G)
    axes = axes_of(world, scene, "BallJoint")
    world.can.editing.set_joint_position(lab.joint(scene, "BallJoint").id, index, 0.3)
    lab.run(world, 0.5 * math.pi * math.sqrt(INERTIA / k))
    assert [axis.position for axis in axes] == pytest.approx([0.0] * 3, abs=0.01)
    assert axes[index].velocity == pytest.approx(-0.3 * math.sqrt(k / INERTIA), rel=0.02)


@pytest.mark.parametrize("kind", ["BallJoint", "Hinge2Joint"])
@pytest.mark.parametrize(("solid", "base"), [(BALL, ""), (BALL, HEAVY), ("", "")])
def test_each_axis_of_a_joint_can_be_set_to_a_position(lab, kind: str, solid: str, base: str) -> None:
    """In any order; the other axes keep their positions, and an additional full turn has no effect."""
    world, scene = lab.make(joint(kind, solid=solid, base=base), 1.0, NO_G)
    axes = axes_of(world, scene, kind)
    targets = [0.5, -0.8, 2.0 * math.pi - 1.2][: len(axes)]
    for index, target in reversed(list(enumerate(targets))):
        world.can.editing.set_joint_position(lab.joint(scene, kind).id, index, target)
    assert [axis.position for axis in axes] == pytest.approx(targets, abs=1e-9)
    base_turn = np.array(world.frame(scene.nodes[-1].id).pose().rotation).reshape(3, 3)
    assert base_turn.T @ rotation_of(world, scene) == pytest.approx(turns(kind, tuple(targets)), abs=1e-9)
    if kind == "BallJoint" and solid:
        with pytest.raises(PhysicsError, match=r"found 1\.6 for axis 2, expected -π/2 to π/2"):
            world.can.editing.set_joint_position(lab.joint(scene, kind).id, 1, 1.6)


@pytest.mark.parametrize("axes", ["xy", "xz", "yx", "yz", "zx", "zy"])
def test_a_hinge2_turns_about_any_two_axes(lab, axes: str) -> None:
    vectors = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    text = f"""Solid {{ children Hinge2Joint {{
      jointParameters HingeJointParameters {{ axis {vectors[axes[0]]} }}
      jointParameters2 JointParameters {{ axis {vectors[axes[1]]} }}
      endPoint Solid {{ name "end" {BALL} }} }} }}"""
    world, scene = lab.make(text, 4.0, NO_G)
    go(world, axes_of(world, scene, "Hinge2Joint"), (0.5, 0.8))
    assert rotation_of(world, scene) == pytest.approx(turn(axes[0], 0.5) @ turn(axes[1], 0.8), abs=1e-4)


def test_parallel_axes_of_a_hinge2_become_x_and_z_of_the_world(lab) -> None:
    """Webots reports this in a warning; the robot is turned by a quarter about z here."""
    text = f"""Solid {{ rotation 0 0 1 1.5707963267948966 children Hinge2Joint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 }} endPoint Solid {{ name "end" {BALL} }} }} }}"""
    world, scene = lab.make(text, 4.0, NO_G)
    assert "has parallel axes: x and z of the world are used instead" in str(world.warnings[0])
    go(world, axes_of(world, scene, "Hinge2Joint"), (0.5, 0.8))
    expected = turn("x", 0.5) @ turn("z", 0.8) @ turn("z", np.pi / 2)
    end = next(node for node in scene.walk() if node.has_field("name") and node["name"] == "end")
    found = np.array(world.frame(end.id).pose().rotation).reshape(3, 3)
    assert found == pytest.approx(expected, abs=1e-4)
