"""Starts the world my_robot; every argument of odesim's own launch file counts: mode:=fast, viewer:=true …"""

from ament_index_python.packages import get_package_share_path
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription


def generate_launch_description() -> LaunchDescription:
    world = get_package_share_path("my_robot") / "worlds" / "my_robot.wbt"
    simulation = get_package_share_path("odesim") / "launch" / "simulation.launch.py"
    return LaunchDescription(
        [IncludeLaunchDescription(str(simulation), launch_arguments=[("world", str(world))])]
    )
