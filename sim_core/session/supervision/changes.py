"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from typing import Any, NamedTuple

from sim_core.scene import Node, Scene


class FieldChange:
    """A field that has another value.

    Attributes:
        rebuilds: the physics must be built anew for it.
    """

    def __init__(self, node: Node, field: str, value: Any, rebuilds: bool = True) -> None:
        self.rebuilds = rebuilds
        self._node, self._field, self._value = node, field, value
        self._was_set = node.is_set(field)
        self._old = node[field] if self._was_set else None

    def do(self) -> None:
        """Make the change; SceneError: the value is not of the field's type."""
        self._node[self._field] = self._value

    def undo(self) -> None:
        """Take it back."""
        if self._was_set:
            self._node[self._field] = self._old
        else:
            self._node.unset(self._field)


class RootChange:
    """Nodes that come to the root of the scene, or go from it.

    Attributes:
        come, gone: the nodes.
        is_at_end: the nodes that come stand behind all others.
    """

    rebuilds = True

    def __init__(self, scene: Scene, nodes: list[Node]) -> None:
        """`nodes`: those at the root from now on, in order; those that stay are in the order of before."""
        self._scene = scene
        wanted, present = set(nodes), set(scene.nodes)
        self._come = [(index, node) for index, node in enumerate(nodes) if node not in present]
        self._gone = [(index, node) for index, node in enumerate(scene.nodes) if node not in wanted]
        self.come = [node for _, node in self._come]
        self.gone = [node for _, node in self._gone]
        self.is_at_end = all(index >= len(nodes) - len(self._come) for index, _ in self._come)

    def do(self) -> None:
        """Make the change; the list stays the same object."""
        self._exchange(self._gone, self._come)

    def undo(self) -> None:
        """Take it back."""
        self._exchange(self._come, self._gone)

    def _exchange(self, out: list[tuple[int, Node]], into: list[tuple[int, Node]]) -> None:
        nodes = self._scene.nodes
        for index, _ in reversed(out):
            del nodes[index]
        for index, node in into:
            nodes.insert(index, node)


Change = FieldChange | RootChange


class Step(NamedTuple):
    """A change that was made, or taken back."""

    change: Change
    was_made: bool


def insertion(scene: Scene, nodes: list[Node], holder: Node | None, field: str, index: int) -> Change:
    """Nodes that come into a field of `holder` (None: to the root), before the node at `index`; -1: last."""
    if holder is not None and holder.node_type.fields[field].type != "MFNode":
        return FieldChange(holder, field, nodes[0])
    present = scene.nodes if holder is None else holder[field]
    at = len(present) if index < 0 else index
    after = [*present[:at], *nodes, *present[at:]]
    return RootChange(scene, after) if holder is None else FieldChange(holder, field, after)


def removal(scene: Scene, node: Node) -> Change:
    """A node that goes, with all below it."""
    holder, field = node.parent, str(node.parent_field)
    present = scene.nodes if holder is None else holder[field]
    after = [each for each in present if each is not node] if isinstance(present, list) else None
    if holder is None:
        return RootChange(scene, after or [])
    return FieldChange(holder, field, after)
