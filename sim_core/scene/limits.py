"""Limits on the size of a scene, so that no file exhausts the memory."""

from __future__ import annotations

from sim_core.scene.node import Node

MAX_NESTING = 60
"""Deepest nesting of PROTO bodies within each other."""
MAX_DEPTH = 200
"""Deepest nesting of nodes, so that recursive functions may walk a tree."""
MAX_COPIED_NODES = 200_000
"""Most nodes that USE may make in one file: a few nested USE lines could otherwise fill the memory."""


def extent(node: Node) -> tuple[int, int]:
    """Return the numbers of nodes and of levels of a tree."""
    size = height = 0
    pending = [(node, 1)]
    while pending:
        each, level = pending.pop()
        size += 1
        height = max(height, level)
        pending.extend((child, level + 1) for child in each.child_nodes())
    return size, height
