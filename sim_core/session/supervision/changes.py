"""Changes of the scene while it is simulated, each of which can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from sim_core.scene import Node, Scene
from sim_core.scene.proto.expansion import ProtoInstance
from sim_core.session.supervision import parameters

Changed = list[tuple[Node, str]]
"""Nodes and their fields; an empty field: the node as a whole."""


class FieldChange:
    """A field that has another value.

    Attributes:
        node: whose field it is.
        field: its name.
    """

    def __init__(self, node: Node, field: str, value: Any) -> None:
        self.node, self.field, self._value = node, field, value
        self._was_set = node.is_set(field)
        self._old = node[field] if self._was_set else None

    @property
    def changed(self) -> Changed:
        """What is another."""
        return [(self.node, self.field)]

    def do(self) -> None:
        """Make the change; SceneError: the value is not of the field's type."""
        self.node[self.field] = self._value

    def undo(self) -> None:
        """Take it back."""
        if self._was_set:
            self.node[self.field] = self._old
        else:
            self.node.unset(self.field)

    def again(self) -> FieldChange:
        """The same from the present value on."""
        return FieldChange(self.node, self.field, self._value)


class ParameterChange:
    """A parameter of an instance that has another value; what it is bound to are changes of their own.

    Nodes in the value belong to the instance, as what it was given.
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
        """Take it back."""
        self._exchange(self._value, self._before.get(self.field))
        self._given.clear()
        self._given.update(self._before)

    def again(self) -> ParameterChange:
        """As `FieldChange.again`."""
        return ParameterChange(self.node, self.field, self._value)

    def _exchange(self, gone: Any, come: Any) -> None:
        for node in nodes_in(gone):
            if node.parent is self.node:
                node.parent = node.parent_field = None
        for node in nodes_in(come):
            if node.parent is None:  # else it is what the instance that this one is a copy of was given
                node.parent, node.parent_field = self.node, self.field


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

    def __init__(self, node: Node, make: Callable[[], Node]) -> None:
        """`make`: gives an instance that stands nowhere, whose body is taken; called once, by `do`."""
        self.node = node
        self._make = make
        self._body: tuple[Any, Any, Any] | None = None
        self._old = (node.node_type, node.fields, node.proto)

    @property
    def changed(self) -> Changed:
        """What is another."""
        return [(self.node, "")]

    def do(self) -> None:
        """Make the change; SceneError: the PROTO makes nothing of its parameters."""
        if self._body is None:
            made = self._make()
            self._body = (made.node_type, made.fields, made.proto)
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
        Node.arrangement = object()


class RootChange:
    """Nodes that come to the root of the scene, or go from it.

    Attributes:
        come, gone: the nodes.
    """

    def __init__(self, scene: Scene, nodes: list[Node]) -> None:
        """`nodes`: those at the root from now on, in order; those that stay are in the order of before."""
        self._scene = scene
        wanted, present = set(nodes), set(scene.nodes)
        self._come = [(index, node) for index, node in enumerate(nodes) if node not in present]
        self._gone = [(index, node) for index, node in enumerate(scene.nodes) if node not in wanted]
        self.come = [node for _, node in self._come]
        self.gone = [node for _, node in self._gone]

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
        Node.arrangement = object()


Change = FieldChange | ParameterChange | HiddenChange | BodyChange | RootChange


def nodes_in(value: Any) -> list[Node]:
    """The nodes in the value of a field or a parameter."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Node)]


def insertion(scene: Scene, nodes: list[Node], holder: Node | None, field: str, index: int) -> list[Change]:
    """Nodes that come into a field of `holder` (None: to the root), before the node at `index`; -1: last.

    Copies of the holder made by USE, and those that stand in the body of a PROTO for what it was given, get
    copies of them.
    """
    if holder is None:
        return [RootChange(scene, _with(scene.nodes, nodes, index))]
    parameter = parameters.parameter_of(holder, field)
    if parameter is not None:
        present = nodes_in(parameters.given(holder, parameter))
        return list(given_nodes(holder, parameter, _with(present, nodes, index)))
    is_list = holder.node_type.fields[field].type == "MFNode"
    changes: list[Change] = []
    for number, each in enumerate(holder.family()):
        new = [node.copy(follows=True) for node in nodes] if number else nodes
        changes.append(FieldChange(each, field, _with(each[field], new, index) if is_list else new[0]))
    return changes


def given_nodes(instance: Node, parameter: str, nodes: list[Node]) -> Iterator[Change]:
    """The changes that give an instance, and its copies, other nodes for a parameter."""
    kind = instance.node_type if instance.proto is None else instance.proto.node_type
    is_list = kind.fields[parameter].type == "MFNode"
    done: set[tuple[Node, str]] = set()
    for each in instance.family():
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
    """The copy that follows a node, which is there or is made."""
    first = node.original or node
    return next((each for each in present if each.original is first), None) or node.copy(follows=True)


def _with(present: list[Node], nodes: list[Node], index: int) -> list[Node]:
    at = len(present) if index < 0 else index
    return [*present[:at], *nodes, *present[at:]]


def removal(scene: Scene, node: Node) -> list[Change]:
    """A node that goes, with all below it, and with it its copies in the copies of what holds it."""
    if node.parent is None:
        return [RootChange(scene, [each for each in scene.nodes if each is not node])]
    holder = (node.original or node).parent
    given = _parameter_with(holder, node) if holder is not None else None
    if given is not None and holder is not None:
        rest = [each for each in nodes_in(parameters.given(holder, given)) if each is not node.family()[0]]
        return list(given_nodes(holder, given, rest))
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


def _parameter_with(instance: Node, node: Node) -> str | None:
    """The parameter by which an instance was given a node; None: its body holds it."""
    name, first = str((node.original or node).parent_field), node.original or node
    if instance.proto is None or name not in instance.proto.node_type.fields:
        return None
    return name if any(each is first for each in nodes_in(instance.proto.fields.get(name))) else None


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
