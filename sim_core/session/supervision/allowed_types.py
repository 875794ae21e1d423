"""Types that are allowed in a place: those to which a node can be changed, and those of a field's nodes."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.scene import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.proto.expansion import copy_value
from sim_core.session.supervision.imports import AT_START_ONLY, ONLY_ONE

SUPERVISOR, ROBOT = "Supervisor", "Robot"
"""A Supervisor is a Robot with `supervisor TRUE`; both are offered as types."""
BOUNDING = "boundingObject"
OF_ROBOTS = frozenset(
    ("Device", "Joint", "JointLink", "Propeller", "Skin", "Slot", "Track", "TrackWheel", "TransmissionJoint")
)
"""Classes of nodes that do nothing outside of a robot; they are not offered at the root."""


def types_for(holder: Node | None, field: str) -> list[str]:
    """Return the Webots node types that a field accepts, sorted; no deprecated ones.

    Args:
        holder: the node of the field; None: the root of the scene, whatever the field.
        field: a field that holds nodes.
    """
    return sorted(
        name
        for name, kind in all_node_types().items()
        if not kind.abstract and not kind.deprecated and fits(kind, holder, field)
    )


def fits(kind: NodeType, holder: Node | None, field: str) -> bool:
    """Return whether nodes of a type may be added to a field of a running world."""
    if kind.name in AT_START_ONLY:
        return False
    if holder is None:
        return kind.name in ONLY_ONE or (not kind.classes & OF_ROBOTS and _is_allowed(kind, None, field))
    return _is_allowed(kind, holder, field)


def types_instead(node: Node) -> list[str]:
    """Return the types to which a node can be changed in its place: those with a common base class,
    sorted."""
    if node.proto is not None or node.type_name in AT_START_ONLY:
        return []
    mine = node.node_type.classes
    found = {
        name
        for name, kind in all_node_types().items()
        if mine & kind.classes
        and not (kind.abstract or kind.deprecated or name in AT_START_ONLY)
        and _is_allowed(kind, node.parent, str(node.parent_field))
    }
    found.discard(node.type_name)
    if node.type_name == ROBOT:
        found.add(ROBOT if node["supervisor"] else SUPERVISOR)
    return sorted(found)


def changed_to(node: Node, type_name: str) -> Node:
    """Return a detached node of another type with the values of fields of the same name and type.

    Raises:
        SceneError: the type does not fit.
    """
    fitting = types_instead(node)
    if type_name not in fitting:
        expected = f"one of {', '.join(fitting)}" if fitting else "a node whose type can be changed"
        found = f"{node.path()} as a {type_name}"
        raise SceneError(*node.source, found, expected, did_you_mean(type_name, fitting))
    kind = all_node_types()[ROBOT if type_name == SUPERVISOR else type_name]
    made = Node(kind, node.source, node.def_name)
    for name, value in node.fields.items():
        new = kind.fields.get(name)
        if new is not None and new.type == node.node_type.fields[name].type:
            made.fields[name] = copy_value(value, made, name, follows=False)
    if made.type_name == ROBOT:
        made["supervisor"] = type_name == SUPERVISOR
    return made


def _is_allowed(kind: NodeType, holder: Node | None, field: str) -> bool:
    """Return whether a file may contain such a node there."""
    above = () if holder is None else (holder, *holder.ancestors())
    place = all_node_types()["Group"].fields["children"] if holder is None else holder.node_type.fields[field]
    bounding: FieldType | None = None
    for name, each in zip((field, *(str(each.parent_field) for each in above)), above, strict=False):
        if name == BOUNDING:
            bounding = each.node_type.fields[name]
    if bounding is None and kind.is_a("Geometry") and not place.type.startswith("SF"):
        return False  # a Group accepts geometries in bounding objects only
    return place.holds(kind) and (bounding is None or place.name != "children" or bounding.holds(kind))
