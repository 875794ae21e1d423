"""Entities of a scene for programs: its outermost solids, and its named poses."""

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
    """Solid that is not part of another one.

    Attributes:
        id: of the node.
        name: of a robot; of another solid its name, or its DEF name if the name is the default "solid"; "":
            none.
        is_robot: True for a robot.
        has_physics: True if it has a Physics node.
        description: the field.
        tags: its type, PROTO and model.
    """

    id: NodeId
    name: str
    is_robot: bool
    has_physics: bool
    description: str
    tags: tuple[str, ...]


def entities_of(scene: Scene) -> list[Entity]:
    """Return the entities of a scene, in file order."""
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


class NamedPose(NamedTuple):
    """Pose node with a DEF name that neither is a solid nor is in one nor contains one.

    Attributes:
        id: of the node.
        kind: type of the node.
        marks: its visible shapes, in its frame.
    """

    id: NodeId
    kind: str
    marks: SceneObject


def named_poses(scene: Scene) -> dict[str, NamedPose]:
    """Return the named places of a scene by DEF name, in file order."""
    found: dict[str, NamedPose] = {}
    for node in scene.walk():
        if not node.def_name or node.use_name or not node.is_a("Pose"):
            continue
        if not any(each.is_a("Solid") for each in (*node.walk(), *node.ancestors())):
            found.setdefault(node.def_name, _place(node))
    return found


def _place(node: Node) -> NamedPose:
    away = pose_of(node).inverse()
    shapes = [shape._replace(solid=node.id, offset=away * shape.offset) for shape in visible_shapes_of(node)]
    return NamedPose(node.id, node.type_name, object_of(node, shapes, ()))
