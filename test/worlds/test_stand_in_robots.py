"""Robots and devices that stand in for Webots': names, masses and what they do are as published for those."""

from __future__ import annotations

import math

import pytest

from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import share_dir
from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

FOLDER = share_dir() / "protos/robots/stand_ins"
HEAD = "#VRML_SIM R2022a utf8\n"  # before R2022b nothing is declared
INFO = """WorldInfo { basicTimeStep 8 contactProperties [
  ContactProperties { material1 "InteriorWheelMat" coulombFriction [ 0, 2, 0 ] frictionRotation -0.785398 0 }
  ContactProperties { material1 "ExteriorWheelMat" coulombFriction [ 0, 2, 0 ] frictionRotation 0.785398 0 }
  ContactProperties { material1 "khepera4 caster wheel" coulombFriction [ 0 ] }
] }
Floor { size 20 20 }
"""


def simulate(text: str) -> Simulation:
    scene = parse_scene(f"{HEAD}{INFO}{text}", "w.wbt", Assets())
    assert [str(warning) for warning in scene.warnings] == []
    return Simulation(scene, SimulationConfig(contacts="stiff"))


def place(sim: Simulation) -> tuple[float, float, float]:
    return sim.robot("r").frame.pose().position


def mass(sim: Simulation) -> float:
    return sum(body.mass for body in sim.physics.masses())


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.proto")))
def test_a_stand_in_rests_upright_where_it_has_come_down(name: str) -> None:
    sim = simulate(f'{name} {{ name "r" }}')
    assert sim.physics.warnings == []
    sim.run(2.0)
    rest = place(sim)
    assert math.hypot(*rest[:2]) < 0.01
    sim.run(2.0)
    assert math.dist(rest, place(sim)) < 1e-4
    turn = sim.robot("r").frame.pose().rotation
    assert abs(turn[0]) == pytest.approx(1.0, abs=3e-3)


@pytest.mark.parametrize(
    ("name", "kilograms"),
    [
        ("Youbot", 22 + 4 * 0.4 + 0.5 + 0.845 + 2.412 + 1.155 + 0.934 + 0.877 + 0.251 + 2 * 0.03),
        ("Mavic2Pro", 0.4 + 3 * 0.0333 + 2 * 0.0035),
        ("Khepera4", 0.566 + 2 * 0.01 + 2 * 0.01),
    ],
)
def test_a_stand_in_weighs_what_is_published(name: str, kilograms: float) -> None:
    assert mass(simulate(f'{name} {{ name "r" }}')) == pytest.approx(kilograms)


def test_the_propellers_of_a_mavic_lift_it() -> None:
    """Motors of 30 N·m speed up by 30 rad/s², and four thrusts of c w² lift m: by c 30² t⁴ / 3 m, beside one
    that falls. The senses of turning are those of Webots' controller."""
    heights = []
    for speed in (0.0, 100.0):
        sim = simulate('Mavic2Pro { name "r" translation 0 0 5 }')
        for name, sign in (("front left", 1), ("front right", -1), ("rear left", -1), ("rear right", 1)):
            sim.robot("r")[f"{name} propeller"].set_velocity(sign * speed)
        sim.run(0.6)
        heights.append(sum(body.mass * body.centre[2] for body in sim.physics.masses()) / mass(sim))
    lift = 0.00026 * 30.0**2 * 0.6**4 / (3.0 * mass(sim))
    assert heights[1] - heights[0] == pytest.approx(lift, rel=0.1)


@pytest.mark.parametrize(
    ("speeds", "way"),
    [((4, 4, 4, 4), (1, 0)), ((4, -4, -4, 4), (0, 1)), ((-4, 4, 4, -4), (0, -1))],
    ids=["ahead", "to the left", "to the right"],
)
def test_a_youbot_goes_ahead_and_sideways(speeds: tuple[float, ...], way: tuple[int, int]) -> None:
    """Radius 50 mm; wheels 1 to 4 are front right, front left, back right, back left."""
    sim = simulate('Youbot { name "r" numberOfArms 0 }')
    sim.run(0.5)
    start = place(sim)
    for number, speed in enumerate(speeds, start=1):
        sim.robot("r")[f"wheel{number}"].set_velocity(speed)
    sim.run(0.5)
    begin = place(sim)
    sim.run(1.0)
    end = place(sim)
    assert math.dist(start, begin) > 0.01
    assert (end[0] - begin[0], end[1] - begin[1]) == pytest.approx((0.2 * way[0], 0.2 * way[1]), abs=0.02)


@pytest.mark.parametrize(("name", "radius"), [("Khepera4", 0.021), ("Khepera2", 0.0075)])
def test_a_khepera_drives_by_its_wheels(name: str, radius: float) -> None:
    sim = simulate(f'{name} {{ name "r" }}')
    for side in ("left", "right"):
        sim.robot("r")[f"{side} wheel motor"].set_velocity(10.0)
    sim.run(1.5)  # until it is at speed
    begin = place(sim)
    sim.run(1.0)
    assert place(sim)[0] - begin[0] == pytest.approx(radius * 10.0, rel=0.02)


def test_an_old_e_puck_is_one_of_differential_wheels() -> None:
    """Wheels of 20.5 mm: 500 steps a second of 0.00628 rad."""
    sim = simulate('EPuck { name "r" }')
    sim.robot("r").drive.set_wheel_speeds(3.14, 3.14)  # type: ignore[union-attr]
    sim.run(0.5)
    begin = place(sim)
    sim.run(1.0)
    assert place(sim)[0] - begin[0] == pytest.approx(3.14 * 0.0205, rel=0.15)  # slipNoise


def test_a_nao_has_its_joints_and_moves_an_arm() -> None:
    sim = simulate('Nao { name "r" }')
    robot = sim.robot("r")
    sides = ["ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "HipYawPitch", "HipRoll"]
    sides += ["HipPitch", "KneePitch", "AnklePitch", "AnkleRoll", *(f"Phalanx{k}" for k in range(1, 9))]
    names = ["HeadYaw", "HeadPitch", *(side + name for side in "LR" for name in sides)]
    assert all(name in robot for name in names)
    robot["LShoulderPitch"].set_position(1.0)
    sim.run(2.0)
    assert robot["LShoulderPitchS"].value == pytest.approx(1.0, abs=0.02)
    assert place(sim)[2] == pytest.approx(0.333, abs=0.003)


@pytest.mark.parametrize(
    "device",
    [
        "Kinect",
        "SickLms291",
        "RobotisLds01",
        "E-puckDistanceSensor",
        "EPuck_DistanceSensor",
        "Pioneer3DistanceSensor",
    ],
)
def test_a_device_that_stands_in_is_one_of_the_robot(device: str) -> None:
    robot = f'Robot {{ name "r" children {device} {{ }} boundingObject Sphere {{ }} physics Physics {{ }} }}'
    names = {
        "Kinect": ["kinect color", "kinect range", "tilt motor"],
        "SickLms291": ["Sick LMS 291"],
        "RobotisLds01": ["LDS-01", "LDS-01_main_motor", "LDS-01_secondary_motor"],
        "Pioneer3DistanceSensor": ["so"],
    }
    sim = simulate(robot)
    assert all(name in sim.robot("r") for name in names.get(device, ["ds"]))
