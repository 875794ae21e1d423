"""Parts of a robot: its solids as a tree, each with a frame.

The transforms on `/tf` and the links of the robot's URDF are this tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from sim_core.base.geometry import ZERO, Pose, Vec3, add, cross, dot, norm, rotate, scale, subtract
from sim_core.base.ids import NodeId
from sim_core.model.frames import pose_of
from sim_core.model.joint_frames import (
    anchor_in_frame,
    axis_in_frame,
    axis_spec,
    has_parallel_axes,
    is_linear,
    parameter_nodes,
)
from sim_core.model.kinematics import attached_nodes, end_point, is_own_joint, is_unconnected
from sim_core.scene.node import Node

AXLE = "_axle"
HERE = Pose()
_OFF_AXIS = 1e-9
_SEVERAL_AXES = ("Hinge2Joint", "BallJoint")
_ONE_AXIS = ("HingeJoint", "SliderJoint", "Servo", "Solid")


class AxisFrame(NamedTuple):
    """One of several axes of a joint, each of which turns with those before it.

    Attributes:
        frame: name of the frame that it turns, in the frame of the previous axis, or of the part's parent.
        axis: unit vector in that frame.
        position: rad, at the start.
        origin: in the previous frame, m: the anchor of the joint for the first axis, else 0.
    """

    frame: str
    axis: Vec3
    position: float
    origin: Vec3

    def pose_at(self, position: float) -> Pose:
        """Return the pose of the frame in the previous one, at a position in rad."""
        return Pose.from_axis_angle(self.origin, (*self.axis, position))


@dataclass
class RobotPart:
    """Solid of a robot.

    Attributes:
        name: name of its frame.
        solid: the node.
        parent: the part above; None: this is the robot itself.
        joint: the joint node above (for a Servo, a wheel of DifferentialWheels, the head of a Lidar: the node
            itself); None: it is fixed to its parent.
        pose: in the parent's frame, at the start.
        axis: unit vector in the parent's frame; None: the joint has several axes or none, or the part is
            fixed.
        turns: the axes of a joint with several; the part is fixed to the last frame.
        position: of the joint at the start, rad or m.
        to_axle: for a hinge whose axis does not pass through the solid's origin, the pose in the solid's
            frame of a frame on the axis; for a joint with several axes that of the last frame; else None.
    """

    name: str
    solid: Node
    parent: RobotPart | None = None
    joint: Node | None = None
    pose: Pose = HERE
    axis: Vec3 | None = None
    position: float = 0.0
    to_axle: Pose | None = None
    turns: tuple[AxisFrame, ...] = ()

    @property
    def kind(self) -> str:
        """Type of the node."""
        return self.solid.type_name

    @property
    def axle(self) -> str:
        """Name of the frame on the axis."""
        return self.name + AXLE

    @property
    def slides(self) -> bool:
        """True if its joint is prismatic."""
        return self.joint is not None and is_linear(self.joint)

    def at_zero(self) -> Pose:
        """Return the pose, in the parent's frame at joint position 0, of the frame that the joint moves.

        It is the frame on the axis if there is one, else the solid's.
        """
        pose = self.pose * self.to_axle if self.to_axle is not None else self.pose
        if self.axis is None or self.position == 0.0:
            return pose
        if self.slides:
            return Pose(subtract(pose.position, scale(self.axis, self.position)), pose.rotation)
        back = Pose.from_axis_angle(ZERO, (*self.axis, -self.position))
        return Pose(pose.position, (back * Pose(ZERO, pose.rotation)).rotation)


def robot_parts(
    robot: Node, frames: Mapping[NodeId, str] = MappingProxyType({}), name_of: Callable[[str], str] = str
) -> list[RobotPart]:
    """Return the parts of a robot, itself first, each after its parent; without those of nested robots.

    Args:
        robot: the Robot node.
        frames: reserved frame names of some solids.
        name_of: converts the names of other solids; a name that is taken gets `_2`, `_3` …
    """
    parts: list[RobotPart] = []
    free = set(frames.values())
    taken: set[str] = set(free)

    def add_part(solid: Node, parent: RobotPart | None, joint: Node | None, frame: Pose) -> None:
        name = frames.get(solid.id) or name_of(solid["name"])
        if name in free:  # reserved for this solid
            free.discard(name)
        else:
            name = _unique(name, taken)
        part = RobotPart(name, solid, parent, joint)
        part.pose = frame * pose_of(solid)
        if joint is not None:
            _set_axis(part, joint, frame)
        parts.append(part)
        for below in attached_nodes(solid):
            visit(below, part, Pose())

    def visit(node: Node, part: RobotPart, pose: Pose) -> None:
        if node.is_a("Robot"):
            return
        if node.is_a("Joint"):
            end = end_point(node)
            if end is not None and end.is_a("Solid"):
                add_part(end, part, node, pose)
        elif node.is_a("Solid"):
            add_part(node, part, node if is_own_joint(node) or is_unconnected(node) else None, pose)
        else:
            if node.is_a("Pose"):
                pose = pose * pose_of(node)
            for below in attached_nodes(node):
                visit(below, part, pose)

    add_part(robot, None, None, Pose())
    parts[0].pose = Pose()
    return parts


def _set_turns(part: RobotPart, joint: Node, frame: Pose) -> None:
    """Set the axes of a Hinge2Joint or a BallJoint as a chain of frames, all at the anchor."""
    turns: list[AxisFrame] = []
    last = HERE
    for index, parameters in enumerate(parameter_nodes(joint)):
        hidden = f"position{index + 1}" if index else "position"
        position = joint[hidden] if joint.is_set(hidden) else axis_spec(parameters).position
        name = part.axle if index == 0 else f"{part.axle}_{index + 1}"
        origin = ZERO if index else frame.apply(anchor_in_frame(joint))
        turn = AxisFrame(name, rotate(frame.rotation, axis_in_frame(joint, index)), position, origin)
        turns.append(turn)
        last = last * turn.pose_at(position)
    part.turns = tuple(turns)
    part.to_axle = part.pose.inverse() * last


def _set_axis(part: RobotPart, joint: Node, frame: Pose) -> None:
    if joint.type_name in _SEVERAL_AXES and not has_parallel_axes(joint):
        _set_turns(part, joint, frame)
        return
    if joint.type_name not in _ONE_AXIS or is_unconnected(joint):
        return
    axis = rotate(frame.rotation, axis_in_frame(joint, 0))
    part.axis = axis
    part.position = axis_spec(parameter_nodes(joint)[0]).position
    if joint.is_a("Joint") and joint.is_set("position"):
        part.position = joint["position"]
    if part.slides:
        return
    anchor = frame.apply(anchor_in_frame(joint))
    arm = subtract(part.pose.position, anchor)
    if norm(cross(axis, arm)) > _OFF_AXIS:
        on_axis = add(anchor, scale(axis, dot(axis, arm)))
        part.to_axle = Pose(part.pose.inverse().apply(on_axis))


def _unique(name: str, taken: set[str]) -> str:
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    return unique
