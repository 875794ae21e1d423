"""Names of nodes, for packages that use only their ids."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.errors import PhysicsError
from sim_core.base.ids import NodeId
from sim_core.scene.node import NO_SOURCE, Node, Source
from sim_core.scene.node_types import did_you_mean
from sim_core.scene.scene import Scene


class NodeLabel(NamedTuple):
    """Name of a node for messages.

    Attributes:
        path: readable name, such as `Robot "e1" > Solid "arm"`.
        source: its place in a file.
    """

    path: str
    source: Source

    def __str__(self) -> str:
        return f"{self.source}: {self.path}"


def label(node: Node) -> NodeLabel:
    """Return the present name of a node for messages."""
    return NodeLabel(node.path(), node.source)


def nodes_of(scene: Scene) -> dict[NodeId, Node]:
    """Return all nodes of a scene by id."""
    return {node.id: node for node in scene.walk()}


def label_of(scene: Scene, node_id: NodeId) -> NodeLabel:
    """Return the name of a node by id for messages; the whole scene is searched."""
    node = nodes_of(scene).get(node_id)
    return label(node) if node is not None else NodeLabel("a removed node", NO_SOURCE)


class NamedSolid(NamedTuple):
    """Solid as a plug-in names it: its `name` field, and its path."""

    id: NodeId
    name: str
    path: str


def find_solid(scene: Scene, name: str) -> NamedSolid:
    """Return a solid by its DEF name; or by its `name`, or the names from the top down separated by `/`.

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
    """Return whether the solids above a node include these names, in this order from the top."""
    left = list(names)
    for ancestor in node.ancestors():
        if left and ancestor.is_a("Solid") and ancestor["name"] == left[-1]:
            left.pop()
    return not left
