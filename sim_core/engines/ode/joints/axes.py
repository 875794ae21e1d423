"""Degrees of freedom of joints, for motors and position sensors.

They survive a reset: the physics creates new joints and binds each axis to its new joint. Code outside uses
an `AxisHandle`, which also survives edits of the scene.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import atan2, pi
from typing import Any

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import (
    Vec3,
    cross,
    dot,
    rotate,
    rotate_back,
    subtract,
)
from sim_core.engines.ode.joints.passive_joint import PassiveJoint
from sim_core.engines.ode.ode_binding import (
    HI_STOP,
    LARGEST,
    LO_STOP,
    MAX_FORCE,
    VELOCITY,
    finite,
    set_motor,
)
from sim_core.model.joint_frames import AxisSpec

TURN = 2.0 * pi
MARGIN = 20.0
"""rad/s: assumed largest increase of a joint's speed, above its speed or motor command, until the next
check."""


class TrackTimer:
    """Next time at which joints must be checked, so that none turns by more than half a turn unnoticed."""

    __slots__ = ("steps_left",)

    def __init__(self) -> None:
        self.steps_left = 0


Reader = Callable[[], float]


class Axis(ABC):
    """Axis that the physics moves; positions as in the scene, angles continuous.

    Attributes:
        name: path of the joint node, for errors.
        spec: stops, spring, damper and friction.
        has_stops: True if ODE limits it by stops.
        watch: is notified when the motor's command changes, which may make the joint much faster.
        wants_feedback: True if its joint measures.
    """

    def __init__(self, name: str, spec: AxisSpec) -> None:
        self.name = name
        self.spec = spec
        self.is_linear, self.has_stops = spec.is_linear, spec.has_stops
        self._motor: Any = None
        self._driver: Any = None
        self._driver_offset = 0
        self._read: Reader = float  # ODE's position from the start, and velocity, with its sign
        self._rate: Reader = float
        self._offset = 0
        self._sign = 1.0
        self._passive: PassiveJoint | None = None
        self._brake = 0.0
        self.wants_feedback = False
        self._turns = 0
        self._last = 0.0
        self._driven = 0.0
        self._parent: Any = None
        self._child: Any = None
        self.watch = TrackTimer()

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        if self._passive is not None:
            self._passive.release_ode()
        self._motor = self._driver = self._passive = self._parent = self._child = None
        self._read = self._rate = float

    def bind(
        self,
        motor: Any,
        offset: int,
        sign: float,
        passive: PassiveJoint,
        driver: tuple[Any, int] | None = None,
    ) -> None:
        """Use this ODE joint; `sign` -1: its positive direction is reversed.

        `driver` is the ODE joint, and the offset in it, whose motor drives the axis; None: the joint itself.
        """
        if self._passive is not None:
            self._passive.release_ode()
        self._motor, self._offset, self._sign, self._passive = motor, offset, sign, passive
        self._driver, self._driver_offset = driver or (motor, offset)
        self._read, self._rate = self._readers(motor)
        self._brake = self._driven = 0.0
        self._turns, self._last = 0, 0.0
        self._set_stops()
        if self.spec.has_brake:
            passive.reserve()
        passive.set_coefficients(self.spec.spring, self.spec.damping, self.spec.friction)
        if self.wants_feedback:
            self.enable_feedback()

    @property
    def position(self) -> float:
        """Joint position, rad (continuous) or m."""
        angle = self._sign * self._read()
        if not self.is_linear:
            change = angle - self._last
            if change > pi:
                self._count(self._turns - 1)
            elif change < -pi:
                self._count(self._turns + 1)
        self._last = angle
        return self.spec.position + angle + TURN * self._turns

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""
        return self._sign * self._rate()

    def drive(self, velocity: float, max_effort: float) -> None:
        """Drive at a velocity with at most this torque or force, until changed.

        Raises:
            PhysicsError: a value is not a number, or the effort is negative.
        """
        set_motor(self._driver, self._sign * velocity, min(max_effort, LARGEST), self._driver_offset)
        self._driven = abs(velocity) if max_effort > 0.0 else 0.0
        self.watch.steps_left = 0

    def release(self) -> None:
        """Switch the motor off; friction, spring and damper of the joint remain."""
        self._driver.setParam(MAX_FORCE + self._driver_offset, 0.0)
        self._driven = 0.0

    def apply_effort(self, effort: float) -> None:
        """Apply a torque or force along the axis during the next step only.

        Raises:
            PhysicsError: it is not finite.
        """
        finite(f"{self.name}: effort", effort)
        self._add_effort(self._sign * effort)
        self.watch.steps_left = 0

    def set_brake(self, damping: float) -> None:
        """Set extra damping, N·m·s/rad or N·s/m, until changed; 0 removes it.

        Raises:
            PhysicsError: it is negative or not finite.
        """
        if not 0.0 <= damping <= LARGEST:
            raise PhysicsError(f"{self.name}: found brake damping {damping}, expected 0 or more")
        if damping != self._brake and self._passive is not None:
            self._brake = damping
            self._passive.set_coefficients(self.spec.spring, self.spec.damping + damping, self.spec.friction)

    def enable_feedback(self) -> None:
        """Measure the motor's effort from now on; this costs a little in each step."""
        self.wants_feedback = True
        self._motor.setFeedback(True)
        self._driver.setFeedback(True)

    def feedback(self) -> float:
        """Return the torque or force that the motor, stops included, applied along the axis in the last
        step."""
        if not self.wants_feedback:
            return 0.0
        joints = (self._motor,) if self._driver is self._motor else (self._motor, self._driver)
        found = [joint.getFeedback() for joint in joints]
        return self._sign * sum(self._along_axis(each[0], each[1]) for each in found if each)

    def track(self, step: float) -> float:
        """Count turns past ±π; call it before the joint can turn by half of that, and after each step in
        which it turns by more: then its velocity tells how far it has turned.

        Args:
            step: s.

        Returns:
            The time in s until the next call.
        """
        velocity = self.velocity
        turned = velocity * step
        if abs(turned) > 0.5 * pi:
            angle = self._sign * self._read()
            self._count(self._turns + round((self._last + turned - angle) / TURN))
            self._last = angle
        else:
            _ = self.position
        room = 0.5 * pi
        if self.has_stops:  # stops must be updated before they are wrong
            room = min(room, pi - abs(self._last))
        return room / (max(abs(velocity), self._driven) + MARGIN)

    def motor(self) -> tuple[float, float, float]:
        """Motor velocity, its largest effort, and the brake's damping."""
        driver, offset = self._driver, self._driver_offset
        velocity = driver.getParam(VELOCITY + offset)
        return self._sign * velocity, driver.getParam(MAX_FORCE + offset), self._brake

    def turn_count(self) -> tuple[int, float, float]:
        """Number of turns, the last angle, and the motor's speed; for `restore_turn_count`."""
        return self._turns, self._last, self._driven

    def restore_turn_count(self, turns: int, last: float, driven: float) -> None:
        """Restore values of `turn_count`."""
        self._count(turns)
        self._last, self._driven = last, driven

    def set_turns(self, turns: int) -> None:
        """Set the number of turns at the present angle, for a restored state."""
        self._count(turns)
        self._last = self._sign * self._read()

    def set_turns_near(self, position: float) -> None:
        """Set the number of turns so that the present position is nearest to `position`."""
        angle = self._sign * self._read()
        self.set_turns(round((position - self.spec.position - angle) / TURN))

    @property
    def _turns_not_in_ode(self) -> int:
        """Number of turns that ODE, which measures the angle, does not count."""
        return self._turns

    def _count(self, turns: int) -> None:
        if turns != self._turns:
            self._turns = turns
            self._set_stops()

    def _set_stops(self) -> None:
        """Set the stops in ODE, which counts from the start, and within the present turn."""
        if self._motor is None or not self.has_stops:
            return
        begin = self.spec.position + TURN * self._turns_not_in_ode
        low, high = self.spec.min_stop - begin, self.spec.max_stop - begin
        if self._sign < 0.0:
            low, high = -high, -low
        self._motor.setParam(HI_STOP + self._offset, high)
        self._motor.setParam(LO_STOP + self._offset, low)
        self._motor.setParam(HI_STOP + self._offset, high)  # ODE requires low ≤ high at every moment

    @abstractmethod
    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        """Return functions that read the position of a joint relative to that of the scene file, wrapped to
        ±π if it is an angle, and its velocity."""

    @abstractmethod
    def _add_effort(self, effort: float) -> None: ...

    @abstractmethod
    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        """Return the component along the axis of the joint's force or torque on its first body."""


class HingeAxis(Axis):
    """Axis of an ODE hinge."""

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        return motor.getAngle, motor.getAngleRate

    def _add_effort(self, effort: float) -> None:
        self._motor.addTorque(effort)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        return dot(_motor_torque(self._motor, force, torque), self._motor.getAxis())


class SliderAxis(Axis):
    """Axis of an ODE slider."""

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        return motor.getPosition, motor.getPositionRate

    def _add_effort(self, effort: float) -> None:
        self._motor.addForce(effort)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        return dot(force, self._motor.getAxis())


class Hinge2Axis(Axis):
    """Axis of an ODE hinge-2, whose first body is the parent: its angles have the opposite sign."""

    def __init__(self, name: str, spec: AxisSpec, index: int) -> None:
        """`index` 0: the axis fixed to the parent; 1: the axis fixed to the child."""
        super().__init__(name, spec)
        self.index = index
        self.has_stops &= index == 0  # ODE has none for the axis fixed to the child

    def bind_frames(self, parent: Any, child: Any, axis1: Vec3, axis2: Vec3) -> None:
        """Store both axes (world axes, now) in the bodies' frames, to read the angle about axis 2."""
        self._parent, self._child = parent, child
        self._axis1_in_parent = rotate_back(parent.getRotation(), axis1)
        self._axis2_in_child = rotate_back(child.getRotation(), axis2)
        self._zero = self._axis1_in_child()

    def _axis1_in_child(self) -> Vec3:
        axis1 = rotate(self._parent.getRotation(), self._axis1_in_parent)
        return rotate_back(self._child.getRotation(), axis1)

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        if self.index == 0:
            return motor.getAngle1, motor.getAngle1Rate
        return self._angle2, motor.getAngle2Rate

    def _angle2(self) -> float:
        now, axis = self._axis1_in_child(), self._axis2_in_child
        # in the child's frame, axis 1 turns backwards about axis 2
        return -atan2(dot(cross(now, self._zero), axis), _dot_across(now, self._zero, axis))

    def _add_effort(self, effort: float) -> None:
        self._motor.addTorques(effort if self.index == 0 else 0.0, effort if self.index == 1 else 0.0)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        motor = self._motor
        axis = motor.getAxis1() if self.index == 0 else motor.getAxis2()
        return dot(_motor_torque(motor, force, torque), axis)


def _motor_torque(joint: Any, force: Vec3, torque: Vec3) -> Vec3:
    """Return the motor's part of a joint's torque on its first body.

    The joint's forces act at the anchor; their moment about the centre of mass is not part of it.
    """
    arm = subtract(joint.getAnchor(), joint.getBody(0).getPosition())
    return subtract(torque, cross(arm, force))


def _dot_across(a: Vec3, b: Vec3, axis: Vec3) -> float:
    """Return the scalar product of the components of a and b across an axis."""
    return dot(a, b) - dot(a, axis) * dot(b, axis)
