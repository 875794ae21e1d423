"""Soccer with a referee. Arguments: those of simulation.launch.py but `world`."""

from ament_index_python.packages import get_package_share_path
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description() -> LaunchDescription:
    share = get_package_share_path("odesim")
    source = PythonLaunchDescriptionSource(str(share / "launch" / "simulation.launch.py"))
    world = str(share / "worlds" / "soccer.wbt")
    return LaunchDescription([IncludeLaunchDescription(source, launch_arguments={"world": world}.items())])
