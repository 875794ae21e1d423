"""Rigid bodies of a scene, found in one walk through its nodes.

A body is a solid with everything that is fixed to it. It is

- dynamic: its solid has Physics and is free, or at the end of a joint; solids with Physics below it without a
  joint between are merged into it (Webots reference, Physics, "Implicit Solid Merging and Joints"). A
  TouchSensor with Physics is attached by a fixed joint, whatever it is in;
- carried: the end point of a joint without Physics; it follows its parent and is moved by its joint's axis
  only. So does a solid without Physics within another one that has a start velocity, which moves it;
- fixed: anything else without Physics; it stands still unless it is placed.

A solid without Physics below a dynamic one is fixed to it: it collides, and has no mass. A solid with Physics
below a fixed one, without a joint between, is fixed as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.naming import NodeLabel, label
from sim_core.model.frames import pose_of
from sim_core.model.kinematics import (
    attached_nodes,
    end_point,
    has_fixed_joint,
    is_own_joint,
    is_unconnected,
    moves_from_start,
)
from sim_core.scene.node import Node

FARTHEST = 1e9
"""m: largest distance of a solid from the origin, along each axis of the world."""
NOT_SIMULATED = {
    "JointLink": "is a draft of Webots and does nothing",
    "TransmissionJoint": "is a draft of Webots, simulated as one hinge without gear and backlash",
}


class BodyKind(Enum):
    """Way in which a body moves."""

    FIXED = 0
    DYNAMIC = 1
    CARRIED = 2


@dataclass(frozen=True, slots=True)
class Body:
    """Solids that move as one body. Bodies with equal data are equal, whatever their names.

    Attributes:
        solid: the topmost solid; its frame is the body's frame L, and the body is named after it.
        name: `name` field of that solid.
        label: name of that solid for messages.
        kind: way in which forces and joints move it.
        start: X_WL at the start.
        parent: solid of the body above, to which a joint connects it or which carries it; None: the world.
        joint: the joint node above (or the Servo, or the wheel of a DifferentialWheels).
        joint_frame: pose, in L at the start, of the frame of anchor and axes.
        top: the solid at the top of the tree; bodies with the same top do not collide with each other by
            default.
        is_robot: True if `top` is a robot; self_collides: True if its bodies collide with each other. A robot
            that is fixed in a solid is a tree of its own.
        solids: (solid, X_LS) of all solids of this body.
    """

    solid: NodeId
    name: str = field(compare=False)
    label: NodeLabel = field(compare=False)
    kind: BodyKind
    start: Pose
    parent: NodeId | None
    joint: NodeId | None
    joint_frame: Pose
    top: NodeId
    is_robot: bool
    self_collides: bool
    solids: list[tuple[NodeId, Pose]]


class BodyPlacement(NamedTuple):
    """Placement of a node: the body to which it is fixed (None: the world), and the pose there of the frame
    that contains the node; for a Pose node, of its own frame."""

    body: NodeId | None = None
    pose: Pose = Pose()


def place_of(node: Node | None, places: Mapping[NodeId, BodyPlacement]) -> BodyPlacement | None:
    """Return the placement of a node, or that of the nearest node above that has one; None for no node."""
    if node is None:
        return None
    found = (places[each.id] for each in (node, *node.ancestors()) if each.id in places)
    return next(found, BodyPlacement())


@dataclass(eq=False)
class BodyTree:
    """Bodies of root nodes, and the nodes found on the way, for further compilation.

    Attributes:
        bodies: parents first.
        places: placements of all attached nodes.
        joints: (joint node, placement) in file order; joint_nodes: joint nodes by id.
        solids: the nodes of all solids that are part of a body.
        owners: the body of each of these solids.
        warnings: nodes without effect.
        is_lenient: see `Scene.is_lenient`.
    """

    is_lenient: bool = False
    bodies: dict[NodeId, Body] = field(default_factory=dict)
    places: dict[NodeId, BodyPlacement] = field(default_factory=dict)
    joints: list[tuple[Node, BodyPlacement]] = field(default_factory=list)
    joint_nodes: dict[NodeId, Node] = field(default_factory=dict)
    solids: dict[NodeId, Node] = field(default_factory=dict)
    owners: dict[NodeId, NodeId] = field(default_factory=dict)
    warnings: list[SceneError] = field(default_factory=list)

    def mistake(self, error: SceneError, used: str) -> None:
        """Add a mistake as a warning if the scene is lenient.

        Raises:
            SceneError: it is not lenient.
        """
        if not self.is_lenient:
            raise error
        self.warnings.append(Mistake.from_error(error, used))

    def dynamic_body_of(self, body: NodeId | None) -> Body | None:
        """Return the body, or the nearest above it, that is dynamic; None: there is none."""
        found = self.bodies[body] if body is not None else None
        while found is not None and found.kind is not BodyKind.DYNAMIC:
            above = found.parent if found.kind is BodyKind.CARRIED else None
            found = self.bodies[above] if above is not None else None
        return found

    def in_world(self, node: Node) -> Pose:
        """Return X_WA at the start of the frame that contains a node; for a Pose node, of its own."""
        body, pose = place_of(node, self.places) or BodyPlacement()
        return self.bodies[body].start * pose if body is not None else pose


def tree_of(roots: Sequence[Node], is_lenient: bool = False) -> BodyTree:
    """Find the bodies of root nodes.

    Raises:
        SceneError: a solid is scaled, and the scene is not lenient; or one is too far away.
    """
    tree = BodyTree(is_lenient)
    for node in roots:
        _visit(tree, node, None, Pose(), None)
    return tree


def _visit(tree: BodyTree, node: Node, body: Body | None, pose: Pose, joint: Node | None) -> None:
    """Add a node whose parent frame has this pose in the body's frame."""
    if node.type_name in NOT_SIMULATED:
        found = f"{node.path()}: {node.type_name} {NOT_SIMULATED[node.type_name]}"
        tree.warnings.append(SceneError(*node.source, found))
    outer, held_by = pose, body.solid if body is not None else None
    if node.is_a("Joint"):
        tree.places[node.id] = BodyPlacement(held_by, pose)
        tree.joints.append((node, tree.places[node.id]))
        tree.joint_nodes[node.id] = node
        end = end_point(node)
        if end is not None and end.is_a("Solid"):
            _visit(tree, end, body, pose, node)
        return
    if node.is_a("Pose"):
        pose = pose * pose_of(node)
    if node.is_a("Solid"):
        _no_scale(tree, node)
        _refuse_far(node, body.start.apply(pose.position) if body is not None else pose.position)
        if joint is None and (is_own_joint(node) or (body is not None and has_fixed_joint(node))):
            tree.joints.append((node, BodyPlacement(held_by, outer)))
            tree.joint_nodes[node.id] = node
            joint = node
        body, pose = _add_solid(tree, node, body, outer, pose, joint)
    elif node.is_a("Transform") and any(below.is_a("Solid") for below in node.walk()):
        _no_scale(tree, node)
    tree.places[node.id] = BodyPlacement(body.solid if body is not None else None, pose)
    for below in attached_nodes(node):
        _visit(tree, below, body, pose, None)


def _add_solid(
    tree: BodyTree, solid: Node, body: Body | None, outer: Pose, pose: Pose, joint: Node | None
) -> tuple[Body, Pose]:
    """Return the body of a solid and its pose there: a new body, or the one above it.

    Args:
        outer: pose of the frame that contains the solid. pose: of the solid; both in the body above.
    """
    tree.solids[solid.id] = solid
    is_robot, is_fixed = solid.is_a("Robot"), False
    is_moving = body is not None and not is_robot and moves_from_start(solid)
    if body is not None and joint is None and not (is_moving or is_unconnected(solid)):
        is_fixed = is_robot and tree.dynamic_body_of(body.solid) is None
        if not is_fixed:
            body.solids.append((solid.id, pose))
            tree.owners[solid.id] = body.solid
            return body, pose
    start = body.start * pose if body is not None else pose
    frame = body.start * outer if body is not None else outer
    if solid["physics"] is not None and not is_fixed:
        kind = BodyKind.DYNAMIC
    elif body is not None and (joint is not None or is_moving):
        kind = BodyKind.CARRIED
    else:
        kind = BodyKind.FIXED
    whole = body if not is_fixed else None  # the body that it extends
    new = Body(
        solid.id,
        solid["name"],
        label(solid),
        kind,
        start,
        body.solid if body is not None else None,
        joint.id if joint is not None else None,
        start.inverse() * frame if joint is not None else Pose(),
        whole.top if whole is not None else solid.id,
        whole.is_robot if whole is not None else is_robot,
        whole.self_collides if whole is not None else not is_robot or solid["selfCollision"],
        [(solid.id, Pose())],
    )
    tree.bodies[solid.id] = new
    tree.owners[solid.id] = solid.id
    return new, Pose()


def _refuse_far(solid: Node, position: Sequence[float]) -> None:
    """Refuse a solid that is too far away for the precision of its coordinates: ODE would end the process."""
    if not all(abs(value) <= FARTHEST for value in position):
        at = " ".join(f"{value:g}" for value in position)
        expected = f"a place within {FARTHEST:g} m of the world's origin in x, y and z (see its translation)"
        raise SceneError(*solid.source, f"{solid.path()} at {at}", expected)


def _no_scale(tree: BodyTree, node: Node) -> None:
    """Report a scale of solids: collision shapes are not scaled."""
    if not node.has_field("scale"):
        return
    scale = node["scale"]
    if any(abs(value - 1.0) > 1e-9 for value in scale):
        found = f"{node.type_name}.scale {' '.join(f'{value:g}' for value in scale)} at or above a Solid"
        expected = "scale 1 1 1 (change the sizes of the shapes instead)"
        tree.mistake(SceneError(*node.source, found, expected), "it collides unscaled")
