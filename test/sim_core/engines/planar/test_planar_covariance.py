"""The covariance of dead reckoning in the fast 2D mode is the same as with the physics of ODE."""

import numpy as np
import pytest

from sim_core import load_world
from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import shipped_worlds

SLIP = 1e-4


def covariance(physics: str) -> np.ndarray:
    """Return the covariance after three seconds in a curve."""
    sim = load_world(shipped_worlds()["go_to_pose"], SimulationConfig(physics=physics))
    robot = sim.robot("robot")
    assert robot.odometry is not None and robot.drive is not None
    robot.odometry.keep_covariance(SLIP)
    robot.drive.set_twist(0.4, 0.3)
    sim.run(3.0)
    return np.array(robot.odometry.pose_covariance())


def test_it_equals_that_of_the_same_motion_with_ode() -> None:
    planar, ode = covariance("fast2d"), covariance("ode")
    assert np.abs(ode).max() > 1e-5
    assert planar == pytest.approx(ode, rel=0.05, abs=1e-7)


def test_a_reset_starts_again() -> None:
    sim = load_world(shipped_worlds()["go_to_pose"], SimulationConfig(physics="fast2d"))
    robot = sim.robot("robot")
    assert robot.odometry is not None and robot.drive is not None
    robot.odometry.keep_covariance(SLIP)
    robot.drive.set_twist(0.4, 0.0)
    sim.run(1.0)
    sim.reset()
    assert np.abs(np.array(robot.odometry.pose_covariance())).max() == 0.0
