"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from typing import Any

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
    """Other nodes at the root of the scene."""

    rebuilds = True

    def __init__(self, scene: Scene, nodes: list[Node]) -> None:
        self._scene, self._nodes, self._old = scene, nodes, list(scene.nodes)

    def do(self) -> None:
        """Make the change; the list stays the same object."""
        self._scene.nodes[:] = self._nodes

    def undo(self) -> None:
        """Take it back."""
        self._scene.nodes[:] = self._old


Change = FieldChange | RootChange


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
