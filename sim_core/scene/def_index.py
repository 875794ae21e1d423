"""Index of the DEF names of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from weakref import ref

from sim_core.scene.node import Node


class DefIndex:
    """First node in file order for each DEF name; valid until a node is added or removed anywhere.

    It holds weak references: nodes that are removed from the scene are not kept alive.
    """

    def __init__(self, roots: Iterable[Node]) -> None:
        self._arrangement = Node.arrangement
        self._roots = [ref(root) for root in roots]

    @property
    def is_outdated(self) -> bool:
        """True if a node has been added or removed since the index was made."""
        return self._arrangement is not Node.arrangement

    def given(self, name: str) -> Node | None:
        """Return the node to which the file gives this name; copies made by USE are not considered."""
        return _alive(self._given, name)

    def named_by_proto(self, name: str) -> Node | None:
        """Return the root of an instance's body to which its PROTO gives this name, if the file gives it
        none."""
        return _alive(self._named_by_proto, name)

    @cached_property
    def _given(self) -> dict[str, ref[Node]]:
        found: dict[str, ref[Node]] = {}
        stack = list(self._nodes())[::-1]
        while stack:
            node = stack.pop()
            if node.use_name is not None:
                continue
            if node.def_name is not None and node.def_name not in found:
                found[node.def_name] = ref(node)
            stack += node.child_nodes()[::-1]
        return found

    @cached_property
    def _named_by_proto(self) -> dict[str, ref[Node]]:
        found: dict[str, ref[Node]] = {}
        for node in (each for root in self._nodes() for each in root.walk()):
            if node.proto is not None and node.def_name is None:
                for name in (name for name, each in node.proto.defs.items() if each is node):
                    found.setdefault(name, ref(node))
        return found

    def _nodes(self) -> Iterator[Node]:
        return (root for each in self._roots if (root := each()) is not None)


def _alive(names: Mapping[str, ref[Node]], name: str) -> Node | None:
    found = names.get(name)
    return None if found is None else found()
