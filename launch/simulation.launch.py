"""Starts one world: the simulation node, and with it the viewer, RViz or a recording where asked for.

The simulation itself starts the controllers that the world names, each in its robot's namespace. When the
simulation ends, so does the launch.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_share_directory,
    get_package_share_path,
)
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from ros_bridge.topics.names import VIEWS

RECORDER = ("ros2bag", "rosbag2_transport")
"""Packages that ros2 bag records with: its command and what does it."""
RECORDER_NODE = "rosbag2_recorder"


def generate_launch_description() -> LaunchDescription:
    return describe("wall_avoiders")


def describe(world: str) -> LaunchDescription:
    """The arguments and what they start; `world` is what is started where the argument is not given."""
    return LaunchDescription(
        [
            argument(
                "world",
                "World: a file (.wbt, .x3d), or the name of one that comes with odesim",
                default=world,
            ),
            argument("from", "Snapshot file to go on from, in place of a world"),
            argument(
                "mode",
                "realtime keeps to `speed`, fast never waits, paused waits for ~/resume, ~/step; "
                "fast2d: differential robots in a plane in place of ODE, in realtime; "
                "empty: as the parameter files say, else realtime",
                choices=["", "realtime", "fast", "paused", "fast2d"],
            ),
            argument(
                "speed",
                "Simulated seconds per second of wall time, in the mode realtime; "
                "empty: as the parameter files say, else 1.0",
            ),
            argument("seed", "Seed of every random number, an integer; empty for the world's own"),
            argument(
                "layout",
                "Names of the topics and frames of robots; empty: as the parameter files say",
                choices=["", "odesim", "nav2", "webots_ros2", "gazebo"],
            ),
            argument("bridge", "YAML of ros_gz_bridge, whose ROS names topics then have; empty: none"),
            argument("params", "ROS 2 parameter files, separated by commas; a later one wins"),
            argument(
                "urdf",
                "URDF or xacro files of robots to put into the world, separated by semicolons; "
                "each FILE, FILE@x,y,z,yaw or FILE@ROBOT, behind it values for xacro: NAME:=VALUE",
            ),
            switch("controllers", "Whether the controllers that the world names are started", default="true"),
            switch(
                "allow_imported_controllers",
                "Whether what comes while the world runs may start controllers and plug-ins",
            ),
            switch("trust", "Whether a world that came from elsewhere may start its controllers and plug-in"),
            argument(
                "controller_port",
                "TCP port of this machine at which controllers in any language may connect; "
                "0: any that is free; empty: at none",
            ),
            switch("download", "Whether the network is asked for missing files of the world"),
            switch("strict", "Whether a world with mistakes, or with missing PROTO files, is refused"),
            switch("viewer", "Whether the world is shown to browsers, at http://127.0.0.1:8080"),
            switch("rviz", "Whether RViz is opened on the world"),
            switch(
                "foxglove",
                "Whether foxglove_bridge, else odesim view --foxglove, is started: ws://127.0.0.1:8765",
            ),
            argument(
                "record",
                "Folder of a bag of all topics and commands, must not exist, which odesim replay repeats; "
                "empty: no recording",
            ),
            switch(
                "rosbag2",
                "Whether ros2 bag makes it, of what reaches it: the simulation waits for it at the start",
            ),
            argument(
                "reset",
                "Sim time after a reset: to_zero, or keep_clock: it goes on, for stacks that cannot follow "
                "it back; empty: as the parameter files say, else to_zero",
                choices=["", "to_zero", "keep_clock"],
            ),
            argument("duration", "Simulated seconds after which the simulation ends; empty for no end"),
            argument(
                "namespace", "Namespace of the simulation, its robots and their controllers; empty: none"
            ),
            switch(
                "use_sim_time",
                "Whether RViz and foxglove_bridge go by /clock, which the simulation makes",
                default="true",
            ),
            argument(
                "log_level",
                "From which severity on nodes log",
                default="info",
                choices=["debug", "info", "warn", "error", "fatal"],
            ),
            OpaqueFunction(function=start),
        ]
    )


def argument(
    name: str, description: str, default: str = "", choices: list[str] | None = None
) -> DeclareLaunchArgument:
    """A launch argument; `choices`: all that it may be, None: anything."""
    return DeclareLaunchArgument(name, default_value=default, choices=choices, description=description)


def switch(name: str, description: str, default: str = "false") -> DeclareLaunchArgument:
    """A launch argument that is true or false."""
    return argument(name, description, default, ["true", "false"])


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The processes that the launch arguments ask for."""

    def value(name: str) -> str:
        return LaunchConfiguration(name).perform(context).strip()

    processes: list[LaunchDescriptionEntity] = []
    if value("record") and value("rosbag2") == "true":
        processes.append(recorder(value("record")))
    if value("viewer") == "true":
        processes.append(viewer(value))
    if value("rviz") == "true":
        processes.append(rviz(value))
    if value("foxglove") == "true":
        processes.append(foxglove(value))
    return [*processes, simulation(value)]


def simulation(value: Callable[[str], str]) -> Node:
    """The simulation node: `odesim run` with the arguments that were given."""
    start = ["--from", value("from")] if value("from") else [find_world(value("world"))]
    arguments = ["run", *start]
    for option in ("mode", "speed", "seed", "layout", "bridge", "duration", "controller_port"):
        if value(option):
            arguments += [f"--{option.replace('_', '-')}", value(option)]
    for file in filter(None, value("params").split(",")):
        arguments += ["--params", file.strip()]
    for file in filter(None, value("urdf").split(";")):
        arguments += ["--urdf", file.strip()]
    if value("controllers") == "false":
        arguments.append("--no-controllers")
    for option in ("allow_imported_controllers", "trust", "download", "strict"):
        if value(option) == "true":
            arguments.append(f"--{option.replace('_', '-')}")
    ros_arguments = ["--log-level", value("log_level")]
    if value("reset"):
        ros_arguments += ["-p", f"reset:={value('reset')}"]
    if value("record") and uses_rosbag2(value):
        ros_arguments += ["-p", f"wait_for_node:={RECORDER_NODE}"]
    elif value("record"):
        arguments += ["--record", value("record")]
    return Node(
        package="odesim",
        executable="sim",
        namespace=value("namespace") or None,
        arguments=arguments,
        ros_arguments=ros_arguments,
        output="screen",
        emulate_tty=True,
        on_exit=Shutdown(reason="the simulation has ended"),
    )


def find_world(world: str) -> str:
    """The file of a shipped world given by its name; anything else as it is, for the simulation to judge."""
    shipped = get_package_share_path("odesim") / "worlds" / f"{world}.wbt"
    return str(shipped) if "/" not in world and not Path(world).exists() and shipped.exists() else world


def is_installed(*packages: str) -> bool:
    """Whether all these ROS packages are there."""
    try:
        for package in packages:
            get_package_share_directory(package)
    except (PackageNotFoundError, ValueError):
        return False
    return True


def uses_rosbag2(value: Callable[[str], str]) -> bool:
    """Whether ros2 bag records."""
    return value("rosbag2") == "true" and is_installed(*RECORDER)


def recorder(folder: str) -> LaunchDescriptionEntity:
    """`ros2 bag record` of all topics but views, or a line that says it is not there.

    A recording that fails ends the launch, since it was asked for.
    """
    if not is_installed(*RECORDER):
        needed = " and ".join(RECORDER)
        return LogInfo(msg=f"rosbag2:=true needs {needed}, not installed: the simulation records")
    what = ["--all-topics", "--exclude-regex", VIEWS, "--node-name", RECORDER_NODE]
    return ExecuteProcess(
        cmd=["ros2", "bag", "record", *what, "-o", folder],
        output="screen",
        on_exit=Shutdown(reason="the recording has ended"),
    )


def viewer(value: Callable[[str], str], *options: str) -> Node:
    """The browser viewer: `odesim view`."""
    return Node(
        package="odesim",
        executable="sim",
        namespace=value("namespace") or None,
        arguments=["view", "--exit-with-simulation", *options],
        ros_arguments=["--log-level", value("log_level")],
        output="screen",
        emulate_tty=True,
    )


def rviz(value: Callable[[str], str]) -> LaunchDescriptionEntity:
    """RViz with the settings that come with odesim, or a line that says it is not there."""
    if not is_installed("rviz2"):
        return LogInfo(msg="rviz:=true needs the ROS package rviz2, which is not installed")
    settings = get_package_share_path("odesim") / "config" / "odesim.rviz"
    return Node(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", str(settings)],
        ros_arguments=["--log-level", value("log_level")],
        parameters=[{"use_sim_time": value("use_sim_time") == "true"}],
    )


def foxglove(value: Callable[[str], str]) -> LaunchDescriptionEntity:
    """What Foxglove connects to, on this machine alone, or a line that says it is not there."""
    if not is_installed("foxglove_bridge"):
        if find_spec("foxglove") is not None:
            return viewer(value, "--foxglove")
        needed = "the ROS package foxglove_bridge or the Python package foxglove-sdk"
        return LogInfo(msg=f"foxglove:=true needs {needed}, and neither is installed")
    return Node(
        package="foxglove_bridge",
        executable="foxglove_bridge",
        ros_arguments=["--log-level", value("log_level")],
        parameters=[{"use_sim_time": value("use_sim_time") == "true", "address": "127.0.0.1"}],
    )
