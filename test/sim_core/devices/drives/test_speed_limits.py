"""Limits of a drive: by formula, and of a robot under motion control."""

import math

import pytest

from sim_core.base.config import DriveConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.devices.drives.speed_limits import SpeedLimits, limits_in
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

RADIUS, SEPARATION, STEP = 0.1, 0.4, 0.01
WHEELS = "".join(
    f"""HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
  device RotationalMotor {{ name "{name}" maxVelocity 100 maxTorque 1000 }}
  endPoint Solid {{ name "wheel {name}" translation 0 {y} 0 boundingObject Sphere {{ radius {RADIUS} }} }}
}}"""
    for name, y in (("l", 0.2), ("r", -0.2))
)


def driven(**limits: float) -> Simulation:
    """Return a robot that moves exactly as its wheels turn."""
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {1000 * STEP} }}
Robot {{ name "r" controller "<none>" children [ {WHEELS} ] }}
"""
    drive = DriveConfig(("l",), ("r",), RADIUS, SEPARATION, **limits)
    return Simulation(parse_scene(text, "r.wbt"), SimulationConfig(robots={"r": RobotConfig(drive=drive)}))


def test_the_speed_rises_by_the_acceleration_and_stays() -> None:
    """v = a·t up to the highest speed, and the distance is v·t - v²/(2·a), up to half a step."""
    sim = driven(max_linear_velocity=0.46, max_linear_acceleration=1.0)
    robot = sim.robot("r")
    assert "past the limits -inf and 0.46" in str(robot.motion_control.drive(5.0, 0.0, 0))
    assert robot.drive is not None
    for step in range(1, 101):
        sim.step()
        assert robot.drive.twist().linear == pytest.approx(min(0.46, 1.0 * STEP * step))
    way = 0.46 * 1.0 - 0.46**2 / 2.0
    assert robot.frame.pose().position[0] == pytest.approx(way, abs=0.46 * STEP)


def test_the_turn_has_limits_of_its_own() -> None:
    sim = driven(max_linear_acceleration=1.0, min_angular_acceleration=-2.0, max_angular_acceleration=4.0)
    robot = sim.robot("r")
    assert robot.drive is not None
    robot.motion_control.drive(0.1, 1.0, 0)
    sim.step(10)
    assert robot.drive.twist() == pytest.approx((0.1, 0.4, 0.0))
    sim.step(15)
    robot.motion_control.drive(0.1, 0.0, 0)
    sim.step(10)
    assert robot.drive.twist() == pytest.approx((0.1, 0.8, 0.0))


def test_it_stops_by_the_limit_when_its_time_is_over() -> None:
    """0.5 s at 1 m/s², 0.2 s at 0.5 m/s, then 0.25 s at 2 m/s², then it stands."""
    sim = driven(max_linear_acceleration=1.0, min_linear_acceleration=-2.0)
    robot = sim.robot("r")
    robot.motion_control.drive(0.5, 0.0, 700_000_000)
    sim.run(0.71)
    assert robot.drive is not None
    assert robot.drive.twist().linear == pytest.approx(0.5 - 2.0 * STEP)
    sim.run(0.25)
    assert robot.drive.twist().linear == 0.0
    assert not sim.playback.players


def test_a_run_goes_on_with_the_speed_that_it_had() -> None:
    sim = driven(max_linear_acceleration=1.0)
    robot = sim.robot("r")
    robot.motion_control.drive(0.5, 0.2, 0)
    sim.step(20)
    kept = sim.snapshot()
    sim.step(20)
    there = robot.frame.pose()
    sim.restore(kept)
    sim.step(20)
    assert robot.frame.pose() == there


def test_the_acceleration_rises_by_the_jerk() -> None:
    """v = j·t²/2 for small steps: the sum of j·step²·k."""
    limits = SpeedLimits(jerk=(-3.0, 3.0))
    before = now = 0.0
    for step in range(1, 51):
        before, now = now, limits.next(100.0, now, before, STEP)
        assert now == pytest.approx(3.0 * STEP**2 * step * (step + 1) / 2.0)


def test_without_limits_the_target_is_reached_at_once() -> None:
    assert SpeedLimits().next(2.0, -1.0, 0.0, STEP) == pytest.approx(2.0)


def test_a_lowest_value_above_the_highest_is_refused() -> None:
    config = DriveConfig(("l",), ("r",), min_angular_velocity=2.0, max_angular_velocity=1.0)
    with pytest.raises(ConfigError, match=r"min_angular_velocity: found 2, expected at most the highest, 1"):
        limits_in(config)
    assert limits_in(DriveConfig(("l",), ("r",)))[0].velocity == (-math.inf, math.inf)
