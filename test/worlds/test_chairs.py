"""The chairs are as their fields say, stand still on their legs, and the cart goes round among them."""

import math

import pytest

from ros_bridge.controllers.swarm import SENSORS, decide
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

PERIOD = 0.096


@pytest.fixture
def simulation() -> Simulation:
    return load_world(shipped_worlds()["chairs"], SimulationConfig(sampling_period=PERIOD))


def chairs(simulation: Simulation) -> dict[str, Node]:
    names = ("chair 1", "chair 2", "chair 3", "stool", "low chair")
    found = {node["name"]: node for node in simulation.scene.walk() if node.type_name == "Solid"}
    return {name: found[name] for name in names}


def colours(chair: Node) -> set[tuple[float, ...]]:
    looks = [node for node in chair.walk() if node.type_name == "PBRAppearance"]
    return {tuple(look["baseColor"]) for look in looks}


def test_each_chair_has_the_two_colours_and_the_parts_that_it_asks_for(simulation: Simulation) -> None:
    dark = (0.25, 0.25, 0.25)
    wanted = {
        "chair 1": (dark, (0.8, 0.15, 0.1), 3),
        "chair 2": (dark, (0.9, 0.75, 0.1), 3),
        "chair 3": (dark, (0.1, 0.35, 0.75), 3),
        "stool": (dark, (0.2, 0.6, 0.3), 0),
        "low chair": ((0.5, 0.3, 0.15), (0.85, 0.85, 0.8), 5),
    }
    for name, chair in chairs(simulation).items():
        frame, seat, slats = wanted[name]
        assert colours(chair) == {frame, seat}
        shapes = [node for node in chair["children"] if node.type_name == "Pose"]
        assert len(shapes) == 1 + 4 + slats
    assert [simulation.supervisor.pose(chairs(simulation)[f"chair {k}"]).position[1] for k in (1, 2, 3)] == (
        pytest.approx([1.2, 0.0, -1.2])
    )


def test_the_chairs_stand_still(simulation: Simulation) -> None:
    before = {name: simulation.supervisor.pose(chair) for name, chair in chairs(simulation).items()}
    simulation.run(5.0)
    for name, chair in chairs(simulation).items():
        pose = simulation.supervisor.pose(chair)
        assert math.dist(pose.position, before[name].position) < 0.001
        assert pose.rotation == pytest.approx(before[name].rotation, abs=0.001)


def test_the_cart_comes_round_and_upsets_none(simulation: Simulation) -> None:
    robot, places = simulation.robot("r1"), set()
    while simulation.time < 100.0:
        simulation.run(PERIOD)
        left, right = decide(*(robot[sensor].value for sensor in SENSORS))
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        x, y, z = robot.frame.pose().position
        assert max(abs(x), abs(y)) < 3.0 - 0.05
        assert z == pytest.approx(0.0, abs=0.005)
        places.add((x > 0.0, y > 0.0))
    assert len(places) == 4, "all quarters of the room"
    for chair in chairs(simulation).values():
        assert simulation.supervisor.pose(chair).rotation[8] == pytest.approx(1.0, abs=0.001)  # upright
