"""Cylinders that stand on a plane: on four points of their rim at small tilts, as in Webots."""

import math

import pytest

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

R, H, G = 0.05, 0.1, 9.81
DEEP = 1e-3


def standing(angle: float, fields: str = "gravity 0") -> Simulation:
    """Return a cylinder whose middle is 1 mm too low to stand, turned by an angle about x."""
    z = H / 2.0 - DEEP
    return Simulation(
        parse_scene(f"""#VRML_SIM R2025a utf8
        WorldInfo {{ basicTimeStep 8 {fields} }} Solid {{ name "floor" boundingObject Plane {{ }} }}
        Solid {{ name "can" translation 0 0 {z} rotation 1 0 0 {angle}
          boundingObject Cylinder {{ radius {R} height {H} }} physics Physics {{ density -1 mass 2 }} }}""")
    )


@pytest.mark.parametrize("angle", [0.0, 3e-4, 5e-3, -0.015])
def test_it_touches_with_each_of_four_points_that_is_below(angle: float) -> None:
    sim = standing(angle)
    sim.physics.record_contacts = True
    found = {}
    for contact in sim.physics.contacts:
        x, y, z = contact.position
        found[round(x, 9), round(y, 9)] = contact.depth
        assert abs(contact.normal[2]) == pytest.approx(1.0) and z == pytest.approx(-contact.depth)
    s, c = math.sin(angle), math.cos(angle)
    low = H / 2.0 - DEEP - c * H / 2.0  # the middle of its lower end
    y = s * H / 2.0
    expected = {(R, y): -low, (-R, y): -low, (0.0, y + c * R): -low - s * R, (0.0, y - c * R): -low + s * R}
    for place, depth in expected.items():
        nearest = min(found, key=lambda each: math.dist(each, place))
        assert nearest == pytest.approx(place, abs=1e-8)
        assert found[nearest] == pytest.approx(depth, abs=1e-9)
    assert len(found) == 4


def test_at_larger_tilts_it_touches_where_it_is_below() -> None:
    """At 6° only the lowest point of its rim is in the floor; at 30° libode computes the contacts."""
    for angle in (0.1, 0.5):
        z = H / 2.0 * math.cos(angle) + R * math.sin(angle) - DEEP
        sim = Simulation(
            parse_scene(f"""#VRML_SIM R2025a utf8
            WorldInfo {{ gravity 0 }} Solid {{ name "floor" boundingObject Plane {{ }} }}
            Solid {{ name "can" translation 0 0 {z} rotation 1 0 0 {angle}
              boundingObject Cylinder {{ radius {R} height {H} }} physics Physics {{ }} }}""")
        )
        sim.physics.record_contacts = True
        (contact,) = sim.physics.contacts
        assert contact.depth == pytest.approx(DEEP, abs=1e-9)


@pytest.mark.parametrize("step", [8, 16, 32])
def test_a_load_beside_its_axis_does_not_make_it_rock(step: int) -> None:
    """20 kg carry 1 kg at 27 mm: they penetrate by W·CFM·h/(4·ERP), and tilt by the moment of the load."""
    load, arm = 1.0, 0.027
    sim = Simulation(
        parse_scene(f"""#VRML_SIM R2025a utf8
        WorldInfo {{ basicTimeStep {step} }} Solid {{ name "floor" boundingObject Plane {{ }} }}
        Solid {{ name "base" translation 0 0 0.025
          children Solid {{ name "load" translation {arm} 0 0.05 boundingObject Sphere {{ radius 0.01 }}
            physics Physics {{ density -1 mass {load} }} }}
          boundingObject Cylinder {{ radius {R} height 0.05 }}
          physics Physics {{ density -1 mass 20 }} }}""")
    )
    base = sim.scene.nodes[-1]
    sim.run(3.0)
    frame = sim.physics.frame(base.id)
    assert max(map(abs, frame.angular_velocity())) < 1e-4
    stiffness = 4.0 * 0.2 / (0.001 * step / 1000.0)  # N/m of four contacts
    assert 0.025 - frame.pose().position[2] == pytest.approx((20.0 + load) * G / stiffness, rel=0.02)
    weight, high = (20.0 + load) * G, (20.0 * 0.025 + load * 0.075) / (20.0 + load)
    lean = load * G * arm / (stiffness / 4.0 * 2.0 * R**2 - weight * high)
    assert math.acos(frame.pose().rotation[8]) == pytest.approx(lean, rel=0.05)
