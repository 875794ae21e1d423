import math

import pytest

from sim_core.base.errors import CommandError
from sim_core.devices.motors.brake import Brake
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 1 gravity 0 }
Robot {
  name "spinner"
  controller "<none>"
  children HingeJoint {
    jointParameters HingeJointParameters { axis 0 0 1 dampingConstant 0.01 }
    device [ RotationalMotor { name "motor" } Brake { name "brake" } ]
    endPoint Solid { boundingObject Box { size 0.4 0.4 0.1 } physics Physics { density -1 mass 2 } }
  }
}
"""
INERTIA = 2.0 / 12.0 * (0.4**2 + 0.4**2)


def spinning(damping: float) -> tuple[Simulation, float]:
    """Return the speed of a spinner at about 5 rad/s at the moment when its brake is set."""
    sim = Simulation(parse_scene(WORLD, "spinner.wbt"))
    robot = sim.robot("spinner")
    robot["motor"].set_velocity(5.0)
    sim.run(0.5)
    robot["motor"].set_effort(0.0)
    robot["brake"].set_damping(damping)
    return sim, robot["motor"].velocity


def test_a_brake_works_however_its_robot_has_turned() -> None:
    """The axis of the hinge lies in the plane in which the robot turns before the brake is set."""
    speeds = []
    for turn in (0.0, math.pi / 2.0):
        sim = Simulation(parse_scene(WORLD.replace("axis 0 0 1", "axis 1 0 0"), "spinner.wbt"))
        robot = sim.robot("spinner")
        sim.supervisor.set(robot.node, "rotation", (0.0, 0.0, 1.0, turn))
        robot["motor"].set_velocity(5.0)
        sim.run(0.5)
        robot["motor"].set_effort(0.0)
        robot["brake"].set_damping(0.1)
        sim.run(0.5)
        speeds.append(robot["motor"].velocity)
    assert 0.1 < speeds[0] < 4.0
    assert speeds[1] == pytest.approx(speeds[0], rel=1e-6)


@pytest.mark.parametrize("damping", [0.0, 0.03, 0.2])
def test_a_braked_joint_slows_exponentially(damping: float) -> None:
    """ω(t) = ω0·exp(-(B + b)·t/I); the brake adds to the joint's own damping B."""
    sim, start = spinning(damping)
    sim.run(1.0)
    expected = start * math.exp(-(0.01 + damping) * 1.0 / INERTIA)
    assert sim.robot("spinner")["motor"].velocity == pytest.approx(expected, rel=0.02, abs=1e-3)


def test_reset_lets_go() -> None:
    sim, _ = spinning(0.2)
    sim.run(0.1)
    sim.reset()
    brake = sim.robot("spinner")["brake"]
    assert isinstance(brake, Brake)
    assert brake.damping == 0.0
    sim.robot("spinner")["motor"].set_velocity(5.0)
    sim.run(0.5)
    sim.robot("spinner")["motor"].set_effort(0.0)
    start = sim.robot("spinner")["motor"].velocity
    sim.run(1.0)
    expected = start * math.exp(-0.01 / INERTIA)
    assert sim.robot("spinner")["motor"].velocity == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_a_damping_that_makes_no_sense_is_refused(value: float) -> None:
    sim, _ = spinning(0.1)
    brake = sim.robot("spinner")["brake"]
    with pytest.raises(CommandError, match="spinner/brake: damping"):
        brake.set_damping(value)
    assert brake.damping == 0.1
