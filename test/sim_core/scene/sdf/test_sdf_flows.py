"""LiftDrag and Hydrodynamics of gz-sim: forces on links as their documentation says."""

import math
from collections.abc import Callable

import pytest

from sim_core.engines.world_view import Frame
from sim_core.scene import parse_scene
from sim_core.scene.wbt.writer import write_scene
from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
G, MASS = 9.8, 3.0
LINK = f"""<link name="l"><inertial><mass>{MASS}</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"""
WATER = '<plugin filename="gz-sim-hydrodynamics-system" name="gz::sim::systems::Hydrodynamics">{}</plugin>'
AIR = '<plugin filename="gz-sim-lift-drag-system" name="gz::sim::systems::LiftDrag">{}</plugin>'


def model(*plugins: str, more: str = "") -> str:
    return f'<model name="m"><pose>0 0 9 0 0 0</pose>{LINK}{more}{"".join(plugins)}</model>'


def frame(sim: Simulation) -> Frame:
    node = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == "m")
    return sim.physics.frame(node.id)


def test_derivatives_are_negative_forces(simulated: Made) -> None:
    """A fall with added mass and quadratic drag: V·tanh(m·g·t/((m + A)·V)), V² = m·g/c."""
    tags = "<link_name>l</link_name><zDotW>-6</zDotW><zWabsW>-30</zWabsW><xU>0</xU>"
    sim = simulated(model(WATER.format(tags)))
    sim.run(0.2)
    terminal = math.sqrt(MASS * G / 30.0)
    expected = -terminal * math.tanh(MASS * G * 0.2 / ((MASS + 6.0) * terminal))
    assert frame(sim).linear_velocity()[2] == pytest.approx(expected, rel=2e-3)
    assert not sim.scene.warnings


def test_cross_terms_and_currents(simulated: Made) -> None:
    """The heave that sways: F_y = xᵥ·w; the water flows along x."""
    tags = "<link_name>l</link_name><yW>-0.5</yW><xU>-1e5</xU><default_current>0.3 0 0</default_current>"
    sim = simulated(model(WATER.format(tags)))
    sim.run(0.3)
    x, y, _ = frame(sim).linear_velocity()
    assert x == pytest.approx(0.3, rel=1e-3)
    assert y == pytest.approx(0.5 / MASS * G * 0.3**2 / 2.0, rel=0.02)


def test_a_flat_fall_ends_at_the_speed_of_its_drag(simulated: Made) -> None:
    """A plate across its way: m·g = c_d·½·ρ·v²·A with c_d past the stall."""
    tags = """<link_name>l</link_name><area>2</area><air_density>1.2</air_density><cla>0</cla><cda>0.5</cda>
<alpha_stall>0.2</alpha_stall><cda_stall>0.6</cda_stall><forward>1 0 0</forward><upward>0 0 1</upward>"""
    sim = simulated(model(AIR.format(tags)))
    sim.run(2.5)
    coefficient = 0.5 * 0.2 + 0.6 * (math.pi / 2.0 - 0.2)
    expected = -math.sqrt(MASS * G / (coefficient * 0.5 * 1.2 * 2.0))
    assert frame(sim).linear_velocity()[2] == pytest.approx(expected, rel=1e-3)


def test_a_control_surface_adds_lift(simulated: Made) -> None:
    """Its joint hangs at its stop, 0.1 rad: Δc_l = slope·angle; the model falls flat, so lift is along x."""
    flap = """<link name="f"><inertial><mass>1e-6</mass><inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz>
</inertia></inertial></link><joint name="j" type="revolute"><parent>l</parent><child>f</child><axis>
<xyz>0 1 0</xyz><limit><lower>0.1</lower><upper>0.1001</upper></limit></axis></joint>"""
    tags = """<link_name>l</link_name><area>1</area><air_density>1</air_density><cla>0</cla><cda>0</cda>
<cda_stall>0</cda_stall><control_joint_name>j</control_joint_name>
<control_joint_rad_to_cl>2</control_joint_rad_to_cl>"""
    sim = simulated(model(AIR.format(tags), more=flap))
    sim.run(0.2)
    speed = G * 0.2
    assert frame(sim).linear_velocity()[0] == pytest.approx(0.2 * 0.5 * G**2 * 0.2**3 / 3.0 / MASS, rel=0.02)
    assert frame(sim).linear_velocity()[2] == pytest.approx(-speed, rel=1e-3)


def test_they_are_kept_in_a_saved_world(simulated: Made) -> None:
    plugins = WATER.format("<link_name>l</link_name><xU>-3</xU>"), AIR.format("<link_name>l</link_name>")
    sim = simulated(model(*plugins))
    saved = parse_scene(write_scene(sim.scene))
    solid = next(node for node in saved.nodes if node.is_a("Solid"))
    wings = solid["physics"]["fluidForces"]
    assert [each.type_name for each in wings] == ["Hydrodynamics", "Wing"]
    assert wings[0]["linearDrag"] == [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_what_is_not_computed_is_named(simulated: Made) -> None:
    tags = "<link_name>l</link_name><xUabsV>-1</xUabsV><lookup_current_x>c</lookup_current_x>"
    sim = simulated(model(WATER.format(tags), WATER.format("<link_name>none</link_name>")))
    said = " ".join(map(str, sim.scene.warnings))
    assert "xUabsV" in said
    assert "lookup_current_x" in said
    assert "link_name" in said or 'plugin "gz-sim-hydrodynamics-system"' in said


def test_added_mass_of_a_link_is_inertia_without_weight(simulated: Made) -> None:
    """F = (m + A)·a, of a body that does not turn: it also goes sideways by the terms beside the diagonal."""
    mass = "<inertial><fluid_added_mass><xx>1</xx><xz>2</xz><zz>5</zz><qq>1e6</qq></fluid_added_mass>"
    sim = simulated(model().replace("<inertial>", mass))
    sim.run(0.2)
    x, _, z = frame(sim).linear_velocity()
    # (m + 1)·x + 2·z = 0, 2·x + (m + 5)·z = -m·g·t
    size = (MASS + 1.0) * (MASS + 5.0) - 4.0
    assert z == pytest.approx(-(MASS + 1.0) * MASS * G * 0.2 / size, rel=1e-3)
    assert x == pytest.approx(2.0 * MASS * G * 0.2 / size, rel=1e-3)
    assert not sim.scene.warnings


def test_added_mass_of_a_link_and_of_a_plugin_are_one(simulated: Made) -> None:
    mass = "<inertial><fluid_added_mass><zz>5</zz></fluid_added_mass>"
    water = WATER.format("<link_name>l</link_name><zDotW>-4</zDotW>")
    sim = simulated(model(water).replace("<inertial>", mass))
    sim.run(0.2)
    assert frame(sim).linear_velocity()[2] == pytest.approx(-MASS * G * 0.2 / (MASS + 9.0), rel=1e-3)


def windy(changes: str, *, model_has_wind: bool = True) -> tuple[str, str]:
    """A body without weight in a wind of 5 m/s, to (3, 4), and 1 m/s upward: its text and the world's
    beginning."""
    body = model(more="<enable_wind>true</enable_wind>" if model_has_wind else "")
    wind = '<plugin filename="gz-sim-wind-effects-system" name="gz::sim::systems::WindEffects">{}</plugin>'
    head = """<sdf version="1.9"><world name="w"><gravity>0 0 0</gravity>
<physics><max_step_size>0.002</max_step_size></physics>
<wind><linear_velocity>3 4 1</linear_velocity></wind>"""
    return body, head + wind.format(changes)


def test_wind_carries_along_what_it_blows_at(simulated: Made) -> None:
    """dv/dt = k·(w·(1 - e^(-t/T)) - v), so with a = 1/T: v = w·(1 - (a·e^(-k·t) - k·e^(-a·t))/(a - k))."""
    changes = """<horizontal><magnitude><time_for_rise>0.5</time_for_rise></magnitude></horizontal>
<vertical><time_for_rise>2</time_for_rise></vertical>
<force_approximation_scaling_factor>0.8</force_approximation_scaling_factor>"""
    sim = simulated(*windy(changes))
    sim.run(1.0)

    def share(a: float, k: float = 0.8) -> float:
        return 1.0 - (a * math.exp(-k) - k * math.exp(-a)) / (a - k)

    expected = 3.0 * share(2.0), 4.0 * share(2.0), share(0.5)
    assert frame(sim).linear_velocity() == pytest.approx(expected, rel=5e-3)
    assert not sim.scene.warnings


def test_gusts_and_turns_of_the_wind(simulated: Made) -> None:
    """The factor is so high that the body has the velocity of the wind."""
    changes = """<horizontal><magnitude><time_for_rise>1e-6</time_for_rise>
<sin><amplitude_percent>0.5</amplitude_percent><period>4</period></sin></magnitude>
<direction><sin><amplitude>30</amplitude><period>4</period></sin></direction></horizontal>
<vertical><time_for_rise>1e-6</time_for_rise></vertical>
<force_approximation_scaling_factor>1e6</force_approximation_scaling_factor>"""
    sim = simulated(*windy(changes))
    sim.run(1.0)
    direction = math.atan2(4.0, 3.0) + math.radians(30.0)
    expected = 7.5 * math.cos(direction), 7.5 * math.sin(direction), 1.0
    assert frame(sim).linear_velocity() == pytest.approx(expected, rel=1e-4)


def test_wind_acts_only_where_a_file_says_so(simulated: Made) -> None:
    sim = simulated(*windy("<horizontal><magnitude><noise/></magnitude></horizontal>", model_has_wind=False))
    sim.run(0.5)
    assert frame(sim).linear_velocity() == pytest.approx((0.0, 0.0, 0.0))
    assert "noise" in " ".join(map(str, sim.scene.warnings))
