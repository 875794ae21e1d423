"""Cylinders on cylinders: piles stand, contacts match the geometry, energy does not grow."""

from __future__ import annotations

import math

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

G = 9.81
RADIUS, LENGTH = 0.1, 0.5
LYING = "rotation 0 1 0 1.5707963267948966"
MASS = 1000.0 * math.pi * RADIUS**2 * LENGTH


def _world(*bodies: str, info: str = "", step: int = 8) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {step} {info} }}
Solid {{ name "floor" boundingObject Plane {{ size 50 50 }} }}
{" ".join(bodies)}"""
    return Simulation(parse_scene(text, "pile.wbt"), SimulationConfig(contacts="stiff"))


def _cylinder(name: str, x: float, y: float, z: float, turn: str = "", length: float = LENGTH) -> str:
    shape = f"boundingObject Cylinder {{ radius {RADIUS} height {length} }}"
    return (
        f'DEF {name} Solid {{ name "{name}" translation {x} {y} {z} {turn} {shape} physics Physics {{ }} }}'
    )


def _pile(rows: int) -> dict[str, str]:
    """Return logs in rows, each row above the gaps of the row below."""
    logs = {}
    for row in range(rows):
        z = RADIUS + row * RADIUS * math.sqrt(3.0)
        for index in range(rows - row):
            y = 2.0 * RADIUS * (index - (rows - row - 1) / 2.0)
            logs[f"L{row}{index}"] = _cylinder(f"L{row}{index}", 0.0, y, z, LYING)
    return logs


def _energy(sim: Simulation, names: list[str]) -> float:
    """Return the energy of logs in J: height, motion of the centre, and rotation with the larger moment of
    inertia."""
    inertia = MASS * max(RADIUS**2 / 2.0, RADIUS**2 / 4.0 + LENGTH**2 / 12.0)
    total = 0.0
    for name in names:
        linear, angular = sim.supervisor.velocity(name)
        total += MASS * G * sim.supervisor.pose(name).position[2]
        total += 0.5 * MASS * math.hypot(*linear) ** 2 + 0.5 * inertia * math.hypot(*angular) ** 2
    return total


@pytest.mark.parametrize("step", [4, 16])
def test_three_standing_cylinders_stand_for_a_minute(step: int) -> None:
    names = ["A", "B", "C"]
    bodies = [_cylinder(name, 0.01, 0.005, 0.1 + 0.2 * k, length=0.2) for k, name in enumerate(names)]
    sim = _world(*bodies, info="physicsDisableTime -1", step=step)
    sim.run(1.0)  # contacts penetrate by half a millimetre each
    start = [sim.supervisor.pose(name).position for name in names]
    sim.run(59.0)
    for name, place in zip(names, start, strict=True):
        assert math.dist(sim.supervisor.pose(name).position, place) < 1e-6
        assert math.hypot(*sim.supervisor.velocity(name)[0]) < 1e-9


@pytest.mark.parametrize("rows", [2, 3])
def test_logs_in_a_pile_stand_for_a_minute(rows: int) -> None:
    logs = _pile(rows)
    sim = _world(*logs.values())
    start = {name: sim.supervisor.pose(name).position for name in logs}
    energy = _energy(sim, list(logs))
    for _ in range(60):
        sim.run(1.0)
        now = _energy(sim, list(logs))
        assert now <= energy + 1e-6 * energy
        energy = now
    for name, place in start.items():
        assert math.dist(sim.supervisor.pose(name).position, place) < 0.003 * rows


def test_awake_logs_creep_by_the_softness_of_the_constraints() -> None:
    """WorldInfo.CFM lets each contact slide at v = CFM·F: less than 1e-5·m·g, which is 1.5 mm/s, in all."""
    logs = _pile(2)
    sim = _world(*logs.values(), info="physicsDisableTime -1")
    sim.run(2.0)
    for name in logs:
        assert math.hypot(*sim.supervisor.velocity(name)[0]) < 1e-5 * MASS * G
    hard = _world(*logs.values(), info="physicsDisableTime -1 CFM 1e-8")
    hard.run(2.0)
    for name in logs:
        assert math.hypot(*hard.supervisor.velocity(name)[0]) < 1e-8 * MASS * G


def test_a_pile_with_slip_collapses_as_in_webots() -> None:
    """Friction holds logs only by a force, and slip answers each force with a speed."""
    logs = _pile(3)
    info = "contactProperties ContactProperties { forceDependentSlip 0.007 }"
    sim = _world(*logs.values(), info=info)
    sim.run(2.0)
    assert abs(sim.supervisor.pose("L00").position[1]) > 3.0 * RADIUS
    assert sim.supervisor.pose("L20").position[2] < 3.0 * RADIUS


@pytest.mark.parametrize(
    ("shift", "ends"), [(0.0, (-0.25, 0.25)), (0.2, (-0.05, 0.25)), (-0.4, (-0.25, -0.15))]
)
def test_logs_touch_at_both_ends_of_their_common_line(shift: float, ends: tuple[float, float]) -> None:
    depth = 0.001
    low = _cylinder("LOW", 0.0, 0.0, 5.0, LYING)
    high = _cylinder("HIGH", shift, 0.0, 5.0 + 2.0 * RADIUS - depth, LYING)
    sim = _world(low, high, info="gravity 0")
    sim.physics.record_contacts = True
    sim.step()
    contacts = sorted(sim.physics.contacts, key=lambda contact: contact.position)
    high_solid = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == "HIGH")
    assert len(contacts) == 2
    for contact, x in zip(contacts, ends, strict=True):
        assert contact.position == pytest.approx((x, 0.0, 5.0 + RADIUS - depth / 2.0), abs=1e-9)
        assert contact.depth == pytest.approx(depth, abs=1e-9)
        up = 1.0 if contact.first == high_solid.id else -1.0
        assert contact.normal == pytest.approx((0.0, 0.0, up), abs=1e-9)


def test_overlapping_logs_separate_without_gaining_energy() -> None:
    """Two logs that overlap by 1 mm without gravity: the push that separates them gives both the same
    momentum."""
    low = _cylinder("LOW", 0.0, 0.0, 5.0, LYING)
    high = _cylinder("HIGH", 0.1, 0.02, 5.0 + math.sqrt((2.0 * RADIUS - 0.001) ** 2 - 0.02**2), LYING)
    sim = _world(low, high, info="gravity 0 physicsDisableTime -1")
    sim.run(1.0)
    one, other = sim.supervisor.velocity("LOW")[0], sim.supervisor.velocity("HIGH")[0]
    assert [a + b for a, b in zip(one, other, strict=True)] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert math.hypot(*one) <= 1.0
