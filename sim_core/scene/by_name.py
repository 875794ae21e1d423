"""Nodes and fields by name, and temporary changes of field values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.scene.node import Node
from sim_core.scene.node_types import did_you_mean
from sim_core.scene.scene import Scene


def by_def_names(scene: Scene, name: str) -> Node | None:
    """Return the node with DEF B below the one with DEF A, for `A.B`; a DEF name may contain dots itself.

    If the file gives no node this name, a PROTO may give it to the root of its body.
    """
    found = scene.find_def(name)
    if found is None and "." not in name:
        return scene.def_index.named_by_proto(name)
    if found is not None:
        return found
    first, *others = name.split(".")
    found = scene.find_def(first)
    for each in others:
        found = found and next((node for node in found.walk() if node.def_name == each), None)
    return found


def def_names(scene: Scene) -> list[str]:
    """Return all DEF names in file order, each once."""
    return list(dict.fromkeys(node.def_name for node in scene.walk() if node.def_name))


def find_field(scene: Scene, name: str) -> tuple[Node, str]:
    """Return the node and the field of `ROBOT1.translation`, `ARM.HAND.size` (HAND below ARM) or
    `r1.battery`.

    Raises:
        SceneError: there is no such node or field, or it holds nodes; the message suggests the closest name.
    """
    path, _, field = name.rpartition(".")
    node = _find(scene, path)
    if node is None:
        known = [*def_names(scene), *(each["name"] for each in scene.walk() if each.is_a("Robot"))]
        suggestion = did_you_mean(path, known)
        raise SceneError(scene.file, 0, 0, f'no node "{path}"', "a DEF name or a robot", suggestion)
    if not node.has_field(field):
        suggestion = did_you_mean(field, list(node.node_type.fields))
        raise SceneError(
            *node.source, f'no field "{field}" in {node.type_name}', "one of its fields", suggestion
        )
    if node.node_type.fields[field].type.endswith("Node"):
        raise SceneError(*node.source, f"{node.path()}.{field} holds nodes", "a field of numbers or text")
    return node, field


def set_fields(scene: Scene, values: Mapping[str, Any]) -> None:
    """Set fields as if the file had these values, also in copies made by USE, before a world is built of it.

    Raises:
        SceneError: there is no such field, or a value is not of its type.
    """
    for name, value in values.items():
        node, field = find_field(scene, name)
        for each in node.linked_nodes():
            each[field] = value


@contextmanager
def changed_fields(scene: Scene, values: Mapping[str, Any]) -> Iterator[None]:
    """Set fields as `set_fields` does, for the time of a `with` block.

    A world built within it equals one of a file with these values: every field can be varied, also those that
    are used only when a world is loaded.

    Raises:
        SceneError: there is no such field, or a value is not of its type.
    """
    before: list[tuple[Node, str, bool, Any]] = []
    try:
        for name, value in values.items():
            node, field = find_field(scene, name)
            for each in node.linked_nodes():
                before.append((each, field, each.is_set(field), each[field]))
                each[field] = value
        yield
    finally:
        for node, field, was_set, old in reversed(before):
            if was_set:
                node[field] = old
            else:
                node.unset(field)


def _find(scene: Scene, path: str) -> Node | None:
    """Return a node by DEF names, each below the one before it, by a robot's name, or `WorldInfo`."""
    found = by_def_names(scene, path)
    if found is None and path == "WorldInfo":
        return scene.world_info
    if found is None:
        found = next((node for node in scene.walk() if node.is_a("Robot") and node["name"] == path), None)
    return found
