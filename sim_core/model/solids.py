"""Solids, as those know them who show them and cast rays."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.model.appearance import Rgb
from sim_core.model.frames import pose_of
from sim_core.model.kinematics import can_move, is_loose, is_own_joint, is_under_way
from sim_core.model.shapes import NO_SCALE, outermost_robot
from sim_core.scene.node import Node

BLACK: Rgb = (0.0, 0.0, 0.0)


class SolidRecord(NamedTuple):
    """A solid: a robot, a device or a Servo too.

    Attributes:
        node: its id.
        name: its `name` field.
        above: the nearest solid above it; None: it stands in the world.
        robot: the outermost robot that it is a part of; None: of none.
        whole: what rays leave out together with it: itself; of the head of a Lidar the Lidar.
        carrier: the topmost solid that it is rigidly fixed to, which may be itself; None: the world.
        offset: its pose in the frame of the carrier.
        moves: it may ever move.
        segment: its colour in pictures of segments: the first recognitionColors of it or of the nearest solid
            above that has any; black: it is not recognized.
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
    """The record of a Solid node as it is now."""
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


def gone_solid(node: NodeId) -> SolidRecord:
    """The record of a solid that is no longer in the scene."""
    return SolidRecord(node, "", None, None, node, None, Pose(), False, BLACK)


def solid_above(node: Node) -> Node | None:
    """The nearest Solid above a node."""
    return next((above for above in node.ancestors() if above.is_a("Solid")), None)


def pose_at_start(node: Node) -> Pose:
    """X_WN of a node as its fields say, and those of the nodes above it."""
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
    """The topmost solid that a solid is rigidly fixed to, and its pose there."""
    offset = Pose()
    while True:
        outer = solid_above(solid)
        if outer is None or not _is_fixed(solid, outer):
            return solid, offset
        offset = _pose_below(solid, outer) * offset
        solid = outer


def _is_fixed(solid: Node, outer: Node) -> bool:
    """Whether nothing between a solid and the one above it can move or stretch."""
    if solid.is_a("Robot") or solid.type_name == "Track" or is_own_joint(solid) or is_loose(solid):
        return False
    if is_under_way(solid):
        return False
    if solid["physics"] is not None and outer["physics"] is None:
        return False
    node = solid
    while node is not outer:
        above = node.parent
        if _stretches(node) or above is None or not above.is_a("Group") or node.parent_field != "children":
            return False
        node = above
    return not _stretches(outer)


def _stretches(node: Node) -> bool:
    return node.has_field("scale") and node.is_set("scale") and node["scale"] != NO_SCALE


def _pose_below(node: Node, outer: Node | None) -> Pose:
    """Pose of a node in the frame of one above it, or in the world."""
    pose = Pose()
    below: Node | None = node
    while below is not None and below is not outer:
        if below.is_a("Pose"):
            pose = pose_of(below) * pose
        below = below.parent
    return pose
