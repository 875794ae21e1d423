"""Parts of a scene that X3D or VRML97 text does not contain."""

from __future__ import annotations

import math
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import rotation_from_axis_angle
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.writer import value_text
from sim_core.scene.x3d.x3d_loader import parse_x3d

SAME = 1e-3
"""Tolerance in m, or of a row of a rotation, for the drift of joints in a running world
(`x3d_writer.NEAR`)."""


def fields_left_out(scene: Scene, text: str, ending: str) -> list[SceneError]:
    """Return one warning for each field of a type that has another value when the text is read again.

    Args:
        scene: scene whose nodes all have a form in the text.
        text: text of a file.
        ending: ending of the file.
    """
    found: dict[str, SceneError] = {}
    nodes = (node for node in scene.walk() if node.type_name != "Slot")  # a Slot is compared by its contents
    for node, again in zip(nodes, parse_x3d(text, f"again{ending}").walk(), strict=False):
        if node.type_name != again.type_name:
            found.setdefault("", SceneError(*node.source, f"{node.path()} has another form in X3D"))
            break
        for field in sorted(node.fields.keys() | again.fields.keys()):
            value, other = node[field], again[field]
            if _is_of_nodes(value):
                continue
            if node.node_type.fields[field].type == "SFRotation":
                value, other = rotation_from_axis_angle(value), rotation_from_axis_angle(other)
            if _is_same(value, other):
                continue
            name = f"{node.type_name}.{field}"
            left_out = SceneError(
                *node.source, f"{name} {value_text(node[field])} has no form in X3D and is left out"
            )
            found.setdefault(name, left_out)
    return list(found.values())


def _is_of_nodes(value: Any) -> bool:
    return value is None or isinstance(value, Node) or (isinstance(value, list) and _holds_nodes(value))


def _holds_nodes(values: list[Any]) -> bool:
    return bool(values) and isinstance(values[0], Node)


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=SAME, abs_tol=SAME)
    return bool(a == b)
