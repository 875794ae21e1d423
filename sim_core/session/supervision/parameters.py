"""The fields of a PROTO's interface, seen from its instances: which lead to one field, which to more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sim_core.scene import Node
from sim_core.scene.node_types import FieldType, all_node_types
from sim_core.scene.proto.proto_file import ProtoDefinition

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


def own_field(node: Node, field: str) -> str | None:
    """The field of the node itself that has the value of a field; None: a parameter with no such field."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return field
    return next((own for own, via in node.proto.connected.items() if via == field), None)


def makes_anew(node: Node, field: str) -> bool:
    """Whether a change of this field makes an instance anew: it leads to more than a field of its root."""
    if node.proto is None or field not in node.proto.node_type.fields:
        return False
    own = own_field(node, field)
    if own is None:
        return True
    return own not in PLACING and not _leads_to_one(node.proto.node_type.proto, field)


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


def _leads_to_one(definition: ProtoDefinition, field: str) -> bool:
    """Whether the body takes a parameter once, and what it begins with takes it once, too."""
    body = definition.text[definition.body :]
    name = re.escape(field)
    if len(re.findall(rf"\bIS\s+{name}\b|\bfields\b\W+{name}\b", body)) > 1:
        return False
    if definition.base in all_node_types():
        return True
    base = definition.scope.find(definition.base)  # it stands at the root: the names are the same, as IS asks
    return field not in base.fields or _leads_to_one(base, field)
