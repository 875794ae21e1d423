"""What all worlds that come with odesim have in common."""

from pathlib import Path

import numpy as np
import pytest

from ros_bridge.cli.world_check import check_file
from ros_bridge.cli.world_info import build
from ros_bridge.controllers import SHIPPED
from ros_bridge.controllers.command_player import read_commands
from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.filling import make_message
from ros_bridge.topics.names import legal_name
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.scene import Scene, load_scene, parse_scene, write_scene
from sim_core.scene.loader import world_info_of
from sim_core.scene.node import NO_SOURCE
from sim_core.session.robot import EXTERN_CONTROLLER, NO_CONTROLLER
from sim_core.session.simulation import Simulation

WORLDS = shipped_worlds()
OLD_NODES = ("differential_wheels", "servo")
"""Worlds of nodes that later releases have replaced; reading them says so."""


@pytest.fixture(scope="module", params=WORLDS.values(), ids=list(WORLDS))
def world(request: pytest.FixtureRequest) -> Path:
    """Each in turn, with all tests of it."""
    path: Path = request.param
    return path


@pytest.fixture(scope="module")
def scene(world: Path) -> Scene:
    """As its file has it; nobody changes it, and no step is made."""
    return load_scene(world)


@pytest.fixture(scope="module")
def built(world: Path, scene: Scene) -> tuple[Simulation, BridgeParams]:
    return build(scene, world)


def test_a_world_has_no_problem_and_nothing_that_is_not_simulated(world: Path) -> None:
    found = check_file(world)
    if world.stem in OLD_NODES:
        found.warnings = [line for line in found.warnings if "is an old node" not in line]
    assert (found.errors, found.warnings, dict(found.not_simulated)) == ([], [], {})
    assert found.nodes > 1


def test_the_viewpoint_looks_at_what_the_world_is_about(
    world: Path, built: tuple[Simulation, BridgeParams]
) -> None:
    """A robot, or the origin where there is none, is within the angle that a square picture shows."""
    sim, _ = built
    viewpoint = sim.physics.model.surroundings.viewpoint
    if viewpoint.source == NO_SOURCE:
        return  # the file has none
    places = [robot.frame.pose().position for robot in sim.robots.values()] or [(0.0, 0.0, 0.0)]
    into = np.array(viewpoint.pose.rotation).reshape(3, 3).T
    forward, left, up = into @ (np.array(places) - viewpoint.pose.position).T
    half = np.tan(viewpoint.field_of_view / 2.0) * forward
    assert np.any((forward > 0.0) & (np.abs(left) < half) & (np.abs(up) < half)), world


def test_a_world_that_is_read_and_written_is_the_same(world: Path, scene: Scene) -> None:
    again = parse_scene(write_scene(scene), str(world))
    assert len(again.nodes) == len(scene.nodes)
    assert world_info_of(world).equals(scene.world_info)
    assert all(a.equals(b) for a, b in zip(again.nodes, scene.nodes, strict=True))


def test_a_world_has_a_title_a_description_and_controllers_of_ours(
    world: Path, built: tuple[Simulation, BridgeParams]
) -> None:
    sim, _ = built
    assert sim.scene.world_info["title"] and sim.scene.world_info["info"]
    ours = {*SHIPPED, *(path.name for path in (share_dir() / "controllers").iterdir())}
    extern = (
        {EXTERN_CONTROLLER} if world.stem in ("swarm", "fast2d", "arena") else set()
    )  # one process drives all, or yours
    assert {robot.controller for robot in sim.robots.values()} <= {*ours, *NO_CONTROLLER, *extern}


def test_the_commands_of_a_world_can_be_carried_out(built: tuple[Simulation, BridgeParams]) -> None:
    sim, bridge = built
    known = {topic.name: topic.message_type for topic in build_topics(sim, bridge).subscriptions}
    for robot in sim.robots.values():
        if robot.controller == "command_player":
            for command in read_commands(robot.node["controllerArgs"])[0]:
                topic = command.topic
                if not topic.startswith("/"):
                    topic = f"/{legal_name(robot.name)}/{topic}"
                make_message(known[topic], command.value)


def test_each_demo_has_a_parameter_file_and_a_launch_file() -> None:
    for world in (share_dir() / "worlds").glob("*.wbt"):
        name = world.stem
        if name == "meshes":
            continue
        if name not in ("soccer", "talkers"):  # whose controllers say themselves when they look
            assert (share_dir() / "config" / f"{name}.yaml").is_file()
        assert (share_dir() / "launch" / f"{name}.launch.py").is_file()
