"""What people are told to type is there where they are told."""

import sys
from pathlib import Path
from typing import Any

import pytest
from rclpy.node import Node

from ros_bridge.base.command_text import activation, odesim_command, topic_command
from ros_bridge.interface.interface import build_topics
from ros_bridge.node.next_steps import next_steps
from ros_bridge.parameters.bridge_params import BridgeParams, RobotTopics
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("on_path", "beside", "view", "topics", "source"),
    [
        (("odesim", "ros2"), (), "odesim view", "ros2 topic list", ""),
        (("odesim",), (), "odesim view", "odesim topic list", ""),
        ((), ("odesim", "activate"), "odesim view", "odesim topic list", ", after `source bin/activate`"),
        (
            ("ros2",),
            ("odesim", "activate"),
            "odesim view",
            "ros2 topic list",
            ", after `source bin/activate`",
        ),
        (("ros2",), ("activate",), "ros2 run odesim sim view", "ros2 topic list", ""),
    ],
    ids=["colcon", "wheel", "checkout", "checkout beside ROS", "ROS without it on the path"],
)
def test_commands_are_spelled_as_they_are_found(
    on_path: tuple[str, ...],
    beside: tuple[str, ...],
    view: str,
    topics: str,
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for folder, names in (("elsewhere", on_path), ("bin", beside)):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.chdir(tmp_path)
    assert (odesim_command("view"), topic_command("list"), activation()) == (view, topics, source)


@pytest.mark.parametrize(
    ("space", "params", "echo", "robot"),
    [
        ("/", BridgeParams(), "/turtlebot3/LDS_01", "turtlebot3"),
        ("/lab", BridgeParams(), "/lab/turtlebot3/LDS_01", "lab/turtlebot3"),
        (
            "/lab",
            BridgeParams(robots={"turtlebot3": RobotTopics(namespace="a/b")}),
            "/lab/a/b/LDS_01",
            "lab/a/b",
        ),
        ("/", BridgeParams(layout="nav2"), "/scan", "/"),
    ],
)
def test_a_run_proposes_topics_and_robots_by_their_whole_names(
    space: str, params: BridgeParams, echo: str, robot: str, client: Any
) -> None:
    sim = Simulation(load_scene(ROOT / "worlds" / "office.wbt"))
    topics = build_topics(sim, params, lambda *_: None, lambda _: None, set())
    node = Node("odesim", namespace=space, context=client.context)
    told = dict(next_steps(sim, topics, False, node))
    assert told["read a sensor"].endswith(f" echo {echo}")
    (driven,) = (command for what, command in told.items() if what.startswith(f"drive {robot} by keys"))
    assert driven.endswith(f" teleop {robot}")
    watched = told["watch and edit it in a browser"]
    assert watched.endswith(" view" if space == "/" else f" view --ros-args -r __ns:={space}")
