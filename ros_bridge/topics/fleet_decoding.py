"""Convert messages for fleets to actions: one message for all robots of a fleet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ros_bridge.topics.decoding import command_joint, joints_of
from ros_bridge.topics.fleet_robots import FleetRobot
from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import CommandError
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.motors.motor import Motor
from sim_core.session.pipeline import Action
from sim_core.session.robot_commands import Drive, DriveCopies, FleetAction, TurnCopies, TurnJoints
from sim_core.session.rolled_robots import RolledRobots


class FleetJoint(NamedTuple):
    """A joint that a message can name.

    Attributes:
        robot: name of the robot.
        motor: its motor; of a robot that exists only as a row of arrays, that of the robot it copies.
        axis: number of its axis, for a robot that exists only as a row; -1: for others.
    """

    robot: str
    motor: Motor | DriveWheel
    axis: int = -1


class CommandedJoints:
    """The joints that a JointState can command.

    Attributes:
        joints: in order, robot by robot.
        places: index of each in `joints`, by `robot/joint`.
    """

    def __init__(self, robots: Sequence[FleetRobot], rolled: RolledRobots | None) -> None:
        self.joints = [joint for robot in robots for joint in _joints_of(robot, rolled)]
        self.places = {f"{joint.robot}/{joint.motor.name}": k for k, joint in enumerate(self.joints)}
        self._axes = np.array([joint.axis for joint in self.joints], np.int64)
        self._turn = np.array([isinstance(joint.motor, Motor) for joint in self.joints], bool)
        self._is_copy = self._axes >= 0

    def chosen(self, names: Sequence[str]) -> IntArray:
        """Return the indices of the named joints; without names, of all.

        Raises:
            CommandError: there is no joint of a name, or a name occurs twice.
        """
        if not names:
            return np.arange(len(self.joints))
        places = [self.places.get(name, -1) for name in names]
        if -1 in places:
            known = ", ".join(list(self.places)[:3]) + (" …" if len(self.places) > 3 else "")
            raise CommandError(f'found joint "{names[places.index(-1)]}", expected one of {known or "none"}')
        if len(set(places)) < len(places):
            twice = next(name for name in names if names.count(name) > 1)
            raise CommandError(f'found joint "{twice}" twice, expected each once')
        return np.array(places, np.int64)

    def turned(self, places: IntArray, velocities: FloatArray) -> Iterator[Action]:
        """Yield actions that set finite velocities of motors, for robots as objects and as rows."""
        copies = self._is_copy[places]
        if not copies.all():
            own = places[~copies].tolist()
            motors = tuple((self.joints[k].robot, self.joints[k].motor.name) for k in own)
            yield TurnJoints(motors, tuple(velocities[~copies].tolist()))
        if copies.any():
            yield TurnCopies(self._axes[places[copies]], velocities[copies])

    def are_motors(self, places: IntArray) -> NDArray[np.bool_]:
        """Return which joints are motors rather than wheels of DifferentialWheels."""
        return self._turn[places]


def decode_fleet_joints(fleet: CommandedJoints, message: Any) -> tuple[Action, ...]:
    """Convert a sensor_msgs/JointState as `decode_joints` does, with joint names `robot/joint`.

    Without names the numbers are those of all joints in order. A joint whose position, velocity and effort
    are all NaN keeps its last command.

    Raises:
        CommandError: an unknown joint, a joint named twice, arrays of unequal length, an invalid value.
    """
    columns = {name: np.asarray(getattr(message, name), float) for name in ("position", "velocity", "effort")}
    if not any(map(len, columns.values())):
        return ()
    places = fleet.chosen(message.name)
    for name, values in columns.items():
        if len(values) not in (0, len(places)):
            raise CommandError(f"found {len(values)} in {name}, expected none or {len(places)}, as joints")
    missing = np.full(len(places), math.nan)
    position, velocity, effort = (values if len(values) else missing for values in columns.values())
    alone = np.isnan(position) & np.isnan(effort)  # the usual case for thousands of joints
    turned = alone & np.isfinite(velocity) & fleet.are_motors(places)
    actions = fleet.turned(places[turned], velocity[turned]) if turned.any() else ()
    commanded = []
    for k in np.flatnonzero(~(turned | alone & np.isnan(velocity))).tolist():
        robot, motor, axis = fleet.joints[places[k]]
        numbers = (position.item(k), velocity.item(k), effort.item(k))
        if axis >= 0:
            raise CommandError(
                f'found position, velocity, effort {numbers} for "{robot}/{motor.name}", expected a finite '
                "velocity alone: it is held as an array (instanced)"
            )
        commanded.append(command_joint(robot, motor, *numbers))
    return (*actions, FleetAction(tuple(commanded))) if commanded else tuple(actions)


def decode_fleet_twists(
    robots: Sequence[FleetRobot], timeouts_ns: Sequence[int], message: Any
) -> tuple[Action, ...]:
    """Convert a std_msgs/Float64MultiArray: for each robot with a drive m/s ahead and rad/s to the left.

    A robot whose row is NaN keeps its last command.

    Args:
        robots: in the order of the rows.
        timeouts_ns: of each robot, as in `decode_twist`; 0 for robots that exist only as rows of arrays.
        message: the twists.

    Raises:
        CommandError: wrong count of numbers, or an infinite number.
    """
    twists = np.asarray(message.data, float)
    if len(twists) != 2 * len(robots):
        raise CommandError(
            f"found {len(twists)} numbers, expected {2 * len(robots)}: m/s and rad/s of each robot"
        )
    twists = twists.reshape(-1, 2)
    commanded = np.flatnonzero(~np.isnan(twists).all(axis=1))
    wrong = commanded[~np.isfinite(twists[commanded]).all(axis=1)]
    if len(wrong):
        linear, angular = twists[wrong[0]].tolist()
        name = robots[wrong[0]].name
        raise CommandError(f'found {linear}, {angular} for "{name}", expected finite numbers')
    own, rows, places = [], [], []
    for k in commanded.tolist():
        robot = robots[k]
        if robot.is_copy:
            rows.append(robot.row)
            places.append(k)
        else:
            own.append(Drive(robot.name, twists.item(k, 0), twists.item(k, 1), timeouts_ns[k]))
    copies = DriveCopies(np.array(rows, np.int64), *twists[places].T)
    return (FleetAction(tuple(own)), copies) if rows else (FleetAction(tuple(own)),)


def _joints_of(robot: FleetRobot, rolled: RolledRobots | None) -> Iterator[FleetJoint]:
    if robot.is_copy and rolled is not None and robot.row is not None:
        axes = {motor.name: axis for motor, axis in rolled.copies.wheels(robot.row)}
        motors = joints_of(robot.robot)
        yield from (
            FleetJoint(robot.name, motor, axes[name]) for name, motor in motors.items() if name in axes
        )
    else:
        yield from (FleetJoint(robot.name, motor) for motor in joints_of(robot.robot).values())
