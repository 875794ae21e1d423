"""How robots roll in the fast 2D mode, compared with the formulas of the differential drive and with ODE."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.swarm import RADIUS, SEPARATION, robot_text, wall_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, ConfigError, PhysicsError
from sim_core.base.geometry import Pose, yaw_of
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.devices.drives.planar_motion import Pose2d
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

Build = Callable[..., Simulation]


def test_a_straight_line_is_as_long_as_the_wheels_roll(build: Build) -> None:
    sim = build(robot_text("r", 1.0, -2.0, 0.5))
    sim.robot("r").drive.set_wheel_speeds(4.0, 4.0)
    sim.step(1000)
    x, y, z = sim.robot("r").frame.pose().position
    way = 4.0 * RADIUS * sim.time
    assert x == pytest.approx(1.0 + way * math.cos(0.5), abs=1e-11)
    assert y == pytest.approx(-2.0 + way * math.sin(0.5), abs=1e-11)
    assert z == RADIUS
    assert sim.robot("r").frame.linear_velocity() == pytest.approx(
        (0.2 * math.cos(0.5), 0.2 * math.sin(0.5), 0.0), abs=1e-15
    )


@pytest.mark.parametrize("wheels", [(3.0, 5.0), (-2.0, 2.0), (5.0, -1.0), (0.0, 7.0)])
def test_an_arc_is_a_circle_of_the_formulas_radius(build: Build, wheels: tuple[float, float]) -> None:
    sim = build(robot_text("r"))
    sim.robot("r").drive.set_wheel_speeds(*wheels)
    sim.step(500)
    v, w = RADIUS * sum(wheels) / 2.0, RADIUS * (wheels[1] - wheels[0]) / SEPARATION
    pose = sim.robot("r").frame.pose()
    angle = w * sim.time
    assert pose.position[0] == pytest.approx(v / w * math.sin(angle), abs=1e-11)
    assert pose.position[1] == pytest.approx(v / w * (1.0 - math.cos(angle)), abs=1e-11)
    assert math.remainder(yaw_of(pose.rotation) - angle, math.tau) == pytest.approx(0.0, abs=1e-11)
    assert sim.robot("r").frame.angular_velocity() == pytest.approx((0.0, 0.0, w))


def test_without_obstacles_odometry_is_exact(build: Build) -> None:
    sim = build(robot_text("r"), odometry_period=0.0)
    robot = sim.robot("r")
    rng = np.random.default_rng(3)
    for _ in range(50):
        robot.drive.set_wheel_speeds(*rng.uniform(-9.0, 9.0, 2))
        sim.step(5)
    x, y, yaw = robot.odometry.pose
    assert robot.frame.pose().position[:2] == pytest.approx((x, y), abs=1e-10)
    turned = yaw_of(robot.frame.pose().rotation) - yaw
    assert math.remainder(turned, math.tau) == pytest.approx(0.0, abs=1e-10)


def test_the_odometry_of_all_robots_at_once_is_that_of_one(build: Build) -> None:
    sim = build(robot_text("a"), robot_text("b", 1.0), robot_text("c", 2.0), odometry_period=0.096)
    single = {name: WheelOdometry(robot.drive) for name, robot in sim.robots.items()}
    rng = np.random.default_rng(4)
    for _ in range(40):
        for robot in sim.robots.values():
            robot.drive.set_wheel_speeds(*rng.uniform(-9.0, 9.0, 2))
        sim.step(3)
        for name, odometry in single.items():
            odometry.update_pose()
            assert sim.robot(name).odometry.pose == pytest.approx(odometry.pose, abs=1e-12)
            assert sim.robot(name).odometry.twist == pytest.approx(odometry.twist)
    sim.robot("b").odometry.reset(Pose2d(1.0, 2.0, 3.0))
    assert sim.robot("b").odometry.pose == (1.0, 2.0, 3.0)
    sim.reset()
    assert sim.robot("a").odometry.pose == (0.0, 0.0, 0.0)


def test_wheels_and_parts_attached_to_joints_turn(build: Build) -> None:
    head = """HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "neck" }
      endPoint Solid { name "head" translation 0.1 0 0.1 children GPS { } } }"""
    sim = build(robot_text("r", more=head))
    robot = sim.robot("r")
    robot["left"].set_velocity(-2.0)
    robot["right"].set_velocity(2.0)
    robot["neck"].set_velocity(1.0)
    sim.step(25)
    w = RADIUS * 4.0 / SEPARATION
    angle = (w + 1.0) * sim.time
    assert robot["left"].position == pytest.approx(-2.0 * sim.time)
    assert robot["neck"].velocity == 1.0
    assert robot["gps"].value == pytest.approx(
        (0.1 * math.cos(angle), 0.1 * math.sin(angle), RADIUS + 0.1), abs=1e-9
    )
    speed = 0.1 * (w + 1.0)
    assert robot["gps"].speed_vector == pytest.approx(
        (-speed * math.sin(angle), speed * math.cos(angle), 0.0), abs=1e-9
    )


def test_a_motor_goes_to_a_position_and_sleeps(build: Build) -> None:
    sim = build(robot_text("r"))
    motor = sim.robot("r")["left"]
    motor.set_position(1.5, 3.0)
    sim.step(40)
    assert motor.position == pytest.approx(1.5, abs=1e-9)
    assert not sim.world.scheduler.awake
    with pytest.raises(CommandError, match="no force moves"):
        motor.set_effort(1.0)


@pytest.mark.parametrize("wheels", [(5.0, 5.0), (4.0, 6.0), (-3.0, 3.0)])
def test_ode_drives_the_same_distance(build: Build, wheels: tuple[float, float]) -> None:
    """After 2 s: within 1.5 % of the distance driven and of the angle turned (ODE accelerates first)."""
    ends = []
    for physics in ("ode", "fast2d"):
        sim = build(robot_text("r"), step=4.0, physics=physics)
        sim.robot("r").drive.set_wheel_speeds(*wheels)
        sim.run(2.0)
        x, y, _ = sim.robot("r").frame.pose().position
        ends.append((x, y, yaw_of(sim.robot("r").frame.pose().rotation)))
    way = 2.0 * RADIUS * max(map(abs, wheels))
    angle = 2.0 * RADIUS * abs(wheels[1] - wheels[0]) / SEPARATION
    assert math.dist(ends[0][:2], ends[1][:2]) < 0.015 * way
    assert abs(math.remainder(ends[0][2] - ends[1][2], math.tau)) < max(0.015 * angle, 1e-3)


DIFFERENTIAL_WHEELS = """DifferentialWheels {
  name "old" translation 0 0 0.1 rotation 0 0 1 0 axleLength 0.3 wheelRadius 0.05 slipNoise 0
  encoderResolution 100 encoderNoise 0 maxAcceleration 5 %s
  boundingObject Cylinder { radius 0.1 height 0.1 } }"""


def test_differential_wheels_without_wheel_solids(build: Build) -> None:
    sim = build(DIFFERENTIAL_WHEELS % "", step=10.0)
    device = sim.robot("old")["old"]
    device.set_wheel_speeds(2.0, 4.0)
    sim.step(200)
    # wheel speed grows by 5 rad/s² · 10 ms in each step up to the target; angles are sums of speed · step
    left = 0.01 * (sum(0.05 * k for k in range(1, 40)) + 2.0 * 161)
    right = 0.01 * (sum(0.05 * k for k in range(1, 80)) + 4.0 * 121)
    assert (device.left_encoder, device.right_encoder) == pytest.approx((100 * left, 100 * right))
    yaw = yaw_of(sim.robot("old").frame.pose().rotation)
    assert yaw == pytest.approx(0.05 * (right - left) / 0.3, abs=1e-9)
    sim.reset()
    assert device.left_encoder == 0.0
    assert sim.robot("old").frame.pose().position == (0.0, 0.0, 0.1)


def test_differential_wheels_with_physics_take_their_sizes_from_the_wheels(build: Build) -> None:
    wheel = "rotation 1 0 0 1.5708 boundingObject Cylinder { radius 0.04 height 0.02 } physics Physics { }"
    text = f"""DifferentialWheels {{
      name "old" translation 0 0 0.04 rotation 0 0 1 0 slipNoise 0 physics Physics {{ }}
      boundingObject Box {{ size 0.1 0.1 0.05 }}
      children [
        Solid {{ name "left wheel" translation 0 0.08 0 {wheel} }}
        Solid {{ name "right wheel" translation 0 -0.08 0 {wheel} }}
      ] }}"""
    sim = build(text, step=8.0)
    sim.robot("old").drive.set_wheel_speeds(3.0, 5.0)
    sim.step(100)
    way, angle = 0.04 * 4.0 * sim.time, 0.04 * 2.0 / 0.16 * sim.time
    pose = sim.robot("old").frame.pose()
    assert pose.position[0] == pytest.approx(way / angle * math.sin(angle), abs=1e-9)
    assert yaw_of(pose.rotation) == pytest.approx(angle, abs=1e-9)


def bits_of(physics: Any) -> str:
    """Return the state of motion of axes and robots, the first arrays of a state, as bytes."""
    state = physics.get_state()
    return repr((state.time_ns, [array.tobytes() for array in state.arrays[:5]]))


def test_a_state_can_be_restored(build: Build) -> None:
    sim = build(robot_text("a"), robot_text("b", 0.3, 0.1, 3.0))
    for robot in sim.robots.values():
        robot.drive.set_wheel_speeds(5.0, 6.0)
    sim.step(20)
    state = sim.physics.get_state()
    sim.step(30)
    after = bits_of(sim.physics)
    sim.physics.set_state(state)
    sim.physics.step()
    assert bits_of(sim.physics) != after
    for _ in range(29):
        sim.physics.step()
    assert bits_of(sim.physics) == after
    with pytest.raises(PhysicsError, match="another world"):
        build(robot_text("a")).physics.set_state(state)


def test_worldinfo_fast2d_chooses_the_mode() -> None:
    text = world_text(robot_text("r")).replace("basicTimeStep", 'fast2d "odesim" basicTimeStep')
    assert Simulation(parse_scene(text)).physics.can.rolling is not None
    assert Simulation(parse_scene(text), SimulationConfig(physics="ode")).physics.can.rolling is None
    assert Simulation(parse_scene(world_text())).physics.can.rolling is None
    with pytest.raises(ConfigError, match='physics: found "2d", expected ode or fast2d'):
        SimulationConfig(physics="2d")


def test_robots_that_cannot_drive_stand_still_and_are_reported_once(build: Build) -> None:
    ball = 'Solid { name "ball" translation 3 0 2 boundingObject Sphere { radius 0.1 } physics Physics { } }'
    leg = 'Robot { name "walker" translation 5 0 1 controller "void" physics Physics { } }'
    sim = build(robot_text("r"), ball, leg)
    sim.step(10)
    assert sim.robot("walker").frame.pose().position == (5.0, 0.0, 1.0)
    texts = [str(warning) for warning in sim.physics.warnings]
    assert len(texts) == 2
    assert "without a differential drive do not move: walker" in texts[0]
    assert "solids with Physics do not move either: ball" in texts[1]


def test_a_robot_can_be_placed(build: Build) -> None:
    sim = build(robot_text("r", 1.0, 1.0, 0.3), wall_text("wall", 5, 0, "1 1 1"))
    node = sim.robot("r").node
    turn = Pose.from_axis_angle((2.0, 3.0, 9.0), (0.0, 0.0, 1.0, -1.0))
    sim.physics.move(node.id, turn)
    pose = sim.robot("r").frame.pose()
    assert pose.position == pytest.approx((2.0, 3.0, RADIUS))
    assert pose.rotation == pytest.approx(turn.rotation)
    with pytest.raises(PhysicsError, match="only robots that drive"):
        sim.physics.move(next(n for n in sim.scene.nodes if n.type_name == "Solid").id, turn)


def drive_about(sim: Simulation, steps: int) -> bytes:
    """Drive with random speeds, the same each time; return the state at the end."""
    rng = np.random.default_rng(11)
    for _ in range(steps):
        for robot in sim.robots.values():
            robot.drive.set_wheel_speeds(*rng.uniform(-20.0, 20.0, 2))
        sim.step(4)
    return repr(bits_of(sim.physics)).encode() + repr([r["ds"].value for r in sim.robots.values()]).encode()


SENSOR = 'DistanceSensor { name "ds" translation 0.1 0 0.08 lookupTable [ 0 0 0.1, 1 100 0.1 ] }'


def crowd() -> str:
    robots = [robot_text(f"r{k}", 0.3 * (k % 4) - 0.45, 0.3 * (k // 4) - 0.45, k, SENSOR) for k in range(12)]
    walls = [wall_text(f"w{k}", *at) for k, at in enumerate(FENCE)]
    return world_text(*robots, *walls)


FENCE = [(1, 0, "0.05 2 0.3"), (-1, 0, "0.05 2 0.3"), (0, 1, "2 0.05 0.3"), (0, -1, "2 0.05 0.3")]


def test_a_run_after_reset_and_one_in_another_process_are_the_same_to_the_last_bit() -> None:
    sim = Simulation(parse_scene(crowd()), SimulationConfig(physics="fast2d"))
    first = drive_about(sim, 40)
    sim.reset()
    assert drive_about(sim, 40) == first
    code = (
        "from types import SimpleNamespace\nimport runpy, sys\n"
        "t = SimpleNamespace(**runpy.run_path(sys.argv[1]))\n"
        "sim = t.Simulation(t.parse_scene(t.crowd()), t.SimulationConfig(physics='fast2d'))\n"
        "sys.stdout.buffer.write(t.drive_about(sim, 40))"
    )
    again = subprocess.run(
        [sys.executable, "-c", code, __file__],
        capture_output=True,
        check=True,
        timeout=120,
        cwd=Path(__file__).parents[4],
    )
    assert again.stdout == first
