"""Bodies of SDF worlds move as formulas say."""

import math
from collections.abc import Callable

import pytest

from sim_core.base.geometry import norm
from sim_core.engines.world_view import Frame
from sim_core.scene import Scene
from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
PLANE = """<model name="ground"><static>true</static><link name="l"><collision name="c">
<geometry><plane><normal>0 0 1</normal></plane></geometry><surface>{surface}</surface></collision>
</link></model>"""
FRICTION = "<friction><ode><mu>{0}</mu><mu2>{0}</mu2></ode></friction>"


def box(name: str, pose: str, surface: str = "", inertial: str = "") -> str:
    return f"""<model name="{name}"><pose>{pose}</pose><link name="l">
<inertial>{inertial}<mass>2</mass><inertia><ixx>0.3</ixx><iyy>0.3</iyy><izz>0.3</izz></inertia></inertial>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface>{surface}</surface></collision>
</link></model>"""


def frame(sim: Simulation, name: str) -> Frame:
    node = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == name)
    return sim.physics.frame(node.id)


def test_a_box_slides_by_the_smaller_friction_of_both_sides(simulated: Made) -> None:
    """Gravity (0, -1, -1): y falls by (1 - mu)·t²/2; the plane's 50 does not count."""
    head = """<sdf version="1.5"><world name="w"><physics type="ode"><gravity>0 -1 -1</gravity>
<max_step_size>0.002</max_step_size></physics>"""
    coefficients = (0.2, 0.5, 0.8, 0.995, 1.2)  # so slow that a body of Webots falls asleep
    low = "<pose>0 0 -0.5 0 0 0</pose>"  # at the ground: nothing tips over
    boxes = [
        box(f"b{k}", f"{2 * k} 0 0.5 0 0 0", FRICTION.format(mu), low) for k, mu in enumerate(coefficients)
    ]
    sim = simulated(PLANE.format(surface=FRICTION.format(50)) + "".join(boxes), head)
    sim.run(2.0)
    for k, mu in enumerate(coefficients):
        expected = -0.5 * max(0.0, 1.0 - mu) * 2.0**2
        assert frame(sim, f"b{k}").pose().position[1] == pytest.approx(expected, rel=0.02, abs=2e-3)


@pytest.mark.parametrize(("one", "other", "expected"), [(0.8, 0.9, 0.72), (1.0, 0.5, 0.5), (0.6, 0.0, 0.0)])
def test_a_ball_bounces_by_the_product_of_both_restitutions(
    simulated: Made, one: float, other: float, expected: float
) -> None:
    """It rises to e²·h from a fall of h."""
    bounce = "<bounce><restitution_coefficient>{}</restitution_coefficient></bounce>"
    ball = f"""<model name="ball"><pose>0 0 1.1 0 0 0</pose><link name="l"><inertial><mass>1</mass>
<inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial><collision name="c">
<geometry><sphere><radius>0.1</radius></sphere></geometry><surface>{bounce.format(other)}</surface></collision>
</link></model>"""
    head = '<sdf version="1.9"><world name="w"><physics><max_step_size>0.001</max_step_size></physics>'
    sim = simulated(PLANE.format(surface=bounce.format(one)) + ball, head)
    seen = frame(sim, "ball")
    highest, has_hit = 0.0, False
    while sim.time < 1.2:
        sim.step()
        has_hit = has_hit or seen.pose().position[2] < 0.11
        highest = max(highest, seen.pose().position[2] - 0.1) if has_hit else 0.0
    assert highest == pytest.approx(expected**2, rel=0.03, abs=0.012)


def test_nothing_bounces_unless_a_file_says_so(simulated: Made) -> None:
    sim = simulated(PLANE.format(surface="") + box("b", "0 0 1.5 0 0 0"))
    seen = frame(sim, "b")
    while seen.pose().position[2] > 0.5:
        sim.step()
    highest = 0.0
    for _ in range(500):
        sim.step()
        highest = max(highest, seen.pose().position[2])
    assert highest < 0.51  # with Webots' default of 0.5 it would rise to 0.75
    assert seen.pose().position[2] == pytest.approx(0.5, abs=1e-3)
    assert norm(seen.linear_velocity()) < 1e-2


def test_a_slope_holds_what_its_friction_cone_holds(simulated: Made) -> None:
    """tan of the angle below mu: it stays; above: it slides at g·(sin a - mu·cos a)."""
    angle, g = 0.4, 9.8
    across = (g * math.sin(angle), 0.0, -g * math.cos(angle))
    head = f"""<sdf version="1.9"><world name="w"><gravity>{across[0]} 0 {across[2]}</gravity>
<physics><max_step_size>0.002</max_step_size></physics>"""
    low = "<pose>0 0 -0.5 0 0 0</pose>"
    holds, slides = math.tan(angle) * 1.1, math.tan(angle) * 0.5
    boxes = box("holds", "0 0 0.5 0 0 0", FRICTION.format(holds), low)
    boxes += box("slides", "0 3 0.5 0 0 0", FRICTION.format(slides), low)
    sim = simulated(PLANE.format(surface=FRICTION.format(5)) + boxes, head)
    sim.run(1.0)
    assert abs(frame(sim, "holds").pose().position[0]) < 5e-3
    expected = 0.5 * g * (math.sin(angle) - slides * math.cos(angle))
    assert frame(sim, "slides").pose().position[0] == pytest.approx(expected, rel=0.02)


def test_each_pair_of_surfaces_has_its_properties(read: Callable[..., Scene]) -> None:
    surfaces = [
        box(f"b{k}", f"{2 * k} 0 1 0 0 0", FRICTION.format(mu)) for k, mu in enumerate((0.3, 0.6, 0.3))
    ]
    scene = read("".join(surfaces))
    pairs = {
        frozenset((node["material1"], node["material2"])): node["coulombFriction"]
        for node in scene.world_info["contactProperties"]
    }
    materials = {node["contactMaterial"] for node in scene.nodes if node.is_a("Solid")}
    assert len(materials) == 2
    assert len(pairs) == 6  # of these two and the default, each with each and with itself
    assert pairs[frozenset(materials)] == [0.3]
    assert pairs[frozenset(("default",))] == [1.0]


@pytest.mark.parametrize(("along", "slides"), [("1 0 0", 1), ("0 1 0", 0)])
def test_the_first_direction_is_the_one_of_mu(simulated: Made, along: str, slides: int) -> None:
    """Gravity (0, -1, -1)·g: with mu 5 along y it stays, across it slides as without friction."""
    head = """<sdf version="1.9"><world name="w"><gravity>0 -1 -1</gravity>
    <physics><max_step_size>0.002</max_step_size></physics>"""
    friction = f"<friction><ode><mu>5</mu><mu2>0</mu2><fdir1>{along}</fdir1></ode></friction>"
    low = "<pose>0 0 -0.5 0 0 0</pose>"
    sim = simulated(
        PLANE.format(surface=FRICTION.format(50)) + box("b", "0 0 0.5 0 0 0", friction, low), head
    )
    sim.run(1.0)
    x, y, _ = frame(sim, "b").pose().position
    assert (x, y) == pytest.approx((0.0, -0.5 * slides), rel=0.02, abs=3e-3)


MECANUM = (
    ("fl", 0.5, 0.4, -1, -2.0),
    ("fr", 0.5, -0.4, 1, 2.0),
    ("rl", -0.5, 0.4, 1, 2.0),
    ("rr", -0.5, -0.4, -1, -2.0),
)
"""Name, x, y, sign of the first direction, rad/s for way to the left."""


def wheel(name: str, x: float, y: float, side: int) -> str:
    friction = f"""<friction><ode><mu>1</mu><mu2>0</mu2>
    <fdir1 gz:expressed_in="base">1 {side} 0</fdir1></ode></friction>"""
    return f"""<link name="{name}"><pose relative_to="base">{x} {y} 0 -1.5707963 0 0</pose>
    <collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry>
    <surface>{friction}</surface></collision></link>
    <joint name="{name}_joint" type="revolute"><parent>base</parent><child>{name}</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
    <plugin filename="gz-sim-joint-controller-system" name="gz::sim::systems::JointController">
    <joint_name>{name}_joint</joint_name></plugin>"""


def test_spheres_with_turned_directions_drive_sideways(simulated: Made) -> None:
    """Four wheels that slide at 45 degrees to their axles: at ω·r to the left, and not ahead."""
    wheels = "".join(wheel(name, x, y, side) for name, x, y, side, _ in MECANUM)
    inertial = "<mass>10</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    base = f'<link name="base"><pose>0 0 0.2 0 0 0</pose><inertial>{inertial}</inertial></link>'
    sim = simulated(f'{PLANE.format(surface="")}<model name="m">{base}{wheels}</model>')
    robot = sim.robot("m")
    for name, *_, speed in MECANUM:
        robot.motors()[f"{name}_joint"].set_velocity(speed)
    sim.run(1.0)
    start = robot.frame.pose().position
    sim.run(2.0)
    end = robot.frame.pose().position
    assert end[1] - start[1] == pytest.approx(0.2 * 2.0 * 2.0, rel=0.02)
    assert end[0] - start[0] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(("ground", "falls"), [("0x01", False), ("2", True), ("0x03", False), ("", False)])
def test_what_has_no_bit_in_common_goes_through(simulated: Made, ground: str, falls: bool) -> None:
    """A box and a ball of mask 1, on a plane: by ODE's search, and by formula."""
    mask = "<contact><collide_bitmask>{}</collide_bitmask></contact>"
    surface = mask.format(ground) if ground else ""
    ball = box("ball", "3 0 0.5 0 0 0", mask.format(1)).replace(
        "<box><size>1 1 1</size></box>", "<sphere><radius>0.5</radius></sphere>"
    )
    sim = simulated(PLANE.format(surface=surface) + box("b", "0 0 0.5 0 0 0", mask.format(1)) + ball)
    sim.run(0.5)
    for name in ("b", "ball"):
        expected = 0.5 - 0.5 * 9.8 * 0.5**2 if falls else 0.5
        assert frame(sim, name).pose().position[2] == pytest.approx(expected, abs=0.01)


def test_torsional_friction_slows_a_spinning_ball(simulated: Made) -> None:
    """Torque 3π/16·a·μ·m·g: the smaller μ of both sides, the larger radius a."""

    def torsion(twist: float, patch: float) -> str:
        inside = f"<coefficient>{twist}</coefficient><patch_radius>{patch}</patch_radius>"
        return f"<friction><torsional>{inside}</torsional></friction>"

    ball = box("ball", "0 0 0.5 0 0 0", torsion(0.5, 0.03)).replace(
        "<box><size>1 1 1</size></box>", "<sphere><radius>0.5</radius></sphere>"
    )
    sim = simulated(PLANE.format(surface=torsion(0.8, 0.01)) + ball)
    node = next(node for node in sim.scene.nodes if node.is_a("Solid") and node["name"] == "ball")
    sim.run(0.1)
    sim.supervisor.set_velocity(node, (0.0, 0.0, 0.0), (0.0, 0.0, 3.0))
    sim.run(1.0)
    slowing = 3.0 * math.pi / 16.0 * 0.03 * 0.5 * 2.0 * 9.8 / 0.3
    assert frame(sim, "ball").angular_velocity()[2] == pytest.approx(3.0 - slowing, rel=0.02)
