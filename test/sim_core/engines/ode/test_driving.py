"""A differential robot compared with its kinematics: straight on, and turning on the spot."""

from __future__ import annotations

import math

import pytest

RADIUS, SEPARATION = 0.2, 0.5


@pytest.mark.parametrize("step", [1.0, 5.0, 16.0, 32.0])
@pytest.mark.parametrize("floor", ["floor", "box_floor"])
@pytest.mark.parametrize("speeds", [(4.0, 4.0), (-3.0, 3.0), (2.0, 4.0)])
def test_within_half_a_percent_of_the_kinematics(
    lab, step: float, floor: str, speeds: tuple[float, float]
) -> None:
    world, scene = lab.make(getattr(lab, floor) + lab.robot(), step, lab.smooth, contacts="stiff")
    frame = world.frame(lab.solid(scene, "robot").id)
    left, right = (world.axis(lab.joint(scene, index=i).id) for i in (0, 1))
    lab.run(world, 0.5)
    left.drive(speeds[0], 50.0)
    right.drive(speeds[1], 50.0)
    lab.run(world, 1.0)
    steps = round(4000 / step)
    start = frame.pose()
    angle, length, before = 0.0, 0.0, start
    for _ in range(steps):
        world.step()
        now = frame.pose()
        relative = before.inverse() * now
        angle += math.atan2(relative.rotation[3], relative.rotation[0])
        length += math.hypot(*relative.position[:2])
        before = now
    time = steps * step / 1000
    turned = RADIUS * (speeds[1] - speeds[0]) / SEPARATION * time
    driven = RADIUS * (speeds[0] + speeds[1]) / 2 * time
    assert angle == pytest.approx(turned, rel=0.005, abs=0.001)
    if driven:
        assert length == pytest.approx(driven, rel=0.005)
    else:  # on the spot: the axle's centre stays
        assert math.dist(start.position, now.position) < 0.01
    assert now.rotation[8] > math.cos(0.02)


def test_a_wall_stops_a_robot(lab) -> None:
    wall = "Solid { translation 1 0 0.25 boundingObject Box { size 0.2 4 0.5 } }"
    world, scene = lab.make(lab.floor + lab.robot() + wall, 5.0, lab.smooth)
    for index in (0, 1):
        world.axis(lab.joint(scene, index=index).id).drive(4.0, 10.0)
    lab.run(world, 5.0)
    x, y, _ = world.frame(lab.solid(scene, "robot").id).pose().position
    assert 0.65 < x < 0.705
    assert abs(y) < 0.01


def test_two_robots_do_not_run_through_each_other(lab) -> None:
    world, scene = lab.make(lab.floor + lab.robot(-1.0, "a") + lab.robot(1.0, "b"), 5.0, lab.smooth)
    frames = [world.frame(lab.solid(scene, name).id) for name in "ab"]
    for index, speed in enumerate((4.0, 4.0, -2.0, -2.0)):
        world.axis(lab.joint(scene, index=index).id).drive(speed, 10.0)
    for _ in range(1000):
        world.step()
        assert math.dist(frames[0].pose().position, frames[1].pose().position) > 0.38


def test_a_robot_in_a_solid_without_physics_is_fixed(lab) -> None:
    """Like any solid without a joint and without a moving part: it is fixed to the world."""
    end = """Solid { physics Physics { density -1 mass 1 inertiaMatrix [ 1 1 1, 0 0 0 ] } }"""
    arm = f"""Hinge2Joint {{ jointParameters HingeJointParameters {{ axis 1 0 0 }}
      jointParameters2 JointParameters {{ axis 0 1 0 }}
      device RotationalMotor {{ name "roll" }} device2 RotationalMotor {{ name "pitch" maxTorque 1000 }}
      endPoint {end} }}"""
    robot = f'Robot {{ name "r" physics Physics {{ density -1 mass 20 }} children [ {arm} ] }}'
    base = f'Solid {{ name "base" translation 0 0 1 children [ {robot} ] }}'
    world, scene = lab.make(base, info="gravity 0")
    place, joint = world.frame(lab.solid(scene, "r").id), lab.joint(scene, "Hinge2Joint")
    before, (roll, pitch) = place.pose(), (world.axis(joint.id, index) for index in (0, 1))
    roll.drive(0.0, 1000.0)
    pitch.drive(1.515, 1000.0)
    lab.run(world, 1.0)
    assert place.pose() == before
    (end_solid,) = (node for node in joint["endPoint"].walk() if node.is_a("Solid"))
    turn = world.frame(end_solid.id).pose().rotation
    assert math.asin(-turn[6]) == pytest.approx(pitch.position, abs=1e-6)
    assert pitch.position == pytest.approx(1.515, abs=0.02)
