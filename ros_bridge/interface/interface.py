"""All topics of a world, from the same tables for `odesim info` and for the node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ros_bridge.composites.battery import BatteryFill
from ros_bridge.composites.imu import find_imu
from ros_bridge.composites.joint_states import JointStates
from ros_bridge.composites.markers import MarkersFill
from ros_bridge.composites.odometry import GroundTruthFill, OdometryFill
from ros_bridge.composites.rgbd import find_pairs, rgbd_outputs
from ros_bridge.composites.robot_description import RobotDescriptionFill
from ros_bridge.composites.tagged import has_imu, tagged
from ros_bridge.composites.transforms import TransformsFill, edges, tf_is_installed
from ros_bridge.control.world_topics import edit_topics
from ros_bridge.devices import make_bridge
from ros_bridge.devices.base import Output
from ros_bridge.overlays.publishing import Overlays
from ros_bridge.parameters.parameters import BridgeParams
from ros_bridge.topics.conversions import fill_time, has_header
from ros_bridge.topics.decoding import (
    decode_joints,
    decode_motion,
    decode_trajectory,
    decode_twist,
    joints_of,
)
from ros_bridge.topics.frames import WORLD, base_frame, device_frame, odom_frame, robot_frames
from ros_bridge.topics.names import CLOCK, MARKERS, STATUS, TF, TF_STATIC, robot_name, ros_names
from ros_bridge.topics.qos import LATCHED
from ros_bridge.topics.records import Publication, Subscription, TopicInfo
from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import ConfigError
from sim_core.devices import DEVICES, Device, Sensor
from sim_core.model.device_spec import robots_of
from sim_core.scene import Scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

LONGEST_TOPIC = 247
"""Characters: of 255 that DDS allows ROS takes some (rmw/validate_full_topic_name.h)."""
LONGEST_NAMES = LONGEST_TOPIC - 40
"""Characters of a robot and its device: the rest is for what topics have behind and between them."""
Fill = Callable[[Any, Any], None]


@dataclass
class Topics:
    """All topics of a world."""

    markers: MarkersFill
    """Behind `/odesim/markers`."""
    overlays: Overlays
    """Behind `/odesim/overlay/…`."""
    publications: list[Publication] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)


def _by_the_node(message: Any, time_ns: int) -> None:
    """Nothing: without a node there is no run."""


def describe(sim: Simulation, params: BridgeParams) -> list[TopicInfo]:
    """Every topic that a world has on ROS; needs no ROS graph.

    Raises:
        ConfigError: two robots, devices or topics would have one name.
    """
    topics = build_topics(sim, params)
    infos = [item.info for item in topics.publications] + [item.info for item in topics.subscriptions]
    infos += [TopicInfo(name, kind, "subscribe", "", None, "", "") for name, kind in edit_topics()]
    return sorted(infos, key=lambda info: (info.robot, info.name))


def build_topics(
    sim: Simulation,
    params: BridgeParams,
    fill_status: Fill = _by_the_node,
    warn: Callable[[str], object] = str,
) -> Topics:
    """The topics of a world at its start, ready to be made publishers and subscriptions of.

    Args:
        sim: the simulation.
        params: parameters of the bridge.
        fill_status: fills /odesim/status, which is about the run and not about the world.
        warn: told in one line what cannot be shown.

    Raises:
        ConfigError: two robots, devices or topics would have one name.
    """
    builder = _Builder(sim, params)
    markers = MarkersFill(sim)
    topics = Topics(markers, Overlays(sim, warn))
    topics.publications += builder.world(markers, fill_status)
    topics.publications += topics.overlays.publications()
    for robot in sim.robots.values():
        topics.publications += builder.robot_publications(robot)
        topics.subscriptions += builder.robot_subscriptions(robot)
    _check_names(topics)
    return topics


def check_robot_names(scene: Scene) -> None:
    """Refuse a world before it is built.

    Raises:
        ConfigError: two robots, or two devices of one, would have one name on ROS, or one none or a long one.
    """
    robots = robots_of(scene)
    legal = ros_names({robot["name"]: robot.where for robot, _ in robots}, "robots", robot_name)
    for robot, devices in robots:
        name, named = robot["name"], {each["name"]: each for each in devices if each.id != robot.id}
        own = {key: each.where for key, each in named.items() if each.type_name in DEVICES}
        parts = ros_names(own, f'devices of robot "{name}"')
        longest = len(legal[name]) + max(map(len, parts.values()), default=0)
        if longest > LONGEST_NAMES:
            found = f'robot "{name[:40]}…" and a device have {longest} letters in their names'
            raise ConfigError(f"{robot.where}: {found}, expected at most {LONGEST_NAMES}")


def whole_steps_up(period: float, step_ns: int) -> int:
    """A period in seconds as nanoseconds, rounded up to whole steps, at least one."""
    return max(1, -(-to_nanoseconds(period) // step_ns)) * step_ns


class _Builder:
    """Knows the names and frames of one world."""

    def __init__(self, sim: Simulation, params: BridgeParams) -> None:
        self._sim = sim
        self._params = params
        self._state_ns = whole_steps_up(params.state_period, sim.step_ns)
        places = {name: robot.spec.where for name, robot in sim.robots.items()}
        self._robots = ros_names(places, "robots", robot_name)
        self._devices = {
            name: ros_names(_own_devices(robot), f'devices of robot "{name}"')
            for name, robot in sim.robots.items()
        }
        self._frames = {
            name: {device: self._frame(name, device) for device in names}
            for name, names in self._devices.items()
        }
        for name, robot in sim.robots.items():  # a DifferentialWheels device is the robot itself
            self._frames[name].setdefault(robot.name, base_frame(self._robots[name]))
        self._parts = {
            name: robot_frames(robot, self._robots[name], self._frames[name])
            for name, robot in sim.robots.items()
        }

    def world(self, markers: MarkersFill, fill_status: Fill) -> Iterator[Publication]:
        """Clock, status, markers, transforms."""
        step_ns = self._sim.step_ns
        clock_ns = whole_steps_up(self._params.clock_period, step_ns)
        yield Publication(CLOCK, Clock, _fill_clock, period_ns=clock_ns, always_on=True)
        yield Publication(STATUS, DiagnosticArray, fill_status)
        marker_ns = whole_steps_up(self._params.marker_period, step_ns)
        yield Publication(
            MARKERS,
            MarkerArray,
            markers.fill,
            markers.constants,
            period_ns=marker_ns,
            frame_id=WORLD,
            qos=LATCHED,
        )
        if tf_is_installed():
            from tf2_msgs.msg import TFMessage

            static, moving = (TransformsFill(part) for part in edges(self._sim, self._robots, self._parts))
            yield Publication(
                TF_STATIC, TFMessage, static.fill, static.constants, qos=LATCHED, always_on=True
            )
            yield Publication(TF, TFMessage, moving.fill, moving.constants, period_ns=self._state_ns)

    def robot_publications(self, robot: Robot) -> Iterator[Publication]:
        """What a robot and its devices publish."""
        prefix, base = f"/{self._robots[robot.name]}", base_frame(self._robots[robot.name])
        state = partial(Publication, period_ns=self._state_ns, robot=robot.name)
        joints = JointStates(robot)
        if joints.joints:
            topic = f"{prefix}/joint_states"
            yield state(topic, JointState, joints.fill, joints.constants, sensors=joints.sensors)
        if robot.odometry is not None:
            odometry = OdometryFill(robot, base, self._params.robot(robot.name).odom_slip)
            frame = odom_frame(self._robots[robot.name])
            yield state(f"{prefix}/odom", Odometry, odometry.fill, odometry.constants, frame_id=frame)
        truth = GroundTruthFill(robot, base)
        yield state(f"{prefix}/ground_truth", Odometry, truth.fill, truth.constants, frame_id=WORLD)
        if "robot_description" not in self._devices[robot.name].values():
            description = RobotDescriptionFill(self._parts[robot.name])
            name = f"{prefix}/robot_description"
            yield Publication(name, String, description.fill, qos=LATCHED, robot=robot.name)
        composites = self._sim.scene.composites
        yield from tagged(composites, robot, prefix, self._frames[robot.name])
        imu = None if has_imu(composites, robot) else find_imu(robot)
        if imu is not None and "imu" not in self._devices[robot.name].values():
            yield Publication(
                f"{prefix}/imu",
                Imu,
                imu.fill,
                imu.constants,
                period_ns=imu.period_ns,
                sensors=imu.sensors,
                frame_id=self._frames[robot.name][imu.sensors[0].name],
                robot=robot.name,
            )
        if robot.battery is not None:
            voltage = self._params.robot(robot.name).battery_voltage
            battery = BatteryFill(robot.battery, self._sim.step_ns / 1e9, voltage)
            yield state(f"{prefix}/battery", BatteryState, battery.fill, battery.constants, frame_id=base)
        yield from self._rgbd_publications(robot)
        for device in robot.devices.values():
            yield from self._device_publications(robot, device)

    def _rgbd_publications(self, robot: Robot) -> Iterator[Publication]:
        """Cameras with the range finders at the same place, unless a device has the name of the topics."""
        taken = self._devices[robot.name].values()
        for number, pair in enumerate(find_pairs(robot)):
            name = f"rgbd_{number + 1}" if number else "rgbd"
            if name in taken:
                continue
            for output in rgbd_outputs(pair):
                yield Publication(
                    f"/{self._robots[robot.name]}/{name}/{output.suffix}",
                    output.message_type,
                    output.fill,
                    output.constants,
                    trigger=pair,  # type: ignore[arg-type] # in all that matters it is one
                    sensors=(pair, pair.camera, pair.finder),  # type: ignore[arg-type]
                    frame_id=self._frames[robot.name][pair.camera.name] + output.frame_suffix,
                    robot=robot.name,
                )

    def robot_subscriptions(self, robot: Robot) -> Iterator[Subscription]:
        """What commands a robot and its devices."""
        prefix = f"/{self._robots[robot.name]}"
        if robot.drive is not None:
            timeout_ns = to_nanoseconds(self._params.cmd_vel_timeout_of(robot.name))
            twist = partial(decode_twist, robot.name, timeout_ns)
            yield Subscription(f"{prefix}/cmd_vel", Twist, twist, robot=robot.name)
        joints = partial(decode_joints, robot.name, joints_of(robot))
        yield Subscription(
            f"{prefix}/joint_command", JointState, joints, robot=robot.name, answers_lockstep=True
        )
        if robot.motors():
            yield from self._led_motions(robot, prefix)
        for device in robot.devices.values():
            settings = self._params.device(robot.name, device.name)
            for item in make_bridge(device).inputs():
                yield Subscription(
                    self._topic(robot, device, item.suffix),
                    item.message_type,
                    item.decode,
                    settings.qos.at_least(item.depth),
                    device.name,
                    robot.name,
                )

    def _led_motions(self, robot: Robot, prefix: str) -> Iterator[Subscription]:
        """Trajectories and motion files, unless a device has the name of the topic."""
        trajectory, motion = partial(decode_trajectory, robot.name), partial(decode_motion, robot.name)
        taken = self._devices[robot.name].values()
        if "joint_trajectory" not in taken:
            name = f"{prefix}/joint_trajectory"
            yield Subscription(name, JointTrajectory, trajectory, robot=robot.name)
        if "motion" not in taken:
            yield Subscription(f"{prefix}/motion", String, motion, robot=robot.name)

    def _device_publications(self, robot: Robot, device: Device) -> Iterator[Publication]:
        settings = self._params.device(robot.name, device.name)
        for output in make_bridge(device).outputs():
            sensor = device if output.sampled and isinstance(device, Sensor) else None
            yield Publication(
                self._topic(robot, device, output.suffix),
                output.message_type,
                output.fill,
                output.constants,
                trigger=sensor,
                period_ns=None if sensor else self._state_ns,
                sensors=(sensor,) if sensor else (),
                frame_id=self._header_frame(robot, device, output),
                qos=settings.qos.at_least(output.depth),
                always_on=settings.always_on,
                device=device.name,
                robot=robot.name,
                each=output.each,
            )

    def _topic(self, robot: Robot, device: Device, suffix: str) -> str:
        chosen = self._params.device(robot.name, device.name).topic
        prefix = f"/{self._robots[robot.name]}"
        if chosen is not None:
            name = chosen if chosen.startswith("/") else f"{prefix}/{chosen}"
        elif device.spec.id == robot.spec.id:
            name = prefix
        else:
            name = f"{prefix}/{self._devices[robot.name][device.name]}"
        return f"{name}/{suffix}" if suffix else name

    def _header_frame(self, robot: Robot, device: Device, output: Output) -> str:
        if not has_header(output.message_type):
            return ""
        chosen = self._params.device(robot.name, device.name).frame_id
        return (chosen or output.frame or self._frames[robot.name][device.name]) + output.frame_suffix

    def _frame(self, robot: str, device: str) -> str:
        chosen = self._params.device(robot, device).frame_id
        return chosen or device_frame(self._robots[robot], self._devices[robot][device])


def _own_devices(robot: Robot) -> dict[str, str]:
    """Where the devices stand that have topics below their own name, by that."""
    return {
        name: device.spec.where for name, device in robot.devices.items() if device.spec.id != robot.spec.id
    }


def _check_names(topics: Topics) -> None:
    """Raise ConfigError if two topics have one name."""
    owners: dict[str, str] = {}
    both = [item.info for item in topics.publications] + [item.info for item in topics.subscriptions]
    for topic in both:
        if len(topic.name) > LONGEST_TOPIC:
            found = f"topic {topic.name[:40]}…: found {len(topic.name)} characters"
            raise ConfigError(f"{found}, expected at most {LONGEST_TOPIC}")
        owner = " ".join(f'"{name}"' for name in (topic.robot, topic.device) if name) or "the world"
        first = owners.setdefault(topic.name, owner)
        if first is not owner:
            raise ConfigError(f"topic {topic.name}: found both for {first} and for {owner}, expected one")


def _fill_clock(message: Any, time_ns: int) -> None:
    fill_time(message.clock, time_ns)
