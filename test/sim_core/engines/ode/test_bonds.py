"""Bonds hold, carry the forces of mechanics, and leave nothing behind when released."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Pose
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Node, Scene

G = 9.81
BOX = """Solid {{ name "{name}" translation {at} {more}
  boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass {mass} }} }}\n"""
HOOK = """Solid { name "hook" translation 0 0 2 boundingObject Box { size 0.2 0.2 0.2 } }\n"""


def box(name: str, at: str, mass: float = 2.0, more: str = "") -> str:
    return BOX.format(name=name, at=at, mass=mass, more=more)


def two(lab: Any, text: str, first: str, second: str, **more: Any) -> tuple[PhysicsWorld, Scene, Node, Node]:
    world, scene = lab.make(text, **more)
    return world, scene, lab.solid(scene, first), lab.solid(scene, second)


@pytest.mark.parametrize("order", [("hook", "box"), ("box", "hook")])
def test_a_hanging_body_pulls_with_its_weight(lab: Any, order: tuple[str, str]) -> None:
    world, _, first, second = two(lab, HOOK + box("box", "0 0 1.8"), *order)
    bond = world.bond(first.id, second.id)
    assert bond.force() == (0.0, 0.0, 0.0)
    lab.run(world, 1.0)
    sign = 1.0 if first["name"] == "box" else -1.0
    assert bond.force() == pytest.approx((0.0, 0.0, sign * 2.0 * G), rel=1e-6, abs=1e-6)


def test_two_bonded_bodies_fall_and_turn_as_one(lab: Any) -> None:
    """A dumbbell: momentum, angular momentum and length are conserved."""
    text = box("a", "-0.5 0 0", more="linearVelocity 0 1 0") + box("b", "0.5 0 0")
    world, _, a, b = two(lab, text, "a", "b", step=1.0, info="gravity 0")
    world.bond(a.id, b.id)
    lab.run(world, 2.0)
    frames = world.frame(a.id), world.frame(b.id)
    v = [frame.linear_velocity() for frame in frames]
    assert (v[0][0] + v[1][0], v[0][1] + v[1][1]) == pytest.approx((0.0, 1.0), abs=1e-9)
    p = [frame.pose().position for frame in frames]
    assert math.dist(p[0], p[1]) == pytest.approx(1.0, abs=1e-3)
    # ω = L/I about the centre: L = m·v·d/2 with d/2 = 0.5; I = 2·(m·0.25 + m·0.2²/6)
    spin = -2.0 * 1.0 * 0.5 / (2.0 * (2.0 * 0.25 + 2.0 * 0.04 / 6.0))
    assert frames[0].angular_velocity()[2] == pytest.approx(spin, rel=1e-3)


def test_the_force_in_a_bond_between_bodies_is_that_of_newton(lab: Any) -> None:
    """A lower body of 3 kg hangs on an upper one of 2 kg, which hangs on a hook."""
    text = HOOK + box("upper", "0 0 1.7") + box("lower", "0 0 1.4", 3.0)
    world, scene, upper, lower = two(lab, text, "upper", "lower")
    top = world.bond(lab.solid(scene, "hook").id, upper.id)
    middle = world.bond(upper.id, lower.id)
    lab.run(world, 1.0)
    assert middle.force()[2] == pytest.approx(-3.0 * G, rel=1e-6)
    assert top.force()[2] == pytest.approx(-5.0 * G, rel=1e-6)


def test_after_the_release_it_falls_freely(lab: Any) -> None:
    world, _, hook, load = two(lab, HOOK + box("box", "0 0 1.8"), "hook", "box")
    bond = world.bond(hook.id, load.id)
    lab.run(world, 0.5)
    bond.release()
    assert not bond.holds
    lab.run(world, 0.4)
    assert world.frame(load.id).linear_velocity()[2] == pytest.approx(-G * 0.4, rel=1e-6)
    bond.release()


def test_bonded_bodies_do_not_collide_and_others_do(lab: Any) -> None:
    """Two boxes that overlap by 5 cm: separated at once without the bond, at rest with it."""
    text = lab.floor + box("a", "0 0 0.1") + box("b", "0.15 0 0.1") + box("c", "0.05 0 0.35")
    world, scene, a, b = two(lab, text, "a", "b")
    world.bond(a.id, b.id)
    lab.run(world, 1.5)
    distance = math.dist(world.frame(a.id).pose().position, world.frame(b.id).pose().position)
    assert distance == pytest.approx(0.15, abs=1e-4)
    assert world.frame(lab.solid(scene, "c").id).pose().position[2] == pytest.approx(0.3, abs=0.003)


def test_a_bond_pulls_bodies_into_the_given_relative_pose(lab: Any) -> None:
    """Both bodies move; the centre of mass stays."""
    text = box("a", "0 0 0") + box("b", "0.3 0.02 0.01", more="rotation 0 0 1 0.1")
    world, _, a, b = two(lab, text, "a", "b", info="gravity 0")
    before = world.frame(b.id).pose()
    target = Pose((0.2, 0.0, 0.0))
    world.bond(a.id, b.id, target)
    assert world.frame(b.id).pose() == before
    lab.run(world, 1.0)
    found = world.frame(a.id).pose().inverse() * world.frame(b.id).pose()
    assert found.position == pytest.approx(target.position, abs=1e-4)
    assert found.rotation == pytest.approx(target.rotation, abs=1e-4)
    centre = [
        0.5 * (p + q)
        for p, q in zip(world.frame(a.id).pose().position, world.frame(b.id).pose().position, strict=True)
    ]
    assert centre == pytest.approx([0.15, 0.01, 0.005], abs=1e-6)


@pytest.mark.parametrize("order", [("hook", "box"), ("box", "hook")])
def test_of_a_static_and_a_dynamic_body_only_the_dynamic_one_is_pulled(
    lab: Any, order: tuple[str, str]
) -> None:
    world, _, first, second = two(lab, HOOK + box("box", "0.03 0 1.75"), *order)
    offset = -0.2 if first["name"] == "hook" else 0.2
    world.bond(first.id, second.id, Pose((0.0, 0.0, offset)))
    lab.run(world, 1.0)
    load = second if first["name"] == "hook" else first
    assert world.frame(load.id).pose().position == pytest.approx((0.0, 0.0, 1.8), abs=1e-3)


def test_a_body_bonded_to_a_kinematic_one_moves_with_it(lab: Any) -> None:
    text = """Robot { name "tug" translation 0 0 1 boundingObject Box { size 0.2 0.2 0.2 } }\n"""
    world, _, tug, load = two(lab, text + box("box", "0 0 0.8"), "tug", "box")
    world.bond(tug.id, load.id)
    for step in range(200):
        world.move(tug.id, Pose((0.001 * step, 0.0, 1.0)), (0.2, 0.0, 0.0), (0.0, 0.0, 0.0))
        world.step()
    assert world.frame(load.id).pose().position == pytest.approx((0.199, 0.0, 0.8), abs=3e-3)


def test_a_ball_bonded_to_the_floor_rests_in_it_without_force(lab: Any) -> None:
    """The compiled loop of the floor skips it: no contact pushes, the bond carries the weight."""
    ball = box("box", "0 0 0.05").replace("Box { size 0.2 0.2 0.2 }", "Sphere { radius 0.1 }")
    world, _, floor, load = two(lab, lab.floor + ball, "floor", "box")
    bond = world.bond(load.id, floor.id)
    lab.run(world, 0.5)
    assert bond.force()[2] == pytest.approx(2.0 * G, rel=1e-6)
    assert world.frame(load.id).pose().position[2] == pytest.approx(0.05, abs=1e-4)
    bond.release()
    lab.run(world, 1.0)
    assert world.frame(load.id).pose().position[2] == pytest.approx(0.1, abs=2e-3)


def test_a_reset_removes_bonds_and_the_run_repeats(lab: Any) -> None:
    text = HOOK + box("a", "0 0 1.7", more="angularVelocity 0 2 1") + box("b", "0.25 0 1.7")
    world, scene, a, b = two(lab, text, "a", "b")

    def run() -> list[Any]:
        bonds = [world.bond(lab.solid(scene, "hook").id, a.id), world.bond(b.id, a.id, Pose((0.3, 0.0, 0.0)))]
        forces = []
        for step in range(200):
            world.step()
            forces.append([bond.force() for bond in bonds])
            if step == 100:
                bonds[0].release()
        return forces

    first = run()
    bond = world.bond(lab.solid(scene, "hook").id, a.id)
    world.reset()
    assert not bond.holds
    assert bond.force() == (0.0, 0.0, 0.0)
    bond.release()
    assert run() == first


def test_bonds_without_effect_are_refused(lab: Any) -> None:
    text = HOOK + box("a", "0 0 1", more='children Solid { name "part" }') + 'Solid { name "still" }'
    world, scene, a, hook = two(lab, text, "a", "hook")
    for first, second in ((a, lab.solid(scene, "part")), (hook, lab.solid(scene, "still")), (a, a)):
        assert not world.can_bond(first.id, second.id)
        with pytest.raises(PhysicsError, match="cannot be bonded"):
            world.bond(first.id, second.id)
