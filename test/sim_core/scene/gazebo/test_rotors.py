"""MulticopterMotorModel: k·ω² lifts, the torque turns back, the speed follows with a lag."""

import math
from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
K, MOMENT, MASS = 8.5e-6, 0.016, 0.02
WORLD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 1 gravity 9.8 }\n"


def mass(kg: float, inertia: float) -> str:
    return (
        f'<inertial><mass value="{kg}"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}"/></inertial>'
    )


def copter(directions: str = "ccw ccw cw cw", more: str = "") -> str:
    """2 kg with its four rotors."""
    parts, plugins = "", ""
    places = ((0.2, -0.2), (-0.2, 0.2), (0.2, 0.2), (-0.2, -0.2))
    for number, ((x, y), direction) in enumerate(zip(places, directions.split(), strict=True)):
        parts += f"""<link name="r{number}">{mass(MASS, 1e-6)}</link>
<joint name="j{number}" type="continuous">
<parent link="b"/><child link="r{number}"/><origin xyz="{x} {y} 0"/><axis xyz="0 0 1"/></joint>"""
        plugins += f"""<plugin name="gz::sim::systems::MulticopterMotorModel" filename="x">
<jointName>j{number}</jointName><linkName>r{number}</linkName><turningDirection>{direction}</turningDirection>
<timeConstantUp>0.05</timeConstantUp><timeConstantDown>0.1</timeConstantDown><maxRotVelocity>1000</maxRotVelocity>
<motorConstant>{K}</motorConstant><momentConstant>{MOMENT}</momentConstant><motorNumber>{number}</motorNumber>
<commandSubTopic>command/motor_speed</commandSubTopic>{more}</plugin>"""
    body = f'<link name="b">{mass(2.0 - 4 * MASS, 0.02)}</link>'
    return f'<robot name="c">{body}{parts}<gazebo>{plugins}</gazebo></robot>'


def tell(sim: Simulation, *speeds: float) -> None:
    for number, speed in enumerate(speeds):
        sim.robot("c")[f"j{number}_rotor"].set_velocity(speed)


def test_it_hovers_where_the_lift_is_its_weight(spawned: Spawned) -> None:
    """4·k·ω² = m·g; at another speed it climbs by 4·k·ω²/m - g."""
    sim = spawned(copter(), "@0,0,5,0", WORLD)
    frame, hover = sim.robot("c").frame, math.sqrt(2.0 * 9.8 / (4.0 * K))
    tell(sim, *[hover] * 4)
    sim.run(2.0)
    before = frame.linear_velocity()[2]
    sim.run(1.0)
    assert frame.linear_velocity()[2] - before == pytest.approx(0.0, abs=1e-4)
    tell(sim, *[800.0] * 4)
    sim.run(1.0)
    before = frame.linear_velocity()[2]
    sim.run(1.0)
    assert frame.linear_velocity()[2] - before == pytest.approx(4.0 * K * 800.0**2 / 2.0 - 9.8, rel=1e-3)
    assert sim.robot("c")["j0"].velocity == pytest.approx(80.0)
    assert sim.robot("c")["j2"].velocity == pytest.approx(-80.0)


def test_rotors_turn_the_body_the_other_way(spawned: Spawned) -> None:
    """Two counter-clockwise ones faster than the others: Σ k·moment·(ω₁² - ω₂²)·2 = I·dω/dt."""
    sim = spawned(copter(), "@0,0,5,0", WORLD)
    frame = sim.robot("c").frame
    tell(sim, 700.0, 700.0, 600.0, 600.0)
    sim.run(1.0)
    before = frame.angular_velocity()[2]
    sim.run(0.5)
    inertia = 0.02 + 4 * MASS * (0.2**2 + 0.2**2)
    expected = -2.0 * K * MOMENT * (700.0**2 - 600.0**2) / inertia
    assert (frame.angular_velocity()[2] - before) / 0.5 == pytest.approx(expected, rel=2e-3)


def test_the_speed_follows_with_the_time_constants(spawned: Spawned) -> None:
    """ω = w·(1 - exp(-t/0.05)) up, and exp(-t/0.1) down."""
    sim = spawned(copter(), "@0,0,5,0", WORLD)
    motor = sim.robot("c")["j0_rotor"]
    tell(sim, 500.0)
    sim.run(0.05)
    assert motor.velocity == pytest.approx(500.0 * (1.0 - math.exp(-1.0)), rel=1e-6)
    sim.run(2.0)
    assert motor.velocity == pytest.approx(500.0)
    tell(sim, 0.0)
    sim.run(0.1)
    assert motor.velocity == pytest.approx(500.0 * math.exp(-1.0), rel=1e-6)


def test_one_topic_tells_all(spawned: Spawned) -> None:
    sim = spawned(copter("ccw cw ccw cw", "<rotorDragCoefficient>1e-4</rotorDragCoefficient>"), "", WORLD)
    found = {each.name: each.value for each in sim.scene.device_settings if not each.device}
    assert found["motor_speeds_topic"] == "/c/command/motor_speed"
    assert found["motor_speeds"] == ["j0_rotor", "j1_rotor", "j2_rotor", "j3_rotor"]
    assert any("rotorDragCoefficient of plugin" in str(each) for each in sim.scene.warnings)


def test_a_thruster_pushes_along_its_joint(spawned: Spawned) -> None:
    """ω = √(T/(ρ·k·D⁴)), and T is the mass times the acceleration; back with the other sign."""
    plugin = """<plugin name="gz::sim::systems::Thruster" filename="x"><joint_name>j</joint_name>
<thrust_coefficient>0.004</thrust_coefficient><propeller_diameter>0.2</propeller_diameter>
<max_thrust_cmd>50</max_thrust_cmd><min_thrust_cmd>-50</min_thrust_cmd></plugin>"""
    joint = """<joint name="j" type="continuous"><parent link="b"/><child link="p"/>
<origin xyz="-0.5 0 0" rpy="0 1.5707963267948966 0"/><axis xyz="0 0 1"/></joint>"""
    links = f'<link name="b">{mass(9.98, 1.0)}</link><link name="p">{mass(0.02, 1e-5)}</link>'
    text = f'<robot name="c">{links}{joint}<gazebo>{plugin}</gazebo></robot>'
    sim = spawned(text, "@0,0,5,0", WORLD.replace("gravity 9.8", "gravity 0"))
    settings = {(item.device, item.name): item.value for item in sim.scene.device_settings}
    constant = 1000.0 * 0.004 * 0.2**4
    assert settings["j_rotor", "thrust_constant"] == pytest.approx(constant)
    assert settings["j_rotor", "thrust_topic"] == "/model/c/joint/j/cmd_thrust"
    for thrust, expected in ((20.0, 2.0), (-20.0, 0.0), (-80.0, -5.0)):  # at most 50 N
        sim.robot("c")["j_rotor"].set_velocity(math.copysign(math.sqrt(abs(thrust) / constant), thrust))
        sim.run(1.0)
        assert sim.robot("c").frame.linear_velocity()[0] == pytest.approx(expected, abs=0.02)
