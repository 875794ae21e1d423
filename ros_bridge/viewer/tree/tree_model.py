"""The expanded nodes of the scene tree, and the rows shown for them."""

from __future__ import annotations

from typing import NamedTuple

from ros_bridge.viewer.tree.outline import ROOT, Child, ChildNodes

HIDDEN_FIELD = "children"
"""Field whose name is not shown before its nodes."""


class TreeRow(NamedTuple):
    """One row of the tree."""

    name: str
    title: str
    depth: int
    is_open: bool
    has_more: bool
    """Whether it has children."""


class TreeModel:
    """The expanded part of the tree, the only part that is read.

    Attributes:
        title: of the world.

    """

    def __init__(self) -> None:
        self.title = "World"
        self._open: dict[str, None] = {ROOT: None}
        self._children: dict[str, ChildNodes] = {}
        self._rows: list[TreeRow] | None = None

    def collapse_all(self) -> None:
        """Collapse all: another world is shown."""
        self._open = {ROOT: None}
        self._children.clear()
        self._rows = None

    @property
    def open_nodes(self) -> tuple[str, ...]:
        """The nodes whose children have to be read."""
        return tuple(self._open)

    def children(self, name: str) -> ChildNodes:
        """Return the known children of a node."""
        return self._children.get(name, ChildNodes())

    def set_children(self, name: str, held: ChildNodes | None) -> None:
        """Store the children of a node as read; None: the node does not exist any more."""
        self._rows = None
        if held is None:
            self._children.pop(name, None)
            if name != ROOT:
                self._open.pop(name, None)
        else:
            self._children[name] = held

    def open(self, *names: str) -> None:
        """Expand nodes; children are shown when they have been read."""
        self._open.update(dict.fromkeys(names))
        self._rows = None

    def toggle(self, name: str) -> None:
        """Expand a collapsed node, collapse an expanded one."""
        if name in self._open:
            del self._open[name]
        else:
            self._open[name] = None
        self._rows = None

    def is_open(self, name: str) -> bool:
        """Return whether a node is expanded."""
        return name in self._open

    def rows(self) -> list[TreeRow]:
        """Return all rows from the top."""
        if self._rows is None:
            count = len(self.children(ROOT).nodes)
            self._rows = []
            world = Child("", ROOT, self.title, count)
            pending = [(world, 0)]
            while pending:
                child, depth = pending.pop()
                is_open = child.name in self._open
                field = f"{child.field}: " if child.field not in ("", HIDDEN_FIELD) else ""
                self._rows.append(TreeRow(child.name, field + child.title, depth, is_open, child.count > 0))
                if is_open:
                    below = self.children(child.name).nodes
                    pending.extend((each, depth + 1) for each in reversed(below))
        return self._rows

    def index(self, name: str) -> int | None:
        """Return the row number of a node; None: no expanded node contains it."""
        return next((number for number, row in enumerate(self.rows()) if row.name == name), None)
