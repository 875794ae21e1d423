"""Names of nodes: finding a node by name, and names that stay valid when other nodes change: `#17`."""

from __future__ import annotations

import re
from typing import Any
from weakref import WeakValueDictionary

from sim_core.base.errors import SceneError
from sim_core.scene import Node, Scene
from sim_core.scene.by_name import by_def_names, def_names
from sim_core.scene.node_types import did_you_mean
from sim_core.session.simulated_world import SimulatedWorld

PARTS_OF_PATH = re.compile(r"[^.\[\]]+|\[\d+\]")


class NodeNumbers:
    """Nodes that have been given a name with their number, `#17`; the number is the node's id."""

    def __init__(self) -> None:
        self._nodes: WeakValueDictionary[str, Node] = WeakValueDictionary()

    def name(self, node: Node) -> str:
        """Return `#17`; it is valid as long as the node exists."""
        name = f"#{node.id}"
        self._nodes[name] = node
        return name

    def lasting(self, scene: Scene, name: str) -> str:
        """Return a name by fields, `root[3].children[0]`, instead of a number, for actions that are repeated
        in other runs.

        Other names, and numbers of no node, are returned unchanged.
        """
        node = self.find_node(scene, name) if name.startswith("#") else None
        return name if node is None else by_fields(scene, node)

    def find_node(self, scene: Scene, name: str) -> Node | None:
        """Return the node of this name; None if there is none in the scene now."""
        node = self._nodes.get(name)
        return node if node is not None and scene.holds(node) else None


def find_node(world: SimulatedWorld, numbers: NodeNumbers, name: str) -> Node | None:
    """Return the node of a name; see `Supervisor.find`."""
    scene, robot = world.scene, world.robots.get(name)
    if name.startswith("#"):
        return numbers.find_node(scene, name)
    found = _by_fields(world, name) if "[" in name or "." in name else None
    if found is None:
        found = by_def_names(scene, name)
    if found is None and robot is not None:
        found = robot.node
    if found is None:
        solids = (node for node in scene.nodes if node.is_a("Solid") and node["name"] == name)
        found = next(solids, None)
    if found is None:
        found = next((node for node in scene.walk() if node.path() == name), None)
    return found


def no_node(world: SimulatedWorld, name: str) -> SceneError:
    """Return the error that no node has that name, with the closest names."""
    near = did_you_mean(name, [*def_names(world.scene), *world.robots])
    return SceneError(world.scene.file, 0, 0, f'no node "{name}"', "a DEF name or a robot", near)


def _by_fields(world: SimulatedWorld, name: str) -> Node | None:
    """Return the node at a path of field names and indices; None if there is none."""
    first, *others = PARTS_OF_PATH.findall(name) or [name]
    scene, robot = world.scene, world.robots.get(first)
    here: Any = scene.nodes if first == "root" else scene.find_def(first)
    if here is None and robot is not None:
        here = robot.node
    for each in others:
        if each.startswith("["):
            index = int(each[1:-1])
            here = here[index] if isinstance(here, list) and index < len(here) else None
        else:
            here = here[each] if isinstance(here, Node) and here.has_field(each) else None
    return here if isinstance(here, Node) else None


def by_fields(scene: Scene, node: Node) -> str:
    """Return the name of a node by the fields that lead to it: `root[3].children[0]`."""
    parts: list[str] = []
    while node.parent is not None:
        field = str(node.parent_field)
        value = node.parent[field]
        parts.append(f".{field}[{_place(value, node)}]" if isinstance(value, list) else f".{field}")
        node = node.parent
    return f"root[{_place(scene.nodes, node)}]" + "".join(reversed(parts))


def _place(nodes: list[Node], node: Node) -> int:
    return next(index for index, each in enumerate(nodes) if each is node)
