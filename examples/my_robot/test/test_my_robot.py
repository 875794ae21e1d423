"""The rover moves as its wheels say. Without ROS: a test takes a second."""

import math
from pathlib import Path

import pytest

import sim_core

PROJECT = Path(__file__).resolve().parents[1]
RADIUS, SEPARATION, ACCELERATION = 0.05, 0.24, 30.0  # m, m, rad/s²: see protos/Rover.proto


@pytest.fixture
def sim():
    simulation = sim_core.load_world(
        PROJECT / "worlds/my_robot.wbt", sim_core.SimulationConfig(contacts="stiff")
    )
    yield simulation
    simulation.close()


def drive(sim, left: float, right: float, seconds: float) -> tuple[float, float, float]:
    """Turn the wheels by so many rad/s for so long; returns how far it came in x and y, and its heading."""
    rover = sim.robot("rover")
    before = rover.frame.pose()
    rover["motor_left"].set_velocity(left)
    rover["motor_right"].set_velocity(right)
    while sim.time < seconds:
        sim.step()
    pose = rover.frame.pose()
    return (
        pose.position[0] - before.position[0],
        pose.position[1] - before.position[1],
        math.atan2(pose.rotation[3], pose.rotation[0]),
    )


def turned(speed: float, seconds: float) -> float:
    """By how many rad a wheel turns that speeds up to so many rad/s."""
    return speed * seconds - speed * speed / (2 * ACCELERATION)


def test_both_wheels_alike_bring_it_straight_ahead(sim):
    x, y, heading = drive(sim, 4.0, 4.0, seconds=2.0)
    assert x == pytest.approx(RADIUS * turned(4.0, 2.0), rel=0.02)
    assert (y, heading) == pytest.approx((0, 0), abs=0.005)


def test_opposite_wheels_turn_it_on_the_spot(sim):
    x, y, heading = drive(sim, -2.0, 2.0, seconds=2.0)
    assert heading == pytest.approx(2 * RADIUS * turned(2.0, 2.0) / SEPARATION, rel=0.02)
    assert (x, y) == pytest.approx((0, 0), abs=0.01)


def test_its_sensors_see_the_walls(sim):
    sim.step()
    rover = sim.robot("rover")
    assert rover["ds_front"].value == pytest.approx(1.5)  # its range: the wall is further away
    assert rover["ds_left"].value > 0.5
