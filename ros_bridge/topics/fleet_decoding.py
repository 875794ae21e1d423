"""Messages to fleets as wishes: one message for all of its robots."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

from ros_bridge.topics.decoding import Joints, tell_joint
from sim_core.base.errors import CommandError
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.motors.motor import Motor
from sim_core.session.pipeline import Wish
from sim_core.session.robot_commands import Drive, ToFleet, TurnJoints

Motors = tuple[tuple[str, str], ...]
"""Names of robot and motor."""


class Joint(NamedTuple):
    """What a joint's name stands for."""

    robot: str
    motor: Motor | DriveWheel


class FleetJoints:
    """What a JointState can command.

    Attributes:
        by_name: by `robot/joint`, robot by robot.
        motors: of all of them, see `motors_of`.
    """

    def __init__(self, joints: Mapping[str, Joints]) -> None:
        """`joints`: of each robot, by its name."""
        self.by_name = {
            f"{robot}/{name}": Joint(robot, motor)
            for robot, own in joints.items()
            for name, motor in own.items()
        }
        self._motors = {
            name: (robot, motor.name)
            for name, (robot, motor) in self.by_name.items()
            if isinstance(motor, Motor)
        }
        self.motors = self.motors_of(self.by_name)

    def motors_of(self, names: Collection[str]) -> Motors | None:
        """What joints are called by `TurnJoints`; None: some are no motors, or are not there."""
        if not self._motors.keys() >= {*names}:
            return None
        return tuple(self._motors[name] for name in names)


def decode_fleet_joints(fleet: FleetJoints, message: Any) -> tuple[Wish, ...]:
    """A sensor_msgs/JointState as `decode_joints` has it, with names `robot/joint`.

    Without names its numbers are those of all joints, in their order. Where position, velocity and effort of
    a joint are NaN, it goes on as it was told before.

    Raises:
        CommandError: an unknown joint, one named twice, arrays of unequal length, a value that cannot be.
    """
    columns = [message.position, message.velocity, message.effort]
    if not any(map(len, columns)):
        return ()
    joints = fleet.by_name
    names: Collection[str] = message.name or joints
    for field, values in zip(("position", "velocity", "effort"), columns, strict=True):
        if len(values) not in (0, len(names)):
            raise CommandError(f"found {len(values)} in {field}, expected none or {len(names)}, as joints")
    if len({*message.name}) < len(message.name):
        twice = next(name for name in names if message.name.count(name) > 1)
        raise CommandError(f'found joint "{twice}" twice, expected each once')
    if not len(message.position) and not len(message.effort):
        motors = fleet.motors_of(message.name) if message.name else fleet.motors
        turned = None if motors is None else _turned(motors, message.velocity)
        if turned is not None:
            return (turned,)
    wishes = []
    missing = [math.nan] * len(names)
    for name, *numbers in zip(names, *(list(values) or missing for values in columns), strict=True):
        joint = joints.get(name)
        if joint is None:
            known = ", ".join(list(joints)[:3]) + (" …" if len(joints) > 3 else "")
            raise CommandError(f'found joint "{name}", expected one of {known or "none"}')
        if not all(map(math.isnan, numbers)):
            wishes.append(tell_joint(*joint, *numbers))
    return (ToFleet(tuple(wishes)),)


def _turned(motors: Motors, velocities: Sequence[float]) -> TurnJoints | None:
    """Velocities alone, and nothing wrong with them: thousands of them are not looked at one by one."""
    if not all(map(math.isfinite, velocities)):
        given = [not math.isnan(velocity) for velocity in velocities]
        motors, velocities = tuple(compress(motors, given)), [*compress(velocities, given)]
        if not all(map(math.isfinite, velocities)):
            return None
    return TurnJoints(motors, tuple(velocities))


def decode_fleet_twists(robots: Sequence[str], timeouts_ns: Sequence[int], message: Any) -> tuple[Wish, ...]:
    """A std_msgs/Float64MultiArray of a row for each robot with a drive: m/s forward, rad/s to the left.

    A robot whose row is NaN goes on as it was told before.

    Args:
        robots: their names, in the order of the rows.
        timeouts_ns: of each, as in `decode_twist`.
        message: the twists.

    Raises:
        CommandError: another number of numbers, or one that is infinite.
    """
    data = list(message.data)
    if len(data) != 2 * len(robots):
        raise CommandError(
            f"found {len(data)} numbers, expected {2 * len(robots)}: m/s and rad/s of each robot"
        )
    wishes = []
    for robot, timeout_ns, linear, angular in zip(robots, timeouts_ns, data[::2], data[1::2], strict=True):
        if math.isnan(linear) and math.isnan(angular):
            continue
        if not (math.isfinite(linear) and math.isfinite(angular)):
            raise CommandError(f'found {linear}, {angular} for "{robot}", expected finite numbers')
        wishes.append(Drive(robot, linear, angular, timeout_ns))
    return (ToFleet(tuple(wishes)),)
