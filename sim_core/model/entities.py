"""What programs know a scene by: its outermost solids, and the places that have a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sim_core.base.ids import NodeId
from sim_core.model.frames import pose_of
from sim_core.model.objects import SceneObject, object_of
from sim_core.model.shapes import visible_shapes_of
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene

UNNAMED = "solid"


class Entity(NamedTuple):
    """A solid that is no part of another.

    Attributes:
        id: of its node.
        name: that of a robot; of another solid its name, or its DEF name where the name is left at "solid";
            empty: none.
        is_robot: it is one.
        has_physics: it has mass of its own.
        description: as the scene has it.
        tags: its type, its PROTO and its model.
    """

    id: NodeId
    name: str
    is_robot: bool
    has_physics: bool
    description: str
    tags: tuple[str, ...]


def entities_of(scene: Scene) -> list[Entity]:
    """The entities of a scene, in file order."""
    return [_entity(node) for node in _outermost_solids(scene.nodes)]


def _outermost_solids(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.is_a("Solid"):
            yield node
        else:
            yield from _outermost_solids(node.child_nodes())


def _entity(node: Node) -> Entity:
    name, is_robot = node["name"], node.is_a("Robot")
    if not name or (name == UNNAMED and not is_robot):
        name = node.def_name or ""
    proto = node.proto.node_type.name if node.proto is not None else ""
    tags = tuple(dict.fromkeys(tag for tag in (node.type_name, proto, node["model"]) if tag))
    return Entity(node.id, name, is_robot, node["physics"] is not None, node["description"], tags)


class NamedPlace(NamedTuple):
    """A Pose node with a DEF name that is no solid, is in none and has none in it.

    Attributes:
        id: of its node.
        kind: the type of the node.
        marks: the shapes that mark it, in its frame, as if they were a bounding object.
    """

    id: NodeId
    kind: str
    marks: SceneObject


def named_places(scene: Scene) -> dict[str, NamedPlace]:
    """The named places of a scene by DEF name, in file order."""
    found: dict[str, NamedPlace] = {}
    for node in scene.walk():
        if not node.def_name or node.use_name or not node.is_a("Pose"):
            continue
        if not any(each.is_a("Solid") for each in (*node.walk(), *node.ancestors())):
            found.setdefault(node.def_name, _place(node))
    return found


def _place(node: Node) -> NamedPlace:
    away = pose_of(node).inverse()
    shapes = [shape._replace(solid=node.id, offset=away * shape.offset) for shape in visible_shapes_of(node)]
    return NamedPlace(node.id, node.type_name, object_of(node, shapes, ()))
