"""Joints, tested by formulas: motors, stops, springs, brakes and feedback."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import SceneError

BAR = "boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 2 }"
INERTIA_Z = 2 * (0.2**2 + 0.1**2) / 12
NO_G = "gravity 0 physicsDisableTime 0"
FREE_BASE = 'name "base" boundingObject Sphere { radius 0.5 } physics Physics { density 1e6 }'


def hinge(parameters: str = "", solid: str = BAR, base: str = "") -> str:
    return f"""Solid {{ {base} children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1
        {parameters} }}
      endPoint Solid {{ name "end" {solid} }} }} }}"""


def slider(parameters: str = "", base: str = "") -> str:
    return f"""Solid {{ {base} children SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0
        {parameters} }}
      endPoint Solid {{ name "end" {BAR} }} }} }}"""


@pytest.mark.parametrize(
    "base", ["", 'name "base" boundingObject Sphere { radius 0.5 } physics Physics { density 1e6 }']
)
def test_a_limited_torque_gives_its_acceleration(lab, base: str) -> None:
    world, scene = lab.make(hinge(base=base), 5.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(1000.0, 0.05)
    lab.run(world, 0.2)
    assert axis.velocity == pytest.approx(0.05 / INERTIA_Z * 0.2, rel=1e-3)
    axis.release()
    speed = axis.velocity
    lab.run(world, 0.1)
    assert axis.velocity == pytest.approx(speed, rel=1e-6)


def test_an_effort_lasts_for_one_step(lab) -> None:
    world, scene = lab.make(hinge(), 5.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.apply_effort(0.1)
    lab.run(world, 0.1)
    assert axis.velocity == pytest.approx(0.1 / INERTIA_Z * 0.005, rel=1e-4)


@pytest.mark.parametrize("text", [hinge(), slider()])
def test_a_motor_reaches_its_speed_and_position_is_its_integral(lab, text: str) -> None:
    world, scene = lab.make(text, 4.0, NO_G)
    joint = lab.joint(scene, "SliderJoint" if "Slider" in text else "HingeJoint")
    axis = world.axis(joint.id)
    axis.drive(-7.0, 1e6)
    lab.run(world, 4.0)
    assert axis.velocity == pytest.approx(-7.0, rel=1e-4)
    assert axis.position == pytest.approx(-28.0, rel=1e-3)  # more than four turns


HINGE2 = """Solid { children Hinge2Joint {
  jointParameters HingeJointParameters { axis 0 0 1 } jointParameters2 JointParameters { axis 1 0 0 }
  endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } } } }"""


@pytest.mark.parametrize("speed", [90.0, -98.0, 100.0, 196.3, -300.0, 1000.0])
@pytest.mark.parametrize(
    ("text", "joint", "index"),
    [
        (hinge(), "HingeJoint", 0),
        (hinge(base=FREE_BASE), "HingeJoint", 0),
        (HINGE2, "Hinge2Joint", 0),
        (HINGE2, "Hinge2Joint", 1),
    ],
)
def test_turns_are_counted_at_any_speed(lab, text: str, joint: str, index: int, speed: float) -> None:
    """Beyond half a turn per step (98.2 rad/s here) too: each step predicts the angle from the velocity."""
    world, scene = lab.make(text, 32.0, NO_G)
    axis = world.axis(lab.joint(scene, joint).id, index)
    lab.run(world, 0.32)
    axis.drive(speed, 1e9)
    world.step()
    before = axis.position
    for step in range(1, 40):
        world.step()
        assert axis.position - before == pytest.approx(step * 0.032 * speed, rel=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "start"),
    [
        (-0.5, 1.0, 0.0),
        (-2.8, 2.8, 0.0),
        (-4.0, 4.0, 1.0),
        (-10.0, 7.5, 0.0),
        (5.0, 9.0, 6.0),
        (-3.1, 3.1, 3.0),
    ],
)
@pytest.mark.parametrize("effort", [0.05, 5.0, 500.0])
def test_stops_hold_at_any_position(lab, low: float, high: float, start: float, effort: float) -> None:
    """Even where a step passes a stop by up to half a turn: the joint is set back to its side."""
    parameters = f"minStop {low} maxStop {high} position {start}"
    world, scene = lab.make(hinge(parameters), 16.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    passed = effort / INERTIA_Z * 0.016**2  # the most that one step of this effort adds to the position
    for direction, stop in ((1.0, high), (-1.0, low), (1.0, high)):
        for _ in range(600):
            axis.apply_effort(direction * effort)
            world.step()
            fastest = math.sqrt(2.0 * effort / INERTIA_Z * (high - low)) * 0.016 + passed
            assert direction * (axis.position - stop) < fastest
        assert axis.position == pytest.approx(stop, abs=0.002)


def test_stops_hold_a_joint_whose_position_is_not_read(lab) -> None:
    """Thrown past half a turn at 60 rad/s, it comes back and does not turn on round."""
    thrown = BAR + " angularVelocity 0 0 60"
    world, scene = lab.make(hinge("minStop -1 maxStop 3 dampingConstant 0.02", thrown), 16.0, NO_G)
    frame = world.frame(lab.solid(scene, "end").id)
    angle, seen = 0.0, []
    for _ in range(200):
        world.step()
        r = frame.pose().rotation
        angle += math.remainder(math.atan2(r[3], r[0]) - angle, 2.0 * math.pi)  # by at most 0.96 per step
        seen.append(angle)
    assert math.pi < max(seen) < 3.0 + 60.0 * 0.016
    assert -1.002 < seen[-1] < 3.002


def test_stops_hold_after_a_state_is_restored(lab) -> None:
    world, scene = lab.make(hinge("minStop -10 maxStop 7.5"), 16.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(5.0, 1.0)
    lab.run(world, 1.4)
    state, position = world.get_state(), axis.position
    assert 6.5 < position < 7.2
    world.reset()
    world.set_state(state, anew=True)
    assert axis.position == position
    lab.run(world, 2.0)
    assert axis.position == pytest.approx(7.5, abs=0.005)


def test_stops_hold(lab) -> None:
    world, scene = lab.make(hinge("minStop -0.5 maxStop 1.0"), 5.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(3.0, 1.0)
    lab.run(world, 2.0)
    assert axis.position == pytest.approx(1.0, abs=0.005)
    axis.drive(-3.0, 1.0)
    lab.run(world, 2.0)
    assert axis.position == pytest.approx(-0.5, abs=0.005)


def test_the_position_in_the_file_belongs_to_the_pose_in_the_file(lab) -> None:
    world, scene = lab.make(slider("position 0.3 minStop 0 maxStop 0.5"), 5.0, NO_G)
    axis, frame = world.axis(lab.joint(scene, "SliderJoint").id), world.frame(lab.solid(scene, "end").id)
    assert axis.position == pytest.approx(0.3)
    assert frame.pose().position == pytest.approx((0, 0, 0))
    axis.drive(1.0, 100.0)
    lab.run(world, 1.0)
    assert axis.position == pytest.approx(0.5, abs=0.002)
    assert frame.pose().position[0] == pytest.approx(0.2, abs=0.002)


@pytest.mark.parametrize("text", [hinge("springConstant 2 dampingConstant 0.02 position 0.4"),
                                  slider("springConstant 240 dampingConstant 2.4 position 0.4")])  # fmt: skip
def test_spring_and_damper_swing_by_the_formula(lab, text: str) -> None:
    world, scene = lab.make(text, 0.25, NO_G)
    linear = "Slider" in text
    k, c, m = (240, 2.4, 2.0) if linear else (2, 0.02, INERTIA_Z)
    axis = world.axis(lab.joint(scene, "SliderJoint" if linear else "HingeJoint").id)
    decay, omega = c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2)
    for _ in range(4000):
        world.step()
    t = world.clock.time_ns / 1e9
    expected = 0.4 * math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
    # implicit integration damps slightly more: h·k/2 is added to c
    assert axis.position == pytest.approx(expected, abs=0.02)


def test_a_stiff_spring_at_a_long_step_does_not_blow_up(lab) -> None:
    world, scene = lab.make(hinge("springConstant 1e6 dampingConstant 10 position 0.4"), 32.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    lab.run(world, 5.0)
    assert abs(axis.position) < 0.01


def test_a_spring_works_together_with_a_motor(lab) -> None:
    world, scene = lab.make(hinge("springConstant 2"), 5.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(10.0, 0.5)
    axis.set_brake(0.5)
    lab.run(world, 10.0)
    assert axis.position == pytest.approx(0.25, rel=0.01)  # the motor's torque against the spring


@pytest.mark.parametrize(("torque", "moves"), [(0.08, False), (0.15, True)])
def test_static_friction(lab, torque: float, moves: bool) -> None:
    world, scene = lab.make(hinge("staticFriction 0.1"), 5.0, NO_G)
    axis = world.axis(lab.joint(scene).id)
    for _ in range(100):
        axis.apply_effort(torque)
        world.step()
    expected = (torque - 0.1) / INERTIA_Z * 0.5 if moves else 0.0
    assert axis.velocity == pytest.approx(expected, rel=0.01, abs=1e-4)


def test_a_brake_slows_by_its_damping(lab) -> None:
    world, scene = lab.make(hinge(), 0.5, NO_G)
    axis = world.axis(lab.joint(scene).id)
    axis.drive(5.0, 1e6)
    lab.run(world, 0.1)
    axis.release()
    axis.set_brake(0.02)
    lab.run(world, 0.5)
    assert axis.velocity == pytest.approx(5.0 * math.exp(-0.02 / INERTIA_Z * 0.5), rel=0.01)
    axis.set_brake(0.0)
    speed = axis.velocity
    lab.run(world, 0.5)
    assert axis.velocity == pytest.approx(speed, rel=1e-6)


@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_feedback_is_what_holds_a_weight(lab, offset: float) -> None:
    """A motor that holds a bar level against gravity needs m·g·(distance of its centre from the axis)."""
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor
        {offset} 0 0 }}
      endPoint Solid {{ name "end" translation 0.5 0 0 {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    axis = world.axis(lab.joint(scene).id)
    axis.enable_feedback()
    axis.drive(0.0, 1e3)
    lab.run(world, 0.1)
    assert axis.feedback() == pytest.approx(-2 * 9.81 * (0.5 - offset), rel=1e-3)


def test_feedback_of_a_slider(lab) -> None:
    text = f"""Solid {{ children SliderJoint {{ jointParameters JointParameters {{ axis 0 0 1 }}
      endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    axis = world.axis(lab.joint(scene, "SliderJoint").id)
    axis.enable_feedback()
    axis.drive(0.0, 1e3)
    lab.run(world, 0.1)
    assert axis.feedback() == pytest.approx(2 * 9.81, rel=1e-3)


@pytest.mark.parametrize(
    "base", ["", 'name "base" boundingObject Sphere { radius 0.5 } physics Physics { density 1e6 }']
)
def test_hinge2_has_two_axes(lab, base: str) -> None:
    text = f"""Solid {{ {base} children Hinge2Joint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }}
      jointParameters2 JointParameters {{ axis 0 1 0 }}
      endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 2.0, NO_G)
    joint = lab.joint(scene, "Hinge2Joint")
    steer, roll = world.axis(joint.id, 0), world.axis(joint.id, 1)
    steer.drive(0.5, 1e4)
    roll.drive(0.0, 1e4)
    lab.run(world, 1.0)
    assert (steer.position, roll.position) == pytest.approx((0.5, 0.0), abs=0.003)
    yaw = world.frame(lab.solid(scene, "end").id).pose().rotation
    assert math.atan2(yaw[3], yaw[0]) == pytest.approx(0.5, abs=0.003)
    steer.drive(0.0, 1e4)
    roll.drive(3.0, 1e4)
    lab.run(world, 4.0)
    assert (steer.position, roll.position) == pytest.approx((0.5, 12.0), abs=0.02)
    assert (steer.velocity, roll.velocity) == pytest.approx((0.0, 3.0), abs=0.01)


def test_ball_joint_axes(lab) -> None:
    text = f"""Solid {{ children BallJoint {{ endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 2.0, NO_G)
    axes = [world.axis(lab.joint(scene, "BallJoint").id, i) for i in range(3)]
    for axis, speed in zip(axes, (0.4, 0.0, 0.0), strict=True):
        axis.drive(speed, 1e4)
    lab.run(world, 1.0)
    assert [axis.position for axis in axes] == pytest.approx([0.4, 0, 0], abs=0.005)
    axes[0].drive(0.0, 1e4)
    axes[2].drive(-0.5, 1e4)
    lab.run(world, 1.0)
    assert [axis.position for axis in axes] == pytest.approx([0.4, 0, -0.5], abs=0.01)


def test_hinge_suspension_carries_its_load(lab) -> None:
    k = 2000.0
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0
        suspensionAxis 0 0 1
        suspensionSpringConstant {k} suspensionDampingConstant 100 }}
      endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    frame, axis = world.frame(lab.solid(scene, "end").id), world.axis(lab.joint(scene).id)
    lab.run(world, 3.0)
    assert frame.pose().position[2] == pytest.approx(-2 * 9.81 / k, rel=0.05)
    axis.drive(2.0, 10.0)
    lab.run(world, 1.0)
    assert axis.velocity == pytest.approx(2.0, rel=0.01)
    assert axis.position == pytest.approx(2.0, abs=0.05)


def test_the_weakest_suspension_is_ignored(lab) -> None:
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0
        suspensionAxis 0 0 1 suspensionSpringConstant 5e-324 }} endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    frame = world.frame(lab.solid(scene, "end").id)
    lab.run(world, 0.2)
    assert frame.pose().position[2] == pytest.approx(-9.81 * 0.2**2 / 2, rel=0.1)


def test_a_suspension_along_its_hinge_does_not_give_way(lab) -> None:
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 -2
        suspensionAxis 0 0 1 suspensionSpringConstant 2000 }} endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    frame, axis = world.frame(lab.solid(scene, "end").id), world.axis(lab.joint(scene).id)
    axis.drive(2.0, 10.0)
    lab.run(world, 1.0)
    assert frame.pose().position[2] == pytest.approx(0.0, abs=1e-3)
    assert axis.velocity == pytest.approx(2.0, rel=0.01)
    assert any("suspension along the axis of the hinge" in str(each) for each in world.warnings)


def test_a_joint_may_start_a_little_beyond_its_stops(lab) -> None:
    text = f"""Solid {{ children HingeJoint {{ jointParameters HingeJointParameters {{
        axis 0 0 1 position 0.51 minStop -0.5 maxStop 0.5 dampingConstant 1 }}
      endPoint Solid {{ name "end" {BAR} }} }} }}"""
    world, scene = lab.make(text, 5.0)
    lab.run(world, 2.0)
    assert world.axis(lab.joint(scene).id).position == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(SceneError, match=r"joint position 0\.6 beyond its stops"):
        lab.make(text.replace("0.51", "0.6"))


def test_servos_are_joints(lab) -> None:
    text = f"""Robot {{ boundingObject Sphere {{ radius 0.5 }} physics Physics {{ density 1e6 }}
      children [ Servo {{ name "turn" translation 1 0 0 rotation 0 1 0 0.3 position 0.3 {BAR} }}
        Servo {{ name "push" type "linear" translation 0 1 0 rotation 1 0 0 0 {BAR} }} ] }}"""
    world, scene = lab.make(text, 5.0, NO_G)
    turn, push = world.axis(lab.solid(scene, "turn").id), world.axis(lab.solid(scene, "push").id)
    assert (turn.spec.is_linear, push.spec.is_linear) == (False, True)
    turn.drive(0.5, 100.0)
    push.drive(0.2, 100.0)
    lab.run(world, 1.0)
    assert turn.position == pytest.approx(0.8, abs=0.005)
    assert push.position == pytest.approx(0.2, abs=0.005)
    pose = world.frame(lab.solid(scene, "push").id).pose().position
    assert pose == pytest.approx((0.2, 1, 0), abs=0.01)


def test_wheels_of_differential_wheels(lab) -> None:
    cylinder = "Pose { rotation 1 0 0 1.5708 children Cylinder { radius 0.2 height 0.02 } }"
    wheel = f"boundingObject {cylinder} physics Physics {{ }}"
    text = f"""DifferentialWheels {{ rotation 0 0 1 0 translation 0 0 0.2 boundingObject Box {{ size 0.3
        0.3 0.1 }} physics Physics {{ }}
      children [ Solid {{ name "left wheel" translation 0 0.25 0 {wheel} }} Solid {{ name "right wheel"
        translation 0 -0.25 0 {wheel} }} ] }}"""
    world, scene = lab.make(text, 5.0, NO_G)
    left = world.axis(lab.solid(scene, "left wheel").id)
    left.drive(2.0, 10.0)
    lab.run(world, 1.0)
    assert left.velocity == pytest.approx(2.0, rel=1e-3)
    spin = world.frame(lab.solid(scene, "left wheel").id).angular_velocity()
    assert spin[1] > 1.0  # a positive speed drives forward: toward +y


def test_a_solid_reference_closes_a_loop_to_the_world(lab) -> None:
    text = f"""Solid {{ name "bar" translation 0.5 0 0 {BAR} children HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor -0.5 0 0 }}
      endPoint SolidReference {{ solidName "<static environment>" }} }} }}"""
    world, scene = lab.make(text, 2.0)
    frame = world.frame(lab.solid(scene, "bar").id)
    for _ in range(500):
        world.step()
        assert math.hypot(*frame.pose().position) == pytest.approx(0.5, abs=0.002)
    assert frame.pose().position[2] < -0.05


def test_webots_drafts_are_reported_as_not_simulated(lab) -> None:
    text = f"""Solid {{ children [ JointLink {{ }} TransmissionJoint {{ backlash 0.1
      endPoint Solid {{ name "end" {BAR} }} }} ] }}"""
    world, _ = lab.make(text)
    lines = [str(warning) for warning in world.warnings]
    assert ["JointLink" in lines[0], "TransmissionJoint" in lines[1]] == [True, True]


def test_muscles_are_read_and_have_no_effect(lab) -> None:
    motor = "device RotationalMotor { muscles Muscle { volume 0.02 } }"
    world, _ = lab.make(f"Robot {{ children HingeJoint {{ {motor} endPoint Solid {{ {BAR} }} }} }}")
    assert world.warnings == []


def test_a_joint_without_a_parent_solid_is_reported(lab) -> None:
    """It is attached to the world here; Webots removes it from the world."""
    world, _ = lab.make(f"Pose {{ children [ {hinge()} ] }}")
    assert world.warnings == []
    joint = hinge().removeprefix("Solid {  children").removesuffix("}")
    world, _ = lab.make(f"Pose {{ children [ {joint} ] }}")
    assert "is attached to the world" in str(world.warnings[0])
