"""PROTO instances become what their body says: the node stays, and turns into the root of the body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types


class Binding(NamedTuple):
    """A field in a body that a parameter gives its value: of a node, or a parameter of an instance within."""

    node: Node
    field: str


class Bound(NamedTuple):
    """What takes the value of a parameter: a field, or a parameter of an instance within the body."""

    node: Node
    field: str
    is_parameter: bool = False


@dataclass(eq=False)
class ProtoInstance:
    """What a node was before its PROTO was expanded, and what its parameters have made.

    Attributes:
        node_type: the interface.
        fields: the parameters that were given, and those whose default holds nodes, which are its own.
        unsaid: the names of these: no file gives them.
        connected: field of the node → parameter that it takes its value from.
        bindings: parameter → what else in the body takes its value from it.
        templated: the parameters that the statements of templates are given: the body is another with another
            value.
        defs: the nodes that the body gives a name by DEF, by that name.
        base: what the root of the body was as an instance, if it is one: this PROTO derives from that.
        passed: parameter of `base` → parameter that it takes its value from.
        number: by which templates know the instance, and supervisors too; 0: no template was told one.
        hidden: state of its parts that is to be saved with it, see `hidden_fields.py`.
    """

    node_type: NodeType
    fields: dict[str, Any]
    connected: Mapping[str, str]
    bindings: Mapping[str, list[Binding]]
    templated: frozenset[str]
    defs: Mapping[str, Node]
    base: ProtoInstance | None = None
    passed: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    hidden: dict[str, tuple[float, ...]] = field(default_factory=dict)
    unsaid: frozenset[str] = frozenset()

    def bound(self, parameter: str) -> Iterator[Bound]:
        """All in the body that a parameter gives its value, through the instances within, too."""
        for node, name in self.bindings.get(parameter, ()):
            inner = node.proto
            if inner is None:
                yield Bound(node, name)
                continue
            yield Bound(node, name, is_parameter=True)
            own = inner.own_field(name)
            if own is not None:
                yield Bound(node, own)
            yield from inner.bound(name)

    def levels(self) -> Iterator[ProtoInstance]:
        """It itself, and what it derives from, the outermost first."""
        level: ProtoInstance | None = self
        while level is not None:
            yield level
            level = level.base

    def own_nodes(self) -> Iterator[Node]:
        """The nodes among its parameters, and among those of what it derives from."""
        for value in (value for level in self.levels() for value in level.fields.values()):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Node):
                    yield each

    def own_field(self, parameter: str) -> str | None:
        """The field of the node itself that a parameter gives its value; None: none."""
        return next((own for own, via in self.connected.items() if via == parameter), None)

    def makes_body(self, parameter: str) -> bool:
        """Whether the body, or one within it, must be made anew for another value of a parameter."""
        return parameter in self.templated or any(
            each.is_parameter and each.node.proto is not None and each.field in each.node.proto.templated
            for each in self.bound(parameter)
        )

    def copied(self, made: Mapping[Node, Node]) -> ProtoInstance:
        """The same for the copy of a node, by node of which copies were made."""
        bindings = {
            name: [Binding(made.get(node, node), own) for node, own in bound]
            for name, bound in self.bindings.items()
        }
        defs = {name: made.get(node, node) for name, node in self.defs.items()}
        fields = {name: _mapped(value, made) for name, value in self.fields.items()}
        hidden = dict(self.hidden)
        base = None if self.base is None else self.base.copied(made)
        return replace(self, fields=fields, bindings=bindings, defs=defs, base=base, hidden=hidden, number=0)


def become(
    node: Node,
    root: Node,
    connected: Mapping[str, str],
    bindings: Mapping[str, list[Binding]],
    templated: frozenset[str],
    defs: Mapping[str, Node],
    number: int = 0,
    unsaid: frozenset[str] = frozenset(),
) -> None:
    """Turn a PROTO instance into the root node of its body, in place, so that all who hold it still do."""
    inner, passed = root.proto, connected
    if inner is not None:  # the root is an instance itself: its parameters lead to ours
        number = number or inner.number
        bindings = {name: list(bound) for name, bound in bindings.items()}
        for own, name in connected.items():
            bindings.setdefault(name, []).extend(inner.bindings.get(own, ()))
        templated |= {name for own, name in connected.items() if own in inner.templated}
        connected = {name: connected[via] for name, via in inner.connected.items() if via in connected}
        defs = {**inner.defs, **defs}
        for each in inner.own_nodes():
            if each.parent is root:
                each.parent = node
    defs = {name: node if each is root else each for name, each in defs.items()}
    node.proto = ProtoInstance(
        node.node_type, node.fields, connected, bindings, templated, defs, inner, passed, number,
        unsaid=unsaid,
    )  # fmt: skip
    node.node_type = root.node_type
    node.fields = root.fields
    for child in node.child_nodes():
        child.parent = node
    node.proto.defs = {**defs, **_hide_defs(node)}


def give_defaults(node: Node) -> frozenset[str]:
    """Let an instance that is not expanded yet have nodes of its own where the defaults of parameters that it
    was not given hold nodes; the names of these."""
    names = [
        name
        for name, kind in node.node_type.fields.items()
        if kind.default and kind.type.endswith("Node") and name not in node.fields
    ]
    for name in names:
        node.fields[name] = copy_value(node.node_type.fields[name].default, node, name, follows=False)
    return frozenset(names)


def find_in_body(instance: Node, name: str) -> Node | None:
    """The first node in the body of an instance that has a name, as Webots looks for it: first what the
    fields of its root hold, then what is below each of these; of an instance there its parameters."""
    assert instance.proto is not None
    named = instance.proto.defs.get(name)
    nodes = nodes_in_order(instance.node_type, instance.fields)
    below = (each for node in nodes for each in _below(node))
    return next((each for each in (*nodes, *below) if each is named or each.def_name == name), None)


def nodes_in_order(node_type: NodeType, fields: Mapping[str, Any]) -> list[Node]:
    """The nodes that fields hold, in the order of the type's fields."""
    values = [fields[name] for name in node_type.fields if name in fields]
    nodes = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [each for each in nodes if isinstance(each, Node)]


def _below(node: Node) -> Iterator[Node]:
    """All below a node, each before what is below it; of an instance what its parameters hold."""
    kind = node.proto or node
    for each in nodes_in_order(kind.node_type, kind.fields):
        yield each
        yield from _below(each)


def maker_of(node: Node) -> Node | None:
    """The instance in whose body a node stands; None: the file says it, perhaps for a parameter of one."""
    below = node.original or node
    while (above := below.parent) is not None:
        if above.proto is not None:
            given = above.proto.fields.get(str(below.parent_field))
            if not any(each is below for each in (given if isinstance(given, list) else [given])):
                return above
        below = above
    return None


def readers(node: Node) -> Iterator[tuple[Node, str]]:
    """The instances whose templates are given a node, in the value of a parameter, the innermost first."""
    below = node.original or node
    while (above := below.parent) is not None:
        if above.proto is not None:
            name = str(below.parent_field)
            given = above.proto.fields.get(name)
            is_given = any(each is below for each in (given if isinstance(given, list) else [given]))
            if is_given and above.proto.makes_body(name):
                yield above, name
        below = above.original or above


def is_shown(node: Node) -> bool:
    """Whether a node stands in the world itself, and is not only what a parameter was given."""
    while (above := node.parent) is not None:
        value = above.fields.get(str(node.parent_field))
        if not any(each is node for each in (value if isinstance(value, list) else [value])):
            return False
        node = above
    return True


def _hide_defs(node: Node) -> dict[str, Node]:
    """Take their names from the nodes of a body, outside of which they mean nothing (Webots reference, PROTO
    Scoping Rules); the first of each name, by it."""
    hidden: dict[str, Node] = {}
    for each in node.walk():
        if each is not node and not each.is_public:
            if each.def_name is not None:
                hidden.setdefault(each.def_name, each)
            each.def_name = each.use_name = None
    return hidden


@cache
def stand_in_type() -> NodeType:
    """The type of what stands in for an instance of a PROTO that is nowhere: a Group, but not the same."""
    return replace(all_node_types()["Group"])


def handed_on(value: Any, parent: Node, field: FieldType) -> Any:
    """A parameter's value for a field that has it by IS: copies of nodes, which follow these, and where the
    field cannot hold a Group nothing for what stands in for a missing PROTO."""
    value = copy_value(value, parent, field.name, follows=True)
    if field.holds(stand_in_type()):
        return value
    if isinstance(value, list):
        return [each for each in value if not _is_stand_in(each)]
    return None if _is_stand_in(value) else value


def _is_stand_in(value: Any) -> bool:
    return isinstance(value, Node) and value.node_type is stand_in_type()


def copy_value(value: Any, parent: Node, field_name: str, follows: bool) -> Any:
    """A field's value for another node; its nodes are copied, and follow the copied ones if they shall."""
    if isinstance(value, Node):
        return _child(value, parent, field_name, follows)
    if isinstance(value, list):
        return [
            _child(each, parent, field_name, follows) if isinstance(each, Node) else each for each in value
        ]
    return value


def _mapped(value: Any, made: Mapping[Node, Node]) -> Any:
    """A field's value with the copies of nodes of which copies were made."""
    if isinstance(value, list):
        return [made.get(each, each) if isinstance(each, Node) else each for each in value]
    return made.get(value, value) if isinstance(value, Node) else value


def _child(node: Node, parent: Node, field_name: str, follows: bool) -> Node:
    copy = node.copy(follows)
    copy.parent, copy.parent_field = parent, field_name
    for each in copy.walk():
        each.is_public = True
    return copy
