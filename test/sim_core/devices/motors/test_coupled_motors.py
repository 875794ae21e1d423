"""Coupled motors against the table of multipliers and limits in the Webots reference, Motor."""

import math

import pytest

from sim_core.base.errors import CommandError
from sim_core.devices.motors.coupled_motors import scaled_limits
from sim_core.devices.motors.motor_fields import MotorLimits
from sim_core.scene import parse_scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation


def gripper(*motors: str, physics: bool = True) -> Simulation:
    """Return one hinge about z per motor, 1 m from one another."""
    mass = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 }" if physics else ""
    joints = "\n".join(
        f"""HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 anchor {index} 0 0 }}
        device RotationalMotor {{ {fields} }}
        endPoint Solid {{ name "end {index}" translation {index} 0 0 {mass} }} }}"""
        for index, fields in enumerate(motors)
    )
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 4 gravity 0 }}
Robot {{ name "r" controller "void" children [ {joints} ] }}
"""
    return Simulation(parse_scene(text, "r.wbt"))


def robot_of(sim: Simulation) -> Robot:
    return sim.robot("r")


def test_a_command_to_one_commands_all_by_their_multipliers() -> None:
    sim = gripper('name "g::a"', 'name "g::b" multiplier -0.5 maxVelocity 5', 'name "other"')
    a, b, other = (robot_of(sim)[name] for name in ("g::a", "g::b", "other"))
    assert robot_of(sim).warnings == []
    b.set_position(0.8)
    sim.run(3.0)
    assert (a.position, b.position, other.position) == pytest.approx((0.8, -0.4, 0.0), abs=1e-4)
    a.set_velocity(2.0)
    sim.run(1.0)
    assert (a.velocity, b.velocity, other.velocity) == pytest.approx((2.0, -1.0, 0.0), abs=1e-4)


def test_what_one_is_told_by_webots_rule_the_others_know() -> None:
    """One motor gets the position, another the velocity: both apply to all."""
    sim = gripper('name "g::a"', 'name "g::b" multiplier 2 maxVelocity 20')
    a, b = (robot_of(sim)[name] for name in ("g::a", "g::b"))
    a.set_webots_position(math.inf)
    b.set_webots_velocity(1.5)
    assert (a.target_velocity, b.target_velocity) == (1.5, 3.0)


def test_efforts_are_multiplied_and_each_keeps_its_own_limit() -> None:
    sim = gripper('name "g::a"', 'name "g::b" multiplier 3 maxVelocity 30 maxTorque 2')
    a, b = robot_of(sim)["g::a"], robot_of(sim)["g::b"]
    a.set_effort(0.5)
    sim.run(0.1)
    assert (a.effort, b.effort) == (0.5, 1.5)
    a.set_effort(1.0)
    sim.run(0.1)
    assert (a.effort, b.effort) == (1.0, 2.0)


def test_acceleration_gains_and_available_effort_are_each_motors_own() -> None:
    sim = gripper('name "g::a"', 'name "g::b"')
    a, b = robot_of(sim)["g::a"], robot_of(sim)["g::b"]
    a.set_available_effort(1.0)
    a.set_acceleration(1.0)
    assert (a.available_effort, b.available_effort) == (1.0, 10.0)
    a.set_velocity(2.0)
    sim.run(0.5)
    assert (a.velocity, b.velocity) == pytest.approx((0.5, 2.0), rel=1e-3)


def test_a_multiplier_counts_for_a_motor_by_itself_too() -> None:
    sim = gripper('name "alone" multiplier 2')
    motor = robot_of(sim)["alone"]
    motor.set_position(0.3)
    sim.run(2.0)
    assert motor.position == pytest.approx(0.6, abs=1e-4)
    assert motor.set_velocity(6.0) is not None  # 12 rad/s is past maxVelocity 10
    assert motor.target_velocity == 10.0


def test_the_limits_of_the_manuals_example() -> None:
    """Multipliers 2, 0.5, 4, -4: the limits of the others follow from those of the first."""
    first = MotorLimits(10.0, 10.0, -1.0, -1.0, 2.0)
    found = [scaled_limits(first, multiplier / 2.0) for multiplier in (0.5, 4.0, -4.0)]
    assert [limits[0] for limits in found] == [2.5, 20.0, 20.0]
    assert [limits[3:] for limits in found] == [(-0.25, 0.5), (-2.0, 4.0), (-4.0, 2.0)]


def test_limits_that_do_not_go_together_are_adjusted_and_said() -> None:
    sim = gripper('name "g::a" minPosition -1 maxPosition 2', 'name "g::b" multiplier -2')
    b = robot_of(sim)["g::b"]
    assert (b.max_velocity, b.limits.min_position, b.limits.max_position) == (20.0, -4.0, 2.0)
    lines = [str(warning) for warning in robot_of(sim).warnings]
    assert [line.split(": ")[1].split()[0] for line in lines] == ["maxVelocity", "minPosition", "maxPosition"]
    assert all(line.startswith("r.wbt:7:") and "expected" in line for line in lines)


def test_one_without_limits_has_the_others_without() -> None:
    sim = gripper('name "g::a"', 'name "g::b" minPosition -1 maxPosition 1')
    assert robot_of(sim)["g::b"].limits[3:] == (float("-inf"), float("inf"))
    assert len(robot_of(sim).warnings) == 2


@pytest.mark.parametrize(("name", "lines"), [("g::a", 1), ("g", 0), ("a::b::c", 0)])
def test_a_motor_alone_in_its_coupling_is_said(name: str, lines: int) -> None:
    assert len(robot_of(gripper(f'name "{name}"')).warnings) == lines


def test_a_command_that_one_cannot_carry_out_is_carried_out_by_none() -> None:
    sim = gripper('name "g::a"', 'name "g::b"', physics=False)
    with pytest.raises(CommandError, match="g::a"):
        robot_of(sim)["g::b"].set_effort(1.0)
    with pytest.raises(CommandError):
        robot_of(sim)["g::b"].set_position(float("nan"))
    sim.run(0.1)
    assert robot_of(sim)["g::a"].position == 0.0


def test_reset_brings_back_the_start() -> None:
    sim = gripper('name "g::a"', 'name "g::b" multiplier -1')
    b = robot_of(sim)["g::b"]

    def trace() -> list[float]:
        robot_of(sim)["g::a"].set_position(0.5)
        values = []
        for _ in range(50):
            sim.step()
            values.append(b.position)
        return values

    first = trace()
    sim.reset()
    assert trace() == first
