"""Changes of the scene during simulation, each of which can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import ProtoInstance
from sim_core.session.supervision import parameters

Changed = list[tuple[Node, str]]
"""Nodes and changed fields; an empty field name: the node as a whole."""


class FieldChange:
    """Change of a field's value.

    Attributes:
        node: the node of the field.
        field: name of the field.
    """

    def __init__(self, node: Node, field: str, value: Any) -> None:
        self.node, self.field, self._value = node, field, value
        self._was_set = node.is_set(field)
        self._old = node[field] if self._was_set else None

    @property
    def changed(self) -> Changed:
        """The changed node and field."""
        return [(self.node, self.field)]

    def do(self) -> None:
        """Make the change; SceneError: the value is not of the field's type."""
        self.node[self.field] = self._value

    def undo(self) -> None:
        """Undo the change."""
        if self._was_set:
            self.node[self.field] = self._old
        else:
            self.node.unset(self.field)

    def repeated(self) -> FieldChange:
        """Return the same change based on the present value."""
        return FieldChange(self.node, self.field, self._value)


class ParameterChange:
    """Change of a parameter of a PROTO instance; the fields bound to it have changes of their own.

    Nodes in the value become children of the instance.
    """

    changed: tuple[()] = ()

    def __init__(self, node: Node, name: str, value: Any) -> None:
        assert node.proto is not None
        self.node = node
        self._given, self.field, self._value = node.proto.fields, name, value
        self._before = dict(node.proto.fields)

    def do(self) -> None:
        """Make the change."""
        self._exchange(self._before.get(self.field), self._value)
        self._given[self.field] = self._value

    def undo(self) -> None:
        """Undo the change."""
        self._exchange(self._value, self._before.get(self.field))
        self._given.clear()
        self._given.update(self._before)

    def repeated(self) -> ParameterChange:
        """Return the same change based on the present value."""
        return ParameterChange(self.node, self.field, self._value)

    def _exchange(self, removed: Any, added: Any) -> None:
        for node in nodes_in(removed):
            if node.parent is self.node:
                node.parent = node.parent_field = None
        for node in nodes_in(added):
            if node.parent is None:  # otherwise it belongs to the instance of which this one is a copy
                node.parent, node.parent_field = self.node, self.field


class HiddenChange:
    """Change of the state of an inner node of an instance, which is saved with the instance."""

    changed: tuple[()] = ()

    def __init__(self, node: Node, instance: ProtoInstance, name: str, value: tuple[float, ...]) -> None:
        self.node = node
        self._hidden, self._name, self._value = instance.hidden, name, value
        self._before = dict(instance.hidden)

    def do(self) -> None:
        """Make the change."""
        self._hidden[self._name] = self._value

    def undo(self) -> None:
        """Undo the change."""
        self._hidden.clear()
        self._hidden.update(self._before)


class BodyChange:
    """Change of all that a PROTO instance is made of; its inner nodes are replaced.

    Attributes:
        node: the instance, which stays the same node.
    """

    def __init__(self, node: Node, make: Callable[[], Node]) -> None:
        """Prepare the change; `make` returns a detached instance whose contents are taken; called once, by
        `do`."""
        self.node = node
        self._make = make
        self._body: tuple[Any, Any, Any] | None = None
        self._old = (node.node_type, node.fields, node.proto)

    @property
    def changed(self) -> Changed:
        """The changed node."""
        return [(self.node, "")]

    def do(self) -> None:
        """Make the change; SceneError: the PROTO cannot be instantiated with its parameters."""
        if self._body is None:
            made = self._make()
            self._body = (made.node_type, made.fields, made.proto)
        self._set_body(self._body)

    def undo(self) -> None:
        """Undo the change."""
        self._set_body(self._old)

    def _set_body(self, body: tuple[Any, Any, Any]) -> None:
        for child in self.node.child_nodes():
            child.parent = None
        self.node.node_type, self.node.fields, self.node.proto = body
        for child in self.node.child_nodes():
            child.parent = self.node
        Node.arrangement = object()


class RootChange:
    """Nodes that are added to the root of the scene, or removed from it.

    Attributes:
        added, removed: the nodes.
    """

    def __init__(self, scene: Scene, nodes: list[Node]) -> None:
        """Prepare the change; `nodes`: the new root nodes in order; nodes that remain keep their order."""
        self._scene = scene
        wanted, present = set(nodes), set(scene.nodes)
        self._added = [(index, node) for index, node in enumerate(nodes) if node not in present]
        self._removed = [(index, node) for index, node in enumerate(scene.nodes) if node not in wanted]
        self.added = [node for _, node in self._added]
        self.removed = [node for _, node in self._removed]

    def without(self, node: Node, at: int | None) -> tuple[RootChange, int | None]:
        """Return the same change for a scene to which a node was never added, itself if that is equal.

        Args:
            node: the node.
            at: its index at the root before the change; None: not at the root.

        Returns:
            The change, and the node's index after it.
        """
        removed = [(index - (at is not None and index > at), each) for index, each in self._removed]
        if at is not None:
            at = None if node in self.removed else at - sum(index < at for index, _ in self._removed)
        for index, each in self._added:
            if each is node:
                at = index
            elif at is not None and index <= at:
                at += 1
        added = [(index - (at is not None and index > at), each) for index, each in self._added]
        if node not in (*self.added, *self.removed) and (added, removed) == (self._added, self._removed):
            return self, at
        other = copy(self)
        other._added, other._removed = (
            [each for each in some if each[1] is not node] for some in (added, removed)
        )
        other.added, other.removed = ([each for _, each in some] for some in (other._added, other._removed))
        return other, at

    @property
    def changed(self) -> Changed:
        """The added and removed nodes."""
        return [(node, "") for node in (*self.added, *self.removed)]

    def do(self) -> None:
        """Make the change; the list stays the same object."""
        self._exchange(self._removed, self._added)

    def undo(self) -> None:
        """Undo the change."""
        self._exchange(self._added, self._removed)

    def _exchange(self, out: list[tuple[int, Node]], into: list[tuple[int, Node]]) -> None:
        nodes = self._scene.nodes
        for index, _ in reversed(out):
            del nodes[index]
        for index, node in into:
            nodes.insert(index, node)
        Node.arrangement = object()


Change = FieldChange | ParameterChange | HiddenChange | BodyChange | RootChange


def nodes_in(value: Any) -> list[Node]:
    """Return the nodes in the value of a field or a parameter."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Node)]


def insertion(scene: Scene, nodes: list[Node], holder: Node | None, field: str, index: int) -> list[Change]:
    """Return the changes that insert nodes in a field of `holder` (None: the root) at an index; -1: last.

    Copies of the holder made by USE, and nodes in a PROTO's body that take the parameter's value, receive
    copies of the nodes.
    """
    if holder is None:
        return [RootChange(scene, _with(scene.nodes, nodes, index))]
    parameter = parameters.parameter_of(holder, field)
    if parameter is not None:
        present = nodes_in(parameters.given(holder, parameter))
        return list(given_nodes(holder, parameter, _with(present, nodes, index)))
    is_list = holder.node_type.fields[field].type == "MFNode"
    changes: list[Change] = []
    for number, each in enumerate(holder.linked_nodes()):
        new = [node.copy(follows=True) for node in nodes] if number else nodes
        changes.append(FieldChange(each, field, _with(each[field], new, index) if is_list else new[0]))
    return changes


def given_nodes(instance: Node, parameter: str, nodes: list[Node]) -> Iterator[Change]:
    """Return the changes that set nodes as a parameter of an instance and of its copies."""
    kind = instance.node_type if instance.proto is None else instance.proto.node_type
    is_list = kind.fields[parameter].type == "MFNode"
    done: set[tuple[Node, str]] = set()
    for each in instance.linked_nodes():
        if each.proto is None:
            continue
        yield ParameterChange(each, parameter, nodes if is_list else next(iter(nodes), None))
        for bound, field, is_parameter in parameters.targets(each, parameter):
            if (bound, field) in done:
                continue
            done.add((bound, field))
            present = nodes_in(parameters.given(bound, field) if is_parameter else bound[field])
            copies = [_copy_among(present, node) for node in nodes]
            types = bound.proto.node_type if is_parameter and bound.proto is not None else bound.node_type
            value = copies if types.fields[field].type == "MFNode" else next(iter(copies), None)
            yield (ParameterChange if is_parameter else FieldChange)(bound, field, value)


def _copy_among(present: list[Node], node: Node) -> Node:
    """Return the copy of a node among those present, or make one."""
    first = node.original or node
    return next((each for each in present if each.original is first), None) or node.copy(follows=True)


def _with(present: list[Node], nodes: list[Node], index: int) -> list[Node]:
    at = len(present) if index < 0 else index
    return [*present[:at], *nodes, *present[at:]]


def removal(scene: Scene, node: Node) -> list[Change]:
    """Return the changes that remove a node with all below it, and its copies in copies of its holder."""
    if node.parent is None:
        return [RootChange(scene, [each for each in scene.nodes if each is not node])]
    holder = (node.original or node).parent
    given = _parameter_with(holder, node) if holder is not None else None
    if given is not None and holder is not None:
        rest = [
            each for each in nodes_in(parameters.given(holder, given)) if each is not node.linked_nodes()[0]
        ]
        return list(given_nodes(holder, given, rest))
    field, present = str(node.parent_field), node.parent[str(node.parent_field)]
    family, changes = node.linked_nodes(), list[Change]()
    if not isinstance(present, list):
        return [
            FieldChange(each, field, None) for each in node.parent.linked_nodes() if each[field] in family
        ]
    at = next(index for index, each in enumerate(present) if each is node)
    for holder in node.parent.linked_nodes():
        nodes = holder[field]
        if at < len(nodes) and any(nodes[at] is each for each in family):
            changes.append(FieldChange(holder, field, [*nodes[:at], *nodes[at + 1 :]]))
    return changes


def _parameter_with(instance: Node, node: Node) -> str | None:
    """Return the parameter of an instance that contains a node; None: the node is part of the PROTO's
    body."""
    name, first = str((node.original or node).parent_field), node.original or node
    if instance.proto is None or name not in instance.proto.node_type.fields:
        return None
    return name if any(each is first for each in nodes_in(instance.proto.fields.get(name))) else None


def all_changed(changes: Iterable[Change]) -> Changed:
    """Return all nodes and fields that changes touch."""
    return [each for change in changes for each in change.changed]


def without(changes: Sequence[Change], node: Node) -> list[Change]:
    """Return changes as if a node that was added to the root and removed again had never been added.

    Changes inside that node are undone. The list is returned unchanged if none of the changes added it.
    """
    first = next((n for n in reversed(range(len(changes))) if _adds(changes[n], node)), None)
    if first is None:
        return list(changes)
    kept, own, at = list(changes[:first]), list[Change](), None
    for change in changes[first:]:
        if isinstance(change, RootChange):
            change, at = change.without(node, at)
            if change.added or change.removed:
                kept.append(change)
        elif change.node is node or node in change.node.ancestors():
            own.append(change)
        else:
            kept.append(change)
    for change in reversed(own):
        change.undo()
    return kept


def _adds(change: Change, node: Node) -> bool:
    """Return whether a change adds a node to the root of the scene."""
    return isinstance(change, RootChange) and node in change.added
