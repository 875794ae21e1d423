"""The vehicle library's parts by their formulas; how a whole car drives: test/ros_bridge/test_vehicle.py."""

import math
from dataclasses import replace

import pytest

from webots_api.vehicle.engine import engine_rpm, engine_torque, output_torque
from webots_api.vehicle.lights import LEFT, OFF, RIGHT, Lights
from webots_api.vehicle.parameters import ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID, read_parameters
from webots_api.vehicle.wheels import FRONT, REAR, Differential, path_lengths, speeds, steered

DATA = (
    "2.9 1.6 1.5 0.4 0.35 700 5 C 250 50000 1000 4500 150 0.1 -0.00001 0.25 3000 900 4 9 "
    "-12 10 6.5 4.5 engine.wav"
)
CAR = read_parameters(DATA)


def cot(angle: float) -> float:
    return 1.0 / math.tan(angle)


@pytest.mark.parametrize("angle", [0.05, 0.4, -0.3])
def test_the_wheels_stand_by_ackermann(angle: float) -> None:
    right, left = steered(angle, 2.9, 1.6)
    assert cot(right) == pytest.approx(cot(angle) - 1.6 / (2.0 * 2.9))
    assert cot(left) == pytest.approx(cot(angle) + 1.6 / (2.0 * 2.9))
    assert steered(0.0, 2.9, 1.6) == (0.0, 0.0)


@pytest.mark.parametrize("angle", [0.05, 0.4, -0.3])
def test_the_wheels_roll_as_far_as_their_circles_are_long(angle: float) -> None:
    """About the point where the axles meet: L/sin δ for the front wheels, L/tan δ ∓ t/2 for the rear ones."""
    right, left = steered(angle, 2.9, 1.6)
    circle = 2.9 / math.tan(angle)
    expected = [2.9 / math.sin(right), 2.9 / math.sin(left), circle - 0.75, circle + 0.75]
    rolled = path_lengths(angle, 2.9, 1.6, 1.5)
    assert rolled == pytest.approx([radius / circle for radius in expected])
    front = speeds(rolled, FRONT, 3.0)
    assert front[0] + front[1] == pytest.approx(6.0)
    assert front[0] / front[1] == pytest.approx(expected[0] / expected[1])
    every = speeds(rolled, (*FRONT, *REAR), 3.0)
    assert sum(every.values()) == pytest.approx(12.0)
    assert every[3] / every[1] == pytest.approx(expected[3] / expected[1])


def test_straight_on_all_wheels_roll_alike() -> None:
    assert path_lengths(0.0, 2.9, 1.6, 1.5) == (1.0, 1.0, 1.0, 1.0)


def test_the_parameters_are_those_of_the_text() -> None:
    assert (CAR.wheelbase, CAR.front_track, CAR.rear_track) == (2.9, 1.6, 1.5)
    assert (CAR.front_radius, CAR.rear_radius, CAR.engine) == (0.4, 0.35, 0)
    assert (CAR.torque_curve, CAR.gear_ratios) == ((150.0, 0.1, -1e-5), (-12.0, 10.0, 6.5, 4.5))
    assert (CAR.split_ratio, CAR.split_rpm, CAR.sound_rpm, CAR.sound) == (0.25, 3000.0, 900.0, "engine.wav")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "found 0 values"),
        ("here is my own text", "found 5 values"),
        (DATA.replace(" C ", " X "), 'engine "X"'),
        (DATA.replace(" 4 9 ", " 1 9 "), "found 1 gears"),
        (DATA.replace("700", "much"), "'much'"),
        (DATA.removesuffix(" 6.5 4.5 engine.wav"), "found 2 ratios"),
    ],
)
def test_other_texts_are_no_parameters(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        read_parameters(text)


def test_the_engine_turns_with_the_wheels() -> None:
    """Wheels at 1 turn/s = 60 rpm, times the ratio of the gear."""
    assert engine_rpm(CAR, 1, math.tau) == pytest.approx(600.0)
    assert engine_rpm(CAR, -1, math.tau) == pytest.approx(720.0)
    assert engine_rpm(CAR, 0, math.tau) == 0.0
    assert engine_rpm(CAR, 1, 1e3) == 4500.0


def test_the_torque_of_each_engine() -> None:
    def burnt(rpm: float) -> float:
        return 150.0 + 0.1 * rpm - 1e-5 * rpm * rpm

    power = 50000.0 * 60.0 / math.tau
    assert engine_torque(CAR, 2000.0) == pytest.approx(burnt(2000.0))
    assert engine_torque(CAR, 300.0) == pytest.approx(burnt(1000.0))
    assert engine_torque(CAR, 4500.0) == 0.0
    electric = replace(CAR, engine=ELECTRIC)
    assert engine_torque(electric, 0.0) == 250.0
    assert engine_torque(electric, 3000.0) == pytest.approx(power / 3000.0)
    both = replace(CAR, engine=PARALLEL_HYBRID)
    assert engine_torque(both, 900.0) == 250.0
    assert engine_torque(both, 3000.0) == pytest.approx(power / 3000.0 + burnt(3000.0))
    split = replace(CAR, engine=POWER_SPLIT_HYBRID)
    assert engine_torque(split, 900.0) == 250.0
    assert engine_torque(split, 2500.0) == pytest.approx(power / 2500.0 + 0.75 * burnt(3000.0))


def test_throttle_and_gear_multiply_the_torque() -> None:
    torque = engine_torque(CAR, 2000.0)
    assert output_torque(CAR, 2, 0.3, 2000.0, 0.0) == pytest.approx(0.3 * 6.5 * torque)
    assert output_torque(CAR, -1, 1.0, 2000.0, 0.0) == pytest.approx(-12.0 * torque)
    assert output_torque(CAR, 0, 1.0, 2000.0, 0.0) == 0.0
    assert output_torque(CAR, 1, 1.0, 2000.0, -100.0) == pytest.approx(5.0 * torque)


def test_a_wheel_that_slips_gets_less() -> None:
    differential = Differential()
    assert differential.share(1.2, 0.8) == pytest.approx(0.6)
    differential.update_share(1.0, 1.0, 2.0, 2.0)
    assert differential.share(1.0, 1.0) == 0.5
    differential.update_share(1.0, 1.0, 3.0, 1.0)  # the first has 3/4 of the speeds, 1/4 too much
    assert differential.share(1.0, 1.0) == pytest.approx(0.25)
    for _ in range(10):
        differential.update_share(1.0, 1.0, 3.0, 1.0)
    assert differential.share(1.0, 1.0) == 0.0
    differential.update_share(1.0, 1.0, 0.0, 0.0)
    assert differential.share(1.0, 1.0) == 0.5


class Lamp:
    """Stands for an LED, which here needs no simulation."""

    def __init__(self) -> None:
        self.is_on = 0

    def set(self, value: int) -> None:
        self.is_on = value


def test_indicators_flash_and_go_off_when_the_car_steers_back() -> None:
    lamps = {name: Lamp() for name in ("right_indicators", "left_indicators", "brake_ligths")}
    lights = Lights(lamps)
    lights.indicate(RIGHT, 0.0)
    shone = []
    for time in (0.1, 0.4, 0.8):  # on for 0.34 s, off as long
        lights.blink(time)
        shone.append((lamps["right_indicators"].is_on, lamps["left_indicators"].is_on))
    assert shone == [(1, 0), (0, 0), (1, 0)]
    lights.steered(0.3)
    lights.steered(0.25)
    assert lights.indicator == RIGHT
    lights.steered(0.19)
    assert lights.indicator == OFF
    lights.indicate(LEFT, 0.0)
    lights.steered(-0.2)
    lights.steered(0.0)
    assert lights.indicator == OFF
    lights.set("brake", True)
    lights.set("front", True)
    assert (lamps["brake_ligths"].is_on, lights.is_on("brake"), lights.is_on("front")) == (1, True, False)
