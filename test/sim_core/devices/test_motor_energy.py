"""Power and energy of motors: |torque or force|·consumptionFactor (Webots reference, Motor)."""

import pytest

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

STEP = 0.004


def simulation(robot: str, gravity: float = 0.0, kind: str = "Robot") -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 4 gravity {gravity} physicsDisableTime 0 }}
{kind} {{ name "r" controller "void" battery [ 100, 100 ] {robot} }}
"""
    return Simulation(parse_scene(text, "r.wbt"))


def hinge(motor: str, anchor: str = "0 0 0", physics: bool = True, axis: str = "0 1 0") -> str:
    mass = "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 }" if physics else ""
    return f"""children HingeJoint {{
      jointParameters HingeJointParameters {{ axis {axis} anchor {anchor} }}
      device RotationalMotor {{ name "motor" {motor} }}
      endPoint Solid {{ name "end" {mass} }}
    }}"""


def energy(sim: Simulation, device: str, seconds: float) -> float:
    """Return the energy in J: the sum of power times step."""
    total = 0.0
    for _ in range(round(seconds / STEP)):
        sim.step()
        total += sim.robot("r")[device].power * STEP
    return total


def test_a_motor_that_accelerates_with_all_it_has() -> None:
    """E = maxTorque·consumptionFactor·t, from the first step on."""
    sim = simulation(hinge("maxTorque 0.02 maxVelocity 100 consumptionFactor 30"))
    sim.robot("r")["motor"].set_velocity(100.0)
    assert energy(sim, "motor", 0.4) == pytest.approx(0.02 * 30 * 0.4, rel=1e-9)


@pytest.mark.parametrize("torque", [0.5, -0.5])
def test_a_torque_that_is_set_is_paid_for_whatever_its_sign(torque: float) -> None:
    sim = simulation(hinge("maxVelocity 1000 consumptionFactor 4"))
    sim.robot("r")["motor"].set_effort(torque)
    assert energy(sim, "motor", 0.2) == pytest.approx(0.5 * 4 * 0.2, rel=1e-9)


def test_holding_a_weight_costs_though_nothing_moves() -> None:
    """P = m·g·l·consumptionFactor, with the default factor 10."""
    sim = simulation(hinge("maxTorque 100", anchor="-0.3 0 0"), gravity=9.81)
    sim.run(1.0)
    assert sim.robot("r")["motor"].power == pytest.approx(2 * 9.81 * 0.3 * 10, rel=1e-3)


def test_a_linear_motor_pays_for_its_force() -> None:
    sim = simulation("""children SliderJoint {
      device LinearMotor { name "motor" maxForce 100 consumptionFactor 2 }
      endPoint Solid { boundingObject Box { } physics Physics { density -1 mass 3 } }
    }""", gravity=9.81)  # fmt: skip
    sim.run(1.0)
    assert sim.robot("r")["motor"].power == pytest.approx(3 * 9.81 * 2, rel=1e-3)


def test_what_has_no_physics_or_no_factor_draws_nothing() -> None:
    for fields, physics in (("", False), ("consumptionFactor 0", True)):
        sim = simulation(hinge(fields, physics=physics))
        sim.robot("r")["motor"].set_velocity(5.0)
        assert energy(sim, "motor", 0.1) == 0.0


def test_reset_starts_the_account_again() -> None:
    sim = simulation(hinge("maxTorque 0.02 maxVelocity 100"))
    sim.robot("r")["motor"].set_velocity(100.0)
    first = energy(sim, "motor", 0.1)
    sim.reset()
    assert sim.robot("r")["motor"].power == 0.0
    sim.robot("r")["motor"].set_velocity(100.0)
    assert energy(sim, "motor", 0.1) == first


def test_differential_wheels_draw_their_consumption_while_they_turn() -> None:
    fields = "motorConsumption 3 maxSpeed 20 wheelRadius 0.1 axleLength 0.3"
    sim = simulation(fields, kind="DifferentialWheels")
    sim.robot("r")["r"].set_wheel_speeds(4.0, -2.0)
    assert energy(sim, "r", 0.2) == pytest.approx(3 * 0.2, rel=1e-9)
    sim.robot("r")["r"].set_wheel_speeds(0.0, 0.0)
    assert energy(sim, "r", 0.2) == 0.0


def test_a_negative_factor_gives_power_back_until_the_battery_is_full() -> None:
    motor = hinge("maxTorque 0.02 maxVelocity 100 consumptionFactor -10")
    sim = simulation("battery [ 1 1.03 0 ] cpuConsumption 0 " + motor)
    robot = sim.robot("r")
    robot["motor"].set_velocity(100.0)
    sim.run(0.1)
    assert robot["motor"].power == pytest.approx(-0.2)
    assert robot.battery.energy == pytest.approx(1.02)
    sim.run(0.1)
    assert robot.battery.energy == 1.03


def test_differential_wheels_with_a_negative_consumption_give_power_back() -> None:
    fields = "motorConsumption -3 maxSpeed 20 wheelRadius 0.1 axleLength 0.3"
    sim = simulation(fields, kind="DifferentialWheels")
    sim.robot("r")["r"].set_wheel_speeds(4.0, -2.0)
    assert energy(sim, "r", 0.2) == pytest.approx(-3 * 0.2, rel=1e-9)
