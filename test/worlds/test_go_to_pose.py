"""The robot of the world, started all round its goal, driven in this process by the controller's own law."""

import math
from itertools import pairwise

import pytest

from ros_bridge.controllers.pose_law import PoseLaw, wheel_speeds, wrap
from sim_core import SimulationConfig
from sim_core.base.geometry import yaw_of
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

PERIOD, LIMIT_SECONDS = 0.032, 40.0
STARTS = [(bearing, turn) for bearing in range(0, 360, 30) for turn in (0, 130, 250)]


@pytest.mark.parametrize(("bearing", "turn"), STARTS)
def test_it_arrives_from_all_round(bearing: float, turn: float) -> None:
    """Within 0.05 m and 5° of the goal; `turn`: first heading, degrees from the direction of the goal."""
    scene = load_scene(shipped_worlds()["go_to_pose"])
    goal = (0.3, -0.2, 0.7)
    angle = math.radians(bearing)
    robot_node = scene.find_def("ROBOT")
    assert robot_node is not None
    height = robot_node["translation"][2]
    robot_node["translation"] = (goal[0] + 2.0 * math.cos(angle), goal[1] + 2.0 * math.sin(angle), height)
    robot_node["rotation"] = (0.0, 0.0, 1.0, angle + math.pi + math.radians(turn))
    sim = Simulation(scene, SimulationConfig(sampling_period=PERIOD))
    robot, law, resting = sim.robot("robot"), PoseLaw(goal), 0
    assert robot.drive is not None
    while resting < 10 and sim.time < LIMIT_SECONDS:
        sim.run(PERIOD)
        x, y, _ = robot["gps"].value
        heading = robot["inertial_unit"].value[2]
        speeds = wheel_speeds(
            *law((x, y, heading)), robot.drive.wheel_radius, robot.drive.wheel_separation / 2.0, 10.0
        )
        robot["motor_left"].set_velocity(speeds[0])
        robot["motor_right"].set_velocity(speeds[1])
        resting = resting + 1 if speeds == (0.0, 0.0) else 0
    sim.run(1.0)
    pose = robot.frame.pose()
    assert resting
    assert math.dist(pose.position[:2], goal[:2]) < 0.05
    assert abs(wrap(yaw_of(pose.rotation) - goal[2])) < math.radians(5.0)


def test_the_pen_draws_the_way_and_dead_reckoning_agrees_with_it() -> None:
    """The trace lies under the wheels' middle; odometry ends within 2 cm of the truth, after 3 m and more."""
    sim = Simulation(load_scene(shipped_worlds()["go_to_pose"]), SimulationConfig(sampling_period=PERIOD))
    robot, law = sim.robot("robot"), PoseLaw((1.5, 1.0, 0.0))
    assert robot.drive is not None
    true, start = [], robot.frame.pose()
    while sim.time < 12.0:
        sim.run(PERIOD)
        pose = robot.frame.pose()
        true.append(pose.position[:2])
        speeds = wheel_speeds(
            *law((*pose.position[:2], yaw_of(pose.rotation))),
            robot.drive.wheel_radius,
            robot.drive.wheel_separation / 2.0,
            10.0,
        )
        robot["motor_left"].set_velocity(speeds[0])
        robot["motor_right"].set_velocity(speeds[1])
    drawn = robot["pen"].trace.points[:, :2].tolist()
    assert all(min(math.dist(point, place) for place in true) < 0.02 for point in drawn)
    assert all(min(math.dist(place, point) for point in drawn) < 0.02 for place in true)
    odometry = robot.odometry.pose
    reckoned = start.apply((odometry[0], odometry[1], 0.0))
    way = sum(math.dist(a, b) for a, b in pairwise(true))
    assert way > 3.0
    assert math.dist(reckoned[:2], true[-1]) < 0.02
