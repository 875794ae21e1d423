"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import ProtoInstance

Changed = list[tuple[Node, str]]
"""Nodes and their fields; an empty field: the node as a whole."""


class FieldChange:
    """A field that has another value.

    Attributes:
        node: whose field it is.
    """

    def __init__(self, node: Node, field: str, value: Any) -> None:
        self.node, self._field, self._value = node, field, value
        self._was_set = node.is_set(field)
        self._old = node[field] if self._was_set else None

    @property
    def changed(self) -> Changed:
        """What is another."""
        return [(self.node, self._field)]

    def do(self) -> None:
        """Make the change; SceneError: the value is not of the field's type."""
        self.node[self._field] = self._value

    def undo(self) -> None:
        """Take it back."""
        if self._was_set:
            self.node[self._field] = self._old
        else:
            self.node.unset(self._field)


class ParameterChange:
    """A parameter of an instance that has another value; what it is bound to are changes of their own."""

    changed: tuple[()] = ()

    def __init__(self, node: Node, name: str, value: Any) -> None:
        assert node.proto is not None
        self.node = node
        self._given, self._name, self._value = node.proto.fields, name, value
        self._before = dict(node.proto.fields)

    def do(self) -> None:
        """Make the change."""
        self._given[self._name] = self._value

    def undo(self) -> None:
        """Take it back."""
        self._given.clear()
        self._given.update(self._before)


class HiddenChange:
    """State of a part of an instance that is saved with it."""

    changed: tuple[()] = ()

    def __init__(self, node: Node, instance: ProtoInstance, name: str, value: tuple[float, ...]) -> None:
        self.node = node
        self._hidden, self._name, self._value = instance.hidden, name, value
        self._before = dict(instance.hidden)

    def do(self) -> None:
        """Make the change."""
        self._hidden[self._name] = self._value

    def undo(self) -> None:
        """Take it back."""
        self._hidden.clear()
        self._hidden.update(self._before)


class BodyChange:
    """An instance of a PROTO with another body, whose nodes are others.

    Attributes:
        node: the instance, which stays the same node.
    """

    def __init__(self, node: Node, made: Node) -> None:
        """`made`: an instance that stands nowhere; its body is taken."""
        self.node = node
        self._body = (made.node_type, made.fields, made.proto)
        self._old = (node.node_type, node.fields, node.proto)

    @property
    def changed(self) -> Changed:
        """What is another."""
        return [(self.node, "")]

    def do(self) -> None:
        """Make the change."""
        self._take(self._body)

    def undo(self) -> None:
        """Take it back."""
        self._take(self._old)

    def _take(self, body: tuple[Any, Any, Any]) -> None:
        for child in self.node.child_nodes():
            child.parent = None
        self.node.node_type, self.node.fields, self.node.proto = body
        for child in self.node.child_nodes():
            child.parent = self.node


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

    def without(self, node: Node, at: int | None) -> tuple[RootChange, int | None]:
        """The change in a scene to which a node never came, itself if that is the same.

        Args:
            node: it.
            at: its index at the root before the change; None: it is not there.

        Returns:
            The change, and the node's index after it.
        """
        gone = [(index - (at is not None and index > at), each) for index, each in self._gone]
        if at is not None:
            at = None if node in self.gone else at - sum(index < at for index, _ in self._gone)
        for index, each in self._come:
            if each is node:
                at = index
            elif at is not None and index <= at:
                at += 1
        come = [(index - (at is not None and index > at), each) for index, each in self._come]
        if node not in (*self.come, *self.gone) and (come, gone) == (self._come, self._gone):
            return self, at
        other = copy(self)
        other._come, other._gone = ([each for each in some if each[1] is not node] for some in (come, gone))
        other.come, other.gone = ([each for _, each in some] for some in (other._come, other._gone))
        return other, at

    @property
    def changed(self) -> Changed:
        """What is another."""
        return [(node, "") for node in (*self.come, *self.gone)]

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


Change = FieldChange | ParameterChange | HiddenChange | BodyChange | RootChange


def insertion(scene: Scene, nodes: list[Node], holder: Node | None, field: str, index: int) -> list[Change]:
    """Nodes that come into a field of `holder` (None: to the root), before the node at `index`; -1: last.

    Copies of the holder made by USE get copies of them.
    """
    if holder is None:
        return [RootChange(scene, _with(scene.nodes, nodes, index))]
    is_list = holder.node_type.fields[field].type == "MFNode"
    changes: list[Change] = []
    for each in holder.family():
        new = nodes if each is holder else [node.copy(follows=True) for node in nodes]
        changes.append(FieldChange(each, field, _with(each[field], new, index) if is_list else new[0]))
    return changes


def _with(present: list[Node], nodes: list[Node], index: int) -> list[Node]:
    at = len(present) if index < 0 else index
    return [*present[:at], *nodes, *present[at:]]


def removal(scene: Scene, node: Node) -> list[Change]:
    """A node that goes, with all below it, and with it its copies in the copies of what holds it."""
    if node.parent is None:
        return [RootChange(scene, [each for each in scene.nodes if each is not node])]
    field, present = str(node.parent_field), node.parent[str(node.parent_field)]
    family, changes = node.family(), list[Change]()
    if not isinstance(present, list):
        return [FieldChange(each, field, None) for each in node.parent.family() if each[field] in family]
    at = next(index for index, each in enumerate(present) if each is node)
    for holder in node.parent.family():
        nodes = holder[field]
        if at < len(nodes) and any(nodes[at] is each for each in family):
            changes.append(FieldChange(holder, field, [*nodes[:at], *nodes[at + 1 :]]))
    return changes


def all_changed(changes: Iterable[Change]) -> Changed:
    """What is another after changes."""
    return [each for change in changes for each in change.changed]


def without(changes: Sequence[Change], node: Node) -> list[Change]:
    """Changes of a scene as if a node had never come to its root, from which it has gone again.

    What was changed in it is taken back. All stays as it is if none of the changes brought it there.
    """
    came = next((n for n in reversed(range(len(changes))) if _brings(changes[n], node)), None)
    if came is None:
        return list(changes)
    kept, own, at = list(changes[:came]), list[Change](), None
    for change in changes[came:]:
        if isinstance(change, RootChange):
            change, at = change.without(node, at)
            if change.come or change.gone:
                kept.append(change)
        elif change.node is node or node in change.node.ancestors():
            own.append(change)
        else:
            kept.append(change)
    for change in reversed(own):
        change.undo()
    return kept


def _brings(change: Change, node: Node) -> bool:
    """Whether with a change a node comes to the root of the scene."""
    return isinstance(change, RootChange) and node in change.come
