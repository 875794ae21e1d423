"""Where the geometries of a scene are: those that collide, and those that are seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sim_core.base.geometry import Pose, Vec3, rotate
from sim_core.base.ids import NodeId
from sim_core.base.turns import MATRICES, back, swapped, turned
from sim_core.model.appearance import Appearance, appearance_of
from sim_core.model.frames import own_sizes_of, pose_of
from sim_core.model.geometry import Geometry
from sim_core.model.geometry_nodes import AS_IT_IS, geometry_of, placing_of
from sim_core.scene.node import Node, Source

NO_SCALE: Vec3 = (1.0, 1.0, 1.0)
_NOT_ENTERED = (
    *("boundingObject", "geometry", "appearance", "physics", "device", "device2", "device3"),
    *("animatedGeometry", "fastHelix"),  # moved by their Track; not seen while the propeller stands
)


class ShapeRecord(NamedTuple):
    """One geometry and where it is fixed.

    A point p of the geometry is at `offset.apply(scale * p)` in the solid's frame.
    """

    geometry: Geometry | None
    """None: it has no surface."""
    node: NodeId
    """Of what says the geometry."""
    type_name: str
    source: Source
    """Its type, and where it stands."""
    solid: NodeId | None
    """The nearest Solid above (a robot, a device, a Servo too); None: the geometry is fixed to the world."""
    robot: NodeId | None
    """The outermost Robot above."""
    wheel: NodeId | None
    """The TrackWheel of the solid that it turns with."""
    offset: Pose
    """Pose of the geometry in the frame of the solid, or in the world."""
    appearance: Appearance | None
    """The Shape's appearance, if the geometry stands in a Shape, and looks are asked for."""
    scale: Vec3 = NO_SCALE
    """Scale along the geometry's own axes. A Transform that scales unevenly above a rotation would shear;
    the rotated axes are then scaled by the lengths that the Transform gives them."""
    casts_shadow: bool = True


class NodeContext(NamedTuple):
    """What is known about a node from those above it."""

    solid: NodeId | None = None
    robot: NodeId | None = None
    wheel: NodeId | None = None
    offset: Pose = Pose()
    scale: Vec3 = NO_SCALE


WORLD = NodeContext()


class PlacedNode(NamedTuple):
    """A node and its place: for a Pose, inside its own frame."""

    node: Node
    place: NodeContext


def bounding_shapes(roots: Iterable[Node]) -> Iterator[ShapeRecord]:
    """The geometries in the boundingObject fields of all solids of trees, in file order, without looks."""
    return map(_unseen_record, bounding_geometries(placed_nodes(roots)))


def own_bounding_shapes(node: Node) -> Iterator[ShapeRecord]:
    """Those in the boundingObject of one Solid or Fluid, placed in the node's own frame."""
    if node["boundingObject"] is not None:
        yield from map(_unseen_record, _geometries(node["boundingObject"], WORLD))


def visible_shapes_of(node: Node) -> Iterator[ShapeRecord]:
    """The geometries of the Shapes in one node; where nothing in it is a Solid, placed around the node."""
    shapes = (each for each in placed_nodes([node]) if each.node.type_name == "Shape")
    return map(shape_record, visible_geometries(shapes))


def outermost_robot(node: Node) -> Node | None:
    """The Robot that a node is a part of; of nested robots the outermost one; a robot is part of itself."""
    found = node if node.is_a("Robot") else None
    for above in node.ancestors():
        if above.is_a("Robot"):
            found = above
    return found


def placed_nodes(nodes: Iterable[Node], place: NodeContext = WORLD) -> Iterator[PlacedNode]:
    """The nodes of these trees that may hold shapes, each before those in it; of a Billboard it alone."""
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
    """The geometry nodes in their boundingObject fields."""
    for node, place in nodes:
        if node.is_a("Solid") and node["boundingObject"] is not None:
            yield from _geometries(node["boundingObject"], place)


def billboard_geometries(nodes: Iterable[PlacedNode]) -> Iterator[PlacedNode]:
    """The geometry nodes of the Shapes in the Billboards among them, placed in the frame of the Viewpoint."""
    for node, place in nodes:
        if node.type_name == "Billboard":
            inside = visible_geometries(placed_nodes(node["children"], place))
            yield from (each for each in inside if each.place.solid is None)  # solids are where they are


def visible_geometries(nodes: Iterable[PlacedNode]) -> Iterator[PlacedNode]:
    """The geometry nodes of the Shapes among them, and the CadShapes, which stand for their own."""
    for node, place in nodes:
        if node.type_name == "Shape":
            yield from _geometries(node, place)
        elif node.type_name == "CadShape":
            yield PlacedNode(node, place)


def _geometries(node: Node, place: NodeContext) -> Iterator[PlacedNode]:
    """The geometries of a boundingObject or of a Shape."""
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
    """The record of a geometry node, or of a CadShape, as it is now."""
    record, node = _unseen_record(placed), placed.node
    shape = node if node.type_name == "CadShape" else node.parent
    if shape is None or shape.type_name not in ("Shape", "CadShape"):
        return record
    appearance = appearance_of(shape["appearance"]) if shape.type_name == "Shape" else None
    return record._replace(appearance=appearance, casts_shadow=shape["castShadows"])


def _unseen_record(placed: PlacedNode) -> ShapeRecord:
    """The record of a geometry node, for those who ask for no looks."""
    node, place = placed
    geometry = geometry_of(node)
    offset, (x, y, z) = place.offset, place.scale
    placing = placing_of(node)
    if placing is not AS_IT_IS:
        shift, factor = turned(placing.turn, placing.shift), placing.scale
        offset *= Pose((shift[0] * x, shift[1] * y, shift[2] * z), MATRICES[placing.turn])
        x, y, z = swapped(back(placing.turn), (x * factor, y * factor, z * factor))
    return ShapeRecord(
        geometry, node.id, node.type_name, node.source, place.solid, place.robot, place.wheel,
        offset, None, (x, y, z),
    )  # fmt: skip


def _inside(node: Node, place: NodeContext) -> NodeContext:
    """The place of a node's children."""
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
    """Lengths that a scale of the outer axes gives to the turned axes."""
    lengths = []
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        x, y, z = rotate(pose.rotation, axis)
        lengths.append(((x * scale[0]) ** 2 + (y * scale[1]) ** 2 + (z * scale[2]) ** 2) ** 0.5)
    return (lengths[0], lengths[1], lengths[2])
