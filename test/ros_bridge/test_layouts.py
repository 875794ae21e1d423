"""The settings for RViz and the layout for Foxglove name topics of shipped worlds, of types they show."""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ros_bridge.interface.interface import describe
from ros_bridge.parameters.bridge_params import BridgeParams
from sim_core import load_world
from sim_core.base.shipped import find_world

CONFIG = Path(__file__).resolve().parents[2] / "config"
WORLDS = ("wall_avoiders", "devices/range_finder", "devices/lidar")
GOAL = "/robot/goal_pose"
RVIZ = {
    "Image": "sensor_msgs/msg/Image",
    "LaserScan": "sensor_msgs/msg/LaserScan",
    "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "Odometry": "nav_msgs/msg/Odometry",
    "PointCloud2": "sensor_msgs/msg/PointCloud2",
    "Range": "sensor_msgs/msg/Range",
}
SHOWN_IN_3D = {RVIZ[kind] for kind in ("LaserScan", "MarkerArray", "PointCloud2")}


@pytest.fixture(scope="module")
def topics() -> dict[str, Any]:
    """What the worlds have, by the name of the topic."""
    found: dict[str, Any] = {}
    for world in WORLDS:
        sim = load_world(find_world(world))
        found |= {info.name: info for info in describe(sim, BridgeParams())}
        sim.close()
    return found


@pytest.fixture
def layout() -> dict[str, Any]:
    return json.loads((CONFIG / "odesim_foxglove.json").read_text(encoding="utf-8"))


def panels(part: Any) -> Iterator[str]:
    """The panels in a tree of splits."""
    if isinstance(part, str):
        yield part
        return
    assert part["direction"] in ("row", "column") and 0 < part["splitPercentage"] < 100
    yield from panels(part["first"])
    yield from panels(part["second"])


def test_the_layout_places_each_panel_once(layout: dict[str, Any]) -> None:
    placed = list(panels(layout["layout"]))
    assert sorted(placed) == sorted(layout["configById"])
    assert {name.split("!")[0] for name in placed} >= {"3D", "Image", "Plot", "Teleop", "RosOut"}


def test_the_layout_shows_topics_that_there_are(layout: dict[str, Any], topics: dict[str, Any]) -> None:
    config = layout["configById"]
    world = config["3D!world"]
    assert {topics[name].type for name in world["topics"]} <= SHOWN_IN_3D
    assert all(each["visible"] for each in world["topics"].values())
    assert world["publish"]["poseTopic"] == GOAL
    image = config["Image!camera"]["imageMode"]
    assert topics[image["imageTopic"]].type == "sensor_msgs/msg/Image"
    assert topics[image["calibrationTopic"]].type == "sensor_msgs/msg/CameraInfo"
    teleop = config["Teleop!drive"]
    drive = topics[teleop["topic"]]
    assert "geometry_msgs/msg/Twist" in drive.type.split(" or ") and drive.direction == "subscribe"
    status = config["DiagnosticSummary!status"]["topicToRender"]
    assert topics[status].type == "diagnostic_msgs/msg/DiagnosticArray"


def test_the_layout_plots_numbers_that_there_are(layout: dict[str, Any], topics: dict[str, Any]) -> None:
    plots = [each for name, each in layout["configById"].items() if name.startswith("Plot!")]
    for path in (path for plot in plots for path in plot["paths"]):
        topic, *fields = path["value"].split(".")
        package, folder, name = topics[topic].type.split("/")
        value: Any = getattr(importlib.import_module(f"{package}.{folder}"), name)()
        for field in fields:
            value = getattr(value, field)
        assert isinstance(value, float) and path["enabled"]


def test_rviz_shows_topics_that_there_are(topics: dict[str, Any]) -> None:
    settings = yaml.safe_load((CONFIG / "odesim.rviz").read_text(encoding="utf-8"))
    shown = {
        display["Topic"]["Value"]: display["Class"].removeprefix("rviz_default_plugins/")
        for display in settings["Visualization Manager"]["Displays"]
        if "Topic" in display
    }
    assert {name: topics[name].type for name in shown} == {name: RVIZ[kind] for name, kind in shown.items()}
    tools = settings["Visualization Manager"]["Tools"]
    assert [tool["Topic"]["Value"] for tool in tools if "Topic" in tool] == [GOAL]
    assert settings["Visualization Manager"]["Global Options"]["Fixed Frame"] == "world"


def test_the_goal_goes_to_the_robot_of_go_to_pose() -> None:
    robots = load_world(find_world("go_to_pose")).robots
    assert [f"/{name}/goal_pose" for name in robots] == [GOAL]
