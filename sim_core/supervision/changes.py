"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from typing import Any, NamedTuple

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
    """Nodes that come to the root of the scene, or go from it.

    Attributes:
        come, gone: the nodes.
        is_at_end: the nodes that come stand behind all others.
    """

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
    """A change that was made, or taken back; `deep`: the physics depends on it."""

    change: Change
    deep: bool
    was_made: bool


class ChangeLog:
    """The changes since the scene was loaded, the oldest first.

    Attributes:
        done: the changes, each with whether the physics had to be built anew for it.
    """

    def __init__(self) -> None:
        self.done: list[tuple[Change, bool]] = []

    def go_to(self, wanted: list[tuple[Change, bool]]) -> list[Step]:
        """Take back and make changes until `done` is `wanted`; what was done, in order."""
        common = len(self.done) if wanted[: len(self.done)] == self.done else 0
        while common < min(len(wanted), len(self.done)) and wanted[common][0] is self.done[common][0]:
            common += 1
        steps: list[Step] = []
        while len(self.done) > common:
            change, deep = self.done.pop()
            change.undo()
            steps.append(Step(change, deep, False))
        for change, deep in wanted[common:]:
            change.do()
            self.done.append((change, deep))
            steps.append(Step(change, deep, True))
        return steps
