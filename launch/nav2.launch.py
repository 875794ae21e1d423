"""The world `navigation` with Nav2, on a map that odesim drew, or that slam_toolbox makes as the robot goes.

Arguments: those of simulation.launch.py, and `map`, `slam`, `nav2`, `nav2_params`, `slam_params`, `robots`.
"""

from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import IncludeLaunchDescription, LogInfo, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

LOCALIZATION = {"map_server": "nav2_map_server", "amcl": "nav2_amcl"}
NAVIGATION = {
    "planner_server": "nav2_planner",
    "controller_server": "nav2_controller",
    "behavior_server": "nav2_behaviors",
    "bt_navigator": "nav2_bt_navigator",
}
"""Names of nodes, which are those of their executables too, and their packages."""
ABSOLUTE = ("/tf", "/tf_static", "/scan")
"""Topics that Nav2 and its parameter files name from the root."""


SIMULATION = run_path(str(Path(__file__).with_name("simulation.launch.py")))
argument, switch, is_installed = (SIMULATION[name] for name in ("argument", "switch", "is_installed"))


def generate_launch_description() -> LaunchDescription:
    world = SIMULATION["describe"]("navigation")
    return LaunchDescription(
        [
            argument("layout", "Names of the topics and frames of robots", default="nav2"),
            argument(
                "map",
                "Map to find the robot in: the YAML file of `odesim map`; "
                "empty: that of the world navigation",
            ),
            switch("slam", "Whether slam_toolbox makes the map, in place of a map server and AMCL"),
            switch("nav2", "Whether Nav2 drives the robot to goals", default="true"),
            argument("nav2_params", "Parameter file of AMCL and Nav2; empty: config/navigation/nav2.yaml"),
            argument(
                "slam_params",
                "Parameter file of slam_toolbox; empty: config/navigation/slam_toolbox.yaml",
            ),
            argument(
                "robots",
                "Namespaces of robots that get the same nodes each, as in tb1,tb2; "
                "empty: one robot without a namespace",
            ),
            OpaqueFunction(function=start),
            *world.entities,
        ]
    )


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The nodes beside the simulation; a line for each package that is not installed."""

    def value(name: str) -> str:
        return LaunchConfiguration(name).perform(context).strip()

    ours = get_package_share_path("odesim") / "config" / "navigation"
    started: list[LaunchDescriptionEntity] = []
    nodes = NAVIGATION if value("nav2") == "true" else {}
    if value("slam") == "true":
        started.append(slam(value("slam_params") or str(ours / "slam_toolbox.yaml")))
    else:
        nodes = LOCALIZATION | nodes
    packages = {*nodes.values(), "nav2_lifecycle_manager"} if nodes else set()
    missing = sorted(package for package in packages if not is_installed(package))
    if missing:
        return [*started, LogInfo(msg=f"Nav2 is not started: {', '.join(missing)} not installed")]
    parameters = value("nav2_params") or str(ours / "nav2.yaml")
    chosen = {"use_sim_time": True, "yaml_filename": value("map") or str(ours / "map.yaml")}
    for space in value("robots").split(",") if nodes else ():
        started += nav2(space.strip(" /"), nodes, parameters, chosen)
    return started


def nav2(
    space: str, nodes: dict[str, str], parameters: str, chosen: dict[str, Any]
) -> Iterator[LaunchDescriptionEntity]:
    """Yield the nodes of one robot.

    Args:
        space: its namespace; empty: none.
        nodes: packages by the names of their nodes.
        parameters: file of their parameters, without a namespace.
        chosen: parameters that replace those of the file.
    """
    from nav2_common.launch import RewrittenYaml

    below = RewrittenYaml(parameters, {}, root_key=space, convert_types=True) if space else parameters
    names = [(topic, f"/{space}{topic}") for topic in ABSOLUTE] if space else []
    common = {"namespace": space, "output": "screen", "remappings": names}
    for name, package in nodes.items():
        yield Node(package=package, executable=name, name=name, parameters=[below, chosen], **common)
    managed = {"use_sim_time": True, "autostart": True, "node_names": list(nodes)}
    name = "lifecycle_manager"
    yield Node(package="nav2_lifecycle_manager", executable=name, name=name, parameters=[managed], **common)


def slam(parameters: str) -> LaunchDescriptionEntity:
    """slam_toolbox's own launch file, which also activates its node."""
    if not is_installed("slam_toolbox"):
        return LogInfo(msg="slam:=true needs the ROS package slam_toolbox, which is not installed")
    file = get_package_share_path("slam_toolbox") / "launch" / "online_async_launch.py"
    arguments = {"use_sim_time": "true", "slam_params_file": parameters}
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(file)), launch_arguments=arguments.items()
    )
