"""Commands from topics: applied whole or not at all, and said when they are refused or clamped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sim_core.base.errors import CommandError, in_one_line
from sim_core.devices.drives.differential_wheels import DifferentialWheels
from sim_core.devices.motors.motor import Motor
from sim_core.session.robot import Robot

WARNING_PERIOD = 5.0
"""Seconds of wall time between two warnings of one kind."""


class Throttle:
    """Lets a line through unless one with the same key came within the last `period` seconds."""

    def __init__(
        self,
        say: Callable[[str], Any],
        period: float = WARNING_PERIOD,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say = say
        self._period = period
        self._clock = clock
        self._last: dict[str, float] = {}

    def __call__(self, key: str, text: str) -> None:
        """Say `text`, at most once per period for this key."""
        now = self._clock()
        if now - self._last.get(key, -math.inf) >= self._period:
            self._last[key] = now
            self._say(text)


class CommandGate:
    """Carries out commands; a refused one changes nothing."""

    def __init__(self, warn: Callable[[str], Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._warn = warn
        self._throttle = Throttle(warn, clock=clock)
        self._clamped: set[str] = set()

    def refuse(self, topic: str, reason: str) -> None:
        """Say, throttled, that what came on a topic was refused."""
        self._throttle(topic, f"{topic}: refused: {reason}")

    def apply(self, topic: str, command: Callable[[], str | None]) -> None:
        """Carry out a command that came on a topic; it returns a line if it clamped a value."""
        try:
            message = command()
        except Exception as error:  # whatever a command does, the world goes on
            self.refuse(topic, in_one_line(error))
            return
        if message and topic not in self._clamped:
            self._clamped.add(topic)
            self._warn(f"{topic}: {message} (said once)")


def numbers(values: Sequence[float], count: int, what: str) -> Sequence[float]:
    """The values, if there are `count` and all are finite.

    Raises:
        CommandError: says what was found.
    """
    if len(values) != count:
        raise CommandError(f"found {len(values)} numbers, expected {count}: {what}")
    for value in values:
        if not math.isfinite(value):
            raise CommandError(f"found {value}, expected finite numbers: {what}")
    return values


def drive_by_twist(robot: Robot, message: Any) -> str | None:
    """Carry out a geometry_msgs/Twist: linear.x in m/s, angular.z in rad/s; the others have no effect."""
    linear, angular = message.linear, message.angular
    numbers(
        (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z),
        6,
        "m/s along x, y, z and rad/s about x, y, z",
    )
    return robot.drive.set_twist(linear.x, angular.z) if robot.drive else None


def if_powered(robot: Robot, apply: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """A command that is refused while the robot's battery is empty."""

    def apply_if_powered(message: Any) -> str | None:
        if not robot.is_on:
            raise CommandError(f"the battery of {robot.name} is empty")
        return apply(message)

    return apply_if_powered


def joints_of(robot: Robot) -> dict[str, Any]:
    """What a JointState can command, by joint name: motors, and the wheels of DifferentialWheels."""
    joints: dict[str, Any] = {}
    for device in robot.devices.values():
        if isinstance(device, Motor):
            joints[device.name] = device
        elif isinstance(device, DifferentialWheels):
            joints.update({wheel.name: wheel for wheel in (device.left, device.right)})
    return joints


def joint_command(joints: Mapping[str, Any], message: Any) -> str | None:
    """Carry out a sensor_msgs/JointState: all of it, or, if something in it is wrong, nothing.

    For each joint named: a position goes there, at the speed `velocity` where that is given too; a velocity
    alone turns at it; an effort counts where neither is given. NaN stands for "not given" beside another
    value that is given, and so does an infinite position beside a velocity.

    Raises:
        CommandError: an unknown joint, one named twice, arrays of unequal length, a value that is not finite.
    """
    names = list(message.name)
    columns: list[list[float]] = []
    for field in ("position", "velocity", "effort"):
        values = getattr(message, field)
        if len(values) not in (0, len(names)):
            raise CommandError(f"found {len(values)} in {field}, expected none or {len(names)}, as names")
        columns.append(list(values) or [math.nan] * len(names))
    for name in names:
        if name not in joints:
            raise CommandError(f'found joint "{name}", expected one of {", ".join(joints) or "none"}')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CommandError(f'found joint "{twice}" twice, expected each once')
    nothing = not any(len(getattr(message, field)) for field in ("position", "velocity", "effort"))
    if nothing:
        return None
    actions = [_action(joints[name], *row) for name, *row in zip(names, *columns, strict=True)]
    messages = [action() for action in actions]
    return next((text for text in messages if text), None)


def _action(joint: Any, position: float, velocity: float, effort: float) -> Callable[[], str | None]:
    """The call that carries out one joint's part, checked so that it cannot be refused."""
    if math.isinf(velocity) or math.isinf(effort):
        raise CommandError(f'found {velocity}, {effort} for "{joint.name}", expected finite numbers')
    if math.isinf(position):
        if math.isnan(velocity):
            raise CommandError(f'found position {position} for "{joint.name}", expected a finite number')
        position = math.nan
    if not math.isnan(position):
        if not isinstance(joint, Motor):
            raise CommandError(f'found a position for "{joint.name}", expected a velocity: it is a wheel')
        if velocity < 0.0:
            raise CommandError(
                f'found speed {velocity} on the way to a position of "{joint.name}", expected 0 or more'
            )
        speed = None if math.isnan(velocity) else velocity
        return lambda: joint.set_position(position, speed)
    if not math.isnan(velocity):
        return lambda: joint.set_velocity(velocity)
    if math.isnan(effort):
        raise CommandError(f'found nan for "{joint.name}", expected a finite number')
    if not isinstance(joint, Motor) or not all(motor.axis.is_dynamic for motor in joint.coupled):
        raise CommandError(f'found an effort for "{joint.name}", which no effort moves')
    return lambda: joint.set_effort(effort)
