"""Layouts: how a robot appears on ROS where its own parameters do not say, as data.

`odesim` keeps every robot apart by its name. `nav2` has the names that Nav2, slam_toolbox and the teleops of
ROS expect of the only robot there is. `webots_ros2` has those of that package: devices below the robot's
name, frames as the devices are called, and what its ros2_control shows at the root. `gazebo` has the names of
gz-sim's topics, which ros_gz_bridge knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

ROBOT, DEVICE = "{robot}", "{device}"
"""Stand in a layout for the names that they have on ROS."""
NO_ROOT = "none"
ROOTS = ("world", "map", NO_ROOT)
TF_PARTS = ("all", "odom", "none")


class Base(NamedTuple):
    """Where the topics of devices of one type are, below the robot's namespace."""

    first: str
    """Of the robot's first device of that type."""
    others: str


@dataclass(frozen=True)
class Layout:
    """Names of one robot, its devices and their frames.

    Attributes:
        namespace: of the robot's topics; empty: none.
        device: where the topics of a device are, below the namespace.
        frame_prefix: stands before each name of a frame.
        odom_frame, base_frame: without the prefix.
        footprint_frame: on the ground below the base, likewise; empty: there is none.
        root_frame: what the tree of frames hangs on, one of `ROOTS`.
        topics: other names for topics of the robot.
        bases: in place of `device` for devices of a type of node.
        suffixes: other names for a device's topics, by type of node and name.
        device_frames: types of nodes and topics whose header has the frame of the device itself.
        scan_from: rad, the angle at which scans of a whole circle start; None: as the lidar has it, at -π.
        as_webots_ros2: whether devices have the types of webots_ros2_msgs, where that is installed.
        radians: whether bearings are in radians, as REP-103 wants it, in place of degrees.
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
"""By the name that the parameter `layout` gives; the first is what holds without it."""
