"""The topics of a fleet: what its robots measure, all of them in one message.

| topic | type | rows |
|---|---|---|
| `joint_states` | sensor_msgs/JointState | joints, named `robot/joint`: those of each robot |
| `odom`, `odom/twist` | geometry_msgs/PoseArray, std_msgs/Float64MultiArray (robot, 3) | those that drive |
| `ground_truth`, `ground_truth/twist` | the same, (robot, 6) | robots |
| `ranges` | std_msgs/Float32MultiArray (robot, sensor) | robots; their DistanceSensors, else NaN |

Robots are in the order of the file, and so are their devices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import PoseArray
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray, Float64MultiArray

from ros_bridge.composites.joint_states import JointSource, JointStates
from ros_bridge.topics.cdr import CdrBody
from ros_bridge.topics.frames import WORLD, BaseOdometry
from ros_bridge.topics.names import in_space
from ros_bridge.topics.records import InCdr, Publication
from sim_core.base.geometry import Pose, Vec3, quaternion_from_rotation, rotate_back
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.engines.rolling import FloatArray, Rolling
from sim_core.session.robot import Robot

if TYPE_CHECKING:
    from sim_core.devices.ranging.distance_bank import DistanceSensors
    from sim_core.session.rolled_robots import RolledRobots

ODOM = "odom"
"""Frame of the poses of odometry: each is in the odometry frame of its robot."""
Twist = tuple[Vec3, Vec3]
"""m/s and rad/s."""
PER_POSE = 7


def fleet_publications(
    name: str,
    states: Sequence[tuple[Robot, JointStates]],
    period_ns: int,
    rolled: RolledRobots | None = None,
) -> Iterator[Publication]:
    """What a fleet publishes.

    Args:
        name: of the fleet.
        states: its robots, each with its joints.
        period_ns: between two messages of states.
        rolled: has the joints and the distance sensors of those that roll as arrays.
    """
    robots = [robot for robot, _ in states]
    stated = partial(Publication, period_ns=period_ns, in_cdr=True)
    joints = [(robot, each) for robot, state in states for each in state.joints]
    if joints:
        late = tuple(chain.from_iterable(state.sensors for _, state in states))
        fill_joints = FleetJoints(joints, rolled.rolling if rolled is not None else None).fill
        yield stated(in_space(name, "joint_states"), JointState, fill_joints, sensors=late)
    odometries = [BaseOdometry(robot) for robot in robots if robot.odometry is not None]
    if odometries:
        poses = FleetPoses([each.pose for each in odometries], ODOM)
        yield stated(in_space(name, "odom"), PoseArray, poses.fill, frame_id=ODOM)
        planar = FleetNumbers(len(odometries), "component", 3, partial(_planar_twists, odometries))
        yield stated(in_space(name, "odom/twist"), Float64MultiArray, planar.fill)
    poses = FleetPoses([robot.frame.pose for robot in robots], WORLD)
    yield stated(in_space(name, "ground_truth"), PoseArray, poses.fill, frame_id=WORLD)
    twists = FleetNumbers(len(robots), "component", 6, partial(_true_twists, robots))
    yield stated(in_space(name, "ground_truth/twist"), Float64MultiArray, twists.fill)
    sensors = [[each for each in robot.sensors() if isinstance(each, DistanceSensor)] for robot in robots]
    if any(sensors):
        ranges = FleetRanges(sensors, rolled.distance_sensors if rolled is not None else None)
        yield Publication(
            in_space(name, "ranges"),
            Float32MultiArray,
            ranges.fill,
            period_ns=ranges.period_ns,
            sensors=ranges.sensors,
            in_cdr=True,
        )


class FleetJoints:
    """Makes sensor_msgs/JointState of the joints of many robots.

    Axes of which the engine has arrays are not asked one by one. No force is there that turns them: their
    efforts stay 0.
    """

    def __init__(self, joints: Sequence[tuple[Robot, JointSource]], rolling: Rolling | None = None) -> None:
        self._rolling = rolling
        self._others: list[tuple[int, JointSource]] = []
        places_of: dict[int, int] = {}
        for place, (_, joint) in enumerate(joints):
            row = rolling.row_of(joint.axis) if rolling is not None and joint.axis is not None else None
            if row is None:
                self._others.append((place, joint))
            else:
                places_of[place] = row
        self._places = np.array(list(places_of), np.int64)
        self._rows = np.array(list(places_of.values()), np.int64)
        self._body = body = CdrBody()
        self._stamp = body.add_stamp()
        body.add_text("")
        body.add_texts(f"{robot.name}/{joint.name}" for robot, joint in joints)
        places = [body.add_numbers(len(joints)) for _ in range(3)]
        self._columns = [body.view(place, len(joints)) for place in places]

    def fill(self, message: InCdr, time_ns: int) -> None:
        """The numbers of now."""
        position, velocity, effort = self._columns
        if self._rolling is not None:
            position[self._places] = self._rolling.axis_positions[self._rows]
            velocity[self._places] = self._rolling.axis_velocities[self._rows]
        for place, joint in self._others:
            position[place] = joint.position(time_ns)
            velocity[place] = joint.velocity()
            effort[place] = joint.effort()
        self._body.set_stamp(self._stamp, time_ns)
        message.data = self._body.message


class FleetPoses:
    """Makes geometry_msgs/PoseArray."""

    def __init__(self, poses: Sequence[Callable[[], Pose]], frame: str) -> None:
        self._poses = poses
        self._body = body = CdrBody()
        self._stamp = body.add_stamp()
        body.add_text(frame)
        body.add_count(len(poses))
        self._rows = body.view(body.extend(8, 8 * PER_POSE * len(poses)), PER_POSE * len(poses))

    def fill(self, message: InCdr, time_ns: int) -> None:
        """The poses of now."""
        flat: list[float] = []
        for pose in self._poses:
            position, rotation = pose()
            flat += position
            flat += quaternion_from_rotation(rotation)
        self._rows[:] = flat
        self._body.set_stamp(self._stamp, time_ns)
        message.data = self._body.message


class FleetNumbers:
    """Makes a std_msgs array of rows of numbers, one for each robot."""

    def __init__(
        self,
        robots: int,
        label: str,
        columns: int,
        numbers: Callable[[], Sequence[float] | FloatArray],
        kind: str = "<f8",
    ) -> None:
        """`numbers` tells those of now, row by row; `label`: what a column is; `kind`: as numpy has it."""
        self._numbers = numbers
        count = robots * columns
        self._body = body = CdrBody()
        body.add_count(2)
        for text, size, stride in (("robot", robots, count), (label, columns, columns)):
            body.add_text(text)
            body.add_count(size)
            body.add_count(stride)
        body.add_count(0)  # data_offset
        self._rows: NDArray[np.float64] = body.view(body.add_numbers(count, kind), count, kind)

    def fill(self, message: InCdr, time_ns: int) -> None:
        """The numbers of now."""
        self._rows[:] = self._numbers()
        message.data = self._body.message


class FleetRanges(FleetNumbers):
    """Makes the array of distances in m, as each sensor's own sensor_msgs/Range has them.

    Attributes:
        sensors: all of them.
        period_ns: the shortest of their sampling periods.
    """

    def __init__(
        self, sensors: Sequence[Sequence[DistanceSensor]], bank: DistanceSensors | None = None
    ) -> None:
        """`bank`: measures some of them, or all, as rows of arrays."""
        self.sensors = tuple(chain.from_iterable(sensors))
        self.period_ns = min(sensor.period_ns for sensor in self.sensors)
        most = max(map(len, sensors))
        self._found = np.full(len(sensors) * most, math.nan)
        self._bank, rows = bank, {} if bank is None else bank.rows_of(self.sensors)
        each = [
            (most * k + column, sensor) for k, row in enumerate(sensors) for column, sensor in enumerate(row)
        ]
        self._banked = [sensor for _, sensor in each if sensor in rows]
        self._places = np.array([place for place, sensor in each if sensor in rows], np.int64)
        self._rows_of_bank = np.array([rows[sensor] for sensor in self._banked], np.int64)
        self._others = [(place, sensor) for place, sensor in each if sensor not in rows]
        super().__init__(len(sensors), "sensor", most, self._distances, "<f4")

    def _distances(self) -> FloatArray:
        found = self._found
        if self._bank is not None:
            for sensor in self._banked:
                if sensor.state.turn_seen != sensor.turn.number:
                    sensor.catch_up()
            found[self._places] = self._bank.distances(self._rows_of_bank)
        for place, sensor in self._others:
            found[place] = sensor.distance
        return found


def _planar_twists(odometries: Sequence[BaseOdometry]) -> list[float]:
    """m/s along x and y, rad/s about z, of each, in the axes of the base."""
    flat: list[float] = []
    for each in odometries:
        linear, angular = each.twist()
        flat += (linear[0], linear[1], angular[2])
    return flat


def _true_twists(robots: Sequence[Robot]) -> list[float]:
    """m/s along x, y, z, rad/s about x, y, z, of each, in the axes of the base."""
    flat: list[float] = []
    for robot in robots:
        frame = robot.frame
        rotation = frame.pose().rotation
        flat += rotate_back(rotation, frame.linear_velocity())
        flat += rotate_back(rotation, frame.angular_velocity())
    return flat
