"""Controllers of old: the class DifferentialWheels, by the kinematics of two wheels."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import run_project, said

RADIUS, AXLE, UNIT, RESOLUTION = 0.1, 0.4, 0.5, 100.0
WORLD = f"""
WorldInfo {{ basicTimeStep 10 }}
DifferentialWheels {{ name "robot1" controller "mine" slipNoise 0
  encoderNoise %s encoderResolution {RESOLUTION}
  axleLength {AXLE} wheelRadius {RADIUS} maxSpeed 20 maxAcceleration 1e6 speedUnit {UNIT}
  children GPS {{ name "gps" }} }}
"""
DRIVE = """
from controller import DifferentialWheels
robot = DifferentialWheels()
print(robot.getMaxSpeed(), robot.getSpeedUnit(), robot.getEncodersSamplingPeriod())
gps = robot.getGPS("gps")
gps.enable(10)
robot.enableEncoders(20)
robot.setSpeed(4, 2)
robot.setSpeed(float("nan"), 1)
print(robot.getLeftSpeed(), robot.getRightSpeed(), robot.getEncodersSamplingPeriod())
robot.step(10)
print(robot.getLeftEncoder(), robot.getRightEncoder())
robot.step(10)
print(robot.getLeftEncoder(), robot.getRightEncoder())
robot.step(980)
print(robot.getLeftEncoder(), robot.getRightEncoder())
print(*gps.getValues())
robot.setEncoders(1000, -1000)
robot.step(100)
print(robot.getLeftEncoder(), robot.getRightEncoder())
robot.disableEncoders()
robot.step(100)
print(robot.getLeftEncoder(), robot.getRightEncoder())
"""
Drive = Callable[..., list[list[float]]]


@pytest.fixture
def drive(tmp_path: Path, simulate: Callable[..., Any]) -> Drive:
    """Runs the controller; the numbers in each line that it printed."""

    def run(encoder_noise: str = "0", source: str = DRIVE) -> list[list[float]]:
        sim = run_project(tmp_path, simulate, WORLD % encoder_noise, {"mine": source}, 5.0)
        assert sim.code == 0, sim.lines
        lines = said(sim, "robot1")
        complaints = [line for line in lines if "Error" in line]
        assert complaints == [
            "Error: DifferentialWheels.setSpeed() called with an invalid 'left' argument (NaN)"
        ]
        return [[float(word) for word in line.split()] for line in lines if line not in complaints]

    return run


def test_wheels_and_encoders_turn_by_the_formulas(drive: Drive) -> None:
    """ω = 4·0.5 and 2·0.5 rad/s; 100 increments a radian; an arc about a point beside the axle.

    v = r(ω_l + ω_r)/2, rate (ω_r - ω_l)·r/b: the place after 1 s is v/rate·(sin rate, 1 - cos rate).
    """
    limits, speeds, before, first, encoders, place, set_anew, off = drive()
    assert (limits, speeds) == ([20.0, UNIT, 0.0], [4.0, 2.0, 20.0])
    assert all(math.isnan(value) for value in (*before, *off))
    assert first == pytest.approx([0.02 * 2.0 * RESOLUTION, 0.02 * 1.0 * RESOLUTION])
    assert encoders == pytest.approx([2.0 * RESOLUTION, 1.0 * RESOLUTION])
    speed, rate = RADIUS * 1.5, -RADIUS / AXLE
    arc = speed / rate * math.sin(rate), speed / rate * (1.0 - math.cos(rate))
    assert place[:2] == pytest.approx(arc, rel=1e-3)
    assert set_anew == pytest.approx([1000.0 + 0.1 * 2.0 * RESOLUTION, -1000.0 + 0.1 * RESOLUTION])


def test_encoders_that_the_world_turns_off_say_nothing(drive: Drive) -> None:
    *_, encoders, place, set_anew, _off = drive("-1")
    assert all(math.isnan(value) for value in (*encoders, *set_anew))
    assert place[0] > 0.1


def test_a_robot_with_motors_is_no_differential_wheels(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    source = "from controller import DifferentialWheels\nDifferentialWheels()\n"
    world = 'Robot { name "robot1" controller "mine" }'
    sim = run_project(tmp_path, simulate, world, {"mine": source})
    assert said(sim, "robot1") == [
        'controller: robot "robot1" is no DifferentialWheels, use Robot and its motors'
    ]
