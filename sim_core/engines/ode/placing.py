"""Moves solids between two steps for a supervisor, with all that is attached to them."""

from __future__ import annotations

from math import pi

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import (
    ZERO,
    Pose,
    Vec3,
    add,
    cross,
    multiply,
    rotate,
    scale,
    subtract,
    transposed,
)
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.ball_axis import BallAxis
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.kinematics import Mover
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import finite, is_rotation
from sim_core.model.dynamics.bodies import FARTHEST, BodyKind
from sim_core.model.dynamics.joints import turned_axes
from sim_core.model.joint_frames import AxisSpec

AT_STOP = 1e-9
"""rad or m past a stop where a joint is placed so that the stop holds it."""
PAST_STOP = 10.0 * AT_STOP
"""rad or m past a stop that is accepted as a position: a joint held by the stop can be placed where it
was."""


def place_subtree(link: Link, pose: Pose, mover: Mover) -> None:
    """Move a link to a pose in the world; links below it keep their poses relative to it.

    Raises:
        PhysicsError: the pose is not finite.
    """
    finite(f"{link.record.label.path}: position", *pose.position, limit=FARTHEST)
    if not is_rotation(pose.rotation):
        raise PhysicsError(f"{link.record.label.path}: found {pose.rotation}, expected a rotation matrix")
    shift = pose * link.world_pose().inverse()
    moved = [(sub, shift * sub.world_pose()) for sub in link.subtree() if sub is not link]
    if link.kind is BodyKind.DYNAMIC:
        _set_pose(link, pose)
    elif link.kind is BodyKind.CARRIED and link.parent is not None:
        mover.set_pose_in_parent(link, link.parent.world_pose().inverse() * pose)
    else:
        mover.move(link, pose, ZERO, ZERO)
    for sub, there in moved:
        if sub.kind is BodyKind.DYNAMIC:
            _set_pose(sub, there)
        elif sub.kind is BodyKind.FIXED and link.kind is BodyKind.DYNAMIC:
            mover.move(sub, there, ZERO, ZERO)


def set_velocity(link: Link, origin: Vec3, linear: Vec3, angular: Vec3) -> None:
    """Set the velocity of a dynamic link at its point `origin` in the world.

    Raises:
        PhysicsError: a value is not finite.
    """
    finite(f"{link.record.label.path}: velocity", *linear, *angular, limit=FARTHEST)
    arm = subtract(link.body.getPosition(), origin)
    link.body.setAngularVel(angular)
    link.body.setLinearVel(add(linear, cross(angular, arm)))
    link.body.enable()


def set_joint_position(plan: JointPlan, index: int, position: float, mover: Mover) -> None:
    """Move the end of a joint so that the axis has a position, rad or m.

    Raises:
        PhysicsError: see `PhysicsWorld.set_joint_position`.
    """
    axis, spec = plan.axes[index], plan.axes[index].spec
    finite(f"{axis.name}: position", position, limit=1e6)
    if spec.has_stops and not spec.min_stop - PAST_STOP <= position <= spec.max_stop + PAST_STOP:
        expected = f"a position from {spec.min_stop:g} to {spec.max_stop:g}, its stops"
        raise PhysicsError(f"{plan.record.label}: found {position:g}, expected {expected}")
    if not isinstance(axis, Axis):
        axis.position = position
        plan.update_pose()
        if plan.child is not None:
            mover.mark_moved(plan.child)
        return
    if plan.child is None:
        raise PhysicsError(f"{plan.record.label}: its position cannot be set, expected an end that can move")
    if spec.has_stops:
        position = _held(position, spec)
    if isinstance(axis, BallAxis) and index == 1 and abs(position) > pi / 2.0:
        raise PhysicsError(f"{plan.record.label}: found {position:g} for axis 2, expected -π/2 to π/2")
    now = [each.position for each in plan.axes]
    frame = (plan.parent.world_pose() if plan.parent is not None else Pose()) * plan.record.frame
    directions = [rotate(frame.rotation, each) for each in plan.record.axes]
    if plan.record.slides:
        shift = Pose(scale(directions[0], position - now[0]))
    else:
        _, before = turned_axes(directions, now)
        _, after = turned_axes(directions, [*now[:index], position, *now[index + 1 :]])
        turn, anchor = multiply(after, transposed(before)), frame.apply(plan.record.anchor)
        shift = Pose(subtract(anchor, rotate(turn, anchor)), turn)
    place_subtree(plan.child, shift * plan.child.world_pose(), mover)
    if not plan.record.slides:
        axis.set_turns_near(position)


def _held(position: float, spec: AxisSpec) -> float:
    """Move a position at a stop slightly past it, so that the next step detects the stop in spite of
    rounding."""
    if spec.max_stop - position < AT_STOP:
        return spec.max_stop + AT_STOP
    return spec.min_stop - AT_STOP if position - spec.min_stop < AT_STOP else position


def _set_pose(link: Link, pose: Pose) -> None:
    link.body.setPosition(pose.apply(link.centre))
    link.body.setRotation(pose.rotation)
    link.body.enable()
