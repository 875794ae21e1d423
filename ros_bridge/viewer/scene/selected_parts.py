"""Tells the page which parts of the scene belong to the selected node; `outline.js` outlines them."""

from __future__ import annotations

import json
from functools import partial
from html import escape

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.tree.outline import ROOT

SHOWN_PERIOD = 0.2
"""Seconds of wall time between two updates."""


class SelectedParts:
    """The parts of the selected node and of all nodes below it; of the root there are none."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._html = context.server.gui.add_html("")
        self._asked: tuple[str, int] = (ROOT, -1)
        self._nodes: frozenset[str] = frozenset()
        self._title = ""
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Read the nodes below the selected one after each change, and find their parts."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        selection = self._context.selection
        changes = -1 if selection.outline is None else selection.outline.changes
        if (selection.name, changes) != self._asked:
            if selection.name != self._asked[0]:  # else the nodes of before count until the new ones are read
                self._nodes = frozenset() if selection.name == ROOT else frozenset((selection.name,))
                self._title = ""
            self._asked = (selection.name, changes)
            if selection.name != ROOT:
                self._context.link.read_parameter(
                    f"{selection.name}.all", partial(self._store_answer, selection.name)
                )
        parts = [
            self._context.view.name(key)
            for key, item in self._context.state.items()
            if item.node in self._nodes and item.shape.kind == "file"
        ]
        if selection.name != ROOT and selection.outline is not None:
            self._title = selection.outline.title
        self._html.content = chosen_html(parts, self._title)

    def _store_answer(self, name: str, text: str | None) -> None:
        if text is not None and name == self._context.selection.name:
            self._nodes = frozenset((name, *(below for below, _ in json.loads(text))))


def chosen_html(parts: list[str], title: str) -> str:
    """Return the element with the page's names of the parts and the title of the node."""
    return (
        f'<div id="odesim-chosen" hidden data-parts="{escape(json.dumps(parts))}"'
        f' data-title="{escape(title)}"></div>'
    )
