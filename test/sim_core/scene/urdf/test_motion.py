"""Robots from URDF files move as formulas say."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.shipped import share_dir
from sim_core.scene import Scene, parse_scene, write_scene
from sim_core.scene.urdf.spawn import add_urdf
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation

G = 9.81
ROVER = share_dir() / "worlds" / "urdf" / "rover.urdf"
Spawned = Callable[..., Simulation]


def rod(name: str, mass: float, length: float, tilt: float, at: float, parent: str) -> str:
    """A thin rod that hangs from a hinge along y; its inertia stands in a turned frame."""
    across = mass * length * length / 12.0
    return f"""
<link name="{name}"><inertial>
  <origin xyz="0 0 {-length / 2.0}" rpy="0 {math.pi / 2.0} 0"/>
  <mass value="{mass}"/>
  <inertia ixx="{across * 1e-3}" iyy="{across}" izz="{across}" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="{name}_joint" type="continuous">
  <parent link="{parent}"/><child link="{name}"/>
  <origin xyz="0 0 {at}" rpy="0 {tilt} 0"/><axis xyz="0 1 0"/><limit effort="0" velocity="0"/>
</joint>"""


def test_a_double_pendulum_swings_in_each_mode_with_its_period(spawned: Spawned) -> None:
    """Angles a, b from the vertical: M·(a, b)'' = -K·(a, b) for small ones (Lagrange)."""
    m1, l1, m2, l2 = 1.0, 0.5, 0.6, 0.8
    i1, i2 = m1 * l1 * l1 / 12.0, m2 * l2 * l2 / 12.0
    coupling = m2 * l1 * l2 / 2.0
    masses = np.array(
        [[i1 + m1 * l1 * l1 / 4.0 + m2 * l1 * l1, coupling], [coupling, i2 + m2 * l2 * l2 / 4.0]]
    )
    stiffness = np.diag([G * (m1 * l1 / 2.0 + m2 * l1), G * m2 * l2 / 2.0])
    inverse = np.linalg.inv(np.linalg.cholesky(masses))
    squares, modes = np.linalg.eigh(inverse @ stiffness @ inverse.T)
    for square, mode in zip(squares, (inverse.T @ modes).T, strict=True):
        a, b = 0.02 * mode / np.abs(mode).max()
        rods = rod("one", m1, l1, a, 2.0, "world") + rod("two", m2, l2, b - a, -l1, "one")
        sim = spawned(f'<robot name="r"><link name="world"/>{rods}</robot>')
        sensor = sim.robot("r")["one_joint"]
        times, before = [], a
        while len(times) < 5:
            sim.step()
            now = a + sensor.sample(sim.time_ns).value
            if before > 0.0 >= now:
                times.append(sim.time - sim.step_ns / 1e9 * now / (now - before))
            before = now
        period = (times[-1] - times[0]) / (len(times) - 1)
        assert period == pytest.approx(2.0 * math.pi / math.sqrt(square), rel=5e-3)


def test_the_rover_drives_straight_at_radius_times_wheel_speed(floor: Scene) -> None:
    add_urdf(floor, ROVER)
    sim = Simulation(floor)
    rover = sim.robot("rover")
    assert rover.drive is not None
    assert (rover.drive.wheel_radius, rover.drive.wheel_separation) == pytest.approx((0.05, 0.24))
    sim.run(0.5)
    assert rover.frame.pose().position[2] == pytest.approx(0.05, abs=5e-4)  # it stood on the ground
    rover.drive.set_wheel_speeds(6.0, 6.0)
    sim.run(1.0)
    start = rover.frame.pose().position
    sim.run(2.0)
    end = rover.frame.pose().position
    assert (end[0] - start[0]) / 2.0 == pytest.approx(0.05 * 6.0, rel=2e-3)
    assert end[1] == pytest.approx(0.0, abs=1e-3)


def test_the_ball_of_the_rover_slides_without_friction(floor: Scene) -> None:
    add_urdf(floor, ROVER)
    contact = floor.world_info["contactProperties"][-1]
    assert (contact["material1"], contact["coulombFriction"]) == ("rover/ball", [0.0])


def test_the_sonar_of_the_rover_measures_at_the_rate_of_its_tag(tmp_path: Path) -> None:
    """A wall at x = 1: the sonar is 0.155 m before the body. 20 Hz are 0.05 s, 50 steps of 1 ms."""
    world = tmp_path / "w.wbt"
    wall = "Solid { translation 1.5 0 0 boundingObject Box { size 1 4 4 } }"
    world.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 1 }}\n{wall}\n")
    sim = load_world(world, urdf=[f"{ROVER}@0,0,0.5,0"])
    sonar = sim.robot("rover")["sonar"]
    assert sonar.period_ns == 50_000_000
    sim.sample([sonar])
    assert sonar.value == pytest.approx(1.0 - 0.155, abs=1e-6)


def arm(kind: str, inside: str, limit: str) -> str:
    inertia = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    return f"""<robot name="r"><link name="world"/><link name="b">{inertia}</link>
<joint name="j" type="{kind}"><parent link="world"/><child link="b"/>
<origin xyz="0 0 3"/><axis xyz="0 0 1"/>{inside}<limit {limit}/></joint></robot>"""


def test_damping_slows_a_joint_exponentially(spawned: Spawned) -> None:
    """I·ω' = -c·ω about the vertical: ω falls to 1/e in I/c = 0.5 s."""
    sim = spawned(arm("continuous", '<dynamics damping="0.2"/>', 'effort="5" velocity="9"'))
    motor = sim.robot("r")["j"]
    motor.set_velocity(4.0)
    sim.run(2.0)
    motor.set_effort(0.0)
    sim.step()
    start = motor.velocity
    sim.run(0.5)
    assert motor.velocity / start == pytest.approx(math.exp(-1.0), rel=0.01)


def test_a_slider_falls_freely_and_stops_at_its_limit(spawned: Spawned) -> None:
    sim = spawned(arm("prismatic", "", 'lower="-1" upper="0.5" effort="0" velocity="0"'))
    sensor = sim.robot("r")["j"]
    sim.run(0.3)
    assert sensor.sample(sim.time_ns).value == pytest.approx(-G * 0.3**2 / 2.0, rel=0.02)
    sim.run(1.0)
    assert sensor.sample(sim.time_ns).value == pytest.approx(-1.0, abs=0.01)


def test_a_limit_beyond_half_a_turn_holds(spawned: Spawned) -> None:
    sim = spawned(arm("revolute", "", 'lower="-6.28" upper="5" effort="5" velocity="9"'))
    motor = sim.robot("r")["j"]
    for velocity, limit in ((4.0, 5.0), (-9.0, -6.28)):
        motor.set_velocity(velocity)
        sim.run(3.0)
        assert motor.position == pytest.approx(limit, abs=0.02)


def test_a_joint_whose_limits_leave_0_out_starts_in_their_middle(spawned: Spawned) -> None:
    sim = spawned(arm("revolute", "", 'lower="0.5" upper="1.5" effort="5" velocity="1"'))
    assert sim.robot("r")["j"].position == pytest.approx(1.0)
    arm_solid = next(
        node for node in sim.robot("r").node.walk() if node.is_a("Solid") and node["name"] == "b"
    )
    x, y, z = sim.physics.frame(arm_solid.id).pose().rotation[:3]
    assert (x, y, z) == pytest.approx((math.cos(1.0), -math.sin(1.0), 0.0))


def mimics(more: str = "") -> str:
    """Two joints about z, of which the second goes half as far the other way."""
    inertia = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    joints = "".join(
        f'<link name="{name}">{inertia}</link><joint name="j{name}" type="revolute"><parent link="world"/>'
        f'<child link="{name}"/><origin xyz="{index} 0 3"/><axis xyz="0 0 1"/>'
        f'<limit lower="-1" upper="1" effort="50" velocity="2"/>{mimic}</joint>'
        for index, (name, mimic) in enumerate((("a", ""), ("b", '<mimic joint="ja" multiplier="-0.5"/>')))
    )
    return f'<robot name="r"><link name="world"/>{joints}{more}</robot>'


def test_a_mimic_follows_its_leader(spawned: Spawned) -> None:
    """Both motors have the names of their joints, as controllers and states on ROS name them."""
    sim = spawned(mimics())
    robot = sim.robot("r")
    assert not robot.warnings
    robot["ja"].set_position(0.8)
    sim.run(2.0)
    assert robot["ja"].position == pytest.approx(0.8, abs=1e-3)
    assert robot["jb"].position == pytest.approx(-0.4, abs=1e-3)
    again = Simulation(parse_scene(write_scene(sim.scene), "again.wbt")).robot("r")
    assert [motor.name for motor in again["jb"].coupled] == ["ja", "jb"]


def test_ros2_control_of_the_leader_alone_moves_its_mimic(spawned: Spawned) -> None:
    """The mimic has a motor although no command interface names it, and starts as its leader does."""
    joint = """<joint name="ja"><command_interface name="position"/>
<state_interface name="position"><param name="initial_value">0.6</param></state_interface></joint>"""
    sim = spawned(mimics(f'<ros2_control name="c" type="system">{joint}</ros2_control>'))
    robot = sim.robot("r")
    assert (robot["ja"].position, robot["jb"].position) == pytest.approx((0.6, -0.3))
    robot["ja"].set_position(-0.2)
    sim.run(2.0)
    assert (robot["ja"].position, robot["jb"].position) == pytest.approx((-0.2, 0.1), abs=1e-3)


def test_only_the_joints_that_ros2_control_commands_have_motors(spawned: Spawned) -> None:
    joint = '<joint name="j"><command_interface name="velocity"/></joint>'
    control = f'<ros2_control name="c" type="system">{joint}</ros2_control>'
    text = arm("continuous", "", 'effort="5" velocity="9"')
    assert list(spawned(text.replace("</robot>", f"{control}</robot>")).robot("r").devices) == [
        "j",
        "j_sensor",
    ]
    other = (
        control.replace('"j"', '"k"')
        + '<link name="c"/><joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>'
    )
    assert list(spawned(text.replace("</robot>", f"{other}</robot>")).robot("r").devices) == [
        "j",
        "k",
        "k_sensor",
    ]


def test_two_reads_of_a_file_are_the_same(floor: Scene) -> None:
    """Two loads of one file are the same robot."""
    nodes = [add_urdf(scene, ROVER) for scene in (floor, Scene())]
    assert all(a.equals(b) for a, b in pairwise(nodes))


FINGER = """<robot name="hand"><link name="world"/>
<link name="palm"/><joint name="fixed" type="fixed"><parent link="world"/><child link="palm"/>
<origin xyz="0 0 1"/></joint>
<link name="near"><inertial><mass value="0.15"/>
<inertia ixx="0.001859" iyy="0.012756" izz="0.0024" ixy="-0.000376" ixz="0.000028" iyz="0"/></inertial></link>
<joint name="near_joint" type="revolute"><parent link="palm"/><child link="near"/><axis xyz="0 0 1"/>
<limit effort="100" lower="0.0495" upper="1.2218" velocity="100"/></joint>
<link name="far"><inertial><mass value="0.15"/>
<inertia ixx="0.001859" iyy="0.012756" izz="0.0024" ixy="-0.000376" ixz="0.000028" iyz="0"/></inertial></link>
<joint name="far_joint" type="revolute"><parent link="near"/><child link="far"/><axis xyz="0 0 1"/>
<origin rpy="0 0 -0.52" xyz="0.05 -0.028 0"/>
<limit effort="100" lower="0" upper="1.5708" velocity="100"/></joint></robot>"""


def test_a_strong_motor_at_a_stop_does_not_throw_a_light_finger_out(spawned: Spawned) -> None:
    """100 N·m in 16 ms would turn 0.0024 kg·m² at 667 rad/s; a motor gives no more than its velocity asks."""
    sim = spawned(FINGER, world="#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 16 }\n")
    near, far = (sim.robot("hand")[name] for name in ("near_joint", "far_joint"))
    assert (near.position, far.position) == pytest.approx(((0.0495 + 1.2218) / 2.0, 0.0))
    for target in (None, 1.5708, 0.0, 0.8, 0.0):
        if target is not None:
            far.set_position(target, 5.0)
        for _ in range(60):
            sim.step()
            assert 0.0495 - 0.01 <= near.position <= 1.2218 + 0.01
            assert -0.01 <= far.position <= 1.5708 + 0.01
            assert abs(far.velocity) <= 5.0 * 1.05
        assert far.position == pytest.approx(target or 0.0, abs=2e-3)
