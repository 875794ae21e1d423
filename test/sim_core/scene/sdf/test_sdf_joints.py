"""Joints of SDF models move as formulas say."""

import math
from collections.abc import Callable

import pytest

from sim_core.devices.touch.position_sensor import PositionSensor
from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
G = 9.8
INERTIA = 0.05
"""kg·m² of the arm about its axis, which goes through its centre of mass."""


def arm(axis: str = "", gravity_arm: float = 0.0, kind: str = "revolute", xyz: str = "0 1 0") -> str:
    """A link of 1 kg on a post in the world; `gravity_arm`: x of its centre of mass from the axis, m."""
    moment = INERTIA - gravity_arm**2
    return f"""<model name="m"><pose>0 0 1 0 0 0</pose><link name="post"/>
    <link name="arm"><inertial><pose>{gravity_arm} 0 0 0 0 0</pose><mass>1</mass>
    <inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia></inertial></link>
    <joint name="pin" type="fixed"><parent>world</parent><child>post</child></joint>
    <joint name="j" type="{kind}"><parent>post</parent><child>arm</child>
    <axis><xyz>{xyz}</xyz>{axis}</axis></joint></model>"""


def sensor_of(sim: Simulation) -> PositionSensor:
    found = sim.robot("m")["j"]
    assert isinstance(found, PositionSensor)
    return found


def position(sim: Simulation) -> float:
    return float(sensor_of(sim).sample(sim.time_ns).value)


def test_a_joint_that_no_plugin_names_has_no_motor(simulated: Made) -> None:
    assert not simulated(arm()).robot("m").motors()


def test_a_limit_stops_a_joint(simulated: Made) -> None:
    sim = simulated(arm("<limit><lower>-0.5</lower><upper>0.3</upper></limit>", gravity_arm=0.1))
    sim.run(3.0)
    assert position(sim) == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("end", ["1e16", "1.79769e+308", "inf"])
def test_a_limit_without_end_is_none(simulated: Made, end: str) -> None:
    """A pendulum that begins level swings to the other side, by π."""
    sim = simulated(arm(f"<limit><lower>-{end}</lower><upper>{end}</upper></limit>", gravity_arm=0.1))
    farthest = 0.0
    while sim.time < 2.0:
        sim.step()
        farthest = max(farthest, position(sim))
    assert farthest == pytest.approx(math.pi, abs=0.05)


@pytest.mark.parametrize("brake", ["<damping>5e80</damping>", "<friction>inf</friction>"])
def test_a_joint_with_unlimited_damping_or_friction_cannot_move(simulated: Made, brake: str) -> None:
    sim = simulated(arm(f"<dynamics>{brake}</dynamics>", gravity_arm=0.1))
    (warning,) = map(str, sim.scene.warnings)
    assert 'joint "j" from 0 to 0 cannot move: it is fixed' in warning


def test_damping_limits_the_speed_of_a_falling_slider(simulated: Made) -> None:
    """m·v' = m·g - c·v: the way is v_end·(t - T·(1 - exp(-t/T))) with T = m/c, v_end = m·g/c."""
    damping = 4.0
    dynamics = f"<dynamics><damping>{damping}</damping></dynamics>"
    sim = simulated(arm(dynamics, kind="prismatic", xyz="0 0 -1"))
    sim.run(1.0)
    time, end = 1.0 / damping, G / damping
    assert position(sim) == pytest.approx(end * (1.0 - time * (1.0 - math.exp(-1.0 / time))), rel=0.01)


@pytest.mark.parametrize(("friction", "moves"), [(12.0, False), (4.9, True)])
def test_friction_holds_a_slider_or_slows_it(simulated: Made, friction: float, moves: bool) -> None:
    dynamics = f"<dynamics><friction>{friction}</friction></dynamics>"
    sim = simulated(arm(dynamics, kind="prismatic", xyz="0 0 -1"))
    sim.run(0.5)
    expected = 0.5 * (G - friction) * 0.5**2 if moves else 0.0
    assert position(sim) == pytest.approx(expected, rel=0.02, abs=1e-3)


def test_a_spring_swings_with_its_period(simulated: Made) -> None:
    """A slider on a spring hangs m·g/k lower and swings about that place: it is there at T/4."""
    stiffness = 40.0
    dynamics = f"<dynamics><spring_stiffness>{stiffness}</spring_stiffness></dynamics>"
    sim = simulated(arm(dynamics, kind="prismatic", xyz="0 0 -1"))
    sim.run(math.pi / 2.0 / math.sqrt(stiffness))
    assert position(sim) == pytest.approx(G / stiffness, rel=0.02)


def test_a_ball_joint_holds_a_point(simulated: Made) -> None:
    """A pendulum on a ball that begins at rest at (0.3, 0, 0) from it keeps its length."""
    sim = simulated(
        """<model name="m"><pose>0 0 2 0 0 0</pose><link name="post"/>
        <link name="bob"><pose>0.3 0 0 0 0 0</pose></link>
        <joint name="pin" type="fixed"><parent>world</parent><child>post</child></joint>
        <joint name="j" type="ball"><pose>-0.3 0 0 0 0 0</pose><parent>post</parent><child>bob</child></joint>
        </model>"""
    )
    bob = next(node for node in sim.scene.walk() if node.is_a("Solid") and node["name"] == "bob")
    seen = sim.physics.frame(bob.id)
    for _ in range(5):
        sim.run(0.2)
        assert math.dist(seen.pose().apply((-0.3, 0.0, 0.0)), (0.0, 0.0, 2.0)) < 5e-3


def test_a_four_bar_linkage_stays_closed(simulated: Made) -> None:
    """A parallelogram: the coupler stays level while it falls."""
    hinge = "<axis><xyz>0 1 0</xyz></axis>"
    sim = simulated(
        f"""<model name="m"><pose>0 0 2 0 0 0</pose><link name="base"/>
        <link name="left"><pose>0 0 0.5 0 0 0</pose></link>
        <link name="right"><pose>1 0 0.5 0 0 0</pose></link>
        <link name="bar"><pose>0.02 0 1 0 0 0</pose></link>
        <joint name="pin" type="fixed"><parent>world</parent><child>base</child></joint>
        <joint name="a" type="revolute"><parent>base</parent><child>left</child>
        <pose>0 0 -0.5 0 0 0</pose>{hinge}</joint>
        <joint name="b" type="revolute"><parent>base</parent><child>right</child>
        <pose>0 0 -0.5 0 0 0</pose>{hinge}</joint>
        <joint name="c" type="revolute"><parent>left</parent><child>bar</child>
        <pose>-0.02 0 0 0 0 0</pose>{hinge}</joint>
        <joint name="d" type="revolute"><parent>right</parent><child>bar</child>
        <pose>0.98 0 0 0 0 0</pose>{hinge}</joint></model>""",
        '<sdf version="1.9"><world name="w"><gravity>3 0 -9.8</gravity>',
    )
    bar = next(node for node in sim.scene.walk() if node.is_a("Solid") and node["name"] == "bar")
    seen = sim.physics.frame(bar.id)
    sim.run(0.6)
    assert seen.pose().position[2] < 2.95  # it has fallen
    assert seen.pose().rotation[2] == pytest.approx(0.0, abs=0.02)


def test_a_mimic_of_a_joint_without_motor_holds_ratio_and_offset(simulated: Made) -> None:
    """Gazebo: multiplier·(leader - reference) + offset; the leader swings as it would alone."""
    mimic = (
        "<mimic joint='j'><multiplier>-0.5</multiplier><offset>0.2</offset><reference>0.1</reference></mimic>"
    )
    follower = f"""<link name="arm2"><pose>0 1 0 0 0 0</pose></link>
    <joint name="k" type="revolute"><parent>post</parent><child>arm2</child><axis><xyz>0 1 0</xyz>{mimic}
    </axis></joint></model>"""
    alone = simulated(arm(gravity_arm=0.1))
    sim = simulated(arm(gravity_arm=0.1).replace("</model>", follower))
    motor = sim.robot("m").motors()["k"]
    farthest = 0.0
    for _ in range(1000):
        sim.step()
        alone.step()
        farthest = max(farthest, abs(motor.position - (-0.5 * (position(sim) - 0.1) + 0.2)))
    assert farthest < 1e-3
    assert position(sim) == pytest.approx(position(alone), abs=1e-6)
    assert "follows" in str(motor.set_position(1.0))


def test_a_joint_of_the_world_joins_models(simulated: Made) -> None:
    """One is fixed to the world, the other swings on it: alpha = m·g·l/(I + m·l²) from level on."""
    link = '<link name="l"/>'
    models = f"""<model name="a"><pose>0 0 1 0 0 0</pose>{link}</model>
    <model name="b"><pose>2 0 1 0 0 0</pose>{link}</model>"""
    joints = """<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
    <joint name="j" type="revolute"><pose relative_to="a"/><parent>a</parent><child>b::l</child>
    <axis><xyz>0 1 0</xyz></axis></joint>"""
    sim = simulated(joints + models)
    (robot,) = sim.robots.values()
    assert robot.name == "a"
    sim.run(0.1)
    sensor = robot["j"]
    assert isinstance(sensor, PositionSensor)
    alpha = G * 2.0 / (1.0 + 2.0**2)
    assert sensor.sample(sim.time_ns).value == pytest.approx(0.5 * alpha * 0.1**2, rel=0.03)
    assert not sim.scene.warnings


def test_a_joint_of_the_world_to_nowhere_is_left_out(simulated: Made) -> None:
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>x::l</child></joint>'
    sim = simulated(f'<model name="a"><link name="l"/></model>{joint}')
    assert 'joint "j" between a and x::l' in str(sim.scene.warnings[0])
