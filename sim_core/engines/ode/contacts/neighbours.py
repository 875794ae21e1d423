"""Which links of a robot never collide with each other, even where `selfCollision` is TRUE."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import TypeGuard

from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Link
from sim_core.model.dynamics.joints import JointKind

SAME_PLACE = 1e-6
"""Anchors that are no farther apart are one, m."""


def spare_neighbours(joints: Sequence[JointPlan]) -> None:
    """Let the links of one joint be, and those with nothing but hinges in one place between them; what is
    fixed to a link counts as the link, but for what stands still.

    The first is of the Webots reference, Robot; Webots does the second too: the parts of a hip or of a
    shoulder that turns about three axes are in each other by design.
    """
    above = {joint.child: joint for joint in joints if joint.child is not None}
    for joint in joints:
        child, parent = joint.child, joint.parent
        if child is None or parent is None:
            continue
        _spare(child, parent)
        if joint.record.kind is JointKind.FIXED:
            hinge = above.get(parent)
            if hinge is None or hinge.record.slides or not _is_dynamic(hinge.parent):
                continue
            joint, parent = hinge, hinge.parent
            _spare(child, parent)
        upper = above.get(parent)
        while upper is not None and upper.parent is not None and _share_place(joint, upper):
            _spare(child, upper.parent)
            upper = above.get(upper.parent)


def _is_dynamic(link: Link | None) -> TypeGuard[Link]:
    return link is not None and link.dynamic_ancestor() is not None


def _share_place(one: JointPlan, other: JointPlan) -> bool:
    if one.record.slides or other.record.slides:
        return False
    return dist(_place(one), _place(other)) < SAME_PLACE


def _place(joint: JointPlan) -> Vec3:
    """The anchor in the world."""
    above = joint.parent.world_pose() if joint.parent is not None else Pose()
    return (above * joint.record.frame).apply(joint.record.anchor)


def _spare(one: Link, other: Link) -> None:
    for shape in (*one.shapes, *other.shapes):
        shape.group.joined.add((id(one), id(other)))
        shape.group.joined.add((id(other), id(one)))
