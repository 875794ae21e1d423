"""Wings and hulls: lift, drag and added mass are those of the formulas."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from sim_core.base.config import SimulationConfig
from sim_core.base.geometry import Vec3
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

G, MASS = 9.81, 2.0
INERTIA = (0.3, 0.5, 0.7)


def body(
    force: str,
    gravity: float = G,
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
    spin: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: str = "0 0 1 0",
    centre: str = "0 0 0",
    step: float = 1.0,
) -> Simulation:
    """A solid without a shape, in free fall."""
    words = [" ".join(map(str, each)) for each in (INERTIA, velocity, spin)]
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {step} gravity {gravity} physicsDisableTime 0 }}
Robot {{ name "r" controller "<none>" rotation {rotation}
  physics Physics {{ density -1 mass {MASS} centerOfMass [ {centre} ] inertiaMatrix [ {words[0]}, 0 0 0 ]
    fluidForces [ {force} ] }}
  linearVelocity {words[1]} angularVelocity {words[2]} }}"""
    return Simulation(parse_scene(text), SimulationConfig(plugins=False))


def velocity(sim: Simulation) -> Vec3:
    return sim.robot("r").frame.linear_velocity()


def acceleration(sim: Simulation) -> np.ndarray:
    """Mean acceleration in one step."""
    before = np.array(velocity(sim))
    sim.step()
    return (np.array(velocity(sim)) - before) / 1e-3


def test_added_mass_slows_a_fall() -> None:
    """a = m·g/(m + A), whatever the ratio of both."""
    sim = body("Hydrodynamics { addedMass [ 0 0 10 0 0 0 ] }")
    sim.run(0.5)
    assert velocity(sim)[2] == pytest.approx(-G * MASS / (MASS + 10.0) * 0.5, rel=1e-9)


def test_quadratic_drag_leads_to_the_terminal_speed() -> None:
    """v = -V·tanh(g·t/V) with V² = m·g/c."""
    sim, c = body("Hydrodynamics { quadraticDrag [ 0 0 5 0 0 0 ] }"), 5.0
    terminal = math.sqrt(MASS * G / c)
    for _ in range(3):
        sim.run(0.1)
        expected = -terminal * math.tanh(G * sim.time / terminal)
        assert velocity(sim)[2] == pytest.approx(expected, rel=2e-3)
    sim.run(1.2)
    assert velocity(sim)[2] == pytest.approx(-terminal, rel=1e-4)


def test_linear_drag_follows_a_current() -> None:
    """v = c·(1 - exp(-d·t/(m + A))) along x; along y a drag of any size reaches its current in one step."""
    sim = body(
        "Hydrodynamics { linearDrag [ 6 1e8 0 0 0 0 ] addedMass [ 1 1 1 0 0 0 ] current 0.5 0.2 0 }", 0.0
    )
    sim.run(0.4)
    x, y, _ = velocity(sim)
    assert x == pytest.approx(0.5 * (1.0 - math.exp(-6.0 * 0.4 / (MASS + 1.0))), rel=2e-3)
    assert y == pytest.approx(0.2, rel=1e-6)


def test_drag_in_the_axes_of_the_solid() -> None:
    """Turned by 90° about z its y axis, which has drag, lies along the world's x axis."""
    sim = body(
        "Hydrodynamics { linearDrag [ 0 4 0 0 0 0 ] }", 0.0, (1, 1, 0), rotation="0 0 1 -1.5707963267949"
    )
    sim.run(0.5)
    assert velocity(sim)[0] == pytest.approx(math.exp(-4.0 / MASS * 0.5), rel=2e-3)
    assert velocity(sim)[1] == pytest.approx(1.0, rel=1e-6)


def test_spins_lose_speed() -> None:
    """dω/dt = -(d/(I + A))·ω."""
    sim = body(
        "Hydrodynamics { linearDrag [ 0 0 0 0 0 2 ] addedMass [ 0 0 0 0 0 0.3 ] }", 0.0, spin=(0, 0, 3)
    )
    sim.run(0.5)
    expected = 3.0 * math.exp(-2.0 / (INERTIA[2] + 0.3) * 0.5)
    assert sim.robot("r").frame.angular_velocity()[2] == pytest.approx(expected, rel=2e-3)


def test_a_long_body_turns_across_its_way() -> None:
    """Munk's moment: M = (A_z - A_x)·u·w about y."""
    sim = body("Hydrodynamics { addedMass [ 1 0 9 0 0 0 ] }", 0.0, (1.0, 0.0, 0.5))
    sim.step()
    expected = (9.0 - 1.0) * 1.0 * 0.5 / INERTIA[1]
    assert sim.robot("r").frame.angular_velocity()[1] / 1e-3 == pytest.approx(expected, rel=1e-6)


def test_ideal_water_takes_no_energy() -> None:
    """½·νᵀ·(M + A)·ν stays, also with a centre of mass beside the origin."""
    diagonal = np.array((3.0, 8.0, 8.0, 0.2, 0.9, 0.9))
    words = " ".join(map(str, diagonal))
    sim = body(
        f"Hydrodynamics {{ addedMass [ {words} ] }}", 0.0, (1, 0.3, -0.2), (0.5, 1.0, 0.3), step=0.5,
        centre="0.1 0 0.05",
    )  # fmt: skip

    def energy() -> float:
        frame = sim.robot("r").frame
        axes = np.array(frame.pose().rotation).reshape(3, 3)
        v, w = axes.T @ frame.linear_velocity(), axes.T @ frame.angular_velocity()
        motion = np.concatenate((v, w))
        own = MASS * np.sum((v + np.cross(w, (0.1, 0.0, 0.05))) ** 2) + np.sum(np.array(INERTIA) * w**2)
        return float(own + diagonal @ motion**2) / 2.0

    start = energy()
    sim.run(0.5)
    assert energy() == pytest.approx(start, rel=5e-3)


WING = "Wing { area 0.5 airDensity 1.2 liftSlope 5 dragSlope 0.1 stallAngle 0.3 liftSlopePastStall -4 %s}"
Q = 0.5 * 1.2 * 0.5


def attack(alpha: float, speed: float = 10.0) -> tuple[float, float, float]:
    """The velocity of a wing whose nose points up against it by an angle."""
    return speed * math.cos(alpha), 0.0, -speed * math.sin(alpha)


@pytest.mark.parametrize(
    ("alpha", "more", "lift", "drag"),
    [
        (0.1, "", 0.5, 0.01),
        (-0.1, "", -0.5, 0.01),
        (0.1, "angleOfAttack 0.05 ", 0.75, 0.015),
        (0.4, "", 1.5 - 0.4, 0.03 + 0.1),
        (0.9, "", 0.0, 0.03 + 0.6),  # the lift is gone, and does not turn
    ],
)
def test_lift_and_drag_follow_the_angle_of_attack(alpha: float, more: str, lift: float, drag: float) -> None:
    sim = body(WING % more, 0.0, attack(alpha))
    pressure = Q * 100.0
    expected = pressure * lift * np.array((math.sin(alpha), 0.0, math.cos(alpha)))
    expected += pressure * drag * np.array((-math.cos(alpha), 0.0, math.sin(alpha)))
    assert MASS * acceleration(sim) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_flow_along_the_span_does_not_count() -> None:
    """With a sweep s the pressure is that of the velocity across the span; coefficients times cos²s."""
    x, _, z = attack(0.1)
    sim = body(WING % "", 0.0, (x, 5.0, z))
    force = MASS * acceleration(sim)
    cos_squared = 100.0 / 125.0
    assert np.hypot(force[0], force[2]) == pytest.approx(
        Q * 100.0 * cos_squared * np.hypot(0.5, 0.01), rel=1e-6
    )
    assert force[1] == pytest.approx(0.0, abs=1e-9)


def test_the_force_acts_at_the_centre_of_pressure() -> None:
    """Torque = arm × force: lift behind the centre of mass turns the nose down."""
    sim = body(WING % "centerOfPressure -0.2 0 0 dragSlope 0 ", 0.0, attack(0.1))
    sim.step()
    torque = 0.2 * Q * 100.0 * 0.5 * math.cos(0.1)
    spin = sim.robot("r").frame.angular_velocity()
    assert spin[1] / 1e-3 == pytest.approx(torque / INERTIA[1], rel=1e-3)


def test_a_fin_is_symmetric_about_its_way() -> None:
    """Radially symmetric: the same lift against the flow in any direction across."""
    for roll in (0.0, 0.7, 2.0):
        speed, alpha = 10.0, 0.1
        across = speed * math.sin(alpha)
        flow = (speed * math.cos(alpha), across * math.sin(roll), -across * math.cos(roll))
        force = MASS * acceleration(body(WING % "radialSymmetry TRUE dragSlope 0 ", 0.0, flow))
        assert np.hypot(force[1], force[2]) == pytest.approx(Q * 100.0 * 0.5 * math.cos(alpha), rel=1e-6)
        assert force[1] * flow[1] + force[2] * flow[2] < 0.0


def test_impossible_ones_are_named() -> None:
    for force, found in (
        ("Hydrodynamics { addedMass [ -9 0 0 0 0 0 ] }", "it is not positive"),
        ("Hydrodynamics { linearDrag [ 1 2 ] }", "with 2 numbers"),
        ("Wing { upward 1 0 0 }", "parallel directions"),
        ('Wing { control "flap" }', 'control "flap"'),
    ):
        assert found in " ".join(map(str, body(force).physics.warnings))
