import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ros_bridge.composites.transforms import Edge, edges
from ros_bridge.interface.robot_names import RobotNames
from ros_bridge.parameters.bridge_params import BridgeParams, RobotTopics
from ros_bridge.topics.frames import BaseOdometry
from sim_core.base.geometry import Pose, yaw_of
from sim_core.session.load_world import load_world
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    return load_world(world_file())


def off_centre(robot: Robot, centre: tuple[float, float, float]) -> BaseOdometry:
    """Odometry of a robot whose axle is not below its base."""
    assert robot.drive is not None and robot.odometry is not None
    robot.odometry.set_drive(replace(robot.drive, centre=centre), robot.devices.values())
    return BaseOdometry(robot)


def test_the_base_coincides_with_its_odometry_frame_at_the_start(sim: Simulation) -> None:
    pose = off_centre(sim.robot("robot1"), (0.1, 0.02, 0.0)).pose()
    assert pose.position == pytest.approx((0.0, 0.0, 0.0))


def test_turning_in_place_the_base_goes_round_the_axle(sim: Simulation) -> None:
    """The axle's centre stays at (a, 0): the base is at (a - a·cos, -a·sin), moving at -ω·a to its left."""
    robot = sim.robot("robot1")
    odometry = off_centre(robot, (0.1, 0.0, 0.0))
    assert robot.odometry is not None and robot.drive is not None
    robot.drive.set_twist(0.0, 2.0)
    sim.run(0.5)
    robot.odometry.reset(robot.odometry.pose._replace(x=0.0, y=0.0, yaw=math.pi / 3.0))
    pose = odometry.pose()
    expected = (0.1 - 0.1 * math.cos(math.pi / 3.0), -0.1 * math.sin(math.pi / 3.0), 0.0)
    assert pose.position == pytest.approx(expected)
    assert yaw_of(pose.rotation) == pytest.approx(math.pi / 3.0)
    linear, angular = odometry.twist()
    assert linear == pytest.approx((0.0, -0.2, 0.0), abs=1e-3)
    assert angular == pytest.approx((0.0, 0.0, 2.0), abs=1e-2)


def tree_of(sim: Simulation, **parameters: str) -> tuple[list[Edge], list[Edge]]:
    """Return the transforms of a world with these parameters for robot1; `old` has defaults."""
    own = RobotTopics(**parameters)  # type: ignore[arg-type] # all of those that are used are texts
    params = BridgeParams(robots={"robot1": own})
    return edges(sim, {name: RobotNames(robot, name, params).frames for name, robot in sim.robots.items()})


def place_in(frames: Sequence[Edge], root: str, frame: str) -> Pose:
    """Return X_RF of a frame below a root, by the only path."""
    (way,) = (edge for edge in frames if edge.child == frame)
    here = Pose() if way.parent == root else place_in(frames, root, way.parent)
    return here * way.pose()


def roots_of(frames: Sequence[Edge]) -> set[str]:
    """Return the root frames; every other frame has one parent."""
    children = [edge.child for edge in frames]
    assert len(set(children)) == len(children)
    return {edge.parent for edge in frames} - set(children)


def drive(sim: Simulation) -> None:
    for robot in sim.robots.values():
        assert robot.drive is not None
        robot.drive.set_twist(0.2, 0.3)
    sim.run(1.0)


def test_the_transforms_are_a_tree_below_world_that_tells_where_things_are(sim: Simulation) -> None:
    static, moving = tree_of(sim)
    every = [*static, *moving]
    assert roots_of(every) == {"world"}
    drive(sim)
    ds = sim.robot("robot1").nodes["ds"]
    assert place_in(every, "world", "robot1/ds").position == pytest.approx(
        sim.physics.frame(ds.id).pose().position, abs=0.02
    )
    assert place_in(every, "world", "old/base_link").position == pytest.approx(
        sim.robot("old").frame.pose().position, abs=1e-3
    )
    later, _ = tree_of(sim)  # as when another robot comes: where a robot began stays
    assert [edge.pose() for edge in later] == [edge.pose() for edge in static]
    moving_names = {edge.child for edge in moving}
    assert "robot1/base_link" in moving_names
    assert "robot1/ds" not in moving_names
    assert "old/arm" in moving_names


def test_beside_a_broadcaster_of_map_to_odom_there_is_one_tree_and_the_world_is_in_it(
    sim: Simulation,
) -> None:
    """The map of SLAM starts where the robot started, so the composed transform is known.

    The ground truth of the robot is in `world`: in `map` it is the way from its start.
    """
    start = sim.robot("robot1").frame.pose()
    own = RobotTopics(layout="nav2")
    robot = sim.robot("robot1")
    static, moving = edges(
        sim, {"robot1": RobotNames(robot, "robot1", BridgeParams(robots={"robot1": own})).frames}
    )
    ours = [*static, *moving]
    assert roots_of(ours) == {"odom"}
    drive(sim)
    slam = Pose((0.03, -0.02, 0.0)) * Pose.from_axis_angle((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.1))
    every = [*ours, Edge("map", "odom", lambda: slam)]
    assert roots_of(every) == {"map"}
    for frame in {edge.child for edge in every}:
        place_in(every, "map", frame)
    truth = place_in(every, "map", "world") * robot.frame.pose()
    way = slam * start.inverse() * robot.frame.pose()
    assert truth.position == pytest.approx(way.position, abs=1e-12)
    base = place_in(every, "map", "base_link")
    assert base.position == pytest.approx(way.position, abs=0.02)  # wheels slip
    foot = place_in(ours, "base_link", "base_footprint").position
    assert foot == pytest.approx((0.0, 0.0, -start.position[2]), abs=0.01)  # on the ground
    reduced = BridgeParams(robots={"robot1": RobotTopics(layout="nav2", publish_tf="odom")})
    static, moving = edges(sim, {"robot1": RobotNames(robot, "robot1", reduced).frames})
    assert {("base_link", "base_footprint"), ("odom", "base_link")} < {
        (edge.parent, edge.child) for edge in (*static, *moving)
    }


@pytest.mark.parametrize(
    ("root", "above"), [("world", {"world"}), ("map", {"world", "map"}), ("none", set())]
)
def test_what_stands_above_odom_is_what_root_frame_says(sim: Simulation, root: str, above: set[str]) -> None:
    static, moving = tree_of(sim, root_frame=root)
    parents = {edge.child: edge.parent for edge in (*static, *moving)}
    found, frame = set(), "robot1/odom"
    while frame in parents:
        found.add(frame := parents[frame])
    assert found == above
    if root == "map":  # the world itself, so that a map drawn of it fits
        assert place_in(static, "world", "map") == Pose()
        assert place_in(static, "map", "robot1/odom") == sim.robot("robot1").state.start


@pytest.mark.parametrize(
    ("published", "expected"), [("odom", {"robot1/odom", "robot1/base_link"}), ("none", set())]
)
def test_others_may_publish_what_is_below_or_all(sim: Simulation, published: str, expected: set[str]) -> None:
    static, moving = tree_of(sim, publish_tf=published)
    assert {edge.child for edge in (*static, *moving) if edge.child.startswith("robot1")} == expected


def test_names_of_frames_can_be_chosen(sim: Simulation) -> None:
    static, moving = tree_of(sim, frame_prefix="a/", odom_frame="reckoned", base_frame="body")
    names = {edge.child for edge in (*static, *moving)}
    assert {"a/reckoned", "a/body", "a/ds", "old/odom"} <= names
    assert not any(name.startswith("robot1") for name in names)
