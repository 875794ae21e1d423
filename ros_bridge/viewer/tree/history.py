"""Changes made in this viewer, which can be undone and redone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

MAX_CHANGES = 50
"""Most changes that are stored."""


class HistoryEntry(NamedTuple):
    """A change with its description and the functions that revert it and, where possible, make it again."""

    what: str
    undo: Callable[[], object]
    redo: Callable[[], object] | None = None


class EditHistory:
    """Changes made in the browsers of this viewer, not those of other clients.

    Attributes:
        is_waiting: a removed node is being added again, and older changes need its new name; undo is blocked.

    """

    def __init__(self) -> None:
        self.is_waiting = False
        self._names: dict[str, str] = {}
        self._changes: deque[HistoryEntry] = deque(maxlen=MAX_CHANGES)
        self._undone: list[HistoryEntry] = []

    @property
    def latest(self) -> str:
        """Description of the change that undo would revert; empty: none."""
        return self._changes[-1].what if self._changes and not self.is_waiting else ""

    @property
    def latest_undone(self) -> str:
        """Description of the change that redo would make again; empty: none."""
        return self._undone[-1].what if self._undone and not self.is_waiting else ""

    def add_change(
        self, what: str, undo: Callable[[], object], redo: Callable[[], object] | None = None
    ) -> None:
        """Store a change that has been made, and how to revert it and to make it again."""
        self._changes.append(HistoryEntry(what, undo, redo))
        self._undone.clear()

    def undo_last(self) -> str:
        """Revert the latest change; return its description, empty if there is none."""
        if not self.latest:
            return ""
        edit = self._changes.pop()
        edit.undo()
        if edit.redo is None:
            self._undone.clear()
        else:
            self._undone.append(edit)
        return edit.what

    def redo_last(self) -> str:
        """Make the change again that was undone last; return its description, empty if there is none."""
        if not self.latest_undone:
            return ""
        edit = self._undone.pop()
        assert edit.redo is not None
        edit.redo()
        self._changes.append(edit)
        return edit.what

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
        self._undone.clear()
        self._names.clear()
        self.is_waiting = False
