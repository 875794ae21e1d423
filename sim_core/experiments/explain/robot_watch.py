"""Watches one robot: its motors, its wheels and its motion."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim_core.base.clock import to_seconds
from sim_core.base.geometry import Pose, Vec3, add, cross, dot, norm, normalized, rotate, subtract
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode
from sim_core.experiments.explain.finding import Finding, Kind
from sim_core.experiments.explain.spans import Spans
from sim_core.session.robot import NO_CONTROLLER, Robot

UP: Vec3 = (0.0, 0.0, 1.0)
MOVED = 2e-3
"""m, and rad, from which on a robot has moved."""
STANDS_NS = 1_000_000_000
"""How long a robot stands still until that is worth a line."""
TIPPED = 0.5
"""Cosine of the turn of a robot's z axis from its start, from which on it has tipped over."""
BEHIND = 0.02
"""Part of the wanted velocity that may be missing, for the solver is not exact."""
LIMIT_NS = 200_000_000
"""How long a motor is at a limit until that is worth a line: motors reach it whenever they speed up."""
SLIP_SPEED = 0.02
"""m/s between rim and ground from which on a wheel may slip."""
SLIP_PART = 0.3
"""Part of the faster of rim and ground that this speed must be."""
SLIP_NS = 300_000_000


class MotorWatch:
    """Watches one motor.

    Attributes:
        is_wheel: whether it turns a wheel.
        was_commanded: whether a command has asked it to move.
    """

    def __init__(self, robot: Robot, motor: Motor) -> None:
        self._robot, self._motor = robot, motor
        self._name = f'{robot.name}: motor "{motor.name}"'
        self._wheel = None if motor.spec.axis is None else motor.spec.axis.wheel
        self._effort, self._position, self._slip = Spans(), Spans(), Spans()
        self._slipped = 0.0  # m/s times ns of slip
        self.is_wheel = self._wheel is not None
        self.was_commanded = False

    @property
    def is_to_move(self) -> bool:
        """Whether its last command asks it to move."""
        motor = self._motor
        if motor.mode is ControlMode.EFFORT:
            return motor.effort != 0.0  # known without being measured
        return abs(motor.commanded_velocity) > 1e-3

    def update(self, now_ns: int, step_ns: int, body: tuple[Pose, Vec3, Vec3]) -> None:
        """Update after a step; `body`: pose and velocities of the robot."""
        is_to_move = self.is_to_move
        self.was_commanded = self.was_commanded or is_to_move
        self._effort.count(is_to_move and self._is_too_weak(), now_ns, step_ns)
        self._position.count(is_to_move and self._is_at_stop(), now_ns, step_ns)
        if self._wheel is not None:
            slip = self._slip_speed(*body)
            self._slip.count(slip > 0.0, now_ns, step_ns)
            self._slipped += slip * step_ns

    def findings(self) -> Iterator[Finding]:
        """Return how long it was at its limits, and how long its wheel slipped."""
        unit = "N" if self._motor.is_linear else "N·m"
        effort = "force" if self._motor.is_linear else "torque"
        what = f"{self._name} is at its highest {effort} of {self._motor.available_effort:g} {unit}"
        yield from _lasting(self._effort, LIMIT_NS, Kind.LIMIT, what)
        yield from _lasting(self._position, LIMIT_NS, Kind.LIMIT, f"{self._name} is at the end of its range")
        mean = self._slipped / max(self._slip.total_ns, 1)
        what = f"{self._name}: its wheel slips at {mean:.2g} m/s"
        yield from _lasting(self._slip, SLIP_NS, Kind.SLIP, what)

    def _is_too_weak(self) -> bool:
        """Return whether the motor did not reach its velocity, for which it uses any effort up to its limit.

        The effort itself is not measured: then the robot would publish other values than without.
        """
        motor = self._motor
        if motor.mode is ControlMode.EFFORT or not math.isfinite(motor.available_effort):
            return False
        wanted = motor.commanded_velocity
        return abs(motor.velocity - wanted) > BEHIND * abs(wanted)

    def _is_at_stop(self) -> bool:
        limits, position = self._motor.limits, self._motor.position
        velocity = self._motor.commanded_velocity
        return (velocity > 0.0 and position >= limits.max_position - MOVED) or (
            velocity < 0.0 and position <= limits.min_position + MOVED
        )

    def _slip_speed(self, pose: Pose, linear: Vec3, angular: Vec3) -> float:
        """Return the speed of a slipping rim over level ground in m/s; 0: the wheel rolls.

        A wheel of radius r that turns at ω about its axis rolls if its hub moves at ω·r across the axis.
        """
        wheel = self._wheel
        assert wheel is not None  # else there is nothing to slip
        axis = rotate(pose.rotation, wheel.axis)
        across = cross(axis, UP)
        if norm(across) < 0.5:  # the robot lies on its side
            return 0.0
        hub = add(linear, cross(angular, rotate(pose.rotation, wheel.centre)))
        ground, rim = dot(hub, normalized(across)), self._motor.velocity * wheel.radius
        slip = abs(ground - rim)
        return slip if slip > max(SLIP_SPEED, SLIP_PART * max(abs(ground), abs(rim))) else 0.0


class RobotWatch:
    """Watches one robot, from now on.

    Attributes:
        touching: names of what it touches now, besides what carries it.
    """

    def __init__(self, robot: Robot, now_ns: int) -> None:
        self._robot = robot
        self._motors = [MotorWatch(robot, each) for each in robot.motors().values()]
        self._start_ns = self._last_ns = self._moved_ns = now_ns
        self._place = self._anchor = robot.frame.pose()
        self._distance = 0.0
        self._up = rotate(self._anchor.rotation, UP)
        self._tipped_ns: int | None = None
        self._has_moved = False
        self.touching: set[str] = set()

    def update(self, now_ns: int, step_ns: int) -> None:
        """Update after a step."""
        frame = self._robot.frame
        pose = frame.pose()
        body = pose, frame.linear_velocity(), frame.angular_velocity()
        for motor in self._motors:
            motor.update(now_ns, step_ns, body)
        self._distance += norm(subtract(pose.position, self._place.position))
        self._place, self._last_ns = pose, now_ns
        if _apart(pose, self._anchor) > MOVED:
            self._has_moved, self._anchor, self._moved_ns = True, pose, now_ns
        if self._tipped_ns is None and dot(rotate(pose.rotation, UP), self._up) < TIPPED:
            self._tipped_ns = now_ns

    def findings(self) -> Iterator[Finding]:
        """Return what was noticed."""
        name = self._robot.name
        for motor in self._motors:
            yield from motor.findings()
        if self._tipped_ns is not None:
            yield Finding(self._tipped_ns, Kind.TIPPED, f"{name} tips over")
        is_driven = bool(self._motors) and self._robot.controller not in NO_CONTROLLER
        is_long = self._last_ns - self._start_ns > STANDS_NS
        if is_driven and is_long and not any(motor.was_commanded for motor in self._motors):
            yield Finding(self._start_ns, Kind.IDLE, f"{name}: no command has asked a motor to move")
        if self._has_moved or any(motor.is_wheel for motor in self._motors):
            yield from self._motion()

    def _motion(self) -> Iterator[Finding]:
        """Return how far a robot that can drive has moved, and since when it stands still."""
        name = self._robot.name
        if self._last_ns - self._moved_ns > STANDS_NS:
            began_ns = self._moved_ns if self._has_moved else self._start_ns
            did = "stands still from here on" if self._has_moved else "has never moved"
            is_stuck = any(motor.is_wheel and motor.is_to_move for motor in self._motors)
            beside = f", beside {', '.join(sorted(self.touching))}" if self.touching else ""
            why = f", although its wheels are to turn{beside}" if is_stuck else ""
            yield Finding(began_ns, Kind.STUCK if is_stuck else Kind.MOTION, f"{name} {did}{why}")
        seconds = to_seconds(self._last_ns - self._start_ns)
        moved = f"{name} has moved {self._distance:.3f} m in {seconds:.6g} s"
        yield Finding(self._last_ns, Kind.MOTION, moved)


def _lasting(spans: Spans, least_ns: int, kind: Kind, what: str) -> Iterator[Finding]:
    if spans.longest_ns >= least_ns:
        in_all = f", {to_seconds(spans.total_ns):.3g} s in all" if spans.total_ns > spans.longest_ns else ""
        yield Finding(spans.start_ns, kind, f"{what} for {to_seconds(spans.longest_ns):.3g} s{in_all}")


def _apart(a: Pose, b: Pose) -> float:
    """Return the larger of the distance in m and, for small turns, the turn in rad."""
    turned = max(abs(x - y) for x, y in zip(a.rotation, b.rotation, strict=True))
    return max(norm(subtract(a.position, b.position)), turned)
