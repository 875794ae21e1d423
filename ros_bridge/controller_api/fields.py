"""Fields of nodes as seen by Webots' supervisors: of a PROTO's interface, or of what it creates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.scene import Node

if TYPE_CHECKING:
    from sim_core.session.supervision.supervisor import Supervisor


class FieldPath(NamedTuple):
    """Location of a field's value.

    Attributes:
        node: node of the field; None: the root group.
        field: its name in the node.
        type: `SFFloat`, …
        inside: whether it is a field of the node that a PROTO creates.
    """

    node: Node | None
    field: str
    type: str
    inside: bool = False


def find(node: Node | None, name: str, inside: bool) -> FieldPath | None:
    """Return a field by name; None: there is none.

    Args:
        node: the node; None: the root group, which has only `children`.
        name: of the field.
        inside: of the node that a PROTO creates; else of the PROTO's interface.
    """
    if node is None:
        return FieldPath(None, "children", "MFNode") if name == "children" else None
    proto = node.proto
    if proto is None or inside:
        kind = node.node_type.fields.get(name)
        return None if kind is None else FieldPath(node, name, kind.type, inside=proto is not None)
    kind = proto.node_type.fields.get(name)
    if kind is None:
        return None
    return FieldPath(node, name, kind.type)


def names(node: Node | None, inside: bool) -> list[str]:
    """Return the names of the fields in the current version of Webots, in Webots' order."""
    if node is None:
        return ["children"]
    if node.proto is None or inside:
        return [name for name, kind in node.node_type.fields.items() if kind.listed]
    return list(node.proto.node_type.fields)


def value(supervisor: Supervisor, roots: list[Node], place: FieldPath) -> Any:
    """Return the present value, nodes as `Node`."""
    if place.node is None:
        return list(roots)
    get = supervisor.get_inside if place.inside else supervisor.get
    return get(place.node, place.field)
