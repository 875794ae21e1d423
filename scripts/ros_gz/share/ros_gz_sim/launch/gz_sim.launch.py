"""Takes the place of the launch file of ros_gz_sim: `gz_args` names the world that odesim runs."""

import os
import shlex
from pathlib import Path

from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

WITH_VALUE = ("-v", "--verbose", "-z", "--iterations", "--seed", "--physics-engine", "--render-engine", "-n")
"""Options of `gz sim` that a value may follow."""


def generate_launch_description() -> LaunchDescription:
    """Return the arguments of ros_gz_sim, and what they start."""
    arguments = {
        "gz_args": "",
        "gz_version": "",
        "ign_args": "",
        "debugger": "false",
        "on_exit_shutdown": "false",
    }
    declared = [DeclareLaunchArgument(name, default_value=value) for name, value in arguments.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The simulation; nothing for a window alone (`-g`)."""
    given = [LaunchConfiguration(name).perform(context) for name in ("gz_args", "ign_args")]
    words = shlex.split(given[0] or given[1])
    if "-g" in words:
        return []
    worlds = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and not (before in WITH_VALUE and word.lstrip("-").isdigit())
    ]
    arguments = ["run", find_world(worlds[-1] if worlds else "empty.sdf"), "--layout", "gazebo"]
    if "-r" not in words:
        arguments += ["--mode", "paused"]
    if "--seed" in words:
        arguments += ["--seed", words[words.index("--seed") + 1]]
    ends = LaunchConfiguration("on_exit_shutdown").perform(context).lower() in ("true", "1")
    return [
        Node(
            package="odesim",
            executable="sim",
            arguments=arguments,
            output="screen",
            on_exit=Shutdown(reason="the simulation has ended") if ends else None,
        )
    ]


def find_world(name: str) -> str:
    """The file of a world, also in folders of GZ_SIM_RESOURCE_PATH; for `empty.sdf` a floor of odesim."""
    folders = ["", *os.environ.get("GZ_SIM_RESOURCE_PATH", "").split(os.pathsep)]
    places = [Path(folder) / below / name for folder in folders for below in ("", "worlds")]
    found = next((str(place) for place in places if place.is_file()), None)
    if found is None and Path(name).name in ("empty.sdf", "empty.world", "default.sdf"):
        return str(get_package_share_path("odesim") / "worlds" / "urdf" / "floor.wbt")
    return found or name
