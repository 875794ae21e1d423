"""Which ROS 2 is installed, by its rclpy: where it came as wheels, no variable names it.

The numbers are those of the packages that each distribution was released with.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

ROS_ARGS = "--ros-args"
"""Behind it on a command line stands what is for ROS."""
DISTRIBUTIONS = {3: "humble", 4: "iron", 7: "jazzy", 9: "kilted", 10: "lyrical"}
"""By the first number of rclpy's version."""
NEWER = "rolling"
FAST_DDS_2 = ("humble", "iron", "jazzy")
"""The others have Fast DDS 3."""


def ros_is_installed() -> bool:
    """Whether there can be topics."""
    return find_spec("rclpy") is not None


def distribution() -> str:
    """The name of the ROS 2 distribution whose rclpy a start would import."""
    try:
        first = int(version("rclpy").partition(".")[0])
    except (PackageNotFoundError, ValueError):
        return NEWER
    return DISTRIBUTIONS.get(first, NEWER)


def has_fast_dds_2() -> bool:
    """Whether Fast DDS is of its second edition, which has other names for some things."""
    return distribution() in FAST_DDS_2
