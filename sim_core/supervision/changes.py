"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from typing import Any

from sim_core.scene import Node, Scene


class FieldChange:
    """A field that has another value."""

    def __init__(self, node: Node, field: str, value: Any) -> None:
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

    def __init__(self, scene: Scene, nodes: list[Node]) -> None:
        self._scene, self._nodes, self._old = scene, nodes, list(scene.nodes)

    def do(self) -> None:
        """Make the change; the list stays the same object."""
        self._scene.nodes[:] = self._nodes

    def undo(self) -> None:
        """Take it back."""
        self._scene.nodes[:] = self._old


Change = FieldChange | RootChange


class ChangeLog:
    """The changes since the scene was loaded, the oldest first.

    Attributes:
        done: the changes, each with whether the physics had to be built anew for it.
    """

    def __init__(self) -> None:
        self.done: list[tuple[Change, bool]] = []

    def go_to(self, wanted: list[tuple[Change, bool]]) -> bool:
        """Take back and make changes until `done` is `wanted`; True: the physics must be built anew."""
        common = 0
        while common < min(len(wanted), len(self.done)) and wanted[common][0] is self.done[common][0]:
            common += 1
        physical = False
        while len(self.done) > common:
            change, deep = self.done.pop()
            change.undo()
            physical |= deep
        for change, deep in wanted[common:]:
            change.do()
            self.done.append((change, deep))
            physical |= deep
        return physical
