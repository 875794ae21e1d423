"""The worlds of the robots: each robot moves by its kinematics."""

import math
import runpy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ros_bridge.cli.world_info import build
from ros_bridge.controllers.command_player import read_commands
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.scene import load_scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

WORLDS = {
    name.removeprefix("robots/"): path
    for name, path in shipped_worlds().items()
    if name.startswith("robots/")
}
SQUARES = {
    # side; radius of the wheels; how far they stand apart across, and lengthwise, m
    "turtlebot3_burger": (1.0, 0.033, 0.16, 0.0),
    "turtlebot3_waffle": (1.0, 0.033, 0.287, 0.0),
    "e_puck": (0.25, 0.02, 0.052, 0.0),
    "khepera": (0.25, 0.008, 0.053, 0.0),
    "thymio2": (0.5, 0.021, 0.094, 0.0),
    "create3": (1.0, 0.03575, 0.233, 0.0),
    "pioneer3dx": (1.0, 0.0975, 0.33, 0.0),
    "pioneer3at": (1.0, 0.11, 0.394, 0.2662),
    "husky": (2.0, 0.1651, 0.5708, 0.512),
}


def load(name: str) -> Simulation:
    return build(load_scene(WORLDS[name]), WORLDS[name])[0]


@pytest.mark.parametrize("name", SQUARES)
def test_a_wheeled_robot_drives_its_square_by_its_kinematics(name: str) -> None:
    """Each side and each turn as its wheels, without slip, would make them; within 2 %.

    Four wheels, W apart across and L lengthwise, that slip as much as they are pushed turn the robot as two
    would that are W + L²/W apart.
    """
    sim, (side, radius, across, lengthwise) = load(name), SQUARES[name]
    (robot,) = sim.robots.values()
    drive = robot.drive
    assert drive is not None
    assert drive.wheel_radius == pytest.approx(radius)
    assert drive.wheel_separation == pytest.approx(across + lengthwise**2 / across, rel=1e-4)
    commands = read_commands(robot.node["controllerArgs"])[0]
    corners, headings = [], []
    for command in commands:
        sim.run((command.time_ns - sim.time_ns) / 1e9)
        if command.value:
            pose = robot.frame.pose()
            corners.append(pose.position[:2])
            headings.append(math.atan2(pose.rotation[3], pose.rotation[0]))
        twist = {"linear": {}, "angular": {}} | command.value
        assert drive.set_twist(twist["linear"].get("x", 0.0), twist["angular"].get("z", 0.0)) is None
    sim.run(0.5)
    corners.append(robot.frame.pose().position[:2])
    for start, end in zip(corners[::2], corners[1::2], strict=False):
        assert math.dist(start, end) == pytest.approx(side, rel=0.02)
    for before, after in zip(headings[1::2], headings[2::2], strict=False):
        assert (after - before) % math.tau == pytest.approx(math.pi / 2.0, rel=0.02)
    assert math.dist(corners[0], corners[-1]) < 0.02 * 4.0 * side


def fly(sim: Simulation, law: Any, goal: Sequence[float], seconds: float) -> Sequence[float]:
    """Where the drone is after that time, led by the controller's law at each step; m."""
    (robot,) = sim.robots.values()
    step = sim.step_ns / 1e9
    place, attitude = robot.frame.pose().position, roll_pitch_yaw(robot)
    for _ in range(round(seconds / step)):
        before, turned_before = place, attitude
        place, attitude = robot.frame.pose().position, roll_pitch_yaw(robot)
        velocity = [(now - then) / step for now, then in zip(place, before, strict=True)]
        rates = [
            (now - then) / step for now, then in zip(attitude, turned_before, strict=True)
        ]  # small angles
        for number, speed in enumerate(law(goal, place, velocity, attitude, rates), start=1):
            robot[f"m{number}_motor"].set_velocity(speed)
        sim.step()
    return robot.frame.pose().position


def roll_pitch_yaw(robot: Robot) -> tuple[float, float, float]:
    r = robot.frame.pose().rotation
    return math.atan2(r[7], r[8]), -math.asin(r[6]), math.atan2(r[3], r[0])


def test_the_quadrotor_hovers_climbs_and_moves_aside() -> None:
    file = share_dir() / "controllers" / "hover" / "hover.py"
    law = runpy.run_path(str(file))["hover"]
    sim = load("crazyflie")
    assert fly(sim, law, (0.0, 0.0, 1.0), 5.0) == pytest.approx((0.0, 0.0, 1.0), abs=0.01)
    (robot,) = sim.robots.values()
    speeds = [robot[f"m{k}_motor"].target_velocity for k in (1, 2, 3, 4)]
    each = math.sqrt(0.027 * 9.81 / (4.0 * 2.88e-8))  # of four propellers that carry it
    assert speeds == pytest.approx([-each, each, -each, each], rel=0.01)
    assert fly(sim, law, (0.5, -0.3, 1.5), 5.0) == pytest.approx((0.5, -0.3, 1.5), abs=0.01)


def test_the_omnidirectional_base_goes_by_the_kinematics_of_its_wheels() -> None:
    """Each leg within 2 %; the wheels 1 and 2 are in front, the odd ones on the right.

    vx = r(ω1 + ω2 + ω3 + ω4)/4, vy = r(ω1 - ω2 - ω3 + ω4)/4, ωz = r(ω1 - ω2 + ω3 - ω4)/4(lx + ly).
    """
    radius, lever = 0.0475, 0.235 + 0.15
    sim = load("youbot_base")
    (robot,) = sim.robots.values()
    commands = read_commands(robot.node["controllerArgs"])[0]
    heading = 0.0
    for command, after in zip(commands[::2], commands[1::2], strict=True):
        before = robot.frame.pose()
        heading = math.atan2(before.rotation[3], before.rotation[0])
        one, two, three, four = command.value["velocity"]
        for name, speed in zip(command.value["name"], command.value["velocity"], strict=True):
            robot[name].set_velocity(float(speed))
        turned = 0.0
        for _ in range(round((after.time_ns - command.time_ns) / sim.step_ns)):
            sim.step()
            now = math.atan2(robot.frame.pose().rotation[3], robot.frame.pose().rotation[0])
            turned += math.remainder(now - heading, math.tau)
            heading = now
        seconds = radius / 4.0 * round((after.time_ns - command.time_ns) / sim.step_ns) * sim.step_ns / 1e9
        way = [b - a for a, b in zip(before.position[:2], robot.frame.pose().position[:2], strict=True)]
        wanted = ((one + two + three + four) * seconds, (one - two - three + four) * seconds)
        assert way == pytest.approx(wanted, abs=0.02)
        assert turned == pytest.approx((one - two + three - four) * seconds / lever, abs=0.02, rel=0.02)
        for name in command.value["name"]:
            robot[name].set_velocity(0.0)
        sim.run(0.5)


DENAVIT_HARTENBERG = (
    # d, a in m, alpha, of the joints of a UR5e (Universal Robots, DH Parameters for kinematics)
    (0.1625, 0.0, math.pi / 2.0),
    (0.0, -0.425, 0.0),
    (0.0, -0.3922, 0.0),
    (0.1333, 0.0, math.pi / 2.0),
    (0.0997, 0.0, -math.pi / 2.0),
    (0.0996, 0.0, 0.0),
)
JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")


def flange(angles: Sequence[float]) -> np.ndarray:
    """Where the flange is: (4, 4), in the base's frame."""
    frame = np.eye(4)
    for angle, (d, a, alpha) in zip(angles, DENAVIT_HARTENBERG, strict=True):
        c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(alpha), math.sin(alpha)
        frame = frame @ np.array(
            [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
        )
    return frame


def test_the_arm_reaches_its_joint_positions_and_its_tool_is_where_denavit_and_hartenberg_say() -> None:
    arm = 'UR5e { toolSlot DEF TOOL Solid { name "tool" } }'
    text = f"#VRML_SIM R2022a utf8\nWorldInfo {{ basicTimeStep 8 }}\n{arm}"
    sim = Simulation(parse_scene(text, "w.wbt", Assets()))
    (robot,) = sim.robots.values()
    for angles in ((0.4, -1.2, 1.0, -0.7, -1.1, 0.5), (-1.0, -0.6, -1.3, 1.9, 0.8, -2.0)):
        for joint, angle in zip(JOINTS, angles, strict=True):
            robot[f"{joint}_joint"].set_position(angle, 2.0)
        sim.run(3.0)
        found = [robot[f"{joint}_joint"].position for joint in JOINTS]
        assert found == pytest.approx(angles, abs=1e-3)
        pose, expected = sim.supervisor.pose("TOOL"), flange(angles)
        assert pose.position == pytest.approx(expected[:3, 3], abs=2e-3)
        assert np.reshape(pose.rotation, (3, 3)) == pytest.approx(expected[:3, :3], abs=5e-3)


def test_the_gripper_carries_the_block_to_the_other_place() -> None:
    sim = load("ur5e")
    (robot,) = sim.robots.values()
    heights = []
    for command in read_commands(robot.node["controllerArgs"])[0]:
        if command.time_ns > 18e9:
            break
        sim.run((command.time_ns - sim.time_ns) / 1e9)
        heights.append(sim.supervisor.pose("BLOCK").position[2])
        if command.topic == "joint_command":
            targets = (command.value[key] for key in ("name", "position", "velocity"))
            for name, position, velocity in zip(*targets, strict=True):
                robot[name].set_position(position, velocity)
        else:
            robot[command.topic.split("/")[0].replace("_", " ")].set_position(command.value)
    sim.run(1.0)
    assert max(heights) > heights[0] + 0.2
    assert sim.supervisor.pose("BLOCK").position == pytest.approx((0.45, 0.2, 0.725), abs=0.01)
