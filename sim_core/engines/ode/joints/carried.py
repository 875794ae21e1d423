"""Where the end points without Physics of joints are: worked out from the joints' positions."""

from __future__ import annotations

from sim_core.base.geometry import (
    IDENTITY,
    Pose,
    Vec3,
    add,
    multiply,
    rotate,
    rotation_from_axis_angle,
    scale,
    subtract,
    transposed,
)
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Kind


def move_carried(plan: JointPlan, step: float) -> bool:
    """Advance the axes of a kinematic joint by one step; True if its link has moved or just came to rest."""
    moved = False
    for axis in plan.axes:
        moved |= axis.advance(step)  # type: ignore[union-attr]
    if moved:
        place_carried(plan)
    return moved


def place_carried(plan: JointPlan) -> None:
    """Work out the pose and motion of a carried link in its parent from the joint positions."""
    link = plan.child
    if link is None or link.kind is not Kind.CARRIED:
        return
    turn = IDENTITY
    shift: Vec3 = (0.0, 0.0, 0.0)
    anchor = plan.frame.apply(plan.anchor)
    motions = []
    for axis, direction in zip(plan.axes, plan.axes_in_frame, strict=True):
        now = rotate(turn, rotate(plan.frame.rotation, direction))
        motions.append((now, anchor, axis.velocity, plan.slides))
        if plan.slides:
            shift = add(shift, scale(now, axis.position - axis.spec.position))
        else:
            turn = multiply(rotation_from_axis_angle((*now, axis.position)), turn)
    if not plan.slides:
        back = plan.start_turn_back
        if plan.frame.rotation != IDENTITY:
            frame = plan.frame.rotation
            back = multiply(multiply(frame, back), transposed(frame))
        turn = multiply(turn, back)
    start = link.in_parent
    position = add(add(anchor, rotate(turn, subtract(start.position, anchor))), shift)
    link.in_parent_now = Pose(position, multiply(turn, start.rotation))
    link.motions = motions
