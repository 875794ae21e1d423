"""Webots' semantics of motor commands: position and velocity stay until set again."""

import math

import pytest

from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" children HingeJoint {
  device RotationalMotor { name "motor" maxVelocity 8 maxTorque 1e6 }
  endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
} }
"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "w.wbt"))


def test_a_velocity_alone_moves_nothing_until_there_is_a_position(sim: Simulation) -> None:
    motor = sim.robot("r")["motor"]
    motor.set_webots_velocity(-2.0)
    assert (motor.target_position, motor.target_velocity) == (0.0, 8.0)
    motor.set_webots_position(1.0)
    assert (motor.target_position, motor.target_velocity) == (1.0, 2.0)
    motor.set_webots_position(-math.inf)
    assert (motor.target_position, motor.target_velocity) == (math.inf, -2.0)
    assert motor.set_webots_velocity(9.0) == "r/motor: velocity 9 rad/s is past the limit 8 rad/s, clamped"
    assert motor.target_velocity == 8.0


def test_an_effort_counts_until_the_next_position(sim: Simulation) -> None:
    motor = sim.robot("r")["motor"]
    motor.set_webots_position(1.0)
    motor.set_webots_effort(0.5)
    motor.set_webots_velocity(3.0)
    assert math.isnan(motor.target_position)
    motor.set_webots_position(2.0)
    assert (motor.target_position, motor.target_velocity) == (2.0, 3.0)


def test_what_is_no_number_is_refused_and_nothing_is_wished(sim: Simulation) -> None:
    motor = sim.robot("r")["motor"]
    motor.set_webots_position(math.inf)
    motor.set_webots_velocity(2.0)
    for command in (motor.set_webots_position, motor.set_webots_velocity, motor.set_webots_effort):
        with pytest.raises(CommandError, match=r"r/motor: .* found nan"):
            command(math.nan)
    motor.set_webots_velocity(3.0)
    assert (motor.target_position, motor.target_velocity) == (math.inf, 3.0)


def test_what_was_wished_is_in_a_snapshot_and_ends_with_a_reset_or_a_controller(sim: Simulation) -> None:
    motor = sim.robot("r")["motor"]
    motor.set_webots_position(math.inf)
    snapshot = sim.snapshot()
    for forget in (sim.reset, motor.on_new_controller):
        sim.restore(snapshot)
        forget()
        motor.set_webots_velocity(3.0)
        assert motor.target_velocity == 8.0
        sim.restore(snapshot)
        motor.set_webots_velocity(3.0)
        assert (motor.target_position, motor.target_velocity) == (math.inf, 3.0)
