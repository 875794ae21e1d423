"""Robots that stand in for those of Webots: a controller made for Webots' one finds what it asks for.

Names, numbers and order are facts of Webots R2023b: its PROTO files and the guide's pages on these robots.
"""

from math import sqrt
from pathlib import Path

import pytest

from sim_core.scene import load_scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

WHEELS = {
    "E-puck": {"left wheel motor": 6.28, "right wheel motor": 6.28},
    'E-puck { version "2" }': {"left wheel motor": 7.536, "right wheel motor": 7.536},
    "Thymio2": {"motor.right": 9.53, "motor.left": 9.53},
    "TurtleBot3Burger": {"right wheel motor": 6.67, "left wheel motor": 6.67},
    "Pioneer3dx": {"left wheel": 12.3, "right wheel": 12.3},
    "Pioneer3at": dict.fromkeys(
        ("front left wheel", "front right wheel", "back left wheel", "back right wheel"), 6.4
    ),
    "UR5e": {
        **dict.fromkeys(("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"), 3.14),
        **dict.fromkeys(("wrist_1_joint", "wrist_2_joint", "wrist_3_joint"), 6.28),
    },
    "Crazyflie": dict.fromkeys(("m1_motor", "m2_motor", "m3_motor", "m4_motor"), 600.0),
}
"""Motors in the order of their joints, with the speeds in rad/s that they may be told."""
EIGHT = range(8)
OTHERS = {
    "E-puck { groundSensorsSlot [ E-puckGroundSensors { } ] }": [
        *(f"{kind}{k}" for kind in ("ps", "ls", "led") for k in EIGHT),
        *("led8", "led9", "accelerometer", "gyro", "emitter", "receiver", "speaker", "camera"),
        *("left wheel sensor", "right wheel sensor", "gs0", "gs1", "gs2"),
    ],
    'E-puck { version "2" }': ["tof"],
    "Thymio2": [
        *("motor.left.position", "motor.right.position", "acc"),
        *(f"button.{name}" for name in ("left", "forward", "right", "backward", "center")),
        *(f"prox.horizontal.{k}" for k in range(7)),
        *("prox.ground.0", "prox.ground.1", "leds.top", "leds.bottom.left", "leds.bottom.right"),
        *(f"leds.circle.led{k}" for k in EIGHT),
        *(f"leds.buttons.led{k}" for k in range(4)),
        *(f"leds.prox.h.led{k}" for k in EIGHT),
        *("leds.prox.v.led0", "leds.prox.v.led1", "leds.sound", "leds.rc"),
        *("leds.temperature.red", "leds.temperature.blue"),
    ],
    "TurtleBot3Burger": [
        "LDS-01",
        "accelerometer",
        "gyro",
        "compass",
        "left wheel sensor",
        "right wheel sensor",
    ],
    "Pioneer3dx": [*(f"so{k}" for k in range(16)), "left wheel sensor", "right wheel sensor"],
    "Pioneer3at": [*(f"so{k}" for k in range(16)), *(f"{name} sensor" for name in WHEELS["Pioneer3at"])],
    "UR5e": [f"{name}_sensor" for name in WHEELS["UR5e"]],
    "Crazyflie": [
        *("range_front", "range_left", "range_back", "range_right", "camera", "gps", "gyro", "inertial_unit"),
    ],
}


def simulate(robot: str, folder: Path, step_ms: int = 16) -> tuple[Simulation, Robot]:
    """A robot above a floor; `robot` is written as in a world, or its name alone."""
    file = folder / "w.wbt"
    text = robot if "{" in robot else f"{robot} {{ }}"
    head = f"#VRML_SIM R2022a utf8\nWorldInfo {{ basicTimeStep {step_ms} }}\nFloor {{ }}\n"
    file.write_text(head + text, encoding="utf-8")
    sim = Simulation(load_scene(file))
    (found,) = sim.robots.values()
    return sim, found


@pytest.mark.parametrize("robot", WHEELS)
def test_motors_are_as_fast_and_in_the_order_of_webots(robot: str, tmp_path: Path) -> None:
    sim, found = simulate(robot, tmp_path)
    motors = {name: each for name, each in found.devices.items() if each.spec.type_name == "RotationalMotor"}
    assert list(motors) == list(WHEELS[robot])
    limits = {name: motor.max_velocity for name, motor in motors.items()}
    assert limits == pytest.approx(WHEELS[robot], rel=1e-3)
    assert sim.physics.warnings == [] and sim.scene.warnings == []


@pytest.mark.parametrize("robot", OTHERS)
def test_devices_have_the_names_of_webots(robot: str, tmp_path: Path) -> None:
    _, found = simulate(robot, tmp_path)
    assert set(OTHERS[robot]) <= set(found.devices)


@pytest.mark.parametrize("black", [False, True])
def test_ground_sensors_of_an_e_puck_see_a_line(black: bool, tmp_path: Path) -> None:
    """White floor reflects, black does not; gs0 is the left one, 10 mm from the middle."""
    look = f"appearance PBRAppearance {{ baseColor {'0 0 0' if black else '1 1 1'} metalness 0 }}"
    shape = f"Shape {{ {look} geometry Box {{ size 0.1 0.02 0.001 }} }}"
    strip = f"Solid {{ translation 0.03 0.015 0.0005 children {shape} }}"
    epuck = "E-puck { groundSensorsSlot [ E-puckGroundSensors { } ] }"
    sim, found = simulate(f"{epuck}\n{strip}", tmp_path)
    sim.step(3)
    left, _, right = (found[f"gs{k}"].value for k in range(3))
    assert (left < right - 50.0) if black else (left > right - 50.0)


def test_a_crazyflie_hovers_by_the_constants_of_webots(tmp_path: Path) -> None:
    """Each of four propellers gives 4e-5 N·s² times the square of its speed, and 50 g hang on them.

    m·(g + a) with a = 4·(1 m - z) - 4·v holds it where it shall be without an error that stays. The
    propellers gain 30 rad/s each second, so that it is on the ground for the first 1.8 s, as in Webots.
    """
    sim, drone = simulate("Crazyflie", tmp_path, step_ms=8)
    motors = [drone[f"m{k}_motor"] for k in (1, 2, 3, 4)]
    start = z = drone.frame.pose().position[2]
    omega = 0.0
    for _ in range(1250):
        speed, z = (drone.frame.pose().position[2] - z) / 0.008, drone.frame.pose().position[2]
        thrust = 0.05 * (9.81 + 4.0 * (start + 1.0 - z) - 4.0 * speed)
        omega = sqrt(max(0.0, thrust) / 4.0 / 4e-5)
        for sign, motor in zip((-1, 1, -1, 1), motors, strict=True):
            motor.set_velocity(sign * omega)
        sim.step()
    pose = drone.frame.pose()
    assert omega == pytest.approx(sqrt(0.05 * 9.81 / 4.0 / 4e-5), abs=0.01)
    assert pose.position == pytest.approx((0.0, 0.0, start + 1.0), abs=1e-3) and pose.rotation[8] > 0.9999
