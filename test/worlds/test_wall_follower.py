"""The robot on its course for a good lap, driven in this process by the controller's own rules."""

import math

import pytest

from ros_bridge.controllers.wall_follower import decide
from sim_core import SimulationConfig, load_world
from sim_core.base.geometry import Pose, Vec3, rotate_back, subtract
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

PERIOD, DURATION = 0.2, 125.0
CORNERS = [
    (-9.0, -9.0),
    (-9.0, -1.0),
    (1.0, 9.0),
    (9.0, 9.0),
    (7.5, 0.0),
    (9.0, -9.0),
    (0.0, -5.0),
    (-9.0, -9.0),
]
"""m; corners of the course as the wall on the left leads through them, and round the pillar; then again."""


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return load_world(shipped_worlds()["wall_follower"], SimulationConfig(sampling_period=PERIOD))


@pytest.fixture(scope="module")
def track(simulation: Simulation) -> list[Vec3]:
    robot = simulation.robot("robot2")
    found = []
    while simulation.time < DURATION:
        simulation.run(PERIOD)
        left, right = decide(robot["ds_front"].value, robot["ds_left"].value)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        found.append(robot["gps"].value)
    return found


def distance(solid: Node, place: Vec3) -> float:
    """m along the floor from a place to a wall, the block or the pillar."""
    shape = solid["boundingObject"]
    at = Pose.from_axis_angle(solid["translation"], solid["rotation"])
    x, y, _ = rotate_back(at.rotation, subtract(place, at.position))
    if shape.type_name == "Cylinder":
        return max(0.0, math.hypot(x, y) - shape["radius"])
    size = shape["size"]
    return math.hypot(max(0.0, abs(x) - size[0] / 2), max(0.0, abs(y) - size[1] / 2))


def obstacles(simulation: Simulation) -> list[Node]:
    return [node for node in simulation.scene.nodes if node.type_name == "Solid" and node["name"] != "floor"]


def test_the_robot_is_in_lock_step_with_its_controller(simulation: Simulation) -> None:
    robot = simulation.robot("robot2")
    assert robot.synchronized and robot.controller == "wall_follower"
    assert robot.control_period_ns == 200_000_000


def test_it_goes_round_the_course_corner_by_corner(track: list[Vec3]) -> None:
    ahead = iter(track)
    for corner in CORNERS:
        assert any(math.dist(place[:2], corner) < 1.2 for place in ahead), f"it does not come by {corner}"


def test_it_stays_near_the_walls_and_touches_none(track: list[Vec3], simulation: Simulation) -> None:
    walls = obstacles(simulation)
    assert len(walls) == 9
    gaps = [min(distance(wall, place) for wall in walls) for place in track]
    assert min(gaps) > 0.4, "nearer than the radius of the hull"
    assert max(gaps) < 2.5, "further than it can see"


def test_it_stays_upright_on_the_floor(track: list[Vec3]) -> None:
    assert all(place[2] == pytest.approx(0.22, abs=0.01) for place in track)
