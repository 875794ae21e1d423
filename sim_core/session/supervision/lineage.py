"""Nodes that take the place of others, as PROTO instances that are made anew: names go on to them."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary, ref

from sim_core.scene import Node, Scene

Family = list["ref[Node]"]


class Lineage:
    """Who stood for a node before and after; changes that are taken back bring the older one back."""

    def __init__(self) -> None:
        self._families: WeakKeyDictionary[Node, Family] = WeakKeyDictionary()

    def succeed(self, old: Node, new: Node) -> None:
        """A node takes the place of another."""
        family = self._families.setdefault(old, [ref(old)])
        family.append(ref(new))
        self._families[new] = family

    def first(self, node: Node) -> Node:
        """The eldest of those that have stood for a node: itself, if there was no other."""
        return next(self._members(node), node)

    def present(self, scene: Scene, node: Node) -> Node:
        """Whoever stands for a node in the scene now; the node itself, if nobody does."""
        return next((each for each in self._members(node) if is_in(scene, each)), node)

    def _members(self, node: Node) -> Iterator[Node]:
        family = self._families.get(node) if self._families else None
        return (found for each in family or () if (found := each()) is not None)


def is_in(scene: Scene, node: Node) -> bool:
    """Whether a node is in a scene."""
    root = node
    for each in node.ancestors():
        root = each
    return any(each is root for each in scene.nodes)
