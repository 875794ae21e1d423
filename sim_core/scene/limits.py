"""How large a scene may be, so that no file fills the memory."""

from __future__ import annotations

from sim_core.scene.node import Node

MAX_NESTING = 60
"""Deepest nesting of PROTO bodies within each other."""
MAX_DEPTH = 200
"""Deepest nesting of nodes, so that those who walk a tree may recurse."""
MAX_COPIED_NODES = 200_000
"""Most nodes that USE may make in one file: a few nested USE lines could otherwise fill the memory."""


def extent(node: Node) -> tuple[int, int]:
    """How many nodes a tree has and how many levels."""
    size = height = 0
    pending = [(node, 1)]
    while pending:
        each, level = pending.pop()
        size += 1
        height = max(height, level)
        pending.extend((child, level + 1) for child in each.child_nodes())
    return size, height
