"""Numbers of nodes for controllers."""

from __future__ import annotations

from typing import Any

from sim_core.base.errors import CommandError
from sim_core.base.ids import NodeId
from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import instance_around, is_shown

ROOT = 0
"""Number of the group that holds all root nodes, which is not a node here."""


class ControllerNodeNumbers:
    """Numbers count in file order, nodes added later follow; none is used twice.

    An instance of a PROTO whose template was given a number has that one. A node given to an instance as
    a parameter has one number, wherever it appears in the world; the number stays when the instance is
    rebuilt. A node found inside a body has a number of its own, because a parameter may appear there
        several times.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._numbers: dict[Node, int] = {}
        self._nodes: dict[int, Node] = {}
        self._of_ids: dict[NodeId, int] = {}
        for node in scene.walk():
            self.number_of(node)

    def number_of(self, node: Node, inside: bool = False) -> int:
        """Return the number of a node; of that very node if it was found `inside` a body."""
        first = node.original
        given = node if inside or first is None or is_shown(first) else first
        number = self._numbers.get(given)
        if number is None:
            own = given.proto.number if given.proto is not None else 0
            number = self._numbers[given] = own or next(self.scene.numbers)
            self._nodes[number] = given
        if not inside:
            self._of_ids[node.id] = number
        return number

    def of_id(self, node: NodeId) -> int:
        """Return the number of a node by its id; if it was never here, that of the root group."""
        if node not in self._of_ids:
            for each in self.scene.walk():
                self.number_of(each)
        return self._of_ids.get(node, ROOT)

    def holder(self, number: int) -> Node | None:
        """Return the parent of a node; None: it is a root node, or the root group."""
        return None if self.node(number) is None else self._nodes[number].parent

    def is_inside(self, number: int) -> bool:
        """Return whether a node is in the body of a PROTO."""
        node = self._nodes.get(number)
        first = None if node is None else node.original
        return node is not None and (
            (first is not None and not is_shown(first)) or instance_around(node) is not None
        )

    def node(self, number: int) -> Node | None:
        """Return the node, None for the root group.

        Raises:
            CommandError: there is no such node in the world, or not any more.
        """
        if number == ROOT:
            return None
        node = self._nodes.get(number)
        if node is None or not self.scene.holds(node):
            raise CommandError(f"found node {number}, which is not, or no longer, in the world")
        return self.scene.shown(node)

    def describe(self, node: Node | None, inside: bool = False) -> dict[str, Any]:
        """Return the description of a node for controllers; None: the root group."""
        if node is None:
            return {"id": ROOT, "def": "", "type": "Group", "base": "Group"}
        proto = node.proto
        return {
            "id": self.number_of(node, inside),
            "def": node.def_name or "",
            "type": proto.node_type.name if proto is not None else node.type_name,
            "base": node.type_name,
        }
