"""Creation of ODE joints.

The child's body is first in every ODE joint (second in a hinge-2), so that positions have the sign of the
scene: those of the end point relative to the parent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, cross, norm, normalized, rotate
from sim_core.base.ids import NodeId
from sim_core.engines.ode.joints.axes import Axis, Hinge2Axis, HingeAxis, SliderAxis
from sim_core.engines.ode.joints.ball_axis import BallAxis
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.joints.passive_joint import PassiveJoint
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import (
    AXIS2,
    HI_STOP,
    LO_STOP,
    STOP_CFM,
    STOP_ERP,
    SUSPENSION_CFM,
    SUSPENSION_ERP,
)
from sim_core.engines.ode.ode_objects import OdeObjects
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.springs import spring_as_constraint
from sim_core.model.dynamics.joints import JointKind
from sim_core.model.dynamics.naming import NodeLabel

MotorRow = tuple[Any, int, float]
"""Joint, offset of one of its motors, and sign of the direction."""
DRIVER_ROW = 2
"""Row index; rows 0 and 1 are those of `PassiveJoint`."""


class JointBuilder:
    """Creates the ODE joints of all plans, in one ODE world.

    Attributes:
        springs: (axis, passive joint) whose position is set before each step.
        updates: functions to call before each step.
    """

    def __init__(self, world: Any, step: float, erp: float, cfm: float, ode_objects: OdeObjects) -> None:
        self._world = world
        self._ode_objects = ode_objects
        ode_objects.users.append(self)
        self._step = step
        self._erp, self._cfm = erp, cfm
        self.springs: list[tuple[Axis, PassiveJoint]] = []
        self.updates: list[Any] = []
        self._updates_of: dict[NodeId, list[Any]] = {}
        self._joints_at: dict[int, list[Any]] = {}

    def release_ode(self) -> None:
        """Drop all references to ODE's objects."""
        for _, passive in self.springs:
            passive.release_ode()
        self.springs.clear()
        self.updates.clear()
        self._updates_of.clear()
        self._joints_at.clear()

    def destroy_joints(self, plans: list[JointPlan], links: set[Link]) -> None:
        """Destroy the joints of plans of removed links; their axes have been released."""
        axes = {id(axis) for plan in plans for axis in plan.axes}
        self.springs[:] = [each for each in self.springs if id(each[0]) not in axes]
        gone = {id(update) for plan in plans for update in self._updates_of.pop(plan.record.id, ())}
        self.updates[:] = [update for update in self.updates if id(update) not in gone]
        bodies = {id(link.body) for link in links if link.body is not None}
        joints = [joint for body in bodies for joint in self._joints_at.pop(body, ())]
        dropped = set(joints)
        self._ode_objects.joints[:] = [joint for joint in self._ode_objects.joints if joint not in dropped]
        ends = {id(joint.getBody(end)) for joint in joints for end in (0, 1)} - {id(None)} - bodies
        for body in ends:  # bodies that represent the world
            self._joints_at.pop(body, None)
        if ends:
            self._ode_objects.bodies[:] = [body for body in self._ode_objects.bodies if id(body) not in ends]

    def build(self, plan: JointPlan) -> None:
        """Create the ODE joint of a plan whose links are at their start, and bind its axes."""
        if not plan.record.is_dynamic:
            for axis in plan.axes:
                axis.go_to_start()  # type: ignore[union-attr]
            return
        updates = len(self.updates)
        try:
            self._build(plan)
        finally:
            if len(self.updates) > updates:
                self._updates_of[plan.record.id] = self.updates[updates:]

    def _build(self, plan: JointPlan) -> None:
        child = joint_body(plan.child)
        parent = joint_body(plan.parent)
        if child is parent:
            path, source = plan.record.label
            raise SceneError(*source, f"{path} joins a solid to itself", "two solids")
        if plan.record.kind is JointKind.FIXED:
            self._keep(ode.FixedJoint(self._world), child, parent).setFixed()
            return
        sign = 1.0
        if child is None:
            child, parent, sign = parent, None, -1.0
        frame = (plan.parent.start if plan.parent is not None else Pose()) * plan.record.frame
        anchor = frame.apply(plan.record.anchor)
        axes = [rotate(frame.rotation, axis) for axis in plan.record.start_axes]
        first = plan.axes[0]
        if isinstance(first, HingeAxis):
            self._hinge(first, child, parent, sign, anchor, axes[0])
        elif isinstance(first, SliderAxis):
            self._slider(first, child, parent, sign, axes[0])
        elif isinstance(first, Hinge2Axis):
            self._hinge2(plan, child, parent, sign, anchor, frame, axes)
        else:
            self._ball(plan, child, parent, sign, anchor, axes)

    def _keep(self, joint: Any, first: Any, second: Any) -> Any:
        """Attach a joint to two bodies, and store it."""
        if isinstance(joint, ode.Hinge2Joint):
            _attach_hinge2(joint, first, second)
        else:
            joint.attach(first, second)
        self._ode_objects.joints.append(joint)
        for body in (first, second):
            if body is not None:
                self._joints_at.setdefault(id(body), []).append(joint)
        return joint

    def _hinge(
        self,
        axis: HingeAxis,
        child: Any,
        parent: Any,
        sign: float,
        anchor: Vec3,
        direction: Vec3,
    ) -> None:
        joint = self._keep(ode.HingeJoint(self._world), child, parent)
        joint.setAnchor(anchor)
        joint.setAxis(direction)
        rows = self._angular_rows(child, parent, lambda index: (direction, 1), sign)
        self._bind(axis, joint, 0, sign, rows, _driver(axis, rows))

    def _slider(self, axis: SliderAxis, child: Any, parent: Any, sign: float, direction: Vec3) -> None:
        def make() -> Any:
            joint = self._keep(ode.SliderJoint(self._world), child, parent)
            joint.setAxis(direction)
            return joint

        def row(index: int) -> MotorRow:
            return make(), 0, sign

        joint = make()
        self._bind(axis, joint, 0, sign, row, _driver(axis, row))

    def _hinge2(
        self,
        plan: JointPlan,
        child: Any,
        parent: Any,
        sign: float,
        anchor: Vec3,
        frame: Pose,
        axes: list[Vec3],
    ) -> None:
        if parent is None:  # ODE's hinge-2 needs two bodies
            parent = ode.Body(self._world)
            self._ode_objects.bodies.append(parent)
            parent.setKinematic()
        steering, suspension = plan.record.steers, plan.record.suspension
        axis1 = axes[0]
        if not steering and suspension is not None:
            axis1 = rotate(frame.rotation, suspension.axis)
        axis2 = axes[-1]
        joint = self._keep(ode.Hinge2Joint(self._world), parent, child)
        _set_hinge2_axes(plan.record.label, joint, axis1, axis2)
        joint.setAnchor(anchor)
        if suspension is not None:
            erp, cfm = spring_as_constraint(self._step, suspension.spring, suspension.damping)
            joint.setParam(SUSPENSION_ERP, erp)
            joint.setParam(SUSPENSION_CFM, cfm)
        if not steering:  # the first axis only carries the suspension
            joint.setParam(HI_STOP, 0.0)
            joint.setParam(LO_STOP, 0.0)
        directions = [axis1, axis2]
        for axis in plan.axes:
            if not isinstance(axis, Hinge2Axis):
                continue
            which = axis.index
            axis.bind_frames(parent, child, axis1, axis2)
            rows = self._angular_rows(parent, child, lambda _, k=which: (directions[k], 1 + k), -sign)
            self._bind(axis, joint, AXIS2 * which, -sign, rows)

    def _ball(
        self, plan: JointPlan, child: Any, parent: Any, sign: float, anchor: Vec3, axes: list[Vec3]
    ) -> None:
        joint = self._keep(ode.BallJoint(self._world), child, parent)
        joint.setAnchor(anchor)
        motor = self._keep(ode.AMotor(self._world), child, parent)
        motor.setMode(0)
        motor.setNumAxes(3)
        balls = [axis for axis in plan.axes if isinstance(axis, BallAxis)]
        start = tuple(spec.position for spec in plan.record.specs)
        ends = (parent, child) if sign > 0.0 else (child, None)
        for axis in balls:
            index = axis.index
            axis.bind_frames(ends[0], ends[1], (axes[0], axes[1], axes[2]), start)
            self._bind(
                axis, motor, AXIS2 * index, sign, lambda _, a=axis: self._ball_row(a, child, parent, sign)
            )

        def update() -> None:
            directions, lever = balls[0].motor_rows()
            for ball, direction in zip(balls, directions, strict=True):
                motor.setAxis(ball.index, 0, direction)
                ball.set_lever(1.0 if ball.index == 1 else lever)
                if ball.spec.has_stops:
                    motor.setAngle(ball.index, sign * (ball.position - ball.spec.position))

        update()
        self.updates.append(update)

    def _ball_row(self, axis: BallAxis, child: Any, parent: Any, sign: float) -> tuple[Any, int, float]:
        row = self._keep(ode.AMotor(self._world), child, parent)
        row.setMode(0)
        row.setNumAxes(1)
        row.setAxis(0, 0, axis.motor_rows()[0][axis.index])
        self.updates.append(lambda: row.setAxis(0, 0, axis.motor_rows()[0][axis.index]))
        return row, 0, sign

    def _angular_rows(self, first: Any, second: Any, direction: Any, sign: float) -> Any:
        """Return a function that makes free motor rows about an axis (direction, body that it is fixed to),
        all in one joint."""
        made: list[Any] = []

        def row(index: int) -> MotorRow:
            axis, held_by = direction(index)
            if not made:
                joint = self._keep(ode.AMotor(self._world), first, second)
                joint.setMode(0)
                joint.setNumAxes(3)
                for number in range(3):
                    joint.setAxis(number, held_by, axis)
                made.append(joint)
            return made[0], AXIS2 * index, sign

        return row

    def _bind(
        self,
        axis: Axis,
        joint: Any,
        offset: int,
        sign: float,
        make_row: Any,
        driver: tuple[Any, int] | None = None,
    ) -> None:
        passive = PassiveJoint(make_row, self._step)
        axis.bind(joint, offset, sign, passive, driver)
        spec = axis.spec
        if axis.has_stops:
            joint.setParam(STOP_ERP + offset, spec.stop_erp if spec.stop_erp >= 0.0 else self._erp)
            joint.setParam(STOP_CFM + offset, spec.stop_cfm if spec.stop_cfm >= 0.0 else self._cfm)
        if spec.spring > 0.0:
            self.springs.append((axis, passive))


def _driver(axis: Axis, make_row: Callable[[int], MotorRow]) -> tuple[Any, int] | None:
    """Return a separate motor row for an axis with stops; None: the joint's own motor drives it.

    At a stop ODE has one row for both. A motor that leads away from the stop would not be limited to its
    velocity: its full torque would act for a step, which throws a light link past the other stop.
    """
    if not axis.spec.has_stops:
        return None
    joint, offset, _ = make_row(DRIVER_ROW)
    return joint, offset


def joint_body(link: Link | None) -> Any:
    """Return the ODE body for a joint to a link; None: the world."""
    if link is None:
        return None
    ancestor = link.dynamic_ancestor()
    return (ancestor or link).body


def _attach_hinge2(joint: Any, parent: Any, child: Any) -> None:
    """Attach the bodies; ODE ends the process if x of the parent and y of the child, its default axes, are
    parallel."""
    turned = child.getQuaternion()
    x, y = rotate(parent.getRotation(), (1.0, 0.0, 0.0)), rotate(child.getRotation(), (0.0, 1.0, 0.0))
    if norm(cross(x, y)) > 1e-6:
        joint.attach(parent, child)
        return
    child.setQuaternion(parent.getQuaternion())
    joint.attach(parent, child)
    child.setQuaternion(turned)


def _set_hinge2_axes(label: NodeLabel, joint: Any, axis1: Vec3, axis2: Vec3) -> None:
    """Set both axes; ODE ends the process if they are parallel at any moment."""
    if norm(cross(axis1, axis2)) < 1e-6:
        raise SceneError(*label.source, f"{label.path} has parallel axes", "two axes")
    second = rotate(joint.getBody(1).getRotation(), (0.0, 1.0, 0.0))  # the default before it is set
    between = cross(second, axis2)
    if norm(between) < 1e-6:
        between = axis1
    joint.setAxis1(normalized(between))
    joint.setAxis2(axis2)
    joint.setAxis1(axis1)
