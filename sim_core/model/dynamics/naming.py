"""What nodes are called, for rooms that know them by their ids only."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.errors import PhysicsError
from sim_core.base.ids import NodeId
from sim_core.scene.node import NOWHERE, Node, Source
from sim_core.scene.node_types import did_you_mean
from sim_core.scene.scene import Scene


class NodeLabel(NamedTuple):
    """What messages call a node.

    Attributes:
        path: a name for people, such as `Robot "e1" > Solid "arm"`.
        source: where it stands.
    """

    path: str
    source: Source

    def __str__(self) -> str:
        return f"{self.source}: {self.path}"


def label(node: Node) -> NodeLabel:
    """What messages call a node now."""
    return NodeLabel(node.path(), node.source)


def nodes_of(scene: Scene) -> dict[NodeId, Node]:
    """All nodes of a scene by id."""
    return {node.id: node for node in scene.walk()}


def label_of(scene: Scene, node_id: NodeId) -> NodeLabel:
    """What messages call the node of an id; it is looked for in the whole scene."""
    node = nodes_of(scene).get(node_id)
    return label(node) if node is not None else NodeLabel("a node that is gone", NOWHERE)


class NamedSolid(NamedTuple):
    """A solid as a plug-in names it: its `name` field, and its path."""

    id: NodeId
    name: str
    path: str


def find_solid(scene: Scene, name: str) -> NamedSolid:
    """A solid by its DEF name; or by its `name`, or the names from the top down with `/` between them.

    Raises:
        PhysicsError: there is no such solid, or there are several.
    """
    node = scene.find_def(name) or _by_name(scene, name)
    if not node.is_a("Solid"):
        raise PhysicsError(f"{node.path()} is a {node.type_name}, expected a Solid")
    return NamedSolid(node.id, node["name"], node.path())


def _by_name(scene: Scene, name: str) -> Node:
    solids = [node for node in scene.walk() if node.is_a("Solid")]
    *above, last = name.split("/")
    found = [node for node in solids if node["name"] == last and _is_below(node, above)]
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(node.where for node in found)
        raise PhysicsError(f'{len(found)} solids are named "{name}" ({places}), expected one')
    known = [node["name"] for node in solids] + [node.def_name for node in solids if node.def_name]
    hint = did_you_mean(name, known)
    raise PhysicsError(f'no solid "{name}"' + (f" ({hint})" if hint else ""))


def _is_below(node: Node, names: list[str]) -> bool:
    """Whether the solids above a node have these names, in this order from the top, perhaps among others."""
    left = list(names)
    for ancestor in node.ancestors():
        if left and ancestor.is_a("Solid") and ancestor["name"] == left[-1]:
            left.pop()
    return not left
