"""The fields of a PROTO's interface, seen from its instances: what they are bound to, which make it anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim_core.scene import Node
from sim_core.scene.node_types import FieldType
from sim_core.scene.proto.expansion import Bound

PLACING = ("translation", "rotation", "linearVelocity", "angularVelocity")
"""Fields of the root that are state: they are changed where they stand, whatever else takes the parameter."""


def fields_of(node: Node) -> Mapping[str, FieldType]:
    """All fields of a node; of an instance its parameters, then what else the node has that it makes."""
    if node.proto is None:
        return node.node_type.fields
    interface, connected = node.proto.node_type.fields, node.proto.connected
    others = {
        name: kind
        for name, kind in node.node_type.fields.items()
        if name not in interface and name not in connected
    }
    return {**interface, **others}


def kind_of(node: Node, field: str) -> FieldType | None:
    """The type of a field, by the name of the parameter or by that in the node that the PROTO makes."""
    found = node.proto.node_type.fields.get(field) if node.proto is not None else None
    return found or node.node_type.fields.get(field)


def parameter_of(node: Node, field: str) -> str | None:
    """The parameter of an instance that a field has its value from, by either name; None: it is none's."""
    if node.proto is None:
        return None
    return field if field in node.proto.node_type.fields else node.proto.connected.get(field)


def targets(node: Node, parameter: str) -> Iterator[Bound]:
    """All that takes the value of a parameter of an instance."""
    assert node.proto is not None
    own = node.proto.own_field(parameter)
    if own is not None:
        yield Bound(node, own)
    yield from node.proto.bound(parameter)


def own_field(node: Node, field: str) -> str | None:
    """The field of the node itself that has the value of a field; None: a parameter with no such field."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return field
    return node.proto.own_field(field)


def makes_anew(node: Node, field: str) -> bool:
    """Whether a change of this field makes an instance's body anew: a template is given the parameter."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return False
    return own_field(node, field) not in PLACING and node.proto.makes_body(field)


def given(node: Node, field: str) -> Any:
    """The value of a parameter as it was given."""
    assert node.proto is not None
    return node.proto.fields.get(field, node.proto.node_type.fields[field].default)


def is_given(node: Node, field: str) -> bool:
    """Whether a field was written or assigned, even if equal to its default."""
    own = own_field(node, field)
    if own is not None and node.is_set(own):
        return True
    return node.proto is not None and field in node.proto.fields


def is_told(node: Node, field: str) -> bool:
    """Whether somebody who looks at a node should see a field."""
    kind = fields_of(node)[field]
    return not kind.type.endswith("Node") and (is_given(node, field) or not (kind.hidden or kind.deprecated))
