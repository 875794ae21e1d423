"""Copies that USE has made of a node: a change of the original changes them too, as in VRML97."""

from __future__ import annotations

from collections.abc import Iterator

from sim_core.scene import Node, Scene

Step = tuple[str, int]


def twins_of(scene: Scene, node: Node) -> Iterator[Node]:
    """The nodes that stand for a node, or for a part of a named node, in the copies made by USE."""
    path: list[Step] = []
    original: Node | None = node
    while original is not None and original.def_name is None:
        original = _up(original, path)
    if original is None:
        return
    path.reverse()
    for copy in scene.walk():
        if copy.use_name == original.def_name:
            twin = _follow(copy, path)
            if twin is not None and twin.type_name == node.type_name and twin is not node:
                yield twin


def _up(node: Node, path: list[Step]) -> Node | None:
    """The parent; how to come back from it is added to the path."""
    parent = node.parent
    if parent is not None:
        value = parent[str(node.parent_field)]
        index = next(i for i, each in enumerate(value) if each is node) if isinstance(value, list) else -1
        path.append((str(node.parent_field), index))
    return parent


def _follow(node: Node, path: list[Step]) -> Node | None:
    for field, index in path:
        value = node[field] if node.has_field(field) else None
        if isinstance(value, list):
            value = value[index] if 0 <= index < len(value) else None
        if not isinstance(value, Node):
            return None
        node = value
    return node
