"""PROTO instances become what their body says: the node stays, and turns into the root of the body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, all_node_types


@dataclass
class ProtoInstance:
    """What a node was before its PROTO was expanded.

    Attributes:
        node_type: the interface.
        fields: the fields as they were written.
        connected: field of the node → interface field that it takes its value from.
        defs: the nodes that the body gives a name by DEF, by that name.
        hidden: state of its parts that is to be saved with it, see `apply_hidden`.
    """

    node_type: NodeType
    fields: dict[str, Any]
    connected: Mapping[str, str]
    defs: Mapping[str, Node]
    hidden: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def become(node: Node, root: Node, connected: Mapping[str, str], defs: Mapping[str, Node]) -> None:
    """Turn a PROTO instance into the root node of its body, in place, so that all who hold it still do."""
    if root.proto is not None:  # the root is an instance itself: its fields lead to ours
        inner = root.proto.connected
        connected = {name: connected[via] for name, via in inner.items() if via in connected}
        defs = {**root.proto.defs, **defs}
    node.proto = ProtoInstance(node.node_type, node.fields, connected, defs)
    node.node_type = root.node_type
    node.fields = root.fields
    for child in node.child_nodes():
        child.parent = node
    _hide_defs(node)


def _hide_defs(node: Node) -> None:
    """Names of a body mean nothing outside it (Webots reference, PROTO Scoping Rules)."""
    for each in node.walk():
        if each is not node and not each.is_public:
            each.def_name = each.use_name = None


@cache
def stand_in_type() -> NodeType:
    """The type of what stands in for an instance of a PROTO that is nowhere: a Group, but not the same."""
    return replace(all_node_types()["Group"])


def without_stand_ins(value: Any, field: FieldType) -> Any:
    """A value for a field that cannot hold a Group: without what stands in for a missing PROTO."""
    if field.holds(stand_in_type()):
        return value
    if isinstance(value, list):
        return [each for each in value if not _is_stand_in(each)]
    return None if _is_stand_in(value) else value


def _is_stand_in(value: Any) -> bool:
    return isinstance(value, Node) and value.node_type is stand_in_type()


def copy_value(value: Any, parent: Node, field_name: str) -> Any:
    """A field's value for another node; nodes are copied."""
    if isinstance(value, Node):
        return _child(value, parent, field_name)
    if isinstance(value, list):
        return [_child(each, parent, field_name) if isinstance(each, Node) else each for each in value]
    return value


def _child(node: Node, parent: Node, field_name: str) -> Node:
    copy = node.copy()
    copy.parent, copy.parent_field = parent, field_name
    for each in copy.walk():
        each.is_public = True
    return copy


HIDDEN_FIELDS = {"translation": 3, "rotation": 4, "linearVelocity": 3, "angularVelocity": 3, "position": 1}
HIDDEN_FIELDS |= {"position2": 1, "position3": 1}
"""State that a saved world holds for the parts of an instance, and the numbers of each."""


def apply_hidden(node: Node, name: str, numbers: list[float], complain: Callable[[str, str], Any]) -> None:
    """Put a `hidden` field of an instance where it belongs: `translation_2`, or `position_0_1` of a joint.

    The first number counts the solids of the instance, each before those below it; the second the joints that
    hang on that solid.
    """
    words = name.split("_")
    kind, places = words[0], words[1:]
    is_joint = kind.startswith("position")
    if kind not in HIDDEN_FIELDS or len(places) != (2 if is_joint else 1):
        complain(f'hidden field "{name}"', "translation_, rotation_ … and the number of a solid")
        return
    if not all(place.isdigit() for place in places):
        complain(f'hidden field "{name}"', "the number of a solid behind the _")
        return
    solids = [each for each in node.walk() if each.is_a("Solid")]
    index = int(places[0])
    if index >= len(solids):
        complain(f'hidden field "{name}"', f"one of {len(solids)} solids, counted from 0")
        return
    target, field_name = solids[index], kind
    value: Any = tuple(numbers)
    if is_joint:
        joints = joints_of(target)
        if int(places[1]) >= len(joints):
            complain(f'hidden field "{name}"', f"one of {len(joints)} joints, counted from 0")
            return
        joint = joints[int(places[1])]
        parameters = kind.replace("position", "jointParameters")
        if not joint.has_field(parameters):
            complain(f'hidden field "{name}"', f"a joint with {parameters}")
            return
        target, field_name, value = _parameters(joint, parameters), "position", numbers[0]
    try:
        target[field_name] = value
    except SceneError as error:
        complain(f'hidden field "{name}"', error.expected)


def _parameters(joint: Node, field_name: str) -> Node:
    """The parameters of one axis of a joint, made if they are not written."""
    if joint[field_name] is None:
        if field_name != "jointParameters":
            made = "JointParameters"
        else:
            made = next((each for kind, each in _FIRST_AXIS.items() if joint.is_a(kind)), "JointParameters")
        joint[field_name] = Node.create(made)
    parameters: Node = joint[field_name]
    return parameters


_FIRST_AXIS = {"BallJoint": "BallJointParameters", "HingeJoint": "HingeJointParameters"}


def joints_of(solid: Node) -> list[Node]:
    """The joints that hang on a solid and not on one below it."""
    found: list[Node] = []
    stack = list(solid.child_nodes())[::-1]
    while stack:
        node = stack.pop()
        if node.is_a("Solid"):
            continue
        if node.is_a("Joint"):
            found.append(node)
            continue
        stack.extend(list(node.child_nodes())[::-1])
    return found
