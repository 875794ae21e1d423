"""Positions and sizes of a robot's wheels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sim_core.base.geometry import Pose, Vec3, dot, rotate
from sim_core.model.frames import pose_of
from sim_core.model.geometry import Capsule, Cylinder, Sphere
from sim_core.model.joint_frames import anchor_in_frame, axis_in_frame
from sim_core.model.kinematics import end_point
from sim_core.model.shapes import own_bounding_shapes, visible_shapes_of
from sim_core.scene import Node

Z: Vec3 = (0.0, 0.0, 1.0)
PARALLEL = 0.999
"""Cosine of the largest angle (2.6°) at which two directions are regarded as parallel."""


class WheelGeometry(NamedTuple):
    """Wheel in the frame of its robot: m, and a unit vector."""

    centre: Vec3
    axis: Vec3
    radius: float


def hinge_wheel(joint: Node, robot: Node, *, use_visible: bool = False) -> WheelGeometry | None:
    """Return the wheel at the end of a HingeJoint, or None.

    A wheel is a Solid that is joined to the robot's body, directly or by a joint without motor that does not
    steer (a suspension), with a boundingObject that rolls about the hinge: a Cylinder or Capsule along the
    axis, or a Sphere.

    Args:
        use_visible: use the visible shapes of a Solid without boundingObject.
    """
    wheel = end_point(joint)
    if joint.type_name != "HingeJoint" or wheel is None or not wheel.is_a("Solid"):
        return None
    if not all(_is_suspension(node, robot) for node in _above(joint, robot) if _is_joint(node)):
        return None
    axis = rotate(pose_in(joint, robot).rotation, axis_in_frame(joint, 0))
    return rolling_solid(wheel, robot, axis, use_visible=use_visible)


def _is_joint(node: Node) -> bool:
    return node.is_a("Joint") or node.type_name == "Servo"


def _is_suspension(joint: Node, robot: Node) -> bool:
    """Return whether a joint between a body and its wheel is a suspension.

    It is a SliderJoint, or a HingeJoint whose axis is not vertical, without a motor.
    """
    if joint.type_name not in ("SliderJoint", "HingeJoint"):
        return False
    if any(device.is_a("Motor") for device in joint["device"]):
        return False
    axis = rotate(pose_in(joint, robot).rotation, axis_in_frame(joint, 0))
    return joint.type_name == "SliderJoint" or abs(axis[2]) < PARALLEL


def steered_wheel(joint: Node, robot: Node) -> WheelGeometry | None:
    """Return pivot, axis and wheel radius of a joint that steers, or None.

    Its axis is vertical, and its wheel turns about a horizontal one: the second axis of a Hinge2Joint, or a
    HingeJoint on the Solid at the end of a HingeJoint.
    """
    steered = end_point(joint)
    if joint["jointParameters"] is None or steered is None or not steered.is_a("Solid"):
        return None
    rolling: list[tuple[Node, int, Node]] = []
    if joint.type_name == "Hinge2Joint":
        rolling = [(joint, 1, steered)]
    elif joint.type_name == "HingeJoint":
        rolling = [
            (child, 0, solid)
            for child in steered["children"]
            if child.type_name == "HingeJoint" and (solid := end_point(child)) and child["jointParameters"]
        ]
    if not rolling or any(node.is_a("Joint") for node in _above(joint, robot)):
        return None
    frame = pose_in(joint, robot)
    axis = rotate(frame.rotation, axis_in_frame(joint, 0))
    if abs(axis[2]) < PARALLEL:
        return None
    wheel = None
    for each, index, solid in rolling:
        rolls = rotate(pose_in(each, robot).rotation, axis_in_frame(each, index))
        wheel = wheel or rolling_solid(solid, robot, rolls)
    return WheelGeometry(frame.apply(anchor_in_frame(joint)), axis, wheel.radius) if wheel else None


def rolling_solid(solid: Node, robot: Node, axis: Vec3, *, use_visible: bool = False) -> WheelGeometry | None:
    """Return the widest shape in a solid's boundingObject that rolls about an axis (unit, robot's frame).

    Args:
        use_visible: as in `hinge_wheel`.
    """
    best = None
    pose = pose_in(solid, robot, itself=True)
    shapes = own_bounding_shapes(solid)
    if use_visible and solid["boundingObject"] is None:
        shapes = (shape for child in solid["children"] for shape in visible_shapes_of(child))
    for shape in shapes:
        if shape.solid is not None:
            continue
        placed = pose * shape.offset
        match shape.geometry:
            case Sphere(radius):
                rolls = True
            case Cylinder(radius) | Capsule(radius):
                rolls = abs(dot(rotate(placed.rotation, Z), axis)) >= PARALLEL
            case _:
                continue
        if rolls and (best is None or radius > best.radius):
            best = WheelGeometry(placed.position, axis, radius)
    return best


def pose_in(node: Node, frame: Node, itself: bool = False) -> Pose:
    """Return the pose, from fields, of the frame that contains a node; `itself`: of the node's own frame."""
    pose = pose_of(node) if itself and node.is_a("Pose") else Pose()
    for above in _above(node, frame):
        if above.is_a("Pose"):
            pose = pose_of(above) * pose
    return pose


def _above(node: Node, frame: Node) -> Iterator[Node]:
    """Iterate over the nodes between a node and the one whose frame is meant, from the inside out."""
    for above in node.ancestors():
        if above is frame:
            return
        yield above
