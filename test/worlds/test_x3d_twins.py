"""The X3D scenes of the thesis and their `.wbt` twins: the robots go the same way under the same rules."""

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ros_bridge.controllers import wall_avoider, wall_follower
from sim_core import SimulationConfig
from sim_core.base.geometry import Pose
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

PERIOD, SECONDS = 0.2, 30.0
OURS = re.compile(r' (controller|synchronization|centerOfMass|density)="[^"]*"|<WorldInfo[^>]*>')
"""What the listings do not state."""
Law = Callable[[Robot], tuple[float, float]]


def avoid(robot: Robot) -> tuple[float, float]:
    return wall_avoider.decide(*(robot[name].value for name in ("ds_front", "ds_left", "ds_right")))


def follow(robot: Robot) -> tuple[float, float]:
    return wall_follower.decide(*(robot[name].value for name in ("ds_front", "ds_left")))


def track(world: str, name: str, law: Law) -> list[Pose]:
    """Poses of a robot five times a second, with no other robot in its world."""
    scene = load_scene(find_world(world))
    scene.nodes = [node for node in scene.nodes if not node.is_a("Robot") or node["name"] == name]
    sim = Simulation(scene, SimulationConfig(sampling_period=PERIOD, contacts="stiff"))
    robot, poses = sim.robot(name), []
    while sim.time < SECONDS:
        sim.run(PERIOD)
        left, right = law(robot)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        poses.append(robot.frame.pose())
    return poses


@pytest.mark.parametrize(
    ("world", "name", "law"), [("wall_avoiders", "robot1", avoid), ("wall_follower", "robot2", follow)]
)
def test_twins_go_the_same_way(world: str, name: str, law: Law) -> None:
    pairs = list(zip(track(world, name, law), track(f"x3d/{world}", name, law), strict=True))
    way = sum(math.dist(a[0].position, b[0].position) for a, b in itertools.pairwise(pairs))
    assert way > 10.0
    for wbt, x3d in pairs:
        assert math.dist(wbt.position, x3d.position) < 0.01
        assert wbt.rotation == pytest.approx(x3d.rotation, abs=0.02)


@pytest.mark.parametrize(
    ("world", "name", "law"), [("wall_avoiders", "robot1", avoid), ("wall_follower", "robot2", follow)]
)
def test_the_listings_run_without_attributes_of_ours(world: str, name: str, law: Law, tmp_path: Path) -> None:
    """As somebody types them out of the thesis."""
    listing = tmp_path / f"{world}.x3d"
    text = find_world(f"x3d/{world}").read_text(encoding="utf-8")
    listing.write_text(OURS.sub("", text), encoding="utf-8")
    poses = track(str(listing), name, law)
    assert sum(math.dist(a.position, b.position) for a, b in itertools.pairwise(poses)) > 5.0
    for pose in poses:
        assert max(map(abs, pose.position[:2])) < 10.0 and pose.rotation[8] > 0.9


def test_twins_have_the_same_wheels() -> None:
    for world, name in (("wall_avoiders", "robot1"), ("wall_follower", "robot2")):
        files = (world, f"x3d/{world}")
        wbt, x3d = (Simulation(load_scene(find_world(file))).robot(name).drive for file in files)
        assert wbt is not None and x3d is not None
        assert x3d.wheel_radius == pytest.approx(wbt.wheel_radius)
        assert x3d.wheel_separation == pytest.approx(wbt.wheel_separation)
