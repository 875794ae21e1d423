"""Penetration depths of bodies, and their effect on how far a wheel rolls: closed formulas of ERP and CFM."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

G = 9.81


def _box(mass: float) -> str:
    return f"""Solid {{ name "b" translation 0 0 0.1 boundingObject Box {{ size 0.2 0.2 0.2 }}
      physics Physics {{ density -1 mass {mass} }} }}"""


def _depth(lab, mass: float, step: float, info: str = "", contacts: str = "webots") -> float:
    """Return the depth in m by which a box on four contacts penetrates the ground after 3 s."""
    world, scene = lab.make(lab.floor + _box(mass), step, info, contacts=contacts)
    frame = world.frame(lab.solid(scene, "b").id)
    lab.run(world, 3.0)
    return 0.1 - frame.pose().position[2]


@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
@pytest.mark.parametrize("mass", [0.1, 27.0, 400.0])
def test_without_written_softness_bodies_penetrate_as_in_webots(lab, mass: float, step: float) -> None:
    """At rest ERP·d/h = CFM·F with ERP 0.2 and CFM 0.001, under any load, as fast as the limit of the push
    allows."""
    depth = 0.001 * (mass * G / 4) * step * 1e-3 / 0.2
    assert _depth(lab, mass, step) == pytest.approx(depth, rel=0.01, abs=2e-6)  # once it sleeps


def test_written_softness_takes_precedence_over_the_setting(lab) -> None:
    info = "contactProperties ContactProperties { softERP 0.4 softCFM 0.0005 }"
    depth = 0.0005 * (27.0 * G / 4) * 0.008 / 0.4
    for contacts in ("webots", "stiff"):
        assert _depth(lab, 27.0, 8.0, info, contacts) == pytest.approx(depth, rel=0.01)


@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
@pytest.mark.parametrize("mass", [0.1, 27.0, 2000.0])
def test_stiff_contacts_penetrate_by_a_fraction_of_their_size(lab, mass: float, step: float) -> None:
    """One contact carries a third of the weight at a depth of 0.5 mm·min(1, ∛(M/125 kg)): four, at 3/4 of
    that."""
    depth = 0.0005 * min(1.0, (mass / 125.0) ** (1 / 3)) * 3 / 4
    assert _depth(lab, mass, step, contacts="stiff") == pytest.approx(depth, rel=0.01)


@pytest.mark.parametrize("step", [8.0, 32.0])
@pytest.mark.parametrize(("contacts", "off"), [("webots", 2e-3), ("stiff", 1e-5)])
def test_soft_contacts_hardly_change_how_far_a_wheel_rolls(
    lab, contacts: str, off: float, step: float
) -> None:
    """Its lowest point sticks at any depth: v = ω·r, but for the angle by which the robot pitches."""
    world, scene = lab.make(lab.floor + lab.robot(), step, lab.smooth, contacts=contacts)
    frame = world.frame(lab.solid(scene, "robot").id)
    for index in (0, 1):
        world.axis(lab.joint(scene, index=index).id).drive(4.0, 50.0)
    lab.run(world, 1.6)
    start = frame.pose().position
    lab.run(world, 3.2)
    assert math.dist(start, frame.pose().position) == pytest.approx(4.0 * 0.2 * 3.2, rel=off)


def test_the_setting_is_kept_for_another_world_and_in_a_snapshot(tmp_path: Path) -> None:
    text = "#VRML_SIM R2025a utf8\nWorldInfo { } Solid { boundingObject Plane { } }" + _box(27.0).replace(
        "Solid", "DEF B Solid"
    )
    file = tmp_path / "w.wbt"
    file.write_text(text)
    sim = Simulation(load_scene(file), SimulationConfig(contacts="stiff"))
    sim.load(load_scene(file))
    sim.run(1.0)
    saved = tmp_path / "w.snapshot"
    sim.snapshot().save(saved)
    again = Simulation.from_snapshot(saved)
    assert again.config.contacts == "stiff"
    for each in (sim, again):
        each.run(1.0)
        assert 0.1 - each.supervisor.pose("B").position[2] == pytest.approx(0.000225, rel=0.02)


# --- bounce -------------------------------------------------------------------------------------------------


def _fall(
    lab, shape: str, height: float, step: float, info: str, contacts: str
) -> tuple[float, float, float]:
    """Return the speed of the impact, the largest upward speed after it in m/s, and the highest bottom after
    it in m."""
    body = f"""Solid {{ name "b" translation 0 0 {0.1 + height} boundingObject {shape}
      physics Physics {{ density -1 mass 1 }} }}"""
    world, scene = lab.make(lab.floor + body, step, info, contacts=contacts)
    frame = world.frame(lab.solid(scene, "b").id)
    impact, up, highest, last = 0.0, 0.0, -1.0, 0.1 + height
    has_hit = False
    for _ in range(round(1500.0 / step)):
        world.step()
        z = frame.pose().position[2]
        speed, last = (z - last) / (step * 1e-3), z
        has_hit = has_hit or z < 0.1
        if has_hit:
            up, highest = max(up, speed), max(highest, z - 0.1)
        impact = max(impact, -speed)
    return impact, up, highest


SHAPES = ["Sphere { radius 0.1 }", "Box { size 0.2 0.2 0.2 }"]


@pytest.mark.parametrize("contacts", ["webots", "stiff"])
@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_bounce_nothing_rebounds(lab, shape: str, step: float, contacts: str) -> None:
    """It rises from the v·h that a step lets it fall in at √(g·d)/8 or slower, and not above the ground.

    This holds for stiff contacts too, and at the speed at which a critically damped spring leaves 6·d: less
    than 3·√(g·d), 10 cm/s.
    """
    slow = 3.0 * math.sqrt(G * 0.0005 / 5.0) if contacts == "stiff" else 0.0
    info = "contactProperties ContactProperties { bounce 0 }"
    for height in (0.1, 0.93, 1.0):
        impact, up, highest = _fall(lab, shape, height, step, info, contacts)
        assert up <= max(slow, math.sqrt(G * impact * step * 1e-3) / 8) + 1e-3
        assert highest < 1e-4


@pytest.mark.parametrize("contacts", ["webots", "stiff"])
@pytest.mark.parametrize("step", [1.0, 8.0, 32.0])
@pytest.mark.parametrize("bounce", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_written_bounce_is_the_fraction_of_the_speed_after_the_impact(
    lab, shape: str, bounce: float, step: float, contacts: str
) -> None:
    info = f"contactProperties ContactProperties {{ bounce {bounce} }}"
    impact, up, _ = _fall(lab, shape, 1.0, step, info, contacts)
    assert up / impact == pytest.approx(bounce, abs=0.01)


def test_the_default_bounce_is_as_soft_as_the_contact(lab) -> None:
    """As in Webots: of 0.5 a ball of 1 kg keeps v'/v = (1 + e)/(1 + CFM·m/h) - 1 at a step of 8 ms."""
    impact, up, _ = _fall(lab, SHAPES[0], 1.0, 8.0, "", "webots")
    assert up / impact == pytest.approx(1.5 / (1.0 + 0.001 * 1.0 / 0.008) - 1.0, abs=0.01)
    impact, up, _ = _fall(lab, SHAPES[0], 1.0, 8.0, "", "stiff")
    assert up / impact == pytest.approx(0.5, abs=0.01)


def test_a_box_that_falls_on_a_plane_bounces_as_in_webots(lab) -> None:
    """0.5 mm above the plane, steps of 32 ms: its height after each step as in Webots; the first is free
    fall."""
    plane = 'Solid { translation 0 0 0.004 name "floor" boundingObject Plane { } }\n'
    box = """Solid { name "b" translation 0 0 0.0295 boundingObject Box { size 0.05 0.05 0.05 }
      physics Physics { density -1 mass 1 } }"""
    world, scene = lab.make(plane + box, 32.0)
    frame = world.frame(lab.solid(scene, "b").id)
    heights = []
    for _ in range(3):
        world.step()
        heights.append(frame.pose().position[2])
    assert heights[0] == pytest.approx(0.0295 - G * 0.032**2, abs=1e-9)
    assert heights == pytest.approx([0.019455, 0.024283, 0.025178], abs=1e-6)


@pytest.mark.parametrize("contacts", ["webots", "stiff"])
@pytest.mark.parametrize("speed", [0.3, 0.051, 0.049])
def test_the_bounce_velocity_holds_for_any_step_length(lab, speed: float, contacts: str) -> None:
    """Gravity adds 0.31 m/s in a step of 32 ms; a ball in contact leaves at its share of the speed, or does
    not bounce where that is below the bound."""
    info = """contactProperties ContactProperties { bounce 0.5 bounceVelocity 0.05 }"""
    ball = f"""Solid {{ name "b" translation 0 0 0.1 linearVelocity 0 0 {-speed}
      boundingObject Sphere {{ radius 0.1 }} physics Physics {{ density -1 mass 1 }} }}"""
    world, scene = lab.make(lab.floor + ball, 32.0, info, contacts=contacts)
    world.step()
    (_, _, up) = world.frame(lab.solid(scene, "b").id).linear_velocity()
    assert up == pytest.approx(0.5 * speed, abs=1e-3) if speed > 0.05 else up <= 0.0
