"""Layouts, as data: naming conventions of robots on ROS, for what a robot's own parameters do not set.

`odesim` separates robots by their names. `nav2` uses the names that Nav2, slam_toolbox and the teleoperation
tools of ROS expect for a single robot. `webots_ros2` uses the names of that package: devices below the
robot's name, frames named as the devices, and the topics of its ros2_control at the root. `gazebo` uses the
names of gz-sim's topics, as known to ros_gz_bridge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

ROBOT, DEVICE = "{robot}", "{device}"
"""Placeholders for the ROS names of robot and device."""
NO_ROOT = "none"
ROOTS = ("world", "map", NO_ROOT)
TF_PARTS = ("all", "odom", "none")


class Base(NamedTuple):
    """Base name of the topics of devices of one type, below the robot's namespace."""

    first: str
    """For the robot's first device of that type."""
    others: str


@dataclass(frozen=True)
class Layout:
    """Names of one robot, its devices and their frames.

    Attributes:
        namespace: of the robot's topics; empty: none.
        device: base name of a device's topics, below the namespace.
        frame_prefix: before each name of a frame.
        odom_frame, base_frame: without the prefix.
        footprint_frame: on the ground below the base, without the prefix; empty: none.
        root_frame: root of the frame tree, one of `ROOTS`.
        topics: replacements for the robot's topics.
        bases: replacements of `device` by node type.
        suffixes: replacements for a device's topics, by node type and name.
        device_frames: node types and topics whose header has the frame of the device itself.
        scan_from: rad, the angle at which scans of a full circle start; None: as the lidar's, at -π.
        as_webots_ros2: whether devices use message types of webots_ros2_msgs, if it is installed.
        radians: whether bearings are in radians, as in REP-103, instead of degrees.
    """

    namespace: str = ROBOT
    device: str = DEVICE
    frame_prefix: str = f"{ROBOT}/"
    odom_frame: str = "odom"
    base_frame: str = "base_link"
    footprint_frame: str = ""
    root_frame: str = "world"
    topics: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, Base] = field(default_factory=dict)
    suffixes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    device_frames: frozenset[tuple[str, str]] = frozenset()
    as_webots_ros2: bool = False
    radians: bool = False
    scan_from: float | None = None


_JOINT = Base(f"joint/{DEVICE}", f"joint/{DEVICE}")
_OF_MOTORS = {"velocity": "cmd_vel", "position": "n0/cmd_pos", "effort": "cmd_force"}

LAYOUTS = {
    "odesim": Layout(),
    "nav2": Layout(
        namespace="",
        frame_prefix="",
        footprint_frame="base_footprint",
        root_frame=NO_ROOT,
        topics={"imu": "imu/data", "battery": "battery_state"},
        bases={
            "Lidar": Base("scan", f"{DEVICE}/scan"),
            "Camera": Base("camera", DEVICE),
            "RangeFinder": Base("camera/depth", f"{DEVICE}/depth"),
        },
        suffixes={
            ("Lidar", "point_cloud"): "points",
            ("Camera", "image_color"): "image_raw",
            ("Camera", "image_color/compressed"): "image_raw/compressed",
            ("RangeFinder", "image"): "image_raw",
            ("RangeFinder", "point_cloud"): "points",
        },
        radians=True,
        scan_from=0.0,
    ),
    "webots_ros2": Layout(
        namespace="",
        device=f"{ROBOT}/{DEVICE}",
        frame_prefix="",
        root_frame=NO_ROOT,
        as_webots_ros2=True,
        device_frames=frozenset(
            {
                ("GPS", ""),
                ("Camera", "image_color"),
                ("Camera", "image_color/compressed"),
                ("Camera", "camera_info"),
                ("Camera", "recognitions"),
                ("Camera", "recognitions/webots"),
                ("RangeFinder", "image"),
                ("RangeFinder", "camera_info"),
            }
        ),
    ),
    "gazebo": Layout(
        namespace=f"model/{ROBOT}",
        topics={"odom": "odometry"},
        bases={"RotationalMotor": _JOINT, "LinearMotor": _JOINT},
        suffixes={
            (kind, name): topic
            for kind in ("RotationalMotor", "LinearMotor")
            for name, topic in _OF_MOTORS.items()
        },
    ),
}
"""Layouts by the value of the parameter `layout`; the first is the default."""
