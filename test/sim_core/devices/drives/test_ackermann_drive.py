"""A car on its circle: the geometry by formulas, then the shipped car in the physics engine."""

import math
from itertools import pairwise

import pytest

from sim_core.base.config import AckermannConfig, DriveConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.geometry import yaw_of
from sim_core.devices.drives.ackermann_drive import AckermannDrive
from sim_core.scene import parse_scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

BASE, TRACK, RADIUS = 2.9, 1.5, 0.36
TEXT = """#VRML_SIM R2025a utf8
EXTERNPROTO "Ute.proto"
WorldInfo { basicTimeStep 5 }
Solid { name "floor" boundingObject Plane { size 200 200 } }
Ute { synchronization FALSE }
"""


def car(config: DriveConfig | None = None) -> tuple[Simulation, Robot, AckermannDrive]:
    sim = Simulation(
        parse_scene(TEXT, "car.wbt"), SimulationConfig(robots={"ute": RobotConfig(drive=config)})
    )
    robot = sim.robot("ute")
    assert isinstance(robot.drive, AckermannDrive)
    return sim, robot, robot.drive


def test_the_sizes_are_those_of_the_wheels() -> None:
    _, _, drive = car()
    assert (drive.wheelbase, drive.wheel_separation, drive.wheel_radius) == pytest.approx(
        (BASE, TRACK, RADIUS)
    )
    assert drive.steering_separation == pytest.approx(TRACK)
    assert [wheel.motor.name for wheel in drive.steered] == ["left steering", "right steering"]
    assert [wheel.motor.name for wheel in drive.left + drive.right] == ["rear left wheel", "rear right wheel"]


def test_the_wheels_of_a_car_may_hang_in_slots() -> None:
    """The wheels are in slots, as in every car made of AckermannVehicle."""
    car = 'EXTERNPROTO "Car.proto" Car { type "propulsion" wheelbase 2.9 trackFront 1.6 }'
    text = f"#VRML_SIM R2025a utf8\n{car}"
    drive = Simulation(parse_scene(text, "car.wbt")).robot("vehicle").drive
    assert isinstance(drive, AckermannDrive)
    assert (drive.wheelbase, drive.steering_separation) == pytest.approx((2.9, 1.6))


@pytest.mark.parametrize("curvature", [0.15, 0.01, 0.0, -0.1])
def test_all_axles_meet_in_one_point(curvature: float) -> None:
    """cot δ_right − cot δ_left = track/wheelbase (Ackermann's condition), and the middle is at 1/κ."""
    _, _, drive = car()
    left, right = drive.steering_angles(curvature)
    if curvature == 0.0:
        assert (left, right) == (0.0, 0.0)
        return
    assert 1.0 / math.tan(right) - 1.0 / math.tan(left) == pytest.approx(TRACK / BASE)
    mean = (1.0 / math.tan(right) + 1.0 / math.tan(left)) / 2.0
    assert BASE * mean == pytest.approx(1.0 / curvature)


@pytest.mark.parametrize(("speed", "turn"), [(2.0, 0.2), (2.0, -0.3), (-1.5, 0.2)])
def test_it_drives_the_circle_that_the_twist_asks_for(speed: float, turn: float) -> None:
    """Speed and yaw rate of the middle of the rear axle within 1 % of the twist."""
    sim, robot, drive = car()
    assert drive.set_twist(speed, turn) is None
    sim.run(4.0)
    times, yaws, places = 200, [], []
    for _ in range(times):
        sim.run(0.01)
        pose = robot.frame.pose()
        yaws.append(yaw_of(pose.rotation))
        places.append(pose.position)
    turned = sum((b - a + math.pi) % (2 * math.pi) - math.pi for a, b in pairwise(yaws))
    way = sum(math.dist(a[:2], b[:2]) for a, b in pairwise(places))
    seconds = 0.01 * (times - 1)
    assert turned / seconds == pytest.approx(turn, rel=0.01)
    assert way / seconds == pytest.approx(abs(speed), rel=0.01)


def test_a_curve_too_narrow_is_driven_as_narrow_as_it_can_be() -> None:
    _, _, drive = car()
    narrowest = BASE / math.tan(0.6) + TRACK / 2.0  # the inner wheel at its limit of 0.6 rad
    assert 1.0 / drive.max_curvature == pytest.approx(narrowest)
    message = drive.set_twist(1.0, 1.0)
    assert message is not None
    assert f"steered to the narrowest, {narrowest:.3g} m" in message
    left, right = drive.steered
    assert left.motor.target_position == pytest.approx(0.6)
    assert right.motor.target_position < 0.6


def test_a_car_that_stands_cannot_turn() -> None:
    _, _, drive = car()
    drive.set_twist(2.0, 0.2)
    angles = [wheel.motor.target_position for wheel in drive.steered]
    message = drive.set_twist(0.0, 0.5)
    assert message is not None
    assert "a car cannot turn on the spot" in message
    assert [wheel.motor.target_velocity for wheel in drive.left + drive.right] == [0.0, 0.0]
    assert [wheel.motor.target_position for wheel in drive.steered] == angles
    assert drive.set_twist(0.0, 0.0) is None


def test_nan_is_refused_and_changes_nothing() -> None:
    _, _, drive = car()
    drive.set_twist(2.0, 0.2)
    wheels = [wheel.motor for wheel in drive.left + drive.right + drive.steered]
    before = [(motor.target_velocity, motor.target_position) for motor in wheels]
    with pytest.raises(CommandError, match="angular velocity"):
        drive.set_twist(1.0, math.nan)
    assert [(motor.target_velocity, motor.target_position) for motor in wheels] == before


def test_the_parameters_may_name_the_motors_and_sizes() -> None:
    config = AckermannConfig(
        ("rear left wheel",), ("rear right wheel",), 0.35, 1.4, ("left steering", "right steering"), 2.8, 1.3
    )
    _, _, drive = car(config)
    assert (drive.wheel_radius, drive.wheel_separation) == (0.35, 1.4)
    assert (drive.wheelbase, drive.steering_separation) == (2.8, 1.3)


def test_what_the_parameters_leave_out_is_measured() -> None:
    names = ("rear left wheel",), ("rear right wheel",)
    _, _, drive = car(AckermannConfig(*names, steering=("left steering", "right steering")))
    assert (drive.wheelbase, drive.steering_separation) == pytest.approx((BASE, TRACK))


def test_wrong_names_are_refused() -> None:
    names = ("rear left wheel",), ("rear right wheel",)
    with pytest.raises(ConfigError, match=r'ute\.ackermann\.steering: found "left stering".*"left steering"'):
        car(AckermannConfig(*names, steering=("left stering", "right steering")))
    with pytest.raises(ConfigError, match=r"ackermann\.steering: found 1 motors, expected the names of two"):
        AckermannConfig(*names, steering=("left steering",))
    with pytest.raises(ConfigError, match=r"ackermann\.wheelbase: found 0"):
        AckermannConfig(*names, steering=("left steering", "right steering"), wheelbase=0.0)
