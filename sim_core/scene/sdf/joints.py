"""`<joint>`: types, axes, limits, in the frames of the links that they connect."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import IDENTITY, Mat3, Pose, Vec3, norm, normalized, rotate, rotate_back, scale
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.robot_description import JointElement, Limit, Mimic
from sim_core.scene.sdf.frames import Frames
from sim_core.scene.sdf.scopes import Element, Scope, rules_of
from sim_core.scene.sdf.values import TRUE, finite, number, vector

KINDS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "ball",
    "universal": "universal",
    "revolute2": "universal",
}
"""Joint types here by SDF joint type."""
STRONGEST = 1e6
"""Limit in N·m or N of a motor whose joint has no limit of effort."""
FASTEST = 1e3
"""Limit in rad/s or m/s of a motor whose joint has no limit of velocity."""


class Ends(NamedTuple):
    """The links of a joint, by their names in the whole model, and their poses in it."""

    parent: str
    child: str
    of_parent: Pose
    of_child: Pose


@dataclass
class JointReader:
    """Reads joints.

    Attributes:
        warnings: receives a line for each part that is left out.
    """

    warnings: list[SceneError]
    frames: Frames

    def read_joint(self, name: str, scope: Scope, part: Element, at: Pose, ends: Ends) -> JointElement | None:
        """Read a joint; None: a warning gives the reason.

        Args:
            name: name of the joint in the whole model.
            scope: scope that contains it.
            at: pose of the scope in the whole model.

        Raises:
            SceneError: a number in it is invalid.
        """
        tag = part.tag
        tag.all("parent", "child", "physics")
        kind = KINDS.get(tag.attribute("type"))
        if kind is None:
            found = f'joint "{part.name}" of type "{tag.attribute("type")}" is not simulated'
            self.warnings.append(Mistake(*tag.source, found, "left out"))
            return None
        placed = at * self.frames.frame_pose(scope, part.name)
        in_child = ends.of_child.inverse() * placed
        joint = JointElement(
            name,
            kind,
            ends.parent,
            ends.child,
            ends.of_parent.inverse() * ends.of_child,
            source=tag.source,
            anchor=in_child.position,
        )
        if kind in ("fixed", "ball"):
            for each in tag.all("axis", "axis2"):  # files contain them, without meaning
                each.all("xyz", "limit", "dynamics", "use_parent_model_frame")
            return joint
        axis = tag.first("axis")
        joint = self._with_axis(joint, axis, self._axis(scope, part, axis, at, ends))
        if kind == "universal":
            second = tag.first("axis2")
            turned = self._axis(scope, part, second, at, ends, (0.0, 1.0, 0.0))
            joint.second = self._with_axis(replace(joint, mimic=None), second, turned)
        return joint

    def _axis(
        self,
        scope: Scope,
        part: Element,
        axis: Tag | None,
        at: Pose,
        ends: Ends,
        default: Vec3 = (0.0, 0.0, 1.0),
    ) -> Vec3:
        """Return the direction of the axis, a unit vector in the child's frame."""
        direction = axis_in_scope(self.frames, scope, part, axis, default)
        if direction is None:
            found = f'axis of joint "{part.name}" is zero'
            self.warnings.append(Mistake(*part.tag.source, found, "taken as z"))
            direction = rotate(self.frames.frame_pose(scope, part.name).rotation, default)
        return rotate_back(ends.of_child.rotation, rotate(at.rotation, direction))

    def _with_axis(self, joint: JointElement, axis: Tag | None, direction: Vec3) -> JointElement:
        """Return a joint with the values of `<axis>`."""
        joint = replace(joint, axis=direction)
        if axis is None:
            joint.limit = Limit(-math.inf, math.inf, STRONGEST, FASTEST)
            return joint
        axis.expect("initial_position", 0.0)
        joint.limit = self._limit(axis.first("limit"), joint)
        if (dynamics := axis.first("dynamics")) is not None:
            joint.damping = max(number(dynamics, "damping", 0.0), 0.0)
            joint.friction = max(number(dynamics, "friction", 0.0), 0.0)
            if math.inf in (joint.damping, joint.friction):  # it cannot move
                joint.damping = joint.friction = 0.0
                joint.limit = Limit(0.0, 0.0, STRONGEST, FASTEST)
            joint.spring = finite(dynamics, "spring_stiffness", 0.0, 0.0)
            if joint.spring:
                dynamics.expect("spring_reference", 0.0)
            else:
                dynamics.all("spring_reference")
        if (mimic := axis.first("mimic")) is not None:
            factor = finite(mimic, "multiplier", 1.0)
            offset = finite(mimic, "offset", 0.0) - factor * finite(mimic, "reference", 0.0)
            joint.mimic = Mimic(mimic.attribute("joint"), factor, offset)
        return joint

    def _limit(self, tag: Tag | None, joint: JointElement) -> Limit:
        if tag is None:
            return Limit(-math.inf, math.inf, STRONGEST, FASTEST)
        lower, upper = number(tag, "lower", -math.inf), number(tag, "upper", math.inf)
        if joint.kind == "continuous":
            lower, upper = -math.inf, math.inf
        if lower > upper or lower == math.inf or upper == -math.inf:
            found = f'limits of joint "{joint.name}" from {lower:g} to {upper:g}'
            self.warnings.append(Mistake(*tag.source, found, "taken as none"))
            lower, upper = -math.inf, math.inf
        effort, velocity = number(tag, "effort", -1.0), number(tag, "velocity", -1.0)
        return Limit(
            lower,
            upper,
            effort if 0.0 <= effort < STRONGEST else STRONGEST,
            velocity if 0.0 < velocity < FASTEST else FASTEST,
        )


def axis_in_scope(
    frames: Frames, scope: Scope, part: Element, axis: Tag | None, default: Vec3 = (0.0, 0.0, 1.0)
) -> Vec3 | None:
    """Return the direction of an `<axis>`, a unit vector in its model's frame; None: it is zero.

    Raises:
        SceneError: a number in it is invalid.
    """
    xyz = default if axis is None else vector(axis, "xyz", default)
    turn: Mat3 = frames.frame_pose(scope, part.name).rotation
    if axis is not None:
        named = axis.first("xyz")
        frame = "" if named is None else named.attribute("expressed_in")
        in_model = axis.word("use_parent_model_frame") in TRUE
        if in_model or (not frame and rules_of(part.by.version).axes_in_model):
            turn = IDENTITY
        elif frame:
            turn = frames.frame_pose(scope, frame).rotation
    return normalized(rotate(turn, xyz)) if norm(xyz) > 1e-9 else None


def reversed_joint(joint: JointElement) -> JointElement:
    """Return the same joint with parent and child exchanged; its position keeps its sign."""
    back = joint.origin.inverse()

    def turned(axis: Vec3) -> Vec3:
        return scale(rotate(joint.origin.rotation, axis), -1.0)

    second = joint.second
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        origin=back,
        anchor=joint.origin.apply(joint.anchor),
        axis=turned(joint.axis),
        second=None if second is None else replace(second, axis=turned(second.axis)),
    )
