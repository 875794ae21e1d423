"""What may stand where: types that a node can be changed to, and those that a field can be given."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.scene import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types, did_you_mean
from sim_core.scene.proto.expansion import copy_value
from sim_core.session.supervision.imports import AT_START_ONLY, ONLY_ONE

SUPERVISOR, ROBOT = "Supervisor", "Robot"
"""The first is a Robot with `supervisor TRUE`, and a type of its own to those who choose one."""
BOUNDING = "boundingObject"


def types_for(holder: Node | None, field: str) -> list[str]:
    """The types of Webots' nodes that a field can be given; of today only, sorted.

    Args:
        holder: None: the root of the scene, whatever the field.
        field: one that holds nodes.
    """
    return sorted(
        name
        for name, kind in all_node_types().items()
        if not kind.abstract and not kind.deprecated and fits(kind, holder, field)
    )


def fits(kind: NodeType, holder: Node | None, field: str) -> bool:
    """Whether nodes of a type may come into a field of a world that runs."""
    if kind.name in AT_START_ONLY:
        return False
    if holder is None:
        return kind.name in ONLY_ONE or _may_stand(kind, None, field)
    return _may_stand(kind, holder, field)


def types_instead(node: Node) -> list[str]:
    """The types that a node can be changed to where it stands: those that are one of its kinds, sorted."""
    if node.proto is not None or node.type_name in AT_START_ONLY:
        return []
    mine = node.node_type.classes
    found = {
        name
        for name, kind in all_node_types().items()
        if mine & kind.classes
        and not (kind.abstract or kind.deprecated or name in AT_START_ONLY)
        and _may_stand(kind, node.parent, str(node.parent_field))
    }
    found.discard(node.type_name)
    if node.type_name == ROBOT:
        found.add(ROBOT if node["supervisor"] else SUPERVISOR)
    return sorted(found)


def changed_to(node: Node, type_name: str) -> Node:
    """A node of another type with the fields of the same name and type; it stands nowhere yet.

    Raises:
        SceneError: the type does not fit.
    """
    fitting = types_instead(node)
    if type_name not in fitting:
        expected = f"one of {', '.join(fitting)}" if fitting else "a node with others of its kind"
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


def _may_stand(kind: NodeType, holder: Node | None, field: str) -> bool:
    """Whether a file may have such a node there."""
    above = () if holder is None else (holder, *holder.ancestors())
    place = all_node_types()["Group"].fields["children"] if holder is None else holder.node_type.fields[field]
    bounding: FieldType | None = None
    for name, each in zip((field, *(str(each.parent_field) for each in above)), above, strict=False):
        if name == BOUNDING:
            bounding = each.node_type.fields[name]
    if bounding is None and kind.is_a("Geometry") and not place.type.startswith("SF"):
        return False  # a Group has geometries in bounding objects only
    return place.holds(kind) and (bounding is None or place.name != "children" or bounding.holds(kind))
