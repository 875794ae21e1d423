"""Folding of equal robots of a PROTO at the root of a world: only the first has nodes.

Of the others name and pose are stored. A robot is folded if it equals an instance above it, in all parameters
except `name` and its place: x, y and the heading. Not folded are instances with DEF or without a name, with
nodes among their parameters, tilted ones, and those of PROTO files that do more with these parameters than
give them to the robot.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from sim_core.scene.node import Node
from sim_core.scene.scene import Folded, Scene

_OWN = ("name", "translation", "rotation")
_ORIGIN = (0.0, 0.0, 0.0)
_UPRIGHT = (0.0, 0.0, 1.0, 0.0)


class Folding:
    """Folds the instances of one load, in file order."""

    def __init__(self) -> None:
        self._first: dict[Hashable, Node] = {}
        # Template of the instance that was folded last and is not yet in the scene.
        self._template: Node | None = None
        self._last_robot: Node | None = None

    def folds(self, node: Node) -> bool:
        """Return whether an instance, not expanded yet, is folded; if not, later ones may be folded into
        it."""
        key = _key_of(node)
        if key is None:
            return False
        first = self._first.setdefault(key, node)
        if first is node or not _passes_name_and_place(first):
            return False
        self._template = first
        return True

    def takes(self, node: Node, scene: Scene) -> bool:
        """Add a root node to a scene if it is folded; else store its last robot, which folded ones follow."""
        template, self._template = self._template, None
        if template is None:
            self._last_robot = next(
                (each for each in [*node.walk()][::-1] if each.is_a("Robot")), self._last_robot
            )
            return False
        assert self._last_robot is not None  # the robot that it equals comes before it
        place = (node.fields.get("translation", _ORIGIN), node.fields.get("rotation", _UPRIGHT))
        scene.folded.append(Folded(template, node.fields["name"], *place, self._last_robot))
        return True


def _key_of(node: Node) -> Hashable | None:
    """Return a key that is equal for instances that differ only in name and place; None: it is not folded."""
    proto, fields = node.node_type.proto, node.fields
    if proto is None or node.def_name is not None or "name" not in fields:
        return None
    x, y, _, _ = fields.get("rotation", _UPRIGHT)
    if x != 0.0 or y != 0.0 or not all(name in node.node_type.fields for name in _OWN):
        return None
    rest: list[Any] = [proto.file, fields.get("translation", _ORIGIN)[2]]
    for name in sorted(fields.keys() - _OWN):
        value = fields[name]
        values = tuple(value) if isinstance(value, list) else (value,)
        if any(isinstance(each, Node) for each in values):
            return None
        rest += [name, isinstance(value, list), values]
    return tuple(rest)


def _passes_name_and_place(robot: Node) -> bool:
    """Return whether an expanded instance is a robot whose name and place are used for nothing else."""
    proto = robot.proto
    return (
        proto is not None
        and robot.type_name == "Robot"
        and all(proto.connected.get(name) == name for name in _OWN)
        and not any(proto.bindings.get(name) or name in proto.templated for name in _OWN)
    )
