"""Finds out which ROS 2 is installed, by its rclpy, because with wheels no environment variable names it.

The numbers are those of the packages that each distribution was released with.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

ROS_ARGS = "--ros-args"
"""Option after which a command line contains arguments for ROS."""
DISTRIBUTIONS = {3: "humble", 4: "iron", 7: "jazzy", 9: "kilted", 10: "lyrical"}
"""Distributions by the major version of rclpy."""
NEWER = "rolling"
FAST_DDS_2 = ("humble", "iron", "jazzy")
"""Distributions with Fast DDS 2; the others have Fast DDS 3."""


def ros_is_installed() -> bool:
    """Return whether ROS 2 is installed."""
    return find_spec("rclpy") is not None


def distribution() -> str:
    """Return the name of the ROS 2 distribution to which rclpy belongs."""
    try:
        first = int(version("rclpy").partition(".")[0])
    except (PackageNotFoundError, ValueError):
        return NEWER
    return DISTRIBUTIONS.get(first, NEWER)


def has_fast_dds_2() -> bool:
    """Return whether Fast DDS has version 2, whose settings have other names."""
    return distribution() in FAST_DDS_2
