"""Contact forces, tested by the laws of motion."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sim_core.devices.touch.touch_sensor import total_force
from sim_core.engines.ode import PhysicsWorld
from sim_core.scene import Scene

MASS, G = 2.0, 9.81
BOX = """Solid {{ name "{name}" translation {x} 0 {z}
  boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass 2 }} {more} }}\n"""
SLEEPY = "physicsDisableTime 0.1 physicsDisableLinearThreshold 0.1 physicsDisableAngularThreshold 0.1"


def watched(lab: Any, text: str, name: str, **settings: Any) -> tuple[PhysicsWorld, Scene, Any]:
    world, scene = lab.make(text, **settings)
    return world, scene, world.watch_contacts(lab.solid(scene, name).id)


@pytest.mark.parametrize("floor", ["floor", "box_floor"])
def test_the_force_on_a_resting_box_is_its_weight(lab: Any, floor: str) -> None:
    box = BOX.format(name="box", x=0, z=0.1, more="")
    world, scene, watch = watched(lab, getattr(lab, floor) + box, "box")
    lab.run(world, 2.0)
    assert total_force(watch.contacts) == pytest.approx((0.0, 0.0, MASS * G), rel=1e-3, abs=0.02)
    assert watch.is_touching()
    assert {contact.other for contact in watch.contacts} == {lab.solid(scene, "floor").id}
    assert all(contact.normal == pytest.approx((0.0, 0.0, 1.0)) for contact in watch.contacts)


@pytest.mark.parametrize("shape", ["Sphere { radius 0.1 }", "Capsule { radius 0.1 height 0.3 }"])
def test_watching_a_shape_does_not_change_its_motion(lab: Any, shape: str) -> None:
    text = lab.floor + BOX.format(name="box", x=0, z=0.5, more="linearVelocity 1 0 0").replace(
        "Box { size 0.2 0.2 0.2 }", shape
    )
    seen, _, watch = watched(lab, text, "box")
    unseen, scene = lab.make(text)
    lab.run(seen, 1.5)
    lab.run(unseen, 1.5)
    assert watch.is_touching()
    ends = [
        world.frame(node).pose().position
        for world, node in ((seen, watch.solid), (unseen, lab.solid(scene, "box").id))
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_the_forces_between_two_solids_are_opposite_in_each_step(lab: Any) -> None:
    """Newton's third law, while one box falls on another on a floor."""
    low_box, high_box = (BOX.format(name=n, x=0, z=z, more="") for n, z in (("low", 0.1), ("high", 0.4)))
    text = lab.floor + low_box + high_box
    world, scene, low = watched(lab, text, "low")
    high = world.watch_contacts(lab.solid(scene, "high").id)
    met = 0
    for _ in range(400):
        world.step()
        on_low = [contact.force for contact in low.contacts if contact.other == high.solid]
        assert tuple(map(sum, zip(*on_low, strict=True))) == pytest.approx(
            tuple(-value for value in total_force(high.contacts)) if on_low else (), abs=1e-12
        )
        met += bool(on_low)
    assert met > 100
    assert total_force(low.contacts) == pytest.approx(
        (0.0, 0.0, MASS * G), rel=0.01, abs=0.05
    )  # 2 m g below, -m g above


def test_the_impulse_of_a_bounce_is_the_change_of_momentum(lab: Any) -> None:
    """Σ F·h = m·(v2 - v1) - m·g·t, in all three axes, for a ball that bounces and slides."""
    ball = """Solid { name "ball" translation 0 0 0.5 linearVelocity 0.5 0.3 -1
      boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 } }"""
    bouncy = "contactProperties ContactProperties { bounce 0.6 coulombFriction 0.3 }"
    world, _, watch = watched(lab, lab.floor + ball, "ball", step=1.0, info=bouncy)
    frame = world.frame(watch.solid)
    start = frame.linear_velocity()
    impulse = [0.0, 0.0, 0.0]
    for _ in range(600):
        world.step()
        impulse = [
            total + part * 0.001 for total, part in zip(impulse, total_force(watch.contacts), strict=True)
        ]
    end = frame.linear_velocity()
    assert end[2] != pytest.approx(start[2] - G * 0.6, abs=0.5)  # it has bounced
    expected = [MASS * (b - a) for a, b in zip(start, end, strict=True)]
    expected[2] += MASS * G * 0.6
    assert impulse == pytest.approx(expected, abs=1e-9)


def test_friction_is_part_of_the_force(lab: Any) -> None:
    """A sliding box: friction µ·m·g against the motion."""
    text = lab.floor + BOX.format(name="box", x=0, z=0.1, more="linearVelocity 3 0 0")
    info = "contactProperties ContactProperties { coulombFriction 0.4 bounce 0 }"
    world, _, watch = watched(lab, text, "box", info=info)
    lab.run(world, 0.3)
    assert total_force(watch.contacts) == pytest.approx((-0.4 * MASS * G, 0.0, MASS * G), rel=0.03, abs=0.1)


@pytest.mark.parametrize("kind", ["Solid", "Robot"])
def test_static_solids_feel_the_weight_on_them_even_asleep(lab: Any, kind: str) -> None:
    """Tested on a static solid and on the kinematic body of a robot."""
    scale = kind + """ { name "scale" translation 0 0 0.05 boundingObject Box { size 0.5 0.5 0.1 } }\n"""
    text = lab.floor + scale + BOX.format(name="box", x=0, z=0.2, more="")
    world, _, watch = watched(lab, text, "scale", info=SLEEPY)
    lab.run(world, 1.0)
    for _ in range(300):
        world.step()
        assert total_force(watch.contacts) == pytest.approx((0.0, 0.0, -MASS * G), rel=1e-3, abs=0.02)


def test_bodies_that_fall_asleep_at_once_report_no_force(lab: Any) -> None:
    """Where the time until sleep is shorter than a step nothing stays awake."""
    scale = """Solid { name "scale" translation 0 0 0.05 boundingObject Box { size 0.5 0.5 0.1 } }\n"""
    text = scale + BOX.format(name="box", x=0, z=0.2, more="")
    world, _, watch = watched(lab, text, "scale", info=SLEEPY.replace("0.1", "0.001", 1))
    for _ in range(400):
        world.step()
        force = total_force(watch.contacts)[2]
        assert force == 0.0 or 0.1 * MASS * G < -force < 100.0 * MASS * G


def test_only_the_solids_own_bounding_object_counts(lab: Any) -> None:
    foot = """children Solid { name "foot" translation 0 0 -0.15 boundingObject Box { size 0.1 0.1 0.1 } }"""
    text = lab.floor + BOX.format(name="box", x=0, z=0.2, more=foot)
    world, scene, box = watched(lab, text, "box")
    foot_watch = world.watch_contacts(lab.solid(scene, "foot").id)
    lab.run(world, 1.0)
    assert not box.is_touching()
    assert total_force(box.contacts) == (0.0, 0.0, 0.0)
    assert total_force(foot_watch.contacts)[2] == pytest.approx(MASS * G, rel=0.01)


def test_forces_after_a_reset_are_the_same_to_the_last_bit(lab: Any) -> None:
    text = lab.floor + BOX.format(name="box", x=0, z=0.3, more="linearVelocity 0.5 0 0 angularVelocity 1 2 3")
    world, _, watch = watched(lab, text, "box")

    def run() -> list[Any]:
        forces = []
        for _ in range(200):
            world.step()
            forces.append(total_force(watch.contacts))
        return forces

    first = run()
    world.reset()
    assert not watch.is_touching()
    assert run() == first
    assert any(force != (0.0, 0.0, 0.0) for force in first)


def test_without_watches_ode_is_not_asked(lab: Any) -> None:
    world, _ = lab.make(lab.floor + BOX.format(name="box", x=0, z=0.1, more=""))
    lab.run(world, 0.1)
    assert not world.built.touch.watches
    assert not world.built.touch.open


def test_moved_solids_touch_without_a_force(lab: Any) -> None:
    """A solid without Physics that is moved into another one: ODE creates no contact."""
    text = (
        lab.floor
        + """Solid { name "wall" translation 1 0 0.5 boundingObject Box { size 0.2 2 1 } }
      Solid { name "block" translation 0 0 0.5 boundingObject Box { size 0.2 0.2 0.2 } }\n"""
    )
    world, _, watch = watched(lab, text, "block")
    pose = world.frame(watch.solid).pose()
    for x in (0.3, 0.79, 0.85, 0.5):
        world.move(watch.solid, pose._replace(position=(x, 0.0, 0.5)))
        world.step()
        assert watch.is_touching() == (math.isclose(x, 0.85))
        assert total_force(watch.contacts) == (0.0, 0.0, 0.0)


def test_a_blocked_motion_is_a_touch_in_the_next_step(lab: Any) -> None:
    text = """Solid { name "wall" translation 1 0 0.5 boundingObject Box { size 0.2 2 1 } }
      Solid { name "block" translation 0.7 0 0.5 boundingObject Box { size 0.2 0.2 0.2 } }\n"""
    world, _, watch = watched(lab, text, "block")
    pose = world.frame(watch.solid).pose()
    assert world.is_blocked(watch.solid, pose._replace(position=(0.85, 0.0, 0.5)))
    world.step()
    assert watch.is_touching()
    world.step()
    assert not watch.is_touching()
