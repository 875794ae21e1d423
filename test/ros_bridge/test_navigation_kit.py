"""The parameter files for navigation stacks, and the map that comes with them.

Nav2 and slam_toolbox are no wheels. What their nodes declare stands in
`test/support/navigation_parameters.json`, read from their sources, so that a name that nobody declares,
which ROS ignores without a word, fails here.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from ros_bridge.cli.world_info import build
from ros_bridge.interface.interface import describe
from ros_bridge.topics.layouts import LAYOUTS
from sim_core.base.shipped import find_world, share_dir
from sim_core.recording.occupancy_map import occupancy_map
from sim_core.scene import load_scene
from sim_core.session.load_world import load_world

KIT = share_dir() / "config" / "navigation"
DECLARED: dict[str, dict[str, str]] = {
    name: row
    for name, row in json.loads(
        (Path(__file__).parents[1] / "support" / "navigation_parameters.json").read_text()
    ).items()
    if name != "about"
}
KINDS: dict[str, type] = {"bool": bool, "int": int, "double": float, "string": str, "strings": list}
LIDAR_HEIGHT = 0.172
"""m; of the TurtleBot3 Burger's."""
PLUGINS = ("planner_plugins", "controller_plugins", "progress_checker_plugins", "goal_checker_plugins")
PLUGINS += ("behavior_plugins", "plugins", "navigators")

Problem = tuple[str, str]


def problems(where: str, given: dict[str, Any], declared: dict[str, str]) -> Iterator[Problem]:
    """What of a node's or a plug-in's parameters it does not declare, or as another type."""
    named = [name for key in PLUGINS if key in given for name in given[key]]
    sources = str(given.get("observation_sources", "")).split()
    for name, value in given.items():
        at = f"{where}.{name}"
        if isinstance(value, dict) and name in named:
            plugin = value.get("plugin", "")
            if plugin not in DECLARED:
                yield at, f"no plug-in {plugin}"
            else:
                yield from problems(at, {k: v for k, v in value.items() if k != "plugin"}, DECLARED[plugin])
        elif isinstance(value, dict):
            own = "<source>" if name in sources else name
            fields = {
                key.removeprefix(f"{own}."): k for key, k in declared.items() if key.startswith(f"{own}.")
            }
            yield from problems(at, value, fields)
        elif name not in declared:
            yield at, "not declared"
        elif declared[name] != "any" and type(value) is not KINDS[declared[name]]:
            yield at, f"found {value!r}, declared as {declared[name]}"
    for name in {*named, *sources} - set(given):
        yield f"{where}.{name}", "named, but not there"


def checked(nodes: dict[str, Any]) -> list[Problem]:
    found: list[Problem] = []
    for node, given in nodes.items():
        inner = given[node] if node in ("local_costmap", "global_costmap") else given
        assert list(inner) == ["ros__parameters"], node
        kind = "costmap" if node.endswith("_costmap") else node
        found += problems(node, inner["ros__parameters"], DECLARED[kind])
    return found


def read(name: str) -> dict[str, Any]:
    return yaml.safe_load((KIT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", ["nav2.yaml", "slam_toolbox.yaml"])
def test_every_parameter_is_declared_by_its_node_and_of_its_type(file: str) -> None:
    """ROS has no number that is both: an integer for a double ends the node."""
    assert checked(read(file)) == []


def test_a_slip_is_found() -> None:
    nodes = read("nav2.yaml")
    nodes["amcl"]["ros__parameters"]["max_beam"] = 60
    nodes["amcl"]["ros__parameters"]["initial_pose"]["why"] = 0.0
    nodes["controller_server"]["ros__parameters"]["FollowPath"]["lookahead_dist"] = 1
    nodes["planner_server"]["ros__parameters"]["GridBased"]["plugin"] = "nav2_navfn_planner/NavfnPlanner"
    costmap = nodes["local_costmap"]["local_costmap"]["ros__parameters"]
    costmap["obstacle_layer"]["scan"]["raytrace_range"] = 3.0
    costmap["plugins"].append("static_layer")
    assert [at for at, _ in checked(nodes)] == [
        "amcl.initial_pose.why",
        "amcl.max_beam",
        "planner_server.GridBased",
        "controller_server.FollowPath.lookahead_dist",
        "local_costmap.obstacle_layer.scan.raytrace_range",
        "local_costmap.static_layer",
    ]


def test_frames_and_topics_are_those_of_the_robot() -> None:
    world = find_world("navigation")
    scene = load_scene(world)
    topics = {info.name: info for info in describe(*build(scene, world))}
    amcl, navigator = (read("nav2.yaml")[node]["ros__parameters"] for node in ("amcl", "bt_navigator"))
    slam = read("slam_toolbox.yaml")["slam_toolbox"]["ros__parameters"]
    assert topics["/scan"].type == "sensor_msgs/msg/LaserScan"
    assert {f"/{amcl['scan_topic']}", slam["scan_topic"]} == {"/scan"}
    assert topics["/odom"].frame_id == amcl["odom_frame_id"] == slam["odom_frame"]
    assert f"/{navigator['odom_topic']}" == "/odom"
    assert "/cmd_vel" in topics
    assert amcl["base_frame_id"] == slam["base_frame"] == LAYOUTS["nav2"].footprint_frame
    lidar = next(node for node in scene.walk() if node.type_name == "Lidar")
    assert amcl["laser_max_range"] == slam["max_laser_range"] == lidar["maxRange"]
    assert amcl["laser_min_range"] == lidar["minRange"]


def test_the_map_is_that_of_the_world() -> None:
    """As `odesim map navigation config/navigation/map --height 0.172` draws it."""
    about = read("map.yaml")
    text = (KIT / about["image"]).read_bytes()
    sim = load_world(find_world("navigation"))
    grid = occupancy_map(sim.physics, LIDAR_HEIGHT, about["resolution"])
    rows, columns = grid.occupied.shape
    head = b"P5\n%d %d\n255\n" % (columns, rows)
    assert text.startswith(head)
    drawn = np.frombuffer(text[len(head) :], np.uint8).reshape(rows, columns)[::-1] == 0
    assert np.array_equal(drawn, grid.occupied)
    assert about["origin"][:2] == list(grid.origin)
    (frame,) = (robot.frame for robot in sim.robots.values())
    assert math.hypot(*frame.pose().position[:2]) == 0.0  # so that AMCL's first pose is right
