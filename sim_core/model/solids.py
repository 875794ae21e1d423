"""Solids as records, for renderers, viewers and ray casters."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.model.appearance import Rgb
from sim_core.model.frames import pose_of
from sim_core.model.kinematics import can_move, is_own_joint, is_unconnected, moves_from_start
from sim_core.model.shapes import NO_SCALE, outermost_robot
from sim_core.scene.node import Node

BLACK: Rgb = (0.0, 0.0, 0.0)


class SolidRecord(NamedTuple):
    """Solid node, also a robot, device or Servo.

    Attributes:
        node: id of the node.
        name: its `name` field.
        above: the nearest solid above it; None: the world.
        robot: the outermost robot that contains it; None: there is none.
        whole: the solid that rays from it ignore: itself; for the head of a Lidar the Lidar.
        carrier: the topmost solid to which it is rigidly fixed, possibly itself; None: the world.
        offset: its pose in the frame of the carrier.
        moves: True if it may ever move.
        segment: its colour in segmentation images: the first recognitionColors of it or of the nearest solid
            above that has any; black: not recognized.
    """

    node: NodeId
    name: str
    above: NodeId | None
    robot: NodeId | None
    whole: NodeId
    carrier: NodeId | None
    offset: Pose
    moves: bool
    segment: Rgb


def solid_record(solid: Node) -> SolidRecord:
    """Return the record of a Solid node as it is now."""
    above = solid_above(solid)
    robot = outermost_robot(solid)
    is_head = solid.parent is not None and solid.parent_field == "rotatingHead"
    whole = solid.parent if is_head and solid.parent is not None else solid
    carrier, offset = _rigid_carrier(solid)
    return SolidRecord(
        solid.id,
        solid["name"],
        above.id if above is not None else None,
        robot.id if robot is not None else None,
        whole.id,
        carrier.id,
        offset,
        can_move(solid),
        _segment_colour(solid),
    )


def removed_solid(node: NodeId) -> SolidRecord:
    """Return the record of a solid that is no longer in the scene."""
    return SolidRecord(node, "", None, None, node, None, Pose(), False, BLACK)


def solid_above(node: Node) -> Node | None:
    """Return the nearest Solid above a node."""
    return next((above for above in node.ancestors() if above.is_a("Solid")), None)


def pose_at_start(node: Node) -> Pose:
    """Return X_WN of a node from its fields and those of the nodes above it."""
    return _pose_below(node, None)


def _segment_colour(solid: Node) -> Rgb:
    node: Node | None = solid
    while node is not None:
        colours = node["recognitionColors"]
        if colours:
            red, green, blue = colours[0]
            return (red, green, blue)
        node = solid_above(node)
    return BLACK


def _rigid_carrier(solid: Node) -> tuple[Node, Pose]:
    """Return the topmost solid to which a solid is rigidly fixed, and its pose there."""
    offset = Pose()
    while True:
        outer = solid_above(solid)
        if outer is None or not _is_fixed(solid, outer):
            return solid, offset
        offset = _pose_below(solid, outer) * offset
        solid = outer


def _is_fixed(solid: Node, outer: Node) -> bool:
    """Return whether nothing between a solid and the one above it can move or scale."""
    if solid.is_a("Robot") or solid.type_name == "Track" or is_own_joint(solid) or is_unconnected(solid):
        return False
    if moves_from_start(solid):
        return False
    if solid["physics"] is not None and outer["physics"] is None:
        return False
    node = solid
    while node is not outer:
        above = node.parent
        if _is_scaled(node) or above is None or not above.is_a("Group") or node.parent_field != "children":
            return False
        node = above
    return not _is_scaled(outer)


def _is_scaled(node: Node) -> bool:
    return node.has_field("scale") and node.is_set("scale") and node["scale"] != NO_SCALE


def _pose_below(node: Node, outer: Node | None) -> Pose:
    """Return the pose of a node in the frame of one above it, or in the world."""
    pose = Pose()
    below: Node | None = node
    while below is not None and below is not outer:
        if below.is_a("Pose"):
            pose = pose_of(below) * pose
        below = below.parent
    return pose
