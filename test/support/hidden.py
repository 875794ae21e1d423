"""Environments in which some packages cannot be imported, though they are installed."""

from __future__ import annotations

import os
from pathlib import Path

ODE = ("ode",)
ROS = ("rclpy", "ament_index_python", "launch", "launch_ros", "*_msgs", "*_srvs", "*_interfaces")
FINDER = """
import sys
from fnmatch import fnmatch
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        top = name.partition(".")[0]
        return None if any(fnmatch(top, each) for each in HIDDEN) else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
"""


def hidden(folder: Path, *names: str) -> dict[str, str]:
    """Variables of an environment in whose Python nothing of these names is found.

    Args:
        folder: gets the module that Python imports when it starts.
        names: of modules; * stands for anything.
    """
    (folder / "sitecustomize.py").write_text(f"HIDDEN = {names!r}\n{FINDER}", encoding="utf-8")
    paths = filter(None, (str(folder), os.environ.get("PYTHONPATH")))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
