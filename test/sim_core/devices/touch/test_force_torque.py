"""ForceTorque: the wrench of a joint is what the parts below it weigh, carry and accelerate."""

import math
from collections.abc import Callable

import pytest

Rigs = Callable[..., object]
G, ARM, LOAD = 10.0, 2.0, 3.0


def world(
    joint: str,
    fields: str = "",
    gravity: str = "10",
    more: str = "",
    base: str = "",
    rotation: str = "0 0 1 0",
) -> str:
    """An arm of 2 kg, 1 m along x, with a load of 3 kg fixed to its end; a base above it."""
    cube = "inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ]"
    arm = f"""Solid {{ name "arm" translation 0 0 0 rotation {rotation} children [
      ForceTorque {{ name "ft" {fields} }}
      Solid {{ name "load" translation 1 0 0 {more} physics Physics {{ density -1 mass {LOAD} {cube} }} }} ]
    physics Physics {{ density -1 mass {ARM} centerOfMass [ 0.5 0 0 ] {cube} }} }}"""
    inside = joint.replace("ARM", arm) if joint else arm
    return f"""WorldInfo {{ basicTimeStep 1 gravity {gravity} physicsDisableTime 0 }}
Robot {{ name "r" controller "<none>" translation 0 0 1 children [ {inside} ] {base} }}"""


HINGE = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
  device RotationalMotor { name "m" maxTorque 1000 } endPoint ARM }"""
FREE = HINGE.replace('RotationalMotor { name "m" maxTorque 1000 }', "PositionSensor { }")
MOMENT = ARM * 0.5 + LOAD * 1.0


def wrench(rig: Rigs, text: str, steps: int = 50, speed: float | None = None) -> tuple:
    made = rig(text)
    if speed is not None:
        motor = made.sim.robot("r")["m"]
        motor.set_position(math.inf)
        motor.set_velocity(speed)
    made.step(steps)
    made.sense()
    return made["ft"].reading


def test_a_motor_holds_an_arm_against_gravity(rig: Rigs) -> None:
    """On the parent F = -m·g and M = Σ arm × m·g about the joint, with the torque of the motor."""
    reading = wrench(rig, world(HINGE), speed=0.0)
    assert reading.force == pytest.approx((0.0, 0.0, -(ARM + LOAD) * G), abs=1e-3)
    assert reading.torque == pytest.approx((0.0, MOMENT * G, 0.0), abs=1e-3)


def test_the_child_feels_the_opposite(rig: Rigs) -> None:
    reading = wrench(rig, world(HINGE, 'direction "parent_to_child"'), speed=0.0)
    assert reading.force == pytest.approx((0.0, 0.0, (ARM + LOAD) * G), abs=1e-3)


def test_a_free_hinge_transmits_no_torque_about_its_axis(rig: Rigs) -> None:
    """Just released it falls by M/I: the joint carries what the acceleration leaves of the weight."""
    reading = wrench(
        rig,
        world(FREE),
        1,
    )
    inertia = 0.01 + ARM * 0.25 + 0.01 + LOAD
    push = (ARM + LOAD) * G - MOMENT * MOMENT * G / inertia
    assert reading.force[2] == pytest.approx(-push, rel=1e-2)
    assert reading.torque[1] == pytest.approx(0.0, abs=1e-3)


def test_a_turning_arm_pulls_outwards(rig: Rigs) -> None:
    """Centripetal force m·ω²·r, without gravity."""
    reading = wrench(rig, world(HINGE, gravity="0"), 200, speed=3.0)
    assert reading.force[0] == pytest.approx(MOMENT * 9.0, rel=1e-2)
    assert reading.torque == pytest.approx((0.0, 0.0, 0.0), abs=0.2)


def test_parts_of_one_body_are_held_too(rig: Rigs) -> None:
    """Fixed to a robot that falls freely it feels nothing, to one without Physics its weight."""
    free = "physics Physics { density -1 mass 5 inertiaMatrix [ 1 1 1, 0 0 0 ] }"
    assert wrench(rig, world("", base=free)).force == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    hung = wrench(rig, world(""))
    assert hung.force == pytest.approx((0.0, 0.0, -(ARM + LOAD) * G), abs=1e-9)
    assert hung.torque == pytest.approx((0.0, MOMENT * G, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("frame", "force"), [("child", (0, -50, 0)), ("parent", (0, 0, -50)), ("sensor", (0, 0, -50))]
)
def test_frames(rig: Rigs, frame: str, force: tuple[float, ...]) -> None:
    """The arm is turned by 90° about x, the sensor back again."""
    fields = f'frame "{frame}" rotation 1 0 0 -1.5707963267948966'
    reading = wrench(rig, world("", fields, rotation="1 0 0 1.5707963267948966"))
    assert reading.force == pytest.approx(force, abs=1e-6)


def test_a_sensor_beside_the_joint_measures_about_itself(rig: Rigs) -> None:
    """M about a point 0.4 m along the arm."""
    reading = wrench(rig, world("", "translation 0.4 0 0"))
    assert reading.torque[1] == pytest.approx(MOMENT * G - 0.4 * (ARM + LOAD) * G, abs=1e-6)


def test_a_contact_carries_its_part(rig: Rigs) -> None:
    """The load rests on a table: the free hinge at the other end carries half of the arm."""
    bounds = "boundingObject Sphere { radius 0.1 }"
    text = world(
        FREE,
        more=bounds,
    )
    text += "Solid { translation 1 0 0.8 boundingObject Box { size 0.5 0.5 0.2 } }"
    reading = wrench(rig, text, 1500)
    assert reading.force[2] == pytest.approx(-ARM * G / 2.0, rel=0.02)
    assert reading.torque[1] == pytest.approx(0.0, abs=0.05)
