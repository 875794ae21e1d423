"""Accelerometer: rest, free fall, rotation and oscillation."""

from __future__ import annotations

import math

import pytest

BODY = "physics Physics { density -1 mass 1 damping Damping { linear 0 angular 0 } }"


def free(fields: str, gravity: float, children: str = 'Accelerometer { name "a" }', step: float = 2.0) -> str:
    return f"""WorldInfo {{ basicTimeStep {step} gravity {gravity} }}
    Robot {{ {fields} children [ {children} ] boundingObject Sphere {{ radius 0.1 }} {BODY} }}"""


def test_at_rest_it_feels_the_floor(rig) -> None:
    text = free("translation 0 0 0.1", 9.81) + "Solid { boundingObject Plane { } }"
    each = rig(text)
    each.sense()
    assert each["a"].value == pytest.approx((0.0, 0.0, 9.81))
    each.step(1500)
    assert each["a"].value == pytest.approx((0.0, 0.0, 9.81), abs=0.01)
    tilted = rig(text.replace('name "a"', 'name "a" rotation 0 1 0 0.5'))
    tilted.step(1500)
    expected = (-9.81 * math.sin(0.5), 0.0, 9.81 * math.cos(0.5))
    assert tilted["a"].value == pytest.approx(expected, abs=0.01)


def test_in_free_fall_it_feels_nothing_from_the_first_step_on_and_after_a_reset(rig) -> None:
    each = rig(free("translation 0 0 100", 9.81))
    for _ in range(2):
        for _ in range(20):
            each.step()
            assert each["a"].value == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
        each.reset()


def test_in_a_turn_it_feels_the_change_of_velocity_in_the_axes_after_the_step(rig) -> None:
    """In these axes the velocity is ω·r along y, and was ω·r rotated back by φ = ω·h."""
    omega, radius, h = 5.0, 0.4, 0.032
    children = f'Accelerometer {{ name "a" translation {radius} 0 0 }}'
    each = rig(free(f"angularVelocity 0 0 {omega}", 0.0, children, step=1000.0 * h))
    phi, speed = omega * h, omega * radius
    expected = (-speed * math.sin(phi) / h, speed * (1.0 - math.cos(phi)) / h, 0.0)
    for _ in range(50):
        each.step()
        assert each["a"].value == pytest.approx(expected, abs=1e-9)
    assert math.hypot(*expected) == pytest.approx(omega**2 * radius, rel=phi**2 / 20.0)


def test_a_pendulum_feels_nothing_across_its_rod(rig) -> None:
    # A point mass on a rod: no acceleration across the rod but gravity's, which it falls with; along the rod
    # g·cos θ + l·θ'² = g·(3·cos θ - 2·cos θ0).
    length, start = 1.0, 1.0
    text = f"""WorldInfo {{ basicTimeStep 1 gravity 9.81 CFM 1e-9 }}
    Robot {{ children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 0 0 }}
      endPoint Solid {{
        translation {-length * math.sin(start)} 0 {-length * math.cos(start)} rotation 0 1 0 {start}
        boundingObject Sphere {{ radius 0.01 }}
        physics Physics {{ density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-6 1e-6 1e-6, 0 0 0 ]
          damping Damping {{ linear 0 angular 0 }} }}
        children [ Accelerometer {{ name "a" }} InertialUnit {{ name "i" }} ] }} }} ] }}"""
    each = rig(text)
    lowest = 9.0
    for _ in range(900):
        each.step()
        across, _, along = each["a"].value
        angle = each["i"].value[1]
        lowest = min(lowest, abs(angle))
        # along the rod up to 18 m/s², which lags behind by half of what it turns in a step, 0.0015 rad
        assert across == pytest.approx(0.0, abs=0.08)
        assert along == pytest.approx(9.81 * (3 * math.cos(angle) - 2 * math.cos(start)), abs=0.15)
    assert lowest < 0.01


def test_it_needs_no_body(rig) -> None:
    each = rig('Robot { rotation 0 1 0 0.5 children [ Accelerometer { name "a" } ] }')
    each.step(3)
    assert each["a"].value == pytest.approx((-9.81 * math.sin(0.5), 0.0, 9.81 * math.cos(0.5)))
