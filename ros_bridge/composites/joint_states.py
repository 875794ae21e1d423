"""`/R/joint_states`: position, velocity and effort of every joint with a motor or a sensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ros_bridge.topics.records import Filler
from sim_core.base.errors import PhysicsError
from sim_core.devices import Sensor
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.motors.motor import Motor
from sim_core.devices.touch.position_sensor import PositionSensor
from sim_core.engines.world_view import JointAxis, World
from sim_core.model.robot_model import axis_name, devices_at
from sim_core.model.robot_parts import RobotPart
from sim_core.session.robot import Robot


class JointSource(NamedTuple):
    """Sources of the numbers of a joint."""

    name: str
    position: Callable[[int], float]
    """At a sim time in ns: rad or m."""
    velocity: Callable[[], float]
    """rad/s or m/s."""
    effort: Callable[[], float]
    """N·m or N."""
    axis: JointAxis | None = None
    """Axis that has position and velocity (the motor has the effort); None: other sources."""


class JointStates(Filler):
    """Fills sensor_msgs/JointState.

    A joint is named after its motor or, without one, after its position sensor; the wheels of
    DifferentialWheels are `left wheel` and `right wheel`. With a PositionSensor, the position is its reading,
    with noise and resolution; otherwise the true position. If the sensor's readings are delayed or may be
    lost, the last one received is used, NaN before the first.

    Args:
        robot: the robot.
        extra: names of further joints, which are always at 0.
        free: axes without motor and sensor, see `free_axes`.
        only: names of the joints in the message; empty: all.

    Attributes:
        joints: in the order of the message.
        sensors: sensors that must be sampled for it.
    """

    def __init__(
        self,
        robot: Robot,
        extra: Sequence[str] = (),
        free: Sequence[tuple[str, JointAxis]] = (),
        only: Sequence[str] = (),
    ) -> None:
        self.sensors = tuple(sensor for sensor in robot.sensors() if _is_late(sensor))
        joints = _joints(robot) + [_of_axis(name, axis) for name, axis in free]
        self.joints = [joint for joint in joints if joint.name in only] if only else joints
        known = {joint.name for joint in self.joints}
        self._extra = [name for name in extra if name not in known]

    def constants(self, message: Any) -> None:
        """Fill the names, and allocate the numbers."""
        message.name = [*(joint.name for joint in self.joints), *self._extra]
        zeros = [0.0] * len(message.name)
        message.position, message.velocity, message.effort = zeros, zeros, zeros

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill the present values."""
        position, velocity, effort = message.position, message.velocity, message.effort
        for index, joint in enumerate(self.joints):
            position[index] = joint.position(time_ns)
            velocity[index] = joint.velocity()
            effort[index] = joint.effort()


def free_axes(parts: Sequence[RobotPart], world: World) -> list[tuple[str, JointAxis]]:
    """Return axes without motor and sensor of joints with several axes, with their names as joints.

    Without them the poses of the links in the robot's description would be undefined.
    """
    found: list[tuple[str, JointAxis]] = []
    for part in parts:
        for index in range(len(part.turns)):
            assert part.joint is not None
            if not devices_at(part.joint, index):
                with suppress(PhysicsError):  # joints that cannot turn in the planar engine
                    found.append((axis_name(part, index), world.axis(part.joint.id, index)))
    return found


def _joints(robot: Robot) -> list[JointSource]:
    sensors = {
        device.place.key: device for device in robot.devices.values() if isinstance(device, PositionSensor)
    }
    joints = []
    for device in robot.devices.values():
        if isinstance(device, Motor):
            place = device.spec.axis
            joints.append(_of_motor(device, sensors.pop(place.key, None) if place is not None else None))
        elif isinstance(device, DifferentialWheels):
            joints += [_of_motor(device.left, None), _of_motor(device.right, None)]
    return joints + [_of_sensor(sensor) for sensor in sensors.values()]


def _of_motor(motor: Any, sensor: PositionSensor | None) -> JointSource:
    position = _measured(sensor) if sensor else lambda _: motor.position
    axis = motor.axis if isinstance(motor, Motor) and sensor is None else None
    return JointSource(motor.name, position, lambda: motor.velocity, lambda: motor.effort, axis)


def _of_sensor(sensor: PositionSensor) -> JointSource:
    return JointSource(sensor.name, _measured(sensor), lambda: sensor.axis.velocity, lambda: 0.0)


def _of_axis(name: str, axis: JointAxis) -> JointSource:
    return JointSource(name, lambda _: axis.position, lambda: axis.velocity, lambda: 0.0)


def _is_late(sensor: Sensor) -> bool:
    return isinstance(sensor, PositionSensor) and sensor.is_late


def _measured(sensor: PositionSensor) -> Callable[[int], float]:
    if sensor.is_late:
        return lambda _: math.nan if sensor.value is None else sensor.value
    return lambda time_ns: sensor.take_sample(time_ns).value
