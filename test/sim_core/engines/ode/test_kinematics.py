"""Solids without Physics that are moved, and the objects that they push."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import PhysicsError, SceneError, StateNotFiniteError
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw

CART = """Robot { name "cart" translation 0 0 0.1 boundingObject Box { size 0.4 0.4 0.2 }
  children [ Solid { name "mast" translation 0.1 0 0.2 boundingObject Box { size 0.1 0.1 0.2 } }
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      endPoint Solid { name "head" translation 0 0.1 0.3 boundingObject Sphere { radius 0.02 } } } ] }
"""


def test_children_of_a_moved_solid_move_with_it(lab) -> None:
    world, scene = lab.make(lab.floor + CART)
    cart, mast, head = (lab.solid(scene, name) for name in ("cart", "mast", "head"))
    turn = rotation_from_roll_pitch_yaw(0, 0, math.pi / 2)
    world.move(cart.id, Pose((1, 2, 0.1), turn), (0.5, 0, 0), (0, 0, 2))
    world.step()
    assert world.frame(cart.id).pose() == Pose((1, 2, 0.1), turn)
    assert world.frame(mast.id).pose().position == pytest.approx((1, 2.1, 0.3))
    assert world.frame(mast.id).linear_velocity() == pytest.approx((0.5 - 0.2, 0, 0))
    axis = world.axis(lab.joint(scene).id)
    assert not axis.spec.is_dynamic
    axis.drive(math.pi, 0.0)
    lab.run(world, 0.5)
    assert axis.position == pytest.approx(math.pi / 2)
    # half a turn per second for half a second: a quarter turn on top of the cart's
    assert world.frame(head.id).pose().position == pytest.approx((1.0, 1.9, 0.4), abs=1e-9)
    assert world.frame(cart.id).linear_velocity() == (0, 0, 0)


def test_a_kinematic_hinge_turns_about_its_anchor(lab) -> None:
    world, scene = lab.make(CART)
    axis, head = world.axis(lab.joint(scene).id), world.frame(lab.solid(scene, "head").id)
    axis.drive(math.pi / 2, 0.0)
    for _ in range(200):
        world.step()
    assert axis.position == pytest.approx(math.pi / 2)
    assert head.pose().position == pytest.approx((-0.1, 0, 0.4), abs=1e-9)
    assert head.angular_velocity() == pytest.approx((0, 0, math.pi / 2))
    assert head.linear_velocity() == pytest.approx((0, -0.1 * math.pi / 2, 0), abs=1e-9)


def test_a_moving_cart_pushes_a_ball_ahead(lab) -> None:
    ball = """Solid { name "ball" translation 0.35 0 0.1
      boundingObject Sphere { radius 0.1 } physics Physics { } }"""
    world, scene = lab.make(lab.floor + CART + ball)
    cart, frame = lab.solid(scene, "cart"), world.frame(lab.solid(scene, "ball").id)
    for step in range(400):
        world.move(cart.id, Pose((0.005 * (step + 1) * 0.5, 0, 0.1)), (0.5, 0, 0), (0, 0, 0))
        world.step()
        assert frame.pose().position[0] > world.frame(cart.id).pose().position[0] + 0.28
    assert world.frame(cart.id).pose().position[0] == pytest.approx(1.0)


def test_blocked_by_walls_and_not_by_the_floor(lab) -> None:
    wall = 'Solid { name "wall" translation 1 0 0.25 boundingObject Box { size 0.2 4 0.5 } }'
    world, scene = lab.make(lab.floor + CART + wall)
    cart = lab.solid(scene, "cart")
    before = world.frame(cart.id).pose()
    assert not world.is_blocked(cart.id, Pose((0.3, 0, 0.1)))
    assert world.is_blocked(cart.id, Pose((0.8, 0, 0.1)))
    assert world.frame(cart.id).pose() == before


def test_a_static_wall_can_be_moved(lab) -> None:
    text = 'Solid { name "wall" translation 5 0 0.5 boundingObject Box { size 0.2 4 1 } }' + lab.robot()
    world, scene = lab.make(lab.floor + text, info=lab.smooth)
    wall, robot = lab.solid(scene, "wall"), world.frame(lab.solid(scene, "robot").id)
    lab.run(world, 0.5)
    for step in range(900):
        world.move(wall.id, Pose((5 - 0.005 * (step + 1), 0, 0.5)), (-1, 0, 0), (0, 0, 0))
        world.step()
    assert robot.pose().position[0] < 0.33
    assert abs(robot.pose().position[1]) < 0.1
    world.reset()
    assert world.frame(wall.id).pose().position == (5, 0, 0.5)


def test_only_solids_without_physics_are_moved(lab) -> None:
    world, scene = lab.make(lab.floor + lab.robot())
    with pytest.raises(PhysicsError, match="cannot be moved"):
        world.move(lab.solid(scene, "robot").id, Pose())
    world, scene = lab.make(CART)
    with pytest.raises(PhysicsError):
        world.move(lab.solid(scene, "cart").id, Pose((math.nan, 0, 0)))


def test_a_state_that_is_not_finite_stops_the_step(lab) -> None:
    text = lab.floor + lab.robot()
    world, scene = lab.make(text, 5.0, lab.smooth)
    frame, axis = world.frame(lab.solid(scene, "robot").id), world.axis(lab.joint(scene).id)
    lab.run(world, 0.5)
    before, time = [frame.pose(), frame.linear_velocity(), axis.velocity], world.clock.time_ns
    axis.apply_effort(1e15)
    axis.apply_effort(1e15)
    with pytest.raises(StateNotFiniteError, match=r"wheel|robot"):
        world.step()
    assert [frame.pose(), frame.linear_velocity(), axis.velocity] == before
    assert world.clock.time_ns == time
    world.step()
    assert math.dist(frame.pose().position, before[0].position) < 1e-4


BROKEN = [
    ("boundingObject Sphere { radius -1 }", "radius"),
    ("boundingObject Sphere { } physics Physics { density -1 mass -2 }", "mass"),
    ("physics Physics { density -1 mass 1 inertiaMatrix [ 1 1 -1, 0 0 0 ] }", "inertiaMatrix"),
    ("physics Physics { density -1 mass 1 centerOfMass [ 0 0 0, 1 1 1 ] }", "centerOfMass"),
    ("boundingObject Plane { } physics Physics { density -1 mass 1 }", "Plane"),
    ("boundingObject Transform { scale 2 1 1 children Box { } }", "scale"),
    ("boundingObject Sphere { } physics Physics { damping Damping { linear 2 } }", "linear"),
]


@pytest.mark.parametrize("values", ["density -1", "density -1 mass 0", "density 0", "density 1000"])
def test_without_mass_and_density_a_solid_is_as_dense_as_water(lab, values: str) -> None:
    text = """Solid { children SliderJoint { jointParameters JointParameters { axis 1 0 0 }
      endPoint Solid { name "s" boundingObject Box { size 0.1 0.1 0.2 } physics Physics { %s } } } }"""
    world, scene = lab.make(text % values)
    world.axis(lab.joint(scene, "SliderJoint").id).apply_effort(4.0)
    world.step()
    velocity = world.axis(lab.joint(scene, "SliderJoint").id).velocity
    assert velocity == pytest.approx(4.0 / 2.0 * 0.005, rel=1e-3)
    assert len(world.warnings) == (values != "density 1000")


@pytest.mark.parametrize(("fields", "word"), BROKEN)
def test_invalid_solids_give_one_line_with_their_place(lab, fields: str, word: str) -> None:
    with pytest.raises(SceneError, match=rf"^<string>:\d+:\d+: .*{word}"):
        lab.make(f"Solid {{\n {fields}\n}}")


def test_nested_solids_without_physics_collide_and_weigh_nothing(lab) -> None:
    text = """Solid { name "box" translation 0 0 1 boundingObject Box { size 0.2 0.2 0.2 } physics Physics { }
      children Solid { name "foot" translation 0 0 -0.3 boundingObject Box { size 0.3 0.3 0.1 } } }"""
    world, scene = lab.make(lab.floor + text)
    lab.run(world, 3.0)
    assert world.frame(lab.solid(scene, "box").id).pose().position[2] == pytest.approx(0.35, abs=0.002)


def test_robots_do_not_collide_with_themselves_without_self_collision(lab) -> None:
    arm = """Robot { name "r" %s children [
      HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 1 }
        endPoint Solid { name "a" translation 0 0 0.5 boundingObject Box { size 0.1 0.1 0.6 } physics
          Physics { } } }
      HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.8 0 1 }
        endPoint Solid { name "b" translation 0.25 0 1 boundingObject Box { size 0.6 0.1 0.1 } physics
          Physics { } } } ] }"""
    lowest = {}
    for rule in ("selfCollision FALSE", "selfCollision TRUE"):
        world, _ = lab.make(arm % rule, 2.0)
        world.record_contacts = True
        seen = 0
        for _ in range(600):
            world.step()
            seen += len(world.contacts)
        lowest[rule] = seen
    assert lowest["selfCollision FALSE"] == 0
    assert lowest["selfCollision TRUE"] > 0


def test_contacts_are_recorded_on_demand(lab) -> None:
    world, scene = lab.make(lab.floor + lab.robot(), info=lab.smooth, contacts="stiff")
    world.step()
    assert world.contacts == []
    world.record_contacts = True
    lab.run(world, 0.5)
    touching = {lab.solid(scene, name).id for name in ("wheel 0.25", "wheel -0.25", "ball")}
    assert {contact.first for contact in world.contacts} == touching
    assert all(contact.normal == (0, 0, 1) and 0 <= contact.depth < 0.002 for contact in world.contacts)


def test_an_error_in_a_hook_is_raised(lab) -> None:
    world, _ = lab.make(lab.floor)

    def hook(_: object) -> None:
        raise PhysicsError("no")

    world.before_step_hooks.append(hook)
    with pytest.raises(PhysicsError, match="no"):
        world.step()
