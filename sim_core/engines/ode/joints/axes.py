"""Degrees of freedom of joints, as motors and position sensors see them.

They outlive a reset: the physics builds its joints anew and binds each axis to its new joint. Who is outside
holds an `AxisHandle`, which outlives changes of the scene too.
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
"""rad/s by which a joint may get faster, until it is looked at again, than it is or is driven at."""


class Watch:
    """Says when joints must next be looked at, lest they turn by more than half a turn unnoticed."""

    __slots__ = ("steps_left",)

    def __init__(self) -> None:
        self.steps_left = 0


Reader = Callable[[], float]


class Axis(ABC):
    """An axis that the physics moves; positions as in the scene, angles continuous.

    Attributes:
        name: path of the joint node, for errors.
        spec: stops, spring, damper and friction.
        watch: told when the motor is told something new, which may make the joint much faster.
        wants_feedback: its joint measures.
    """

    is_dynamic = True

    def __init__(self, name: str, spec: AxisSpec, is_linear: bool) -> None:
        self.name = name
        self.spec = spec
        self.is_linear = is_linear
        self._motor: Any = None
        self._driver: Any = None
        self._driver_offset = 0
        self._read: Reader = float  # of ODE's joint, with ODE's sign: how far from the start, and how fast
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
        self.watch = Watch()

    def let_go(self) -> None:
        """Forget ODE's objects."""
        if self._passive is not None:
            self._passive.let_go()
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
        """Use this ODE joint; `sign` -1: its positive direction is the other way round.

        `driver` is the ODE joint, and the offset in it, whose motor drives the axis, None: this one's.
        """
        if self._passive is not None:
            self._passive.let_go()
        self._motor, self._offset, self._sign, self._passive = motor, offset, sign, passive
        self._driver, self._driver_offset = driver or (motor, offset)
        self._read, self._rate = self._readers(motor)
        self._brake = self._driven = 0.0
        self._turns, self._last = 0, 0.0
        self._set_stops()
        if self.spec.has_brake:
            passive.reserve()
        passive.set(self.spec.spring, self.spec.damping, self.spec.friction)
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
        """Drive at a velocity with at most this torque or force; holds until changed.

        Raises:
            PhysicsError: a value is not a number, or the effort is negative.
        """
        set_motor(self._driver, self._sign * velocity, min(max_effort, LARGEST), self._driver_offset)
        self._driven = abs(velocity) if max_effort > 0.0 else 0.0
        self.watch.steps_left = 0

    def release(self) -> None:
        """Take the motor off; friction, spring and damper of the joint stay."""
        self._driver.setParam(MAX_FORCE + self._driver_offset, 0.0)
        self._driven = 0.0

    def apply_effort(self, effort: float) -> None:
        """Torque or force along the axis during the next step only.

        Raises:
            PhysicsError: not finite.
        """
        finite(f"{self.name}: effort", effort)
        self._add_effort(self._sign * effort)
        self.watch.steps_left = 0

    def set_brake(self, damping: float) -> None:
        """Extra damping, N·m·s/rad or N·s/m, until changed; 0 takes it off.

        Raises:
            PhysicsError: negative or not finite.
        """
        if not 0.0 <= damping <= LARGEST:
            raise PhysicsError(f"{self.name}: found brake damping {damping}, expected 0 or more")
        if damping != self._brake and self._passive is not None:
            self._brake = damping
            self._passive.set(self.spec.spring, self.spec.damping + damping, self.spec.friction)

    def enable_feedback(self) -> None:
        """Measure from now on; costs a little in each step."""
        self.wants_feedback = True
        self._motor.setFeedback(True)
        self._driver.setFeedback(True)

    def feedback(self) -> float:
        """Torque or force that the joint's motor applied along the axis in the last step, stops included."""
        if not self.wants_feedback:
            return 0.0
        joints = (self._motor,) if self._driver is self._motor else (self._motor, self._driver)
        found = [joint.getFeedback() for joint in joints]
        return self._sign * sum(self._along_axis(each[0], each[1]) for each in found if each)

    def track(self, step: float) -> float:
        """Notice turns past ±π; to be called again before the joint can turn by half of that, and after each
        step in which it turns by more: then its velocity tells how far it has turned.

        Args:
            step: s.

        Returns:
            How many seconds it can be left alone.
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
        if self.has_stops:  # they must be told before they are wrong
            room = min(room, pi - abs(self._last))
        return room / (max(abs(velocity), self._driven) + MARGIN)

    def motor(self) -> tuple[float, float, float]:
        """Velocity that the motor is told, its largest effort, and the brake's damping."""
        driver, offset = self._driver, self._driver_offset
        velocity = driver.getParam(VELOCITY + offset)
        return self._sign * velocity, driver.getParam(MAX_FORCE + offset), self._brake

    def counted(self) -> tuple[int, float, float]:
        """Whole turns, the last angle seen, and how fast the motor drives; for `go_on_counting`."""
        return self._turns, self._last, self._driven

    def go_on_counting(self, turns: int, last: float, driven: float) -> None:
        """Put back what `counted` said."""
        self._count(turns)
        self._last, self._driven = last, driven

    def set_turns(self, turns: int) -> None:
        """Go on from a number of whole turns at the present angle, for a restored state."""
        self._count(turns)
        self._last = self._sign * self._read()

    def settle(self, position: float) -> None:
        """Count the turns anew, so that the present angle is that of a position near it."""
        angle = self._sign * self._read()
        self.set_turns(round((position - self.spec.position - angle) / TURN))

    @property
    def has_stops(self) -> bool:
        """Whether ODE holds it at stops."""
        return self.spec.has_stops

    @property
    def _told_turns(self) -> int:
        """Whole turns that ODE, which measures the angle, does not know of."""
        return self._turns

    def _count(self, turns: int) -> None:
        if turns != self._turns:
            self._turns = turns
            self._set_stops()

    def _set_stops(self) -> None:
        """Tell ODE the stops: it counts from the start, and within the present turn."""
        if self._motor is None or not self.has_stops:
            return
        begin = self.spec.position + TURN * self._told_turns
        low, high = self.spec.min_stop - begin, self.spec.max_stop - begin
        if self._sign < 0.0:
            low, high = -high, -low
        self._motor.setParam(HI_STOP + self._offset, high)
        self._motor.setParam(LO_STOP + self._offset, low)
        self._motor.setParam(HI_STOP + self._offset, high)  # ODE wants low ≤ high at every moment

    @abstractmethod
    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        """What reads the position of a joint relative to that of the scene file, wrapped to ±π if it is an
        angle, and its velocity."""

    @abstractmethod
    def _add_effort(self, effort: float) -> None: ...

    @abstractmethod
    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        """The part along the axis of what the joint does to its first body."""


class HingeAxis(Axis):
    """The axis of an ODE hinge."""

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        return motor.getAngle, motor.getAngleRate

    def _add_effort(self, effort: float) -> None:
        self._motor.addTorque(effort)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        return dot(_motor_torque(self._motor, force, torque), self._motor.getAxis())


class SliderAxis(Axis):
    """The axis of an ODE slider."""

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        return motor.getPosition, motor.getPositionRate

    def _add_effort(self, effort: float) -> None:
        self._motor.addForce(effort)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        return dot(force, self._motor.getAxis())


class Hinge2Axis(Axis):
    """An axis of an ODE hinge-2, whose first body is the parent: its angles count the other way."""

    def __init__(self, name: str, spec: AxisSpec, index: int) -> None:
        """`index` 0: the axis that the parent holds; 1: that which the child holds."""
        super().__init__(name, spec, False)
        self.index = index

    def bind_frames(self, parent: Any, child: Any, axis1: Vec3, axis2: Vec3) -> None:
        """Remember both axes (world axes, now) in the bodies' frames, to read the angle about axis 2."""
        self._parent, self._child = parent, child
        self._axis1_in_parent = rotate_back(parent.getRotation(), axis1)
        self._axis2_in_child = rotate_back(child.getRotation(), axis2)
        self._zero = self._axis1_in_child()

    @property
    def has_stops(self) -> bool:
        """ODE has none for the axis that the child holds."""
        return self.index == 0 and self.spec.has_stops

    def _axis1_in_child(self) -> Vec3:
        axis1 = rotate(self._parent.getRotation(), self._axis1_in_parent)
        return rotate_back(self._child.getRotation(), axis1)

    def _readers(self, motor: Any) -> tuple[Reader, Reader]:
        if self.index == 0:
            return motor.getAngle1, motor.getAngle1Rate
        return self._angle2, motor.getAngle2Rate

    def _angle2(self) -> float:
        now, axis = self._axis1_in_child(), self._axis2_in_child
        # seen from the child, axis 1 turns backwards about axis 2
        return -atan2(dot(cross(now, self._zero), axis), _dot_across(now, self._zero, axis))

    def _add_effort(self, effort: float) -> None:
        self._motor.addTorques(effort if self.index == 0 else 0.0, effort if self.index == 1 else 0.0)

    def _along_axis(self, force: Vec3, torque: Vec3) -> float:
        motor = self._motor
        axis = motor.getAxis1() if self.index == 0 else motor.getAxis2()
        return dot(_motor_torque(motor, force, torque), axis)


def _motor_torque(joint: Any, force: Vec3, torque: Vec3) -> Vec3:
    """Of what a joint does to its first body the torque of its motor.

    The joint's forces act at the anchor; their moment about the centre of mass is not the motor's.
    """
    arm = subtract(joint.getAnchor(), joint.getBody(0).getPosition())
    return subtract(torque, cross(arm, force))


def _dot_across(a: Vec3, b: Vec3, axis: Vec3) -> float:
    """Scalar product of the parts of a and b across an axis."""
    return dot(a, b) - dot(a, axis) * dot(b, axis)
