"""A robot that finds its way through a maze. Arguments: those of simulation.launch.py."""

from pathlib import Path
from runpy import run_path

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    return run_path(str(Path(__file__).with_name("simulation.launch.py")))["describe"]("maze")
