import math

import pytest

from sim_core.base.geometry import yaw_of
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

STEP = 0.01


def simulation(others: str = "", x: float = 0.0) -> Simulation:
    """Return a robot without Physics with wheels of radius 0.1 m, 0.4 m apart, their axle at `x`."""
    wheels = "".join(
        f"""HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} {y} 0.1 }}
      device RotationalMotor {{ name "{name}" maxVelocity 20 maxTorque 1000 }}
      endPoint Solid {{
        name "{name}" translation {x} {y} 0.1 rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder {{ radius 0.1 height 0.02 }}
      }}
    }}
    """
        for name, y in (("left", 0.2), ("right", -0.2))
    )
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }}
{others}
Robot {{
  name "robot1"
  controller "<none>"
  boundingObject Pose {{ translation 0 0 0.1 children Box {{ size 0.3 0.3 0.1 }} }}
  children [ {wheels} ]
}}
"""
    return Simulation(parse_scene(text, "robot.wbt"))


def test_it_moves_as_its_wheels_turn() -> None:
    sim = simulation()
    robot = sim.robot("robot1")
    assert robot.drive is not None
    robot.drive.set_wheel_speeds(4.0, 4.0)
    sim.run(2.0)
    x = robot.frame.pose().position[0]
    assert x == pytest.approx(0.1 * robot["left"].position)
    assert x == pytest.approx(0.8, rel=0.01)
    assert robot.frame.pose().position[2] == 0.0
    robot.drive.stop()
    sim.run(1.0)
    assert robot.frame.pose().position[0] == pytest.approx(0.1 * robot["left"].position)
    assert robot.frame.linear_velocity() == (0.0, 0.0, 0.0)


def test_its_odometry_is_exact() -> None:
    """Through a start, a curve, a turn on the spot and a stop; rolling without slip causes no drift."""
    sim = simulation()
    robot = sim.robot("robot1")
    assert robot.drive is not None
    assert robot.odometry is not None
    for twist in ((0.5, 0.4), (0.0, -1.0), (-0.3, 0.2), (0.0, 0.0)):
        robot.drive.set_twist(*twist)
        for _ in range(80):
            sim.step()
            robot.odometry.update_pose()
    pose = robot.frame.pose()
    assert robot.odometry.pose.x == pytest.approx(pose.position[0], abs=1e-9)
    assert robot.odometry.pose.y == pytest.approx(pose.position[1], abs=1e-9)
    assert math.sin(robot.odometry.pose.yaw - yaw_of(pose.rotation)) == pytest.approx(0.0, abs=1e-9)


def test_it_turns_about_the_middle_of_its_axle() -> None:
    """With the axle 0.1 m ahead, the origin moves around that point."""
    sim = simulation(x=0.1)
    robot = sim.robot("robot1")
    assert robot.drive is not None
    robot.drive.set_wheel_speeds(-2.0, 2.0)
    sim.run(1.0)
    pose = robot.frame.pose()
    yaw = yaw_of(pose.rotation)
    assert yaw == pytest.approx(1.0, rel=0.01)
    expected = (0.1 - 0.1 * math.cos(yaw), -0.1 * math.sin(yaw), 0.0)
    assert pose.position == pytest.approx(expected, abs=1e-9)
    vx, vy, _ = robot.frame.linear_velocity()
    assert (vx, vy) == pytest.approx((0.1 * math.sin(yaw), -0.1 * math.cos(yaw)), abs=1e-6)


def test_at_an_obstacle_robot_and_wheels_stand_still_and_it_can_back_off() -> None:
    wall = 'Solid { name "wall" translation 1 0 0.5 boundingObject Box { size 0.1 4 1 } }'
    sim = simulation(wall)
    robot = sim.robot("robot1")
    assert robot.drive is not None
    assert robot.motion is not None
    robot.drive.set_wheel_speeds(5.0, 5.0)
    sim.run(3.0)
    assert robot.motion.is_blocked
    x = robot.frame.pose().position[0]
    assert x == pytest.approx(0.95 - 0.15, abs=0.5 * STEP)
    assert x <= 0.95 - 0.15 + 1e-4
    angle = robot["left"].position
    assert angle == pytest.approx(x / 0.1)
    sim.run(1.0)
    assert robot["left"].position == angle
    assert robot["left"].velocity == 0.0
    robot.drive.set_wheel_speeds(-5.0, -5.0)
    sim.run(0.5)
    assert not robot.motion.is_blocked
    assert robot.frame.pose().position[0] < x - 0.2
    assert robot.frame.pose().position[0] == pytest.approx(0.1 * robot["left"].position)


def test_reset_brings_back_the_start() -> None:
    sim = simulation()
    robot = sim.robot("robot1")
    assert robot.drive is not None
    ends = []
    for _ in range(2):
        robot.drive.set_twist(0.4, 0.3)
        sim.run(1.0)
        ends.append(robot.frame.pose())
        sim.reset()
        assert robot.frame.pose().position == (0.0, 0.0, 0.0)
    assert ends[0] == ends[1]


WHEEL = """HingeJoint {{ jointParameters HingeJointParameters {{ axis {axis} }}
  device RotationalMotor {{ name "left" }}
  endPoint Solid {{ rotation 1 0 0 1.5707963267948966 {shape} {physics} }} }}"""
CYLINDER = "Cylinder { radius 0.1 height 0.02 }"
ROLLS = f"boundingObject {CYLINDER}"
PHYSICS = "physics Physics { }"


@pytest.mark.parametrize(
    ("child", "turned"),
    [
        (WHEEL.format(axis="0 1 0", shape=ROLLS, physics=PHYSICS), "wheel"),
        (WHEEL.format(axis="0 1 0", shape=ROLLS, physics=""), "wheel"),
        (WHEEL.format(axis="0 1 0", shape=f"children Shape {{ geometry {CYLINDER} }}", physics=""), "wheel"),
        (
            'Propeller { shaftAxis 0 0 1 device RotationalMotor { name "left" } '
            "fastHelix Solid { } slowHelix Solid { } }",
            "propeller",
        ),
        (WHEEL.format(axis="0 0 1", shape=ROLLS, physics=""), None),  # rolls about another axis
        (WHEEL.format(axis="1 0 0", shape="boundingObject Sphere { }", physics=PHYSICS), None),  # a flywheel
        (
            f"Pose {{ rotation 1 0 0 1.57 children {WHEEL.format(axis='0 1 0', shape=ROLLS, physics='')} }}",
            None,
        ),
        (WHEEL.format(axis="0 1 0", shape="boundingObject Box { }", physics=PHYSICS), None),
    ],
)
def test_a_robot_that_its_motors_cannot_move_says_so(child: str, turned: str | None) -> None:
    """Without Physics it never moves; an arm gets no warning, and with Physics it moves."""

    def warnings(fields: str = "") -> list[str]:
        text = f'#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nRobot {{ {fields} name "bot" children [ {child} ] }}'
        sim = Simulation(parse_scene(text, "bot.wbt"))
        sim.run(0.1)
        return [str(each) for each in sim.robot("bot").warnings if "never moves" in str(each)]

    expected = (
        f'bot.wbt:3:1: Robot "bot" has no Physics and never moves; its motor "left" turns a {turned}, '
        "expected physics Physics { } in it"
    )
    assert warnings() == ([expected] if turned else [])
    assert not warnings(f"{PHYSICS} boundingObject Box {{ }}")
    assert not simulation().robot("robot1").warnings
