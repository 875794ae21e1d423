import math

import pytest

from sim_core.base.errors import DeviceError
from sim_core.devices.motors.servo import Servo
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

INERTIA = 2.0 / 12.0 * (0.4**2 + 0.4**2)


def simulation(fields: str = "", axis: str = "0 0 1") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 2 gravity 0 }}
Robot {{
  name "arm"
  controller "<none>"
  children Servo {{
    name "servo"
    rotation {axis} 0
    boundingObject Box {{ size 0.4 0.4 0.1 }}
    physics Physics {{ density -1 mass 2 }}
    {fields}
  }}
}}
"""
    return Simulation(parse_scene(text, "arm.wbt"))


def servo_of(sim: Simulation) -> Servo:
    servo = sim.robot("arm")["servo"]
    assert isinstance(servo, Servo)
    return servo


def test_position_control() -> None:
    sim = simulation()
    servo = servo_of(sim)
    servo.set_position(-0.8)
    sim.run(2.0)
    assert servo.position == pytest.approx(-0.8, abs=1e-3)


def test_velocity_control_with_acceleration() -> None:
    sim = simulation("acceleration 2")
    servo = servo_of(sim)
    servo.set_velocity(1.5)
    sim.run(0.5)
    assert servo.velocity == pytest.approx(1.0, rel=1e-2)
    sim.run(0.5)
    assert servo.velocity == pytest.approx(1.5, rel=1e-2)


def test_force_control_accelerates_the_inertia() -> None:
    sim = simulation()
    servo = servo_of(sim)
    servo.set_effort(0.05)
    sim.run(1.0)
    assert servo.velocity == pytest.approx(0.05 / INERTIA, rel=1e-2)


def test_a_linear_servo_slides_along_its_axis() -> None:
    """The axis is that of its rotation field, here x."""
    sim = simulation('type "linear"', axis="1 0 0")
    servo = servo_of(sim)
    frame = sim.physics.frame(sim.robot("arm").nodes[servo.name].id)
    servo.set_position(0.3)
    sim.run(3.0)
    assert servo.is_linear
    assert servo.position == pytest.approx(0.3, abs=1e-3)
    assert frame.pose().position == pytest.approx((0.3, 0.0, 0.0), abs=1e-3)


def test_a_spring_without_motor_force_swings_at_its_own_frequency() -> None:
    """T = 2π·√(I/K): after half a period the servo is on the other side."""
    spring = 0.5
    sim = simulation(f"springConstant {spring}")
    servo = servo_of(sim)
    servo.set_position(0.4)
    sim.run(3.0)
    servo.set_effort(0.0)
    start = servo.position
    sim.run(math.pi * math.sqrt(INERTIA / spring))
    assert start > 0.3
    assert servo.position == pytest.approx(-start, rel=0.05)


def test_hard_stops_hold_against_the_motor() -> None:
    sim = simulation("minStop -0.5 maxStop 0.5")
    servo = servo_of(sim)
    servo.set_velocity(1.0)
    sim.run(2.0)
    assert servo.position == pytest.approx(0.5, abs=0.05)


def test_soft_limits_clip_the_target() -> None:
    servo = servo_of(simulation("minPosition -0.2 maxPosition 0.3"))
    assert servo.set_position(1.0) == "arm/servo: position 1 rad is past the limit 0.3 rad, clamped"
    assert servo.target_position == 0.3


def test_fields_that_make_no_sense_name_their_place() -> None:
    with pytest.raises(DeviceError, match=r"^arm\.wbt:6:12: Servo\.controlP: found 0"):
        simulation("controlP 0")
    with pytest.raises(DeviceError, match=r"^arm\.wbt:6:12: Servo\.maxForce: found -1"):
        simulation("maxForce -1")
    (warning,) = simulation("minPosition -1 maxPosition 2 minStop -1 maxStop 1").robot("arm").warnings
    assert "Servo.maxPosition 2 is past the stop of the joint, expected maxStop 1 or less" in str(warning)
