"""What was changed from this viewer, so that it can be taken back, the latest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

MOST = 50
"""Changes that are remembered."""


class EditHistory:
    """Changes by whoever sits at a browser of this viewer; those of others are not in it.

    Attributes:
        is_waiting: a node is coming back, whose new name older changes need; nothing is taken back before.
    """

    def __init__(self) -> None:
        self.is_waiting = False
        self._names: dict[str, str] = {}
        self._changes: deque[tuple[str, Callable[[], object]]] = deque(maxlen=MOST)

    @property
    def latest(self) -> str:
        """What would be taken back next, in words; empty: nothing."""
        return self._changes[-1][0] if self._changes and not self.is_waiting else ""

    def add(self, what: str, undo: Callable[[], object]) -> None:
        """Remember a change that has been made, and how it is taken back."""
        self._changes.append((what, undo))

    def undo(self) -> str:
        """Take the latest change back; in words what it was, empty: there is none."""
        if not self.latest:
            return ""
        what, undo = self._changes.pop()
        undo()
        return what

    def forget(self) -> None:
        """The latest change was refused."""
        if self._changes:
            self._changes.pop()

    def renamed(self, old: str, new: str) -> None:
        """A node that was taken out is back under another name."""
        self._names[old] = new
        self.is_waiting = False

    def name(self, node: str) -> str:
        """The name of now of a node that may have come back since."""
        while node in self._names:
            node = self._names[node]
        return node

    def clear(self) -> None:
        """Another world: nothing of it has been changed."""
        self._changes.clear()
        self._names.clear()
        self.is_waiting = False
