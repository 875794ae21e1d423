"""Undo stack of the changes made in this viewer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

MAX_CHANGES = 50
"""Most changes that are stored."""


class EditHistory:
    """Changes made in the browsers of this viewer, not those of other clients.

    Attributes:
        is_waiting: a removed node is being added again, and older changes need its new name; undo is blocked.

    """

    def __init__(self) -> None:
        self.is_waiting = False
        self._names: dict[str, str] = {}
        self._changes: deque[tuple[str, Callable[[], object]]] = deque(maxlen=MAX_CHANGES)

    @property
    def latest(self) -> str:
        """Description of the change that undo would revert; empty: none."""
        return self._changes[-1][0] if self._changes and not self.is_waiting else ""

    def add_change(self, what: str, undo: Callable[[], object]) -> None:
        """Store a change that has been made, and the function that reverts it."""
        self._changes.append((what, undo))

    def undo_last(self) -> str:
        """Revert the latest change; return its description, empty if there is none."""
        if not self.latest:
            return ""
        what, undo = self._changes.pop()
        undo()
        return what

    def drop_latest(self) -> None:
        """Drop the latest change, which was refused."""
        if self._changes:
            self._changes.pop()

    def record_new_name(self, old: str, new: str) -> None:
        """Record the new name of a node that was removed and added again."""
        self._names[old] = new
        self.is_waiting = False

    def current_name(self, node: str) -> str:
        """Return the current name of a node, which may have been added again."""
        while node in self._names:
            node = self._names[node]
        return node

    def clear_history(self) -> None:
        """Drop all changes: another world is shown."""
        self._changes.clear()
        self._names.clear()
        self.is_waiting = False
