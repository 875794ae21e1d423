"""Expansion of PROTO instances: the node object stays, and becomes the root of the body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types


class Binding(NamedTuple):
    """A field in a body that gets its value from a parameter: of a node, or a parameter of an inner
    instance."""

    node: Node
    field: str


class ParameterTarget(NamedTuple):
    """A receiver of a parameter's value: a field, or a parameter of an instance within the body."""

    node: Node
    field: str
    is_parameter: bool = False


@dataclass(eq=False)
class ProtoInstance:
    """A PROTO instance before expansion, and the links of its parameters to the body.

    Attributes:
        node_type: type with the fields of the interface.
        fields: given parameters, and those whose default holds nodes, of which the instance has copies.
        unset_defaults: names of the latter, which the file does not set.
        connected: field of the node → parameter that gives its value.
        bindings: parameter → other fields in the body that get its value.
        templated: parameters used by template statements: the body must be made again for another
            value.
        defs: nodes with DEF names in the body, by name.
        base: instance of the root of the body, if it is one: this PROTO derives from its type.
        passed: parameter of `base` → parameter that gives its value.
        number: number of the instance for templates and supervisors; 0: no template has used it.
        hidden: state of its parts that is saved with it, see `hidden_fields.py`.
        file: of the body.
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
    unset_defaults: frozenset[str] = frozenset()
    file: str = ""

    def bound(self, parameter: str) -> Iterator[ParameterTarget]:
        """Yield all receivers of a parameter's value in the body, also through inner instances."""
        for node, name in self.bindings.get(parameter, ()):
            inner = node.proto
            if inner is None:
                yield ParameterTarget(node, name)
                continue
            yield ParameterTarget(node, name, is_parameter=True)
            own = inner.own_field(name)
            if own is not None:
                yield ParameterTarget(node, own)
            yield from inner.bound(name)

    def levels(self) -> Iterator[ProtoInstance]:
        """Yield this instance and its base instances, the outermost first."""
        level: ProtoInstance | None = self
        while level is not None:
            yield level
            level = level.base

    def own_nodes(self) -> Iterator[Node]:
        """Yield the nodes among the parameters of this instance and of its base instances."""
        for value in (value for level in self.levels() for value in level.fields.values()):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Node):
                    yield each

    def own_field(self, parameter: str) -> str | None:
        """Return the field of the node itself that gets its value from a parameter; None: there is none."""
        return next((own for own, via in self.connected.items() if via == parameter), None)

    def makes_body(self, parameter: str) -> bool:
        """Return whether this body, or an inner one, must be made again for another value of a parameter."""
        return parameter in self.templated or any(
            each.is_parameter and each.node.proto is not None and each.field in each.node.proto.templated
            for each in self.bound(parameter)
        )

    def copied(self, made: Mapping[Node, Node]) -> ProtoInstance:
        """Return the same for a copy of the node; `made` maps nodes to their copies."""
        bindings = {
            name: [Binding(made.get(node, node), own) for node, own in bound]
            for name, bound in self.bindings.items()
        }
        defs = {name: made.get(node, node) for name, node in self.defs.items()}
        fields = {name: _mapped(value, made) for name, value in self.fields.items()}
        hidden = dict(self.hidden)
        base = None if self.base is None else self.base.copied(made)
        return replace(self, fields=fields, bindings=bindings, defs=defs, base=base, hidden=hidden, number=0)


def expand_in_place(
    node: Node,
    root: Node,
    connected: Mapping[str, str],
    bindings: Mapping[str, list[Binding]],
    templated: frozenset[str],
    defs: Mapping[str, Node],
    number: int = 0,
    unset_defaults: frozenset[str] = frozenset(),
) -> None:
    """Turn a PROTO instance into the root node of its body, in place, so that references to it stay valid."""
    inner, passed = root.proto, connected
    if inner is not None:  # the root is an instance itself: its parameters get their values from ours
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
        unset_defaults=unset_defaults, file=root.source.file,
    )  # fmt: skip
    node.node_type = root.node_type
    node.fields = root.fields
    for child in node.child_nodes():
        child.parent = node
    node.proto.defs = {**defs, **_remove_defs(node)}


def copy_default_nodes(node: Node) -> frozenset[str]:
    """Give an instance that is not expanded yet its own copies of the nodes in defaults of parameters that
    are not set; return the names of these parameters."""
    names = [
        name
        for name, kind in node.node_type.fields.items()
        if kind.default and kind.type.endswith("Node") and name not in node.fields
    ]
    for name in names:
        node.fields[name] = copy_value(node.node_type.fields[name].default, node, name, follows=False)
    return frozenset(names)


def find_in_body(instance: Node, name: str) -> Node | None:
    """Return the first node with a DEF name in the body of an instance, in Webots' order: first the fields
    of its root, then the nodes below each; of an instance there, its parameters."""
    assert instance.proto is not None
    named = instance.proto.defs.get(name)
    nodes = nodes_in_order(instance.node_type, instance.fields)
    below = (each for node in nodes for each in _below(node))
    return next((each for each in (*nodes, *below) if each is named or each.def_name == name), None)


def nodes_in_order(node_type: NodeType, fields: Mapping[str, Any]) -> list[Node]:
    """Return the nodes in fields, in the order of the type's fields."""
    values = [fields[name] for name in node_type.fields if name in fields]
    nodes = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [each for each in nodes if isinstance(each, Node)]


def _below(node: Node) -> Iterator[Node]:
    """Yield all descendants of a node, each before its own; of an instance, the nodes of its parameters."""
    kind = node.proto or node
    for each in nodes_in_order(kind.node_type, kind.fields):
        yield each
        yield from _below(each)


def instance_around(node: Node) -> Node | None:
    """Return the instance whose body contains a node; None: the file contains it, perhaps as a parameter."""
    below = node.original or node
    while (above := below.parent) is not None:
        if above.proto is not None:
            given = above.proto.fields.get(str(below.parent_field))
            if not any(each is below for each in (given if isinstance(given, list) else [given])):
                return above
        below = above
    return None


def template_users(node: Node) -> Iterator[tuple[Node, str]]:
    """Yield the instances whose templates use a node, as a value of a parameter, the innermost first."""
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
    """Return whether a node is in the world itself, and is not only the value of a parameter."""
    while (above := node.parent) is not None:
        value = above.fields.get(str(node.parent_field))
        if not any(each is node for each in (value if isinstance(value, list) else [value])):
            return False
        node = above
    return True


def _remove_defs(node: Node) -> dict[str, Node]:
    """Remove DEF names from the nodes of a body, outside of which they have no meaning (Webots reference,
    PROTO Scoping Rules); return the first node of each name."""
    hidden: dict[str, Node] = {}
    for each in node.walk():
        if each is not node and not each.is_public:
            if each.def_name is not None:
                hidden.setdefault(each.def_name, each)
            each.def_name = each.use_name = None
    return hidden


@cache
def stand_in_type() -> NodeType:
    """Return the type of nodes that replace an instance of a missing PROTO: a Group under another name."""
    return replace(all_node_types()["Group"])


def parameter_value(value: Any, parent: Node, field: FieldType) -> Any:
    """Return a parameter's value for a field that has it by IS: copies of nodes, which take over changes
    of these. Where the field cannot hold a Group, a replacement of a missing PROTO is left out."""
    value = copy_value(value, parent, field.name, follows=True)
    if field.holds(stand_in_type()):
        return value
    if isinstance(value, list):
        return [each for each in value if not _is_stand_in(each)]
    return None if _is_stand_in(value) else value


def _is_stand_in(value: Any) -> bool:
    return isinstance(value, Node) and value.node_type is stand_in_type()


def copy_value(value: Any, parent: Node, field_name: str, follows: bool) -> Any:
    """Copy a field's value for another node; with `follows` copied nodes take over changes of their
    originals."""
    if isinstance(value, Node):
        return _child(value, parent, field_name, follows)
    if isinstance(value, list):
        return [
            _child(each, parent, field_name, follows) if isinstance(each, Node) else each for each in value
        ]
    return value


def _mapped(value: Any, made: Mapping[Node, Node]) -> Any:
    """Return a field's value with nodes replaced by their copies."""
    if isinstance(value, list):
        return [made.get(each, each) if isinstance(each, Node) else each for each in value]
    return made.get(value, value) if isinstance(value, Node) else value


def _child(node: Node, parent: Node, field_name: str, follows: bool) -> Node:
    copy = node.copy(follows)
    copy.parent, copy.parent_field = parent, field_name
    for each in copy.walk():
        each.is_public = True
    return copy
