"""gz-sim's Buoyancy: bodies rise, float and bob as formulas say."""

import math
from collections.abc import Callable

import pytest

from sim_core.engines.world_view import Frame
from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
PLUGIN = '<plugin filename="gz-sim-buoyancy-system" name="gz::sim::systems::Buoyancy">{}</plugin>'
GRADED = """<graded_buoyancy><default_density>1000</default_density><density_change>
<above_depth>{}</above_depth><density>{}</density></density_change></graded_buoyancy>"""
G = 9.8


def body(name: str, z: float, mass: float, geometry: str, x: float = 0.0) -> str:
    return f"""<model name="{name}"><pose>{x} 0 {z} 0 0 0</pose><link name="l"><inertial><mass>{mass}</mass>
<inertia><ixx>90</ixx><iyy>90</iyy><izz>90</izz></inertia></inertial><collision name="c"><geometry>{geometry}
</geometry></collision></link></model>"""


BOX, BALL = "<box><size>1 1 1</size></box>", "<sphere><radius>0.5</radius></sphere>"


def frame(sim: Simulation, name: str) -> Frame:
    node = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == name)
    return sim.physics.frame(node.id)


def test_in_a_uniform_fluid_the_density_says_how_a_body_moves(simulated: Made) -> None:
    """a = g·(ρ·V/m - 1), whatever the height; a body of the fluid's density stays."""
    volume = math.pi / 6.0
    heavy, same = body("heavy", 0, 2000 * volume, BALL), body("same", 5, 1030 * volume, BALL, 3)
    light, air = body("light", 0, 2060, BOX, 6), body("air", 3, 10, BOX, 9)
    enabled = "".join(f"<enable>{name}</enable>" for name in ("heavy", "same", "light::l"))
    density = f"<uniform_fluid_density>1030</uniform_fluid_density>{enabled}"
    sim = simulated(PLUGIN.format(density) + heavy + same + light + air)
    sim.run(0.5)
    for name, z, a in (
        ("heavy", 0.0, G * (1030 / 2000 - 1.0)),
        ("same", 5.0, 0.0),
        ("light", 0.0, G * (1030 / 2060 - 1.0)),
        ("air", 3.0, -G),  # it is not enabled
    ):
        assert frame(sim, name).pose().position[2] - z == pytest.approx(0.5 * a * 0.25, rel=0.01, abs=1e-6)


def test_parts_of_nested_models_are_enabled_by_name(simulated: Made) -> None:
    """The model n in m, and not the links beside it; nor what is called m2."""
    inner = body("n", 0, 500, BOX, 3).replace('name="l"', 'name="i"')
    outer = body("m", 0, 500, BOX, 3).replace("</model>", inner + "</model>")
    plugin = PLUGIN.format("<enable>m::n</enable>")
    sim = simulated(plugin + outer + body("m2", 0, 500, BOX, 9))
    sim.run(0.2)
    moved = {
        node["name"]: sim.physics.frame(node.id).pose().position[2]
        for node in sim.scene.nodes
        if node.is_a("Solid")
    }
    assert moved == pytest.approx(
        {"m": -0.5 * G * 0.04, "m/n/i": 0.5 * G * 0.04, "m2": -0.5 * G * 0.04}, rel=0.02
    )


def test_a_box_bobs_in_a_layer(simulated: Made) -> None:
    """About the depth at which it weighs what it displaces, with ω² = (ρ - ρ_air)·A·g/m."""
    mass, surface, air = 600.0, 2.0, 100.0
    depth = (mass - air) / (1000.0 - air)  # of its lower side
    sim = simulated(
        PLUGIN.format(GRADED.format(surface, air)) + body("b", surface + 0.5 - depth + 0.1, mass, BOX)
    )
    omega = math.sqrt((1000.0 - air) * G / mass)
    sim.run(math.pi / omega)
    assert frame(sim, "b").pose().position[2] == pytest.approx(surface + 0.5 - depth - 0.1, abs=2e-3)
    assert frame(sim, "b").linear_velocity()[2] == pytest.approx(0.0, abs=0.01)


def test_what_has_no_buoyancy_is_named(simulated: Made) -> None:
    cone = body("c", 0, 1, "<cone><radius>1</radius><length>1</length></cone>")
    sim = simulated(PLUGIN.format("") + cone)
    assert "no buoyancy of 1 collisions: IndexedFaceSet" in " ".join(map(str, sim.scene.warnings))


def test_all_collisions_of_a_link_have_buoyancy(simulated: Made) -> None:
    """Two halves with different friction displace as much as the whole."""
    smooth = "<surface><friction><ode><mu>0</mu><mu2>0</mu2></ode></friction></surface>"
    half = "<geometry><box><size>0.5 1 1</size></box></geometry>"
    halves = f"""<model name="m"><link name="l"><inertial><mass>500</mass>
<inertia><ixx>90</ixx><iyy>90</iyy><izz>90</izz></inertia></inertial>
<collision name="a"><pose>-0.25 0 0 0 0 0</pose>{half}</collision>
<collision name="b"><pose>0.25 0 0 0 0 0</pose>{half}{smooth}</collision></link></model>"""
    sim = simulated(PLUGIN.format("") + halves)
    sim.run(0.2)
    assert frame(sim, "m").pose().position[2] == pytest.approx(0.5 * G * (1000 / 500 - 1.0) * 0.04, rel=0.02)
