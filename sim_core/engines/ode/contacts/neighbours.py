"""Pairs of links of a robot that never collide, even where `selfCollision` is TRUE."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import TypeGuard

from sim_core.base.geometry import Pose, Vec3
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Link
from sim_core.model.dynamics.joints import JointKind

SAME_PLACE = 1e-6
"""m: anchors at a smaller distance are regarded as one."""


def exclude_neighbours(joints: Sequence[JointPlan]) -> None:
    """Exclude collisions of the links of one joint, and of links with nothing but hinges in one place between
    them; bodies that are fixed to a link belong to it, except fixed ones.

    The first rule is that of the Webots reference, Robot; Webots applies the second too: the parts of a hip
    or of a shoulder that turns about three axes overlap by design.
    """
    above = {joint.child: joint for joint in joints if joint.child is not None}
    for joint in joints:
        child, parent = joint.child, joint.parent
        if child is None or parent is None:
            continue
        _exclude(child, parent)
        if joint.record.kind is JointKind.FIXED:
            hinge = above.get(parent)
            if hinge is None or hinge.record.slides or not _is_dynamic(hinge.parent):
                continue
            joint, parent = hinge, hinge.parent
            _exclude(child, parent)
        upper = above.get(parent)
        while upper is not None and upper.parent is not None and _share_place(joint, upper):
            _exclude(child, upper.parent)
            upper = above.get(upper.parent)


def _is_dynamic(link: Link | None) -> TypeGuard[Link]:
    return link is not None and link.dynamic_ancestor() is not None


def _share_place(one: JointPlan, other: JointPlan) -> bool:
    if one.record.slides or other.record.slides:
        return False
    return dist(_place(one), _place(other)) < SAME_PLACE


def _place(joint: JointPlan) -> Vec3:
    """Return the anchor in the world."""
    above = joint.parent.world_pose() if joint.parent is not None else Pose()
    return (above * joint.record.frame).apply(joint.record.anchor)


def _exclude(one: Link, other: Link) -> None:
    for shape in (*one.shapes, *other.shapes):
        shape.group.joined.add((id(one), id(other)))
        shape.group.joined.add((id(other), id(one)))
