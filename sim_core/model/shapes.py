"""Geometries of a scene with their poses: those that collide, and those that are visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sim_core.base.geometry import Pose, Vec3, rotate
from sim_core.base.ids import NodeId
from sim_core.base.turns import MATRICES, inverse, permuted, turned
from sim_core.model.appearance import Appearance, appearance_of
from sim_core.model.frames import own_sizes_of, pose_of
from sim_core.model.geometry import Geometry
from sim_core.model.geometry_nodes import NOT_MOVED, geometry_of, placement_of
from sim_core.scene.node import Node, Source

NO_SCALE: Vec3 = (1.0, 1.0, 1.0)
_NOT_ENTERED = (
    *("boundingObject", "geometry", "appearance", "physics", "device", "device2", "device3"),
    *("animatedGeometry", "fastHelix"),  # moved by their Track; not visible while the propeller stands
)


class ShapeRecord(NamedTuple):
    """One geometry and its pose.

    A point p of the geometry is at `offset.apply(scale * p)` in the solid's frame.
    """

    geometry: Geometry | None
    """None: it has no surface."""
    node: NodeId
    """Id of the geometry node."""
    type_name: str
    source: Source
    """Type and place of the node."""
    solid: NodeId | None
    """The nearest Solid above (also a robot, device or Servo); None: the geometry is fixed to the world."""
    robot: NodeId | None
    """The outermost Robot above."""
    wheel: NodeId | None
    """The TrackWheel of the solid with which it turns."""
    offset: Pose
    """Pose of the geometry in the frame of the solid, or in the world."""
    appearance: Appearance | None
    """Appearance of its Shape, if it has one and appearances are requested."""
    scale: Vec3 = NO_SCALE
    """Scale along the geometry's own axes. A Transform with different scales above a rotation would shear;
    then the rotated axes are scaled by the lengths that the Transform gives them."""
    casts_shadow: bool = True


class NodeContext(NamedTuple):
    """Context of a node from the nodes above it."""

    solid: NodeId | None = None
    robot: NodeId | None = None
    wheel: NodeId | None = None
    offset: Pose = Pose()
    scale: Vec3 = NO_SCALE


WORLD = NodeContext()


class PlacedNode(NamedTuple):
    """Node with its context; for a Pose, inside its own frame."""

    node: Node
    place: NodeContext


def bounding_shapes(roots: Iterable[Node]) -> Iterator[ShapeRecord]:
    """Return the geometries in the boundingObject fields of all solids of trees, in file order, without
    looks."""
    return map(_record_without_looks, bounding_geometries(placed_nodes(roots)))


def own_bounding_shapes(node: Node) -> Iterator[ShapeRecord]:
    """Return the geometries in the boundingObject of one Solid or Fluid, in the node's own frame."""
    if node["boundingObject"] is not None:
        yield from map(_record_without_looks, _geometries(node["boundingObject"], WORLD))


def visible_shapes_of(node: Node) -> Iterator[ShapeRecord]:
    """Return the geometries of the Shapes in one node; unless they are in a Solid within, relative to the
    node."""
    shapes = (each for each in placed_nodes([node]) if each.node.type_name == "Shape")
    return map(shape_record, visible_geometries(shapes))


def outermost_robot(node: Node) -> Node | None:
    """Return the outermost Robot that contains a node, or None; a robot contains itself."""
    found = node if node.is_a("Robot") else None
    for above in node.ancestors():
        if above.is_a("Robot"):
            found = above
    return found


def placed_nodes(nodes: Iterable[Node], place: NodeContext = WORLD) -> Iterator[PlacedNode]:
    """Iterate over the nodes of trees that may contain shapes, parents first; a Billboard without its
    content."""
    for node in nodes:
        if node.type_name == "Billboard":
            yield PlacedNode(node, WORLD)
            continue
        inside = _inside(node, place)
        yield PlacedNode(node, inside)
        for child in node.child_nodes():
            if child.parent_field not in _NOT_ENTERED:
                yield from placed_nodes([child], inside)


def bounding_geometries(nodes: Iterable[PlacedNode]) -> Iterator[PlacedNode]:
    """Iterate over the geometry nodes in boundingObject fields."""
    for node, place in nodes:
        if node.is_a("Solid") and node["boundingObject"] is not None:
            yield from _geometries(node["boundingObject"], place)


def billboard_geometries(nodes: Iterable[PlacedNode]) -> Iterator[PlacedNode]:
    """Iterate over the geometry nodes of Shapes in Billboards, in the frame of the Viewpoint."""
    for node, place in nodes:
        if node.type_name == "Billboard":
            inside = visible_geometries(placed_nodes(node["children"], place))
            yield from (
                each for each in inside if each.place.solid is None
            )  # solids in it are placed as usual


def visible_geometries(nodes: Iterable[PlacedNode]) -> Iterator[PlacedNode]:
    """Iterate over the geometry nodes of Shapes, and over CadShapes, which are geometries themselves."""
    for node, place in nodes:
        if node.type_name == "Shape":
            yield from _geometries(node, place)
        elif node.type_name == "CadShape":
            yield PlacedNode(node, place)


def _geometries(node: Node, place: NodeContext) -> Iterator[PlacedNode]:
    """Iterate over the geometries of a boundingObject or of a Shape."""
    if node.is_a("Geometry"):
        yield PlacedNode(node, place)
    elif node.type_name == "Shape":
        if node["geometry"] is not None:
            yield from _geometries(node["geometry"], place)
    elif node.is_a("Group"):
        inside = _inside(node, place)
        for child in node["children"]:
            yield from _geometries(child, inside)


def shape_record(placed: PlacedNode) -> ShapeRecord:
    """Return the record of a geometry node, or of a CadShape, as it is now."""
    record, node = _record_without_looks(placed), placed.node
    shape = node if node.type_name == "CadShape" else node.parent
    if shape is None or shape.type_name not in ("Shape", "CadShape"):
        return record
    appearance = appearance_of(shape["appearance"]) if shape.type_name == "Shape" else None
    return record._replace(appearance=appearance, casts_shadow=shape["castShadows"])


def _record_without_looks(placed: PlacedNode) -> ShapeRecord:
    """Return the record of a geometry node without its appearance."""
    node, place = placed
    geometry = geometry_of(node)
    offset, (x, y, z) = place.offset, place.scale
    placement = placement_of(node)
    if placement is not NOT_MOVED:
        shift, factor = turned(placement.turn, placement.shift), placement.scale
        offset *= Pose((shift[0] * x, shift[1] * y, shift[2] * z), MATRICES[placement.turn])
        x, y, z = permuted(inverse(placement.turn), (x * factor, y * factor, z * factor))
    return ShapeRecord(
        geometry, node.id, node.type_name, node.source, place.solid, place.robot, place.wheel,
        offset, None, (x, y, z),
    )  # fmt: skip


def _inside(node: Node, place: NodeContext) -> NodeContext:
    """Return the context of a node's children."""
    if node.is_a("Solid"):
        robot = place.robot if place.robot is not None or not node.is_a("Robot") else node.id
        return NodeContext(node.id, robot, scale=_scaled(node, NO_SCALE))
    if node.type_name == "TrackWheel":
        x, z = node["position"]
        offset = place.offset * Pose.from_axis_angle((x, 0.0, z), node["rotation"])
        return place._replace(wheel=node.id, offset=offset)
    if not node.is_a("Pose"):
        return place
    own = pose_of(node)
    x, y, z = own.position
    stretched = Pose((x * place.scale[0], y * place.scale[1], z * place.scale[2]), own.rotation)
    scale = place.scale
    if scale[0] != scale[1] or scale[1] != scale[2]:
        scale = _turned(scale, own)
    return place._replace(offset=place.offset * stretched, scale=_scaled(node, scale))


def _scaled(node: Node, scale: Vec3) -> Vec3:
    if not node.has_field("scale") or not node.is_set("scale"):
        return scale
    x, y, z = own_sizes_of(node, node["scale"])
    return (scale[0] * x, scale[1] * y, scale[2] * z)


def _turned(scale: Vec3, pose: Pose) -> Vec3:
    """Return the lengths that a scale of the outer axes gives to the rotated axes."""
    lengths = []
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        x, y, z = rotate(pose.rotation, axis)
        lengths.append(((x * scale[0]) ** 2 + (y * scale[1]) ** 2 + (z * scale[2]) ** 2) ** 0.5)
    return (lengths[0], lengths[1], lengths[2])
