"""Motors whose torque is a PID law of the error, as of Gazebo's controllers, and initial targets of
motors."""

import math

import pytest

from sim_core.base.errors import DeviceError
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import EffortGains, MotorControl
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

INERTIA = 2.0 / 12.0 * (0.4**2 + 0.4**2)  # of the box, about its axis


def simulation(motor: str) -> tuple[Simulation, Motor]:
    """Return a box of 2 kg that turns about the vertical axis of a fixed robot."""
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 1 }}
Robot {{ name "arm" controller "<none>" children HingeJoint {{
  jointParameters HingeJointParameters {{ axis 0 0 1 }}
  device RotationalMotor {{ name "motor" maxVelocity 100 {motor} }}
  endPoint Solid {{ boundingObject Box {{ size 0.4 0.4 0.1 }} physics Physics {{ density -1 mass 2 }} }}
}} }}
"""
    sim = Simulation(parse_scene(text, "arm.wbt"))
    found = sim.robot("arm")["motor"]
    assert isinstance(found, Motor)
    return sim, found


def test_a_torque_in_proportion_to_the_angle_is_a_spring() -> None:
    """φ = 1 - cos(√(P/I)·t) on the way to 1 rad."""
    sim, motor = simulation("effortPID [ 0.2 0 0 1 ] maxTorque 10 initialPosition 1")
    rate = math.sqrt(0.2 / INERTIA)
    for _ in range(5):
        sim.run(0.3)
        assert motor.position == pytest.approx(1.0 - math.cos(rate * sim.time), abs=2e-3)


def test_a_torque_in_proportion_to_the_speed_creeps_to_it() -> None:
    """ω = w·(1 - exp(-P·t/I)), as JointController does with use_force_commands."""
    sim, motor = simulation("effortPID [ 0.1 0 0 1 ] maxTorque 10 initialVelocity 5")
    for _ in range(5):
        sim.run(0.4)
        assert motor.velocity == pytest.approx(5.0 * (1.0 - math.exp(-0.1 * sim.time / INERTIA)), rel=5e-3)
    motor.set_velocity(-1.0)
    sim.run(5.0)
    assert motor.velocity == pytest.approx(-1.0, rel=1e-3)


def test_the_torque_has_a_limit() -> None:
    """ω = M·t/I."""
    sim, motor = simulation("effortPID [ 1000 0 0 1 ] maxTorque 0.05 initialPosition 100")
    sim.run(1.0)
    assert motor.velocity == pytest.approx(0.05 / INERTIA, rel=2e-3)
    assert motor.effort == pytest.approx(0.05)


def test_the_share_of_the_integral_has_a_limit() -> None:
    control = MotorControl(0.1, (1.0, 0.0, 0.0))
    gains = EffortGains(0.0, 2.0, 0.0, 0.5)
    assert [control.effort(1.0, gains) for _ in range(4)] == pytest.approx([0.2, 0.4, 0.5, 0.5])
    assert control.effort(-1.0, gains) == pytest.approx(0.3)
    assert MotorControl(0.1, (1.0, 0.0, 0.0)).effort(2.0, EffortGains(0.0, 0.0, 0.3)) == pytest.approx(6.0)


def test_it_turns_from_the_start_on() -> None:
    sim, motor = simulation("initialVelocity 5 maxTorque 1000")
    sim.step()
    assert motor.velocity == pytest.approx(5.0, rel=1e-3)
    sim.reset()
    sim.run(0.1)
    assert motor.position == pytest.approx(0.5, rel=0.02)


def test_gains_are_four_numbers() -> None:
    with pytest.raises(
        DeviceError, match=r"effortPID: found \(1.0, 2.0\), expected 4 finite numbers, or none"
    ):
        simulation("effortPID [ 1 2 ]")
