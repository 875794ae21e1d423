"""Parameters of PROTO instances: what they are bound to, and which of them regenerate the instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim_core.scene import Node
from sim_core.scene.node_types import FieldType
from sim_core.scene.proto.expansion import ParameterTarget

PLACING = ("translation", "rotation", "linearVelocity", "angularVelocity")
"""Fields of the root node that are state: they are set in place, whatever else uses the parameter."""


def fields_of(node: Node) -> Mapping[str, FieldType]:
    """Return all fields of a node; of an instance its parameters, then the other fields of the generated
    node."""
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
    """Return the type of a field, by the name of the parameter or of the generated node's field."""
    found = node.proto.node_type.fields.get(field) if node.proto is not None else None
    return found or node.node_type.fields.get(field)


def parameter_of(node: Node, field: str) -> str | None:
    """Return the parameter of an instance that sets a field, by either name; None if there is none."""
    if node.proto is None:
        return None
    return field if field in node.proto.node_type.fields else node.proto.connected.get(field)


def targets(node: Node, parameter: str) -> Iterator[ParameterTarget]:
    """Iterate over all fields and parameters that take the value of a parameter of an instance."""
    assert node.proto is not None
    own = node.proto.own_field(parameter)
    if own is not None:
        yield ParameterTarget(node, own)
    yield from node.proto.bound(parameter)


def own_field(node: Node, field: str) -> str | None:
    """Return the node's own field with the value of a field; None: a parameter without such a field."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return field
    return node.proto.own_field(field)


def regenerates(node: Node, field: str) -> bool:
    """Return whether a change of this field regenerates an instance: a template reads the parameter."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return False
    return own_field(node, field) not in PLACING and node.proto.makes_body(field)


def given(node: Node, field: str) -> Any:
    """Return the value of a parameter as it was given."""
    assert node.proto is not None
    return node.proto.fields.get(field, node.proto.node_type.fields[field].default)


def is_given(node: Node, field: str) -> bool:
    """Return whether a field was written or set, even if equal to its default."""
    own = own_field(node, field)
    if own is not None and node.is_set(own):
        return True
    return node.proto is not None and field in node.proto.fields


def is_shown_to_users(node: Node, field: str) -> bool:
    """Return whether a field should be shown to a user."""
    kind = fields_of(node)[field]
    return not kind.type.endswith("Node") and (is_given(node, field) or not (kind.hidden or kind.deprecated))
