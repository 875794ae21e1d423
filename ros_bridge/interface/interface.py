"""All topics of a world, built from the same tables for `odesim info` and for the node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSet
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Float64, Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import MarkerArray

from ros_bridge.composites.battery import BatteryFiller
from ros_bridge.composites.fleet import fleet_publications
from ros_bridge.composites.imu import find_imu
from ros_bridge.composites.joint_states import JointStates, free_axes
from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.composites.odometry import GroundTruthFiller, OdometryFiller
from ros_bridge.composites.rgbd import find_pairs, rgbd_outputs
from ros_bridge.composites.robot_description import RobotDescriptionFiller
from ros_bridge.composites.scene_topics import SceneTopics
from ros_bridge.composites.tagged import has_imu, tagged
from ros_bridge.composites.transforms import TransformsFiller, edges
from ros_bridge.control.webots_supervisor import supervisor_topics
from ros_bridge.control.world_topics import WORLD_TOPICS
from ros_bridge.devices import make_bridge
from ros_bridge.devices.package_types import inputs_of, outputs_of
from ros_bridge.interface.controllers import controller_publications, controller_subscriptions
from ros_bridge.interface.robot_names import RobotNames
from ros_bridge.interface.unique_names import (
    LONGEST_NAMES,
    bridge,
    check_frames,
    check_topic_names,
    warn_once,
)
from ros_bridge.overlays.publishing import Overlays
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.fleets import Fleet
from ros_bridge.topics.conversions import fill_time, messages_of
from ros_bridge.topics.decoding import (
    decode_ackermann,
    decode_joints,
    decode_motion,
    decode_speeds,
    decode_steps,
    decode_thrust,
    decode_trajectory,
    decode_twist,
    joints_of,
)
from ros_bridge.topics.fleet_decoding import CommandedJoints, decode_fleet_joints, decode_fleet_twists
from ros_bridge.topics.fleet_robots import fleet_robots
from ros_bridge.topics.frames import WORLD
from ros_bridge.topics.names import (
    CLOCK,
    DIAGNOSTICS,
    MARKERS,
    RESTARTS,
    STATIC,
    STATUS,
    TF,
    changed_names,
    in_namespace,
    kind_of,
    legal_path,
    renamed_message,
    robot_names,
    ros_names,
)
from ros_bridge.topics.qos import LATCHED
from ros_bridge.topics.records import Publication, Subscription, Topic, filled_by
from ros_bridge.topics.tf_message import tf_message_class
from sim_core.base.clock import any_period, to_nanoseconds, whole_steps_up
from sim_core.base.errors import ConfigError
from sim_core.devices import DEVICES, Device, Sensor
from sim_core.devices.drives.ackermann_drive import AckermannDrive
from sim_core.model.device_spec import robots_of
from sim_core.scene import Scene
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

Fill = Callable[[Any, Any], None]


@dataclass
class WorldTopics:
    """All topics of a world."""

    markers: MarkersFiller
    """Fills `/odesim/markers`."""
    overlays: Overlays
    """Fills `/odesim/overlay/…`."""
    shown: SceneTopics
    """Fills `/odesim/scene…`."""
    publications: list[Publication] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)


def _fill_nothing(message: Any, time_ns: int) -> None:
    """Do nothing: without a node there is no run to report on."""


def describe(sim: Simulation, params: BridgeParams) -> list[Topic]:
    """Return every topic that a world has on ROS; needs no ROS graph.

    Raises:
        ConfigError: two robots, devices or topics have the same name.
    """
    topics = build_topics(sim, params)
    of_world = [*WORLD_TOPICS, *supervisor_topics(params.layout)]
    found = [*topics.publications, *topics.subscriptions, *of_world]
    return sorted(found, key=lambda topic: (topic.robot, topic.name))


def build_topics(
    sim: Simulation,
    params: BridgeParams,
    fill_status: Fill = _fill_nothing,
    warn: Callable[[str], object] = str,
    warned: MutableSet[str] | None = None,
) -> WorldTopics:
    """Build the topics of a world at its start, from which publishers and subscriptions are made.

    Args:
        sim: the simulation.
        params: parameters of the bridge.
        fill_status: fills /odesim/status, which describes the run, not the world.
        warn: receives a line about whatever cannot be shown, and about unexpected ROS names.
        warned: lines about names that were sent before, which are not repeated.

    Raises:
        ConfigError: two topics have the same name.
    """
    builder = _TopicBuilder(sim, params)
    warned = set() if warned is None else warned
    warn_once(builder.notes, warn, warned)
    markers = MarkersFiller(sim)
    topics = WorldTopics(markers, Overlays(sim, warn), SceneTopics(sim))
    topics.publications += builder.world(markers, fill_status)
    topics.publications += topics.overlays.publications()
    topics.publications += topics.shown.publications()
    for robot in sim.robots.values():
        if params.has_single_topics(robot.name):
            topics.publications += builder.robot_publications(robot)
            topics.subscriptions += builder.robot_subscriptions(robot)
    for fleet in params.fleets:
        topics.publications += builder.fleet_publications(fleet)
        topics.subscriptions += builder.fleet_subscriptions(fleet)
    if params.bridged:
        lines = [*bridge(topics.publications, topics.subscriptions, params.bridged)]
        warn_once(lines, warn, warned)
    check_topic_names((*topics.publications, *topics.subscriptions))
    return topics


def check_robot_names(scene: Scene) -> None:
    """Refuse a world with names that are too long, before it is built.

    Raises:
        ConfigError: the names of a robot and one of its devices are too long together.
    """
    robots = robots_of(scene)
    legal = robot_names(robot["name"] for robot, _ in robots)
    for robot, devices in robots:
        name, named = robot["name"], {each["name"]: each for each in devices if each.id != robot.id}
        kinds = {key: kind_of(each.type_name) for key, each in named.items() if each.type_name in DEVICES}
        parts = ros_names(kinds)
        longest = len(legal[name]) + max(map(len, parts.values()), default=0)
        if longest > LONGEST_NAMES:
            found = f'robot "{name[:40]}…" and a device have {longest} letters in their names'
            raise ConfigError(f"{robot.where}: {found}, expected at most {LONGEST_NAMES}")


class _TopicBuilder:
    """Builds the topics of one world from its names and frames."""

    def __init__(self, sim: Simulation, params: BridgeParams) -> None:
        self._sim = sim
        self._params = params
        self._state_ns = whole_steps_up(params.state_period, sim.step_ns)
        names = robot_names(sim.robots)
        self._names = {name: RobotNames(sim.robots[name], each, params) for name, each in names.items()}
        self.notes = [
            renamed_message(f'robot "{name}"', each, sim.robots[name].spec.where)
            for name, each in changed_names(names, legal_path).items()
        ]
        self.notes += [line for each in self._names.values() for line in each.notes]
        if params.separated:
            first, *others = params.separated
            more = f" and {len(others)} more" if others else ""
            self.notes.append(
                f'layout {params.layout}: found {len(names)} robots, expected one; "{first}"{more} with the '
                "names of layout odesim (robots.R.layout, namespace or frame_prefix set others)"
            )
        check_frames({name: each.frames for name, each in self._names.items()})

    def world(self, markers: MarkersFiller, fill_status: Fill) -> Iterator[Publication]:
        """Yield clock, status, markers, transforms."""
        step_ns = self._sim.step_ns
        clock_ns = whole_steps_up(self._params.clock_period, step_ns)
        yield Publication(CLOCK, Clock, _fill_clock, period_ns=clock_ns)
        yield Publication(RESTARTS, Clock, _fill_clock)
        yield from (Publication(name, DiagnosticArray, fill_status) for name in (STATUS, DIAGNOSTICS))
        marker_ns = whole_steps_up(self._params.marker_period, step_ns)
        shown = partial(filled_by, qos=LATCHED, frame_id=WORLD)
        yield shown(markers, MARKERS, MarkerArray, period_ns=marker_ns, in_turn=True)
        frames = {name: names.frames for name, names in self._names.items()}
        transforms = partial(filled_by, message_type=tf_message_class(), in_cdr=True)
        for topic in dict.fromkeys((TF, *(each.topic for each in frames.values()))):
            tree = {name: each for name, each in frames.items() if each.topic == topic}
            static, moving = (TransformsFiller(part) for part in edges(self._sim, tree))
            yield transforms(static, f"{topic}{STATIC}", qos=LATCHED, always_on=True)
            yield transforms(moving, topic, period_ns=self._state_ns)

    def robot_publications(self, robot: Robot) -> Iterator[Publication]:
        """Yield what a robot and its devices publish."""
        names = self._names[robot.name]
        base, settings = names.frames.base, self._params.robot(robot.name)
        state = partial(filled_by, period_ns=self._state_ns, robot=robot.name)
        joints = self._joint_states(robot)
        if joints.joints:
            yield state(
                *(joints, names.topic("joint_states"), JointState),
                period_ns=self._period_ns(settings.joint_states_period),
                sensors=joints.sensors,
            )
        if robot.odometry is not None:
            odometry = OdometryFiller(robot, base, settings.odom_slip)
            yield state(
                *(odometry, names.topic("odom"), Odometry),
                period_ns=self._period_ns(self._sim.config.robot(robot.name).odometry_period),
                frame_id=names.frames.odom,
            )
        truth = GroundTruthFiller(robot, base)
        yield state(
            *(truth, names.topic("ground_truth"), Odometry),
            period_ns=self._period_ns(settings.ground_truth_period),
            frame_id=settings.ground_truth_frame or WORLD,
        )
        topic = names.topic("robot_description")
        if names.is_free(topic):
            description = RobotDescriptionFiller(names.frames.parts)
            yield filled_by(description, topic, String, qos=LATCHED, robot=robot.name)
        composites = self._sim.scene.composites
        layout = settings.layout or self._params.layout
        yield from tagged(composites, robot, names.space, names.device_frames, layout)
        imu = None if has_imu(composites, robot) else find_imu(robot)
        if imu is not None and names.is_free(names.topic("imu")):
            yield imu.publication(names.topic("imu"), names.imu_frame(imu.sensors[0]), robot.name)
        slip, step_ns = settings.odom_slip, self._sim.step_ns
        own = names.topic("joint_states")
        yield from controller_publications(self._params.controllers, robot, step_ns, slip, own)
        if robot.battery is not None:
            battery = BatteryFiller(robot.battery, step_ns / 1e9, settings.battery_voltage)
            yield state(battery, names.topic("battery"), BatteryState, frame_id=base)
        yield from self._rgbd_publications(robot)
        for device in robot.devices.values():
            yield from self._device_publications(robot, device)

    def _period_ns(self, period: float | None) -> int:
        """Return the sim time between two messages with a period of their own; None: that of the state."""
        return self._state_ns if period is None else any_period(period, self._sim.step_ns)

    def fleet_publications(self, fleet: Fleet) -> Iterator[Publication]:
        """Yield what the robots of a fleet publish together."""
        robots, rolled = fleet_robots(self._sim, fleet.has), self._sim.rolled
        fleet_of = partial(fleet_publications, fleet.name, robots, self._joint_states)
        return fleet_of(self._state_ns, rolled) if robots else iter(())

    def fleet_subscriptions(self, fleet: Fleet) -> Iterator[Subscription]:
        """Yield the topics that command all robots of a fleet."""
        robots = fleet_robots(self._sim, fleet.has)
        members = tuple(robot.name for robot in robots if not robot.is_copy)  # lock-step may wait for them
        joints = CommandedJoints(robots, self._sim.rolled)
        topic = partial(in_namespace, fleet.name)
        if joints.joints:
            decode = partial(decode_fleet_joints, joints)
            yield Subscription(
                topic("joint_command"), JointState, decode, answers_lockstep=True, fleet=members
            )
        driven = [each for each in robots if each.robot.drive is not None]
        if driven:
            timeouts = [to_nanoseconds(self._params.cmd_vel_timeout_of(each.name)) for each in driven]
            twists = partial(decode_fleet_twists, driven, timeouts)
            names = tuple(each.name for each in driven if not each.is_copy)
            yield Subscription(topic("cmd_vel"), Float64MultiArray, twists, fleet=names)

    def _joint_states(self, robot: Robot) -> JointStates:
        free = free_axes(self._names[robot.name].frames.parts, self._sim.physics)
        return JointStates(robot, free=free, only=self._params.robot(robot.name).joint_states_of)

    def _rgbd_publications(self, robot: Robot) -> Iterator[Publication]:
        """Yield pairs of cameras and range finders at the same place, unless a device uses the topic name."""
        names = self._names[robot.name]
        for number, pair in enumerate(find_pairs(robot)):
            topic = names.topic(f"rgbd_{number + 1}" if number else "rgbd")
            if not names.is_free(topic):
                continue
            for output in rgbd_outputs(pair):
                yield replace(
                    output,
                    name=f"{topic}/{output.name}",
                    trigger=pair,  # type: ignore[arg-type] # in all that matters it is one
                    sensors=(pair, pair.camera, pair.finder),  # type: ignore[arg-type]
                    frame_id=names.optical(pair.camera),
                    robot=robot.name,
                )

    def robot_subscriptions(self, robot: Robot) -> Iterator[Subscription]:
        """Yield what commands a robot and its devices."""
        names = self._names[robot.name]
        if robot.drive is not None or robot.moved_by_twist:
            timeout_ns = to_nanoseconds(self._params.cmd_vel_timeout_of(robot.name))
            twist = partial(decode_twist, robot.name, timeout_ns)
            yield Subscription(names.topic("cmd_vel"), Twist, twist, robot=robot.name, also=(TwistStamped,))
            yield from self._ackermann(robot, names, timeout_ns)
        joints = partial(decode_joints, robot.name, joints_of(robot))
        yield Subscription(
            names.topic("joint_command"), JointState, joints, robot=robot.name, answers_lockstep=True
        )
        yield from controller_subscriptions(self._params.controllers, robot)
        if robot.motors():
            yield from self._led_motions(robot, names)
        if speeds := self._params.robot(robot.name).motor_speeds:
            decode = partial(decode_speeds, robot.name, joints_of(robot), speeds)
            yield Subscription(names.topic("motor_speeds"), Float64MultiArray, decode, robot=robot.name)
        for device in robot.devices.values():
            settings = self._params.device(robot.name, device.name)
            if settings.thrust_constant is not None:
                topic = names.device_topic(device, "thrust")
                decode = partial(decode_thrust, robot.name, device.name, settings.thrust_constant)
                yield Subscription(topic, Float64, decode, device=device.name, robot=robot.name)
            for item in inputs_of(make_bridge(device)):
                yield replace(
                    item,
                    name=names.device_topic(device, item.name),
                    qos=settings.quality.at_least(item.depth),
                    device=device.name,
                    robot=robot.name,
                )

    def _ackermann(self, robot: Robot, names: RobotNames, timeout_ns: int) -> Iterator[Subscription]:
        """Yield the topics that steer a car, if the package of the messages is installed."""
        if any(each.robot == robot.name for each in self._sim.scene.plugins):
            return  # which drives the car by that topic, in its own units
        messages = messages_of("ackermann_msgs")
        if isinstance(robot.drive, AckermannDrive) and messages is not None:
            decode = partial(decode_ackermann, robot.name, robot.drive.wheelbase, timeout_ns)
            yield Subscription(
                names.topic("cmd_ackermann"),
                messages.AckermannDrive,
                decode,
                robot=robot.name,
                also=(messages.AckermannDriveStamped,),
            )

    def _led_motions(self, robot: Robot, names: RobotNames) -> Iterator[Subscription]:
        """Yield the topics of trajectories and motion files, unless a device uses the topic name."""
        in_steps = self._params.robot(robot.name).trajectory_in_steps
        trajectory = decode_steps if in_steps else decode_trajectory
        kinds = (("joint_trajectory", JointTrajectory, trajectory), ("motion", String, decode_motion))
        for name, kind, decode in kinds:
            topic = names.topic(name)
            if names.is_free(topic):
                yield Subscription(topic, kind, partial(decode, robot.name), robot=robot.name)

    def _device_publications(self, robot: Robot, device: Device) -> Iterator[Publication]:
        names, settings = self._names[robot.name], self._params.device(robot.name, device.name)
        for output in outputs_of(make_bridge(device, names.style(device))):
            sensor = device if output.period_ns is None and isinstance(device, Sensor) else None
            yield replace(
                output,
                name=names.device_topic(device, output.name),
                trigger=sensor,
                period_ns=None if sensor else self._state_ns,
                sensors=(sensor,) if sensor else (),
                frame_id=names.frame(device, output),
                qos=settings.quality.at_least(output.depth),
                always_on=settings.always_on,
                device=device.name,
                robot=robot.name,
            )


def _fill_clock(message: Any, time_ns: int) -> None:
    fill_time(message.clock, time_ns)
