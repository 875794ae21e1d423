"""Which nodes of the scene tree are open, and the rows that this makes."""

from __future__ import annotations

from typing import NamedTuple

from ros_bridge.viewer.tree.outline import ROOT, Child, ChildNodes

HIDDEN_FIELD = "children"
"""The field whose nodes are shown without its name."""


class TreeRow(NamedTuple):
    """One line of the tree."""

    name: str
    title: str
    depth: int
    is_open: bool
    has_more: bool
    """Whether there is something to open."""


class TreeModel:
    """The open part of the tree; of the rest nothing is known.

    Attributes:
        title: of the world.
    """

    def __init__(self) -> None:
        self.title = "World"
        self._open: dict[str, None] = {ROOT: None}
        self._held: dict[str, ChildNodes] = {}
        self._rows: list[TreeRow] | None = None

    def clear(self) -> None:
        """Another world."""
        self._open = {ROOT: None}
        self._held.clear()
        self._rows = None

    @property
    def open_nodes(self) -> tuple[str, ...]:
        """The nodes whose nodes are to be read."""
        return tuple(self._open)

    def held(self, name: str) -> ChildNodes:
        """What is known of a node's nodes."""
        return self._held.get(name, ChildNodes())

    def set_held(self, name: str, held: ChildNodes | None) -> None:
        """What the simulation says of a node's nodes; None: there is no such node any more."""
        self._rows = None
        if held is None:
            self._held.pop(name, None)
            if name != ROOT:
                self._open.pop(name, None)
        else:
            self._held[name] = held

    def open(self, *names: str) -> None:
        """Open nodes; what they hold is shown when it has been read."""
        self._open.update(dict.fromkeys(names))
        self._rows = None

    def toggle(self, name: str) -> None:
        """Open what is closed, close what is open."""
        if name in self._open:
            del self._open[name]
        else:
            self._open[name] = None
        self._rows = None

    def is_open(self, name: str) -> bool:
        """Whether a node is open."""
        return name in self._open

    def rows(self) -> list[TreeRow]:
        """All lines from the top."""
        if self._rows is None:
            count = len(self.held(ROOT).nodes)
            self._rows = []
            world = Child("", ROOT, self.title, count)
            pending = [(world, 0)]
            while pending:
                child, depth = pending.pop()
                is_open = child.name in self._open
                field = f"{child.field}: " if child.field not in ("", HIDDEN_FIELD) else ""
                self._rows.append(TreeRow(child.name, field + child.title, depth, is_open, child.count > 0))
                if is_open:
                    below = self.held(child.name).nodes
                    pending.extend((each, depth + 1) for each in reversed(below))
        return self._rows

    def index(self, name: str) -> int | None:
        """The row of a node; None: it is in no open node."""
        return next((number for number, row in enumerate(self.rows()) if row.name == name), None)
