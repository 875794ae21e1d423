"""The scene tree: rows of buttons, with the selected node's fields below."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from itertools import islice
from typing import Any

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.tree.field_form import FieldForm
from ros_bridge.viewer.tree.node_panel import NodePanel
from ros_bridge.viewer.tree.outline import ROOT, read_children
from ros_bridge.viewer.tree.tree_model import TreeModel, TreeRow
from ros_bridge.viewer.tree.world_panel import WorldPanel

MAX_ROWS = 400
"""Most rows in the page, however large the world is; the list scrolls."""
MAX_FOUND = 100
READ_PERIOD = 0.5
"""Seconds of wall time between two readings of the children of expanded nodes."""
OTHER = "gray"


class TreePanel:
    """Tree, fields, and commands for nodes and worlds."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._model = TreeModel()
        self._changes = -1
        self._number = 0
        self._next = 0.0
        self._asked: set[str] = set()
        self._every: list[tuple[str, str]] = []
        self._searched: tuple[str, int] = ("", -1)
        self._chosen = ROOT
        self._scroll_to = ""
        gui = context.server.gui
        self._search = gui.add_text(
            "Search", "", hint="search types, names and DEF names of nodes; shortcut /"
        )
        self._html = gui.add_html(tree_html([], ROOT, ""))
        context.message_handlers["row"] = self._press
        self._undo = gui.add_button("Undo", icon="arrow-back-up", color=OTHER, disabled=True)
        context.on_use(self._undo, lambda _: self._undo_latest())
        self._redo = gui.add_button("Redo", icon="arrow-forward-up", color=OTHER, disabled=True)
        context.on_use(self._redo, lambda _: self._redo_latest())
        context.message_handlers["undo"] = lambda _, __: self._undo_latest()
        context.message_handlers["redo"] = lambda _, __: self._redo_latest()
        self._note = gui.add_html(note_html("", False))
        self._form = FieldForm(context)
        self._node = NodePanel(context, self._model)
        self._world = WorldPanel(context)

    def refresh(self, now: float) -> None:
        """Read the expanded nodes and show them."""
        link, selection = self._context.link, self._context.selection
        if link.number != self._number:
            self._number = link.number
            self._clear()
        selection.refresh(now)
        if now >= self._next and self._context.server.get_clients():
            self._next = now + READ_PERIOD
            self._read()
        if selection.name != self._chosen:
            self._chosen = selection.name
            self._scroll_to = selection.name
        self._scroll()
        self._show()
        self._form.refresh(now)
        self._node.refresh(now)
        self._world.refresh(now)
        latest = self._context.history.latest
        self._undo.label, self._undo.disabled = f"Undo: {latest}" if latest else "Undo", not latest
        undone = self._context.history.latest_undone
        self._redo.label, self._redo.disabled = f"Redo: {undone}" if undone else "Redo", not undone
        self._note.content = note_html(*selection.note)

    def _undo_latest(self) -> None:
        what = self._context.history.undo_last()
        if what:
            self._context.selection.show_message(f"Undone: {what}.")

    def _redo_latest(self) -> None:
        what = self._context.history.redo_last()
        if what:
            self._context.selection.show_message(f"Done again: {what}.")

    def _clear(self) -> None:
        self._model.collapse_all()
        self._context.selection.select_root()
        self._context.history.clear_history()
        self._changes, self._searched = -1, ("", -1)
        self._asked.clear()

    def _read(self) -> None:
        """Read the children of expanded nodes if something has changed or they have not been read yet."""
        outline = self._context.selection.outline
        if outline is not None and outline.changes != self._changes:
            self._changes = outline.changes
            self._asked.clear()
        if outline is not None and outline.name == ROOT:
            self._model.title = outline.title
        for name in {**dict.fromkeys(self._model.open_nodes), self._context.selection.name: None}:
            if name not in self._asked and self._context.link.read_parameter(
                f"{name}.nodes", partial(self._store_answer, name)
            ):
                self._asked.add(name)

    def _store_answer(self, name: str, text: str | None) -> None:
        if text is None and not self._context.link.is_running:  # no answer
            self._asked.discard(name)
        else:
            self._model.set_children(name, None if text is None else read_children(text))

    def _press(self, name: Any, _: Any) -> None:
        """Select the node of a row and expand it; collapse it if it was selected and expanded."""
        row = next((each for each in self._model.rows() if each.name == name), None)
        if row is not None and not self._search.value.strip():
            is_chosen = row.name == self._context.selection.name
            if row.has_more and (is_chosen or not row.is_open):
                self._model.toggle(row.name)
            self._chosen = row.name  # no need to scroll to it
        self._context.selection.select(str(name))
        self._next = 0.0

    def _look_for(self, words: str) -> list[TreeRow]:
        """Return the nodes of the whole world with these words; the list is read again after changes."""
        if self._searched != (words, self._changes):
            self._searched = (words, self._changes)
            self._context.link.read_parameter(f"{ROOT}.all", self._take_all)
        wanted = words.lower().split()
        found = (
            TreeRow(name, title, 0, False, False)
            for name, title in self._every
            if all(word in title.lower() for word in wanted)
        )
        return list(islice(found, MAX_FOUND))

    def _take_all(self, text: str | None) -> None:
        if text is not None:
            self._every = [(name, title) for name, title in json.loads(text)]

    def _scroll(self) -> None:
        """Scroll to a node that was selected elsewhere: expand its ancestors as they become known."""
        outline = self._context.selection.outline
        if not self._scroll_to or outline is None or outline.name != self._scroll_to:
            return
        closed = [each.name for each in outline.above if not self._model.is_open(each.name)]
        if closed:
            self._model.open(*closed)
            self._next = 0.0
        if self._model.index(outline.name) is not None:
            self._scroll_to = ""

    def _show(self) -> None:
        words = self._search.value.strip()
        rows = self._look_for(words) if words else self._model.rows()
        self._html.content = tree_html(rows, self._context.selection.name, words)


def tree_html(rows: list[TreeRow], chosen: str, words: str) -> str:
    """Return the rows as buttons in a box that scrolls; `viewer.js` reports which one is pressed."""
    lines = "".join(
        f'<button type="button" data-odesim-row="{escape(row.name)}" '
        f'aria-current="{"true" if row.name == chosen else "false"}" '
        f'style="padding-left:{0.3 + 0.9 * row.depth:.1f}em">'
        f"<i>{('▾' if row.is_open else '▸') if row.has_more else ''}</i>{escape(row.title)}</button>"
        for row in rows[:MAX_ROWS]
    )
    if len(rows) > MAX_ROWS:
        lines += f"<p>and {len(rows) - MAX_ROWS} more: collapse some nodes, or search</p>"
    if not rows:
        lines = f"<p>{'No node found.' if words else 'No world loaded.'}</p>"
    return f'<div id="odesim-tree">{lines}</div>'


def note_html(text: str, refused: bool) -> str:
    """Return the message about the latest change."""
    colour = "#e03131" if refused else "#2b8a3e"
    return (
        f'<div id="odesim-edit" style="color:{colour};padding:0 0.8em 0.4em;font-size:0.85em;'
        f'overflow-wrap:anywhere;max-height:8em;overflow-y:auto">{escape(text) or "&nbsp;"}</div>'
    )
