"""The PROTO of an instance, and those it derives from, as represented by Webots' class `Proto`.

Level 0 is the PROTO of the instance, level 1 that of the root of its body, and so on up to a node of Webots.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import ProtoInstance, instance_around
from sim_core.session.supervision.supervisor import Supervisor


class Bodies:
    """Numbers of the bodies created by PROTOs; a body that is rebuilt gets another number."""

    def __init__(self) -> None:
        self._made: dict[Node, tuple[int, ProtoInstance]] = {}
        self._nodes: dict[int, Node] = {}
        self._next = count(1)

    def number_of(self, node: Node) -> int | None:
        """Return the number of a node's body; None: it was not created by a PROTO."""
        if node.proto is None:
            return None
        number, made = self._made.get(node, (0, None))
        if made is not node.proto:
            self._nodes.pop(number, None)
            number = next(self._next)
            self._made[node], self._nodes[number] = (number, node.proto), node
        return number

    def find_body(self, scene: Scene, number: int, level: int) -> tuple[Node, list[ProtoInstance]] | None:
        """Return the node of a body and its levels from the first to `level`; None: gone, or it has fewer."""
        node = self._nodes.get(number)
        if node is None or node.proto is None or self._made[node][1] is not node.proto:
            return None
        levels = list(node.proto.levels())[: level + 1]
        return (node, levels) if scene.holds(node) and level < len(levels) else None


def level_value(supervisor: Supervisor, node: Node, levels: list[ProtoInstance], name: str) -> Any:
    """Return the value of a parameter of the last of a node's levels, nodes as `Node`."""
    own = levels[-1].own_field(name)
    while own is None and len(levels) > 1:
        above = levels[-2].passed.get(name)
        if above is None:
            break
        levels, name = levels[:-1], above
    if own is not None:
        return supervisor.get_inside(node, own)
    if len(levels) == 1:
        return supervisor.get(node, name)
    return levels[-1].fields.get(name, levels[-1].node_type.fields[name].default)


def actual_field(node: Node, levels: list[ProtoInstance], name: str) -> tuple[Node, str] | None:
    """Return the field in the scene tree that a field's value comes from; None: there is none.

    Args:
        node: node of the field.
        levels: of the node, from the first to that of the field; empty: a field of the node itself.
        name: of the field.
    """
    found: str | None = name
    if not levels and node.proto is not None:
        levels = list(node.proto.levels())
        found = levels[-1].connected.get(name)
    for above in levels[-2::-1]:
        found = None if found is None else above.passed.get(found)
    if found is None:
        return None
    maker = instance_around(node)
    if maker is None or maker.proto is None:
        return node, found
    family = set(node.linked_nodes())
    for parameter, bindings in maker.proto.bindings.items():
        if any(each.field == found and each.node in family for each in bindings):
            return actual_field(maker, [maker.proto], parameter)
    return None
