"""Topics of a fleet: readings of all its robots in one message.

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

import numpy as np
from geometry_msgs.msg import PoseArray
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float32MultiArray, Float64MultiArray

from ros_bridge.composites.fleet_rows import FleetRows, FleetSources
from ros_bridge.composites.joint_states import JointSource, JointStates
from ros_bridge.topics.cdr import CdrBody
from ros_bridge.topics.fleet_robots import FleetRobot
from ros_bridge.topics.frames import WORLD
from ros_bridge.topics.names import in_namespace
from ros_bridge.topics.records import Filler, InCdr, Publication, filled_by
from sim_core.base.arrays import FloatArray
from sim_core.base.errors import ConfigError
from sim_core.devices.ranging.distance_sensor import DistanceSensor
from sim_core.session.robot import Robot
from sim_core.session.rolled_robots import RolledRobots

ODOM = "odom"
"""Frame of the odometry poses: each is relative to the odometry frame of its robot."""
PER_POSE = 7


def fleet_publications(
    name: str,
    robots: Sequence[FleetRobot],
    joints_of: Callable[[Robot], JointStates],
    period_ns: int,
    rolled: RolledRobots | None = None,
) -> Iterator[Publication]:
    """Yield what a fleet publishes.

    Args:
        name: name of the fleet.
        robots: robots in order.
        joints_of: returns the joints of a robot that is an object.
        period_ns: time between two state messages.
        rolled: provides joints, poses and distance sensors of robots that are held as arrays.

    Raises:
        ConfigError: joints of robots that exist only as rows of arrays are not in the arrays.
    """
    stated = partial(filled_by, period_ns=period_ns, in_cdr=True)
    objects = {each.robot.name: each.robot for each in robots}
    states = {name: joints_of(robot) for name, robot in objects.items()}
    joints = [(robot, each) for robot in robots for each in states[robot.robot.name].joints]
    if joints:
        late = tuple(chain.from_iterable(each.sensors for each in states.values()))
        together = FleetJointStates(name, joints, rolled)
        yield stated(together, in_namespace(name, "joint_states"), JointState, sensors=late)
    rows = FleetRows(robots, rolled)
    odometry = rows.odometry()
    if len(odometry):
        yield stated(FleetPoses(odometry, ODOM), in_namespace(name, "odom"), PoseArray, frame_id=ODOM)
        planar = FleetNumbers(len(odometry), "component", 3, rows.odometry_twists().write_rows)
        yield stated(planar, in_namespace(name, "odom/twist"), Float64MultiArray)
    truth = FleetPoses(rows.poses(), WORLD)
    yield stated(truth, in_namespace(name, "ground_truth"), PoseArray, frame_id=WORLD)
    twists = FleetNumbers(len(robots), "component", 6, rows.twists().write_rows)
    yield stated(twists, in_namespace(name, "ground_truth/twist"), Float64MultiArray)
    ranges = FleetRanges(robots, rolled)
    if ranges.most:
        yield filled_by(
            FleetNumbers(len(robots), "sensor", ranges.most, ranges.write_distances, "<f4"),
            in_namespace(name, "ranges"),
            Float32MultiArray,
            period_ns=ranges.period_ns,
            sensors=ranges.sensors,
            in_cdr=True,
        )


class FleetJointStates(Filler):
    """Fills sensor_msgs/JointState with the joints of many robots.

    Axes that the engine holds as arrays are read together. No effort turns them: their efforts are always
    0.
    """

    def __init__(
        self, fleet: str, joints: Sequence[tuple[FleetRobot, JointSource]], rolled: RolledRobots | None = None
    ) -> None:
        """Collect the joints of a fleet.

        Raises:
            ConfigError: a joint of a robot that exists only as a row is not in the arrays.
        """
        self._rolling = rolled.rolling if rolled is not None else None
        self._others: list[tuple[int, JointSource]] = []
        places_of: dict[int, int] = {}
        axes: dict[str, int] = {}
        last_robot: FleetRobot | None = None
        for place, (robot, joint) in enumerate(joints):
            row = (
                self._rolling.row_of(joint.axis)
                if self._rolling is not None and joint.axis is not None
                else None
            )
            if robot.is_copy and rolled is not None and robot.row is not None:
                if robot is not last_robot:
                    last_robot = robot
                    axes = {motor.name: axis for motor, axis in rolled.copies.wheels(robot.row)}
                row = axes.get(joint.name) if row is not None else None
                if row is None:
                    raise ConfigError(
                        f'fleet {fleet}: found the joint "{joint.name}" of robots that are held as arrays, '
                        f'like "{robot.robot.name}", expected driven wheels without a PositionSensor alone '
                        "(set instanced: false)"
                    )
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
        """Fill the present values."""
        position, velocity, effort = self._columns
        if self._rolling is not None:
            position[self._places] = self._rolling.arrays.wheels.positions[self._rows]
            velocity[self._places] = self._rolling.arrays.wheels.velocities[self._rows]
        for place, joint in self._others:
            position[place] = joint.position(time_ns)
            velocity[place] = joint.velocity()
            effort[place] = joint.effort()
        self._body.set_stamp(self._stamp, time_ns)
        message.data = self._body.message


class FleetPoses(Filler):
    """Fills geometry_msgs/PoseArray."""

    def __init__(self, poses: FleetSources, frame: str) -> None:
        """`poses`: (n, 7) x, y, z and a quaternion x, y, z, w."""
        self._poses = poses
        self._body = body = CdrBody()
        self._stamp = body.add_stamp()
        body.add_text(frame)
        count = len(poses)
        body.add_count(count)
        flat = body.view(body.extend(8, 8 * PER_POSE * count), PER_POSE * count)
        self._rows = flat.reshape(count, PER_POSE)

    def fill(self, message: InCdr, time_ns: int) -> None:
        """Fill the present poses."""
        self._poses.write_rows(self._rows, time_ns)
        self._body.set_stamp(self._stamp, time_ns)
        message.data = self._body.message


class FleetNumbers(Filler):
    """Fills a std_msgs array with a row of numbers for each robot."""

    def __init__(
        self,
        robots: int,
        label: str,
        columns: int,
        fill: Callable[[FloatArray, int], None],
        kind: str = "<f8",
    ) -> None:
        """`fill`: writes numbers at a sim time to (robots, columns); `label`: of a column; `kind`: dtype."""
        self._fill = fill
        count = robots * columns
        self._body = body = CdrBody()
        body.add_count(2)
        for text, size, stride in (("robot", robots, count), (label, columns, columns)):
            body.add_text(text)
            body.add_count(size)
            body.add_count(stride)
        body.add_count(0)  # data_offset
        flat: NDArray[np.float64] = body.view(body.add_numbers(count, kind), count, kind)
        self._rows = flat.reshape(robots, columns)

    def fill(self, message: InCdr, time_ns: int) -> None:
        """Fill the present values."""
        self._fill(self._rows, time_ns)
        message.data = self._body.message


class FleetRanges:
    """Distances in m, the same as in each sensor's own sensor_msgs/Range.

    Attributes:
        sensors: all sensors that are objects.
        most: largest number of sensors of a robot.
        period_ns: shortest of their sampling periods; 0: there are none.
    """

    def __init__(self, robots: Sequence[FleetRobot], rolled: RolledRobots | None = None) -> None:
        """`rolled`: measures some or all of them as rows of arrays."""
        self._bank = bank = rolled.distance_sensors if rolled is not None else None
        own = {
            name: [each for each in robot.sensors() if isinstance(each, DistanceSensor)]
            for name, robot in {each.robot.name: each.robot for each in robots}.items()
        }
        self.most = max(map(len, own.values()), default=0)
        periods = [sensor.period_ns for sensors in own.values() for sensor in sensors]
        self.period_ns = min(periods, default=0)
        self.sensors = tuple(chain.from_iterable(own[each.name] for each in robots if not each.is_copy))
        rows = {} if bank is None else bank.rows_of(self.sensors)
        self._banked: list[DistanceSensor] = []
        self._others: list[tuple[int, int, DistanceSensor]] = []
        inside: list[tuple[int, int, int]] = []
        for place, each in enumerate(robots):
            if each.is_copy and bank is not None and each.row is not None:
                inside += [(place, column, row) for column, row in enumerate(bank.rows_of_copy(each.row))]
                continue
            for column, sensor in enumerate(own[each.name]):
                if sensor in rows:
                    self._banked.append(sensor)
                    inside.append((place, column, rows[sensor]))
                else:
                    self._others.append((place, column, sensor))
        self._has_copies = any(each.is_copy for each in robots)
        self._places, self._columns, self._rows = np.array(inside, np.int64).reshape(-1, 3).T

    def write_distances(self, distances: FloatArray, time_ns: int) -> None:
        """Write the present distances, (robot, sensor); NaN where a robot has no such sensor."""
        distances.fill(math.nan)
        if self._bank is not None:
            for sensor in self._banked:
                if sensor.state.seen_number != sensor.sample_clock.number:
                    sensor.catch_up()
            if self._has_copies:
                self._bank.measure_copies(time_ns)
            distances[self._places, self._columns] = self._bank.distances(self._rows)
        for place, column, sensor in self._others:
            distances[place, column] = sensor.distance
