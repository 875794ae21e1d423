"""State of the parts of a PROTO instance, which saved worlds store in `hidden` fields of the instance.

    Cart { hidden translation_2 0 0 1 hidden position_0_1 0.7 }

The first number counts the solids of the instance, each before those below it; the second the joints that
start at that solid. `position_2`: of a Servo, which is a solid.

A PROTO other than the one with which the world was saved may have its parts in other frames. If a part at
the end of a HingeJoint or SliderJoint has a pose that its joint cannot reach, only the position of the
joint is used.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.errors import SceneError
from sim_core.scene.node import Node
from sim_core.scene.proto.expansion import ProtoInstance, instance_around
from sim_core.scene.proto.joint_ends import joint_ends
from sim_core.scene.wbt.cursor import Cursor
from sim_core.scene.wbt.lexer import NUMBER, WORD, Token
from sim_core.scene.wbt.literals import LiteralError, literal

HIDDEN_FIELDS = {"translation": 3, "rotation": 4, "linearVelocity": 3, "angularVelocity": 3, "position": 1}
HIDDEN_FIELDS |= {"position2": 1, "position3": 1}
"""State that a saved world stores for the parts of an instance, with the number of components."""
_JOINT_POSITION = "a place to which its joint leads; taken from the position of the joint"


class HiddenFields:
    """Hidden fields that have been read from one file."""

    def __init__(self) -> None:
        self._read: dict[Node, list[tuple[Token, list[float]]]] = {}

    def __contains__(self, node: Node) -> bool:
        """Return whether an instance has hidden fields."""
        return node in self._read

    def read_field(self, cursor: Cursor, node: Node) -> bool:
        """Read one hidden field of a node; report wrong numbers. Return False if something else is at the
        cursor."""
        if cursor.token.text != "hidden" or node.node_type.proto is None or not cursor.follows(WORD):
            return False
        cursor.next()
        name = cursor.next()
        numbers = []
        while cursor.token.kind == NUMBER:
            try:
                numbers.append(literal("SFFloat", [cursor.token]))
            except LiteralError as error:
                cursor.unexpected(error.reason)
                cursor.skip_value()
                return True
            cursor.next()
        expected = HIDDEN_FIELDS.get(name.text.split("_")[0])
        if expected is not None and len(numbers) != expected:
            cursor.error(name, f'{len(numbers)} numbers for "{name.text}"', f"{expected}")
        else:
            self._read.setdefault(node, []).append((name, numbers))
        return True

    def apply(self, node: Node, is_stand_in: bool) -> tuple[Token, str, str] | None:
        """Set the hidden fields of an expanded instance.

        PROTO files change over the years; worlds that were saved with an older one still load.

        Args:
            node: the instance.
            is_stand_in: its PROTO is not the one with which the world was saved.

        Returns:
            None, or, for fields without a receiver: token of the first, what was found, what was expected.
        """
        lost: list[tuple[Token, str, str]] = []
        ends = joint_ends(node) if is_stand_in and node in self else {}
        for name, numbers in self._read.get(node, ()):
            if (wrong := _apply(node, name.text, numbers)) is not None:
                lost.append((name, *wrong))
        for index, end in ends.items():
            if not end.is_reached():
                end.follow_position()
                poses = {f"{field}_{index}": end.solid[field] for field in ("translation", "rotation")}
                if node.proto is not None:
                    node.proto.hidden |= poses
                lost += [
                    (name, f'hidden field "{name.text}"', _JOINT_POSITION)
                    for name, _ in self._read[node]
                    if name.text in poses
                ]
        if not lost:
            return None
        name, found, expected = lost[0]
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        return name, f"{found}{more}, left out", expected


def _apply(node: Node, name: str, numbers: list[float]) -> tuple[str, str] | None:
    """Set one hidden field; return what was found and expected if it has no receiver, else None."""
    words = name.split("_")
    kind, places = words[0], words[1:]
    is_joint = kind.startswith("position") and len(places) == 2
    if kind not in HIDDEN_FIELDS or len(places) != (2 if is_joint else 1):
        return f'hidden field "{name}"', "translation_, rotation_ … and the number of a solid"
    if not all(place.isdigit() for place in places):
        return f'hidden field "{name}"', "the number of a solid after the _"
    solids = [each for each in node.walk() if each.is_a("Solid")]
    index = int(places[0])
    if index >= len(solids):
        return f'hidden field "{name}"', f"one of {len(solids)} solids, counted from 0"
    target, field_name = solids[index], kind
    value: Any = tuple(numbers) if HIDDEN_FIELDS[kind] > 1 else numbers[0]
    if is_joint:
        joints = joints_of(target)
        if int(places[1]) >= len(joints):
            return f'hidden field "{name}"', f"one of {len(joints)} joints, counted from 0"
        joint = joints[int(places[1])]
        parameters = kind.replace("position", "jointParameters")
        if not joint.has_field(parameters):
            return f'hidden field "{name}"', f"a joint with {parameters}"
        target, field_name = _parameters(joint, parameters), "position"
    try:
        target[field_name] = value
    except SceneError as error:
        return f'hidden field "{name}"', error.expected
    if node.proto is not None:
        node.proto.hidden[name] = tuple(numbers)
    return None


def hidden_place(node: Node, field_name: str) -> tuple[ProtoInstance, str] | None:
    """Return the instance and the name of the `hidden` field for a field of one of its parts, or of
    itself.

    None: the node is not part of an instance, or is neither a solid nor the parameters of a joint.
    """
    instance = node if node.proto is not None else None
    while (above := instance_around(instance or node)) is not None:
        instance = above
    if instance is None or instance.proto is None or field_name not in HIDDEN_FIELDS:
        return None
    for index, solid in enumerate(each for each in instance.walk() if each.is_a("Solid")):
        if solid is node:
            return instance.proto, f"{field_name}_{index}"
        for number, joint in enumerate(joints_of(solid)):
            parameters = str(node.parent_field)
            if joint is node.parent and parameters.startswith("jointParameters"):
                kind = parameters.replace("jointParameters", "position")
                return instance.proto, f"{kind}_{index}_{number}"
    return None


def _parameters(joint: Node, field_name: str) -> Node:
    """Return the parameters of one axis of a joint; they are created if missing."""
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
    """Return the joints that start at a solid, without those of solids below it."""
    found: list[Node] = []
    stack = solid.child_nodes()[::-1]
    while stack:
        node = stack.pop()
        if node.is_a("Solid"):
            continue
        if node.is_a("Joint"):
            found.append(node)
            continue
        stack += node.child_nodes()[::-1]
    return found
