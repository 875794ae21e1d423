"""Parameters of the bridge (how a world appears on ROS), and the tables of all parameters of the node.

Each parameter is defined once, as a field with its rule. Those of the simulation itself are in `sim_core`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ros_bridge.topics.layouts import LAYOUTS, ROOTS, TF_PARTS, Layout
from ros_bridge.topics.names import robot_names
from ros_bridge.topics.qos import DEPTH, Qos
from sim_core.base import config
from sim_core.base.clock import LONGEST
from sim_core.base.config import SimulationConfig
from sim_core.base.settings import rules_of, setting

if TYPE_CHECKING:  # not imported at run time, because the command line uses these tables and must start fast
    from ros_bridge.parameters.bridge_file import BridgedTopic
    from ros_bridge.parameters.controllers import Controller
    from ros_bridge.parameters.fleets import Fleet

MODES = ("realtime", "fast", "paused")
KEEP_CLOCK = "keep_clock"
RECORDING = ("shot_file", "movie_file", "animation_file", "picture_size", "picture_camera")
"""Parameters for pictures and recordings made by services."""
ODOM_SLIP = 1e-5
"""m: per wheel a standard deviation of 3.2 mm after 1 m, 1 cm after 10 m."""
Default = TypeVar("Default")
_FRAME = "letters, digits and _ . - /"


def _layout(default: Default) -> Default:
    about = "names of topics and frames: those of odesim, Nav2, webots_ros2 or Gazebo"
    return setting(default, about, choices=tuple(LAYOUTS))


def _cmd_vel_timeout(default: Default) -> Default:
    about = "of sim time after the last cmd_vel at which a robot stops; 0: never"
    return setting(default, about, "s", 0.0, LONGEST)


def _own_period(what: str) -> float | None:
    about = f"of sim time between two {what}, in the mean, in place of state_period"
    return setting(None, about, "s", 0.0, LONGEST)


def _frame(about: str) -> str | None:
    return setting(None, about, form=(r"[\w./-]+", _FRAME))


def _topic(what: str) -> str | None:
    about = f"name of the topic {what}; with a leading / absolute"
    return setting(None, about, form=(r"/?[\w/]+", "a topic's name"))


def _suffix(what: str) -> str | None:
    words = "the end of a topic's name as it is to be written, such as /image_raw"
    return setting(None, f"end of the topic of {what}, as written", form=(r"[A-Za-z0-9_/]+", words))


def _given(**values: str | None) -> dict[str, str]:
    """Return the values that are set."""
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class DeviceTopics:
    """How a device appears on ROS."""

    topic: str | None = setting(
        None, "in place of the device's name in its topics; with a leading / absolute"
    )
    frame_id: str | None = setting(None, "in place of robot/device")
    angle_min: float | None = setting(
        None, "at which the scan of a whole circle starts, 0 or -π", "rad", -math.pi, math.pi
    )
    image_suffix: str | None = _suffix("pictures")
    camera_info_suffix: str | None = _suffix("the camera's model")
    point_cloud_suffix: str | None = _suffix("points")
    image_topic: str | None = _topic("of pictures")
    camera_info_topic: str | None = _topic("of the camera's model")
    point_cloud_topic: str | None = _topic("of points")
    magnetic_field_topic: str | None = _topic("of a magnetic field")
    pressure_topic: str | None = _topic("of the air pressure")
    touched_topic: str | None = _topic("of whether a bumper has touched its target")
    detach_topic: str | None = _topic("that opens a detachable joint")
    attach_topic: str | None = _topic("that closes a detachable joint")
    state_topic: str | None = _topic("of whether a detachable joint is closed")
    position_topic: str | None = _topic("of a motor's position commands")
    velocity_topic: str | None = _topic("of a motor's velocity commands")
    effort_topic: str | None = _topic("of a motor's effort commands")
    thrust_topic: str | None = _topic("of the thrust commands in N of a propeller's motor")
    thrust_constant: float | None = setting(
        None, "k of the thrust k·ω² of a propeller, for its motor", "N·s²", 0.0, above=True
    )
    image_frame: str | None = _frame("frame of pictures, in place of frame_id and _optical")
    always_on: bool = setting(False, "sampled and published without a subscriber too")
    qos: str = setting("reliable", "of the device's topics", choices=("reliable", "best_effort"))
    qos_depth: int = setting(DEPTH, "messages kept for a slow subscriber", low=1)

    @property
    def quality(self) -> Qos:
        """Quality of service of its topics."""
        return Qos(self.qos == "reliable", self.qos_depth)

    @property
    def suffixes(self) -> dict[str, str]:
        """Suffixes of topics as set, by the first part of their names in the device's list."""
        image, info, cloud = self.image_suffix, self.camera_info_suffix, self.point_cloud_suffix
        return _given(image_color=image, image=image, camera_info=info, point_cloud=cloud)

    @property
    def topics(self) -> dict[str, str]:
        """Full names of topics, likewise."""
        image, info, cloud = self.image_topic, self.camera_info_topic, self.point_cloud_topic
        pictures = _given(image_color=image, image=image, camera_info=info, point_cloud=cloud)
        position, velocity, effort = self.position_topic, self.velocity_topic, self.effort_topic
        further = _given(position=position, velocity=velocity, effort=effort, thrust=self.thrust_topic)
        measured = _given(
            magnetic_field=self.magnetic_field_topic, pressure=self.pressure_topic, touched=self.touched_topic
        )
        joint = _given(detach=self.detach_topic, attach=self.attach_topic, state=self.state_topic)
        return pictures | further | measured | joint


@dataclass(frozen=True)
class RobotTopics:
    """How a robot appears on ROS."""

    controllers: int = setting(1, "number of controllers that answer in lock-step", low=1)
    odom_slip: float = setting(
        ODOM_SLIP, "of variance per m that a wheel rolls, for odom's covariance", "m²", 0.0
    )
    cmd_vel_timeout: float | None = _cmd_vel_timeout(None)
    battery_voltage: float | None = setting(
        None, "of the battery, to tell its charge in Ah", "V", 0.0, above=True
    )
    layout: str | None = _layout(None)
    namespace: str | None = setting(
        None,
        "of its topics, in place of its name; empty: none",
        form=(r"(/?[A-Za-z]\w*(/[A-Za-z]\w*)*/?)?", "a namespace such as fleet/left, or an empty text"),
    )
    frame_prefix: str | None = setting(
        None,
        "before the names of its frames, in place of its name and a slash",
        form=(r"[\w./-]*", f"{_FRAME}, or an empty text"),
    )
    odom_frame: str | None = _frame("name of its odometry frame")
    base_frame: str | None = _frame("name of the frame of its body")
    cmd_vel_topic: str | None = _topic("cmd_vel")
    odom_topic: str | None = _topic("odom")
    joint_states_topic: str | None = _topic("joint_states")
    battery_topic: str | None = _topic("battery")
    ground_truth_topic: str | None = _topic("ground_truth")
    joint_trajectory_topic: str | None = _topic("joint_trajectory")
    trajectory_in_steps: bool = setting(
        False, "whether a point of joint_trajectory is the target at once, as in Gazebo, not on a path"
    )
    joint_states_of: tuple[str, ...] = setting((), "names of the joints on joint_states; empty: all")
    motor_speeds: tuple[str, ...] = setting((), "names of motors with a common topic of speeds, in its order")
    motor_speeds_topic: str | None = _topic("motor_speeds")
    imu_topic: str | None = _topic("imu")
    joint_states_period: float | None = _own_period("joint states")
    ground_truth_period: float | None = _own_period("ground truths")
    ground_truth_frame: str | None = _frame("frame of ground_truth, in place of world")
    imu_frame: str | None = _frame("frame of the topic imu, in place of its device's")
    publish_tf: str = setting("all", "its transforms: all, base and footprint only, none", choices=TF_PARTS)
    root_frame: str | None = setting(None, "root of its frame tree", choices=ROOTS)
    tf_topic: str | None = _topic("of its transforms, in a tree of its own, in place of /tf")
    devices: Mapping[str, DeviceTopics] = field(default_factory=dict)

    @property
    def topics(self) -> dict[str, str]:
        """Names of the robot's topics, by their names in the layout `odesim`."""
        named = _given(cmd_vel=self.cmd_vel_topic, odom=self.odom_topic, imu=self.imu_topic)
        further = _given(joint_states=self.joint_states_topic, ground_truth=self.ground_truth_topic)
        speeds = _given(motor_speeds=self.motor_speeds_topic, battery=self.battery_topic)
        return named | further | speeds | _given(joint_trajectory=self.joint_trajectory_topic)


@dataclass(frozen=True)
class BridgeParams:
    """Parameters of the bridge."""

    layout: str = _layout("odesim")
    mode: str = setting("realtime", "realtime keeps to speed, fast never waits, paused stands", choices=MODES)
    speed: float = setting(
        1.0, "simulated seconds per second of wall time in the mode realtime", low=0.0, above=True
    )
    duration: float | None = setting(
        None, "simulated seconds after which the run ends", low=0.0, above=True, high=LONGEST
    )
    clock_period: float = setting(
        0.01, "of sim time between two /clock, rounded up to whole steps", "s", 0.0, LONGEST
    )
    state_period: float = setting(
        0.02, "of sim time between joint states, odometry, ground truth, tf, rounded up", "s", 0.0, LONGEST
    )
    marker_period: float = setting(
        0.1, "of sim time between markers of moving bodies, rounded up", "s", 0.0, LONGEST
    )
    trace_file: str = setting(
        "traces.png", "written by ~/save_traces, in the current folder", endings=(".png", ".svg")
    )
    save_file: str = setting("", "written by ~/save; empty: NAME_saved.wbt beside the world's file")
    snapshot_file: str = setting(
        "", "written by ~/save_snapshot; empty: NAME.snapshot beside the world's file"
    )
    shot_file: str = setting(
        "shot.png", "written by ~/shot, in the current folder", endings=(".png", ".jpg", ".jpeg")
    )
    movie_file: str = setting(
        "movie.mp4", "begun by ~/start_movie", endings=(".mp4", ".webm", ".avi", ".gif")
    )
    animation_file: str = setting("animation.html", "written by ~/stop_animation", endings=(".html", ".htm"))
    picture_size: str = setting(
        "",
        "WIDTHxHEIGHT of shots and movies; empty: the camera's, or 1280x720",
        form=(r"|[1-9]\d{0,5}x[1-9]\d{0,5}", "WIDTHxHEIGHT, as in 1280x720"),
    )
    picture_camera: str = setting("", "ROBOT/DEVICE that shots and movies look through; empty: the Viewpoint")
    cmd_vel_timeout: float = _cmd_vel_timeout(0.0)
    lockstep_timeout: float = setting(
        5.0, "of wall time to wait for an answer before saying so", "s", 0.0, above=True
    )
    lockstep_on_timeout: str = setting(
        "wait", "after lockstep_timeout: wait on, or continue without the robot", choices=("wait", "continue")
    )
    bridge_file: str = setting("", "of ros_gz_bridge, whose names topics of Gazebo have; empty: none")
    wait_extern: bool = setting(False, "wait for the controllers of <extern> robots")
    reset: str = setting(
        "to_zero",
        "sim time after a reset: 0, or keep_clock: it goes on, for nodes that cannot follow it back",
        choices=("to_zero", KEEP_CLOCK),
    )
    wait_for_node: str = setting(
        "", "name of a node, such as rosbag2_recorder, that must listen to all topics before time runs"
    )
    robots: Mapping[str, RobotTopics] = field(default_factory=dict)
    controllers: tuple[Controller, ...] = ()
    """Controllers of ros2_control."""
    fleets: tuple[Fleet, ...] = ()
    separated: tuple[str, ...] = ()
    """Robots with the layout odesim, because the common layout has names for one robot only."""
    bridged: tuple[BridgedTopic, ...] = ()
    """Topics named in `bridge_file`."""

    def has_single_topics(self, robot: str) -> bool:
        """Return whether a robot has topics of its own."""
        return all(fleet.single_topics or not fleet.has(robot) for fleet in self.fleets)

    def robot(self, name: str) -> RobotTopics:
        """Return the settings of a robot by its `name` in the world file."""
        return self.robots.get(name, RobotTopics())

    def device(self, robot: str, device: str) -> DeviceTopics:
        """Return the settings of a device by the names in the world file."""
        return self.robot(robot).devices.get(device, DeviceTopics())

    def cmd_vel_timeout_of(self, robot: str) -> float:
        """Return a robot's own timeout, or else the common one."""
        own = self.robot(robot).cmd_vel_timeout
        return self.cmd_vel_timeout if own is None else own

    def layout_of(self, robot: str) -> Layout:
        """Return a robot's own layout, or else the common one."""
        return LAYOUTS[self.robot(robot).layout or self.layout]

    def namespace_of(self, robot: str, ros_name: str) -> str:
        """Return a robot's namespace in that of the simulation, without outer slashes; empty: none."""
        own = self.robot(robot).namespace
        return self.layout_of(robot).namespace.format(robot=ros_name) if own is None else own.strip("/")

    def namespaces(self, robots: Iterable[str]) -> dict[str, str]:
        """Return the namespaces of all robots of a world, given in file order, by name."""
        return {name: self.namespace_of(name, each) for name, each in robot_names(robots).items()}


GLOBAL = {**rules_of(BridgeParams), "seed": rules_of(SimulationConfig)["seed"], **config.WHOLE}
del GLOBAL["odometry_period"]  # equals state_period, so that odometry is computed when it is published
ROBOT = {**config.ROBOT, **rules_of(RobotTopics)}
DEVICE = {**config.DEVICE, **rules_of(DeviceTopics), **config.FAULTS}
