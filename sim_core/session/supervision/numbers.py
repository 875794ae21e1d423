"""Names of nodes that stay right whatever comes and goes around them: `#17`."""

from __future__ import annotations

from itertools import count
from weakref import WeakKeyDictionary, WeakValueDictionary

from sim_core.scene import Node, Scene

_NUMBERS = count(1)
"""One row for the whole process: an old name never becomes that of another node in another simulation."""


class NodeNumbers:
    """Numbers nodes when somebody asks for their names."""

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[Node, str] = WeakKeyDictionary()
        self._nodes: WeakValueDictionary[str, Node] = WeakValueDictionary()

    def name(self, node: Node) -> str:
        """`#17`, as long as the node lives."""
        name = self._names.get(node)
        if name is None:
            name = self._names[node] = f"#{next(_NUMBERS)}"
            self._nodes[name] = node
        return name

    def lasting(self, scene: Scene, name: str) -> str:
        """A name by fields, `root[3].children[0]`, in place of a number: for what is carried out again.

        Other names, and numbers of no node, come back as they are.
        """
        node = self.find(scene, name) if name.startswith("#") else None
        return name if node is None else by_fields(scene, node)

    def find(self, scene: Scene, name: str) -> Node | None:
        """The node of this name; None: there never was one, or it is not in the scene now."""
        node = self._nodes.get(name)
        return node if node is not None and scene.holds(node) else None


def by_fields(scene: Scene, node: Node) -> str:
    """The name of a node by the fields that lead to it: `root[3].children[0]`."""
    parts: list[str] = []
    while node.parent is not None:
        field = str(node.parent_field)
        value = node.parent[field]
        parts.append(f".{field}[{_place(value, node)}]" if isinstance(value, list) else f".{field}")
        node = node.parent
    return f"root[{_place(scene.nodes, node)}]" + "".join(reversed(parts))


def _place(nodes: list[Node], node: Node) -> int:
    return next(index for index, each in enumerate(nodes) if each is node)
