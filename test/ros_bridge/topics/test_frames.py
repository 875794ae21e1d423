import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ros_bridge.composites.transforms import edges
from ros_bridge.topics.frames import BaseOdometry, robot_frames
from sim_core.base.geometry import Pose, yaw_of
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation, load_world


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    return load_world(world_file())


def off_centre(robot: Robot, centre: tuple[float, float, float]) -> BaseOdometry:
    """Odometry of a robot whose axle is not below its base."""
    assert robot.drive is not None and robot.odometry is not None
    robot.odometry.follow(replace(robot.drive, centre=centre), robot.devices.values())
    return BaseOdometry(robot)


def test_the_base_coincides_with_its_odometry_frame_at_the_start(sim: Simulation) -> None:
    pose = off_centre(sim.robot("robot1"), (0.1, 0.02, 0.0)).pose()
    assert pose.position == pytest.approx((0.0, 0.0, 0.0))


def test_turning_in_place_the_base_goes_round_the_axle(sim: Simulation) -> None:
    """The axle's centre stays at (a, 0): the base is at (a - a·cos, -a·sin), moving at -ω·a to its left."""
    robot = sim.robot("robot1")
    odometry = off_centre(robot, (0.1, 0.0, 0.0))
    assert robot.odometry is not None
    robot.odometry.reset(robot.odometry.pose._replace(yaw=math.pi / 3.0))
    robot.odometry.state.twist = robot.odometry.twist._replace(linear=0.0, angular=2.0)
    pose = odometry.pose()
    expected = (0.1 - 0.1 * math.cos(math.pi / 3.0), -0.1 * math.sin(math.pi / 3.0), 0.0)
    assert pose.position == pytest.approx(expected)
    assert yaw_of(pose.rotation) == pytest.approx(math.pi / 3.0)
    assert odometry.twist() == ((0.0, -0.2, 0.0), (0.0, 0.0, 2.0))


def test_the_transforms_are_a_tree_below_world_that_tells_where_things_are(sim: Simulation) -> None:
    names = {"robot1": "robot1", "old": "old"}
    parts = {
        name: robot_frames(robot, name, {device: f"{name}/{device}" for device in robot.devices})
        for name, robot in sim.robots.items()
    }
    static, moving = edges(sim, names, parts)
    parents = {edge.child: edge for edge in (*static, *moving)}
    assert len(parents) == len(static) + len(moving)
    for robot in sim.robots.values():
        assert robot.drive is not None
        robot.drive.set_twist(0.2, 0.3)
    sim.run(1.0)

    def in_world(frame: str) -> Pose:
        if frame == "world":
            return Pose()
        return in_world(parents[frame].parent) * parents[frame].pose()

    ds = sim.robot("robot1").nodes["ds"]
    assert in_world("robot1/ds").position == pytest.approx(sim.physics.frame(ds.id).pose().position, abs=0.02)
    assert in_world("old/base_link").position == pytest.approx(
        sim.robot("old").frame.pose().position, abs=1e-3
    )
    later, _ = edges(sim, names, parts)  # as when another robot comes: where a robot began stays
    assert [edge.pose() for edge in later] == [edge.pose() for edge in static]
    moving_names = {edge.child for edge in moving}
    assert "robot1/base_link" in moving_names
    assert "robot1/ds" not in moving_names
    assert "old/arm" in moving_names
