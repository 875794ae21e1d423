"""Joints: the bodies that they connect, and their axes.

`position` in the file belongs to the pose in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    IDENTITY,
    ZERO,
    Mat3,
    Pose,
    Vec3,
    cross,
    multiply,
    norm,
    rotate,
    rotation_from_axis_angle,
    transposed,
)
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import BodyKind, BodyPlacement, BodyTree
from sim_core.model.dynamics.naming import NodeLabel, label
from sim_core.model.frames import vector_of
from sim_core.model.joint_frames import (
    AxisSpec,
    anchor_in_frame,
    axis_in_frame,
    axis_spec,
    has_parallel_axes,
    is_linear,
    parameter_nodes,
    world_axes_in,
)
from sim_core.model.kinematics import end_point, has_fixed_joint
from sim_core.model.solids import solid_above
from sim_core.scene.node import Node
from sim_core.scene.relations import STATIC_ENVIRONMENT

SOFT_STOPS = 0.05
"""Tolerance of start positions beyond the stops, rad or m: stops are soft, and worlds are saved as they
are."""


class JointKind(Enum):
    """Type of a joint between bodies of which one is dynamic."""

    FIXED = "no axis"
    HINGE = "one axis"
    SLIDER = "one axis, along which it slides"
    HINGE2 = "two axes, of which the first may be that of a suspension"
    BALL = "three axes"


class Suspension(NamedTuple):
    """Suspension of a hinge: spring (N/m), damper (N·s/m), along an axis in the joint's frame."""

    spring: float
    damping: float
    axis: Vec3


@dataclass(frozen=True, slots=True)
class Joint:
    """Joint node, or solid that turns or is held without one. Joints with equal data are equal, whatever
    their names.

    Attributes:
        id, label: of the node.
        kind: type; steers: True for a HINGE2 whose axes are both joint axes, not a suspension's.
        parent: the body above; None: the world.
        frame: of its axes, in the parent at the start.
        child: the body at its end; None: the world, or nothing.
        specs: of its axes.
        axes: directions in `frame` at positions 0; start_axes: directions at the start.
        start_turn_back: inverse of the rotation at the start.
        anchor: centre of rotation in `frame`.
        slides: True if it is prismatic.
        is_dynamic: True if one of its ends is dynamic.
        suspension: of a hinge; None: it has none.
    """

    id: NodeId
    label: NodeLabel = field(compare=False)
    kind: JointKind
    steers: bool
    parent: NodeId | None
    frame: Pose
    child: NodeId | None
    specs: tuple[AxisSpec, ...]
    axes: tuple[Vec3, ...]
    start_axes: tuple[Vec3, ...]
    start_turn_back: Mat3
    anchor: Vec3
    slides: bool
    is_dynamic: bool
    suspension: Suspension | None


def joint_of(node: Node, place: BodyPlacement, tree: BodyTree) -> Joint:
    """Return the record of a joint node.

    Raises:
        SceneError: an axis, an anchor, a stop or a position is impossible.
    """
    child = _child(node, tree)
    if has_fixed_joint(node):
        return Joint(
            node.id, label(node), JointKind.FIXED, False, place.body, place.pose, child,
            (), (), (), IDENTITY, ZERO, False, True, None,
        )  # fmt: skip
    slides, is_dynamic = is_linear(node), _is_dynamic(node, place, child, tree)
    specs = [each._replace(is_linear=slides, is_dynamic=is_dynamic) for each in _specs(node)]
    axes = [axis_in_frame(node, index) for index in range(len(specs))]
    steers = node.type_name == "Hinge2Joint"
    if is_dynamic and steers and has_parallel_axes(node):
        parent = tree.bodies[place.body].start if place.body is not None else None
        axes = world_axes_in(parent * place.pose if parent is not None else place.pose)
    start_axes, turn = turned_axes(axes, [0.0 if slides else spec.position for spec in specs])
    anchor = anchor_in_frame(node)
    suspension = suspension_of(node)
    if slides:
        kind = JointKind.SLIDER
    elif node.type_name == "BallJoint":
        kind = JointKind.BALL
    else:
        kind = JointKind.HINGE2 if steers or suspension is not None else JointKind.HINGE
    for spec in specs:
        _check(node, spec, tree)
    return Joint(
        node.id,
        label(node),
        kind,
        steers,
        place.body,
        place.pose,
        child,
        tuple(specs),
        tuple(axes),
        tuple(start_axes),
        transposed(turn),
        anchor,
        slides,
        is_dynamic,
        suspension,
    )


def joint_warnings(node: Node, joint: Joint) -> list[SceneError]:
    """Return warnings about settings of a joint that have no effect if it is dynamic."""
    path, source = joint.label
    found = []
    if solid_above(node) is None:
        text = f"{path} is attached to the world: Webots leaves it out"
        found.append(SceneError(*source, text, "a Solid above it"))
    if _along_hinge(node):
        text = f"{path}: a suspension along the axis of the hinge has no effect"
        found.append(SceneError(*source, text))
    if not joint.is_dynamic:
        return found
    if has_parallel_axes(node):
        whose = "world" if joint.steers else "solid"
        text = f"{path} has parallel axes: x and z of the {whose} are used instead"
        found.append(SceneError(*source, text, "two axes"))
    return found


def suspension_of(node: Node) -> Suspension | None:
    """Return the suspension of a hinge, or None."""
    parameters = _parameters_of_suspension(node)
    if parameters is None or _along_hinge(node):
        return None
    spring, damping = parameters["suspensionSpringConstant"], parameters["suspensionDampingConstant"]
    return Suspension(spring, damping, vector_of(parameters, "suspensionAxis"))


def _specs(node: Node) -> list[AxisSpec]:
    nodes = parameter_nodes(node)
    specs = [axis_spec(parameters) for parameters in nodes]
    if node.type_name == "BallJoint":  # one spring and damper for all axes without a node
        homogeneous = AxisSpec(spring=specs[0].spring, damping=specs[0].damping)
        specs = [spec if each is not None else homogeneous for spec, each in zip(specs, nodes, strict=True)]
    for index, name in enumerate(("position", "position2", "position3")[: len(specs)]):
        if node.type_name != "Servo" and node.has_field(name) and node.is_set(name):
            specs[index] = specs[index]._replace(position=node[name])
    for index, name in enumerate(("device", "device2", "device3")[: len(specs)]):
        devices = node[name] if node.is_a("Joint") and node.has_field(name) else []
        if any(device.type_name == "Brake" for device in devices):
            specs[index] = specs[index]._replace(has_brake=True)
    return specs


def _is_dynamic(node: Node, place: BodyPlacement, child: NodeId | None, tree: BodyTree) -> bool:
    if child is None:
        end = end_point(node) if node.is_a("Joint") else None
        to_world = end is not None and end.type_name == "SolidReference"
        return to_world and tree.dynamic_body_of(place.body) is not None
    body = tree.bodies[child]
    if body.kind is BodyKind.DYNAMIC:
        return True
    if body.joint == node.id:
        return False
    return tree.dynamic_body_of(place.body) is not None


def _check(node: Node, spec: AxisSpec, tree: BodyTree) -> None:
    slack = SOFT_STOPS if spec.has_stops else 0.0
    if spec.has_stops and not spec.min_stop - slack <= spec.position <= spec.max_stop + slack:
        found = f"joint position {spec.position:g} beyond its stops {spec.min_stop:g} and {spec.max_stop:g}"
        error = SceneError(*node.source, found, "a position between the stops")
        tree.mistake(error, "the stop pushes it back")


def turned_axes(axes: list[Vec3], positions: list[float]) -> tuple[list[Vec3], Mat3]:
    """Return axes that turn with each other at these positions (rad), and the resulting rotation."""
    turn, now = IDENTITY, []
    for axis, position in zip(axes, positions, strict=True):
        now.append(rotate(turn, axis))
        turn = multiply(rotation_from_axis_angle((*now[-1], position)), turn)
    return now, turn


def _child(node: Node, tree: BodyTree) -> NodeId | None:
    """Return the body at the end of a joint; None: the world, or nothing."""
    if not node.is_a("Joint"):
        return tree.owners.get(node.id)
    end = end_point(node)
    if end is None:
        return None
    if end.type_name != "SolidReference":
        return tree.owners.get(end.id)
    name = end["solidName"]
    if name == STATIC_ENVIRONMENT:
        return None
    top = list(node.ancestors())[-1]
    for candidate in top.walk():
        if candidate.is_a("Solid") and candidate["name"] == name and candidate.id in tree.owners:
            return tree.owners[candidate.id]
    raise SceneError(*end.source, f'SolidReference to "{name}"', "the name of a Solid in the same tree")


def _parameters_of_suspension(node: Node) -> Node | None:
    """Return the parameters of a hinge with a suspension, or None."""
    parameters = node["jointParameters"] if node.type_name in ("HingeJoint", "Hinge2Joint") else None
    if parameters is None or not parameters.has_field("suspensionSpringConstant"):
        return None
    constants = (parameters["suspensionSpringConstant"], parameters["suspensionDampingConstant"])
    return parameters if max(constants) > 0.0 else None


def _along_hinge(node: Node) -> bool:
    """Return whether the suspension of a hinge is along its own axis, which ODE has no joint for; it is
    ignored.

    Casters are modelled so: the spring is stiff along the axis, and only the hinge matters.
    """
    parameters = _parameters_of_suspension(node) if node.type_name == "HingeJoint" else None
    if parameters is None:
        return False
    return norm(cross(vector_of(parameters, "suspensionAxis"), vector_of(parameters, "axis"))) < 1e-6
