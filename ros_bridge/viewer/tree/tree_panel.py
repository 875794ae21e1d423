"""The scene tree: its open nodes as rows of buttons, with the chosen node's fields below."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

from ros_bridge.viewer.panel import Room
from ros_bridge.viewer.tree.field_form import FieldForm
from ros_bridge.viewer.tree.node_panel import NodePanel
from ros_bridge.viewer.tree.outline import ROOT, read_held
from ros_bridge.viewer.tree.tree_model import Row, TreeModel
from ros_bridge.viewer.tree.world_panel import WorldPanel

ROWS = 11
"""Lines of the tree that are seen at once: so many elements there are, however large the world is."""
READ_PERIOD = 0.5
"""Seconds of wall time between two readings of the nodes of open nodes."""
BLANK = "\N{NO-BREAK SPACE}"
INDENT = 3 * BLANK
CHOSEN, OTHER = "blue", "gray"
STYLE = """<style id="odesim-tree-style">
div:has(> #odesim-tree) ~ div > button { height: 1.6em !important; padding: 0 0.4em;
  font-weight: 450; border-radius: 0.2em; }
div:has(> #odesim-tree) ~ div { padding-bottom: 1px !important; }
div:has(> #odesim-tree) ~ div > button .mantine-Button-inner { justify-content: flex-start; }
div:has(> #odesim-tree) ~ div > button[style*="gray"] { background: transparent; color: inherit; }
div:has(> #odesim-tree) ~ div > button[style*="gray"]:hover { background: #dbe4ff; }
</style>"""


class TreePanel:
    """Tree, fields, and what can be done with nodes and worlds."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._model = TreeModel()
        self._first = 0
        self._changes = -1
        self._number = 0
        self._next = 0.0
        self._asked: set[str] = set()
        self._shown: list[tuple[str, str, bool]] = []
        self._chosen = ROOT
        self._scroll_to = ""
        gui = room.server.gui
        with gui.add_folder(None):
            gui.add_html(f'<div id="odesim-tree"></div>{STYLE}')
            self._rows = [gui.add_button(BLANK, visible=False) for _ in range(ROWS)]
        for number, button in enumerate(self._rows):
            room.when(button, partial(self._press, number))
        self._pages = gui.add_button_group("Rows", ("First", "Back", "On", "Last"))
        room.when(self._pages, lambda event: self._turn(event.target.value))
        self._undo = gui.add_button("Undo", icon="arrow-back-up", color=OTHER, disabled=True)
        self._undone = ""
        room.when(self._undo, lambda _: self._take_back())
        self._note = gui.add_html(note_html("", False))
        self._shown_note = ("", False)
        self._form = FieldForm(room)
        self._node = NodePanel(room, self._model)
        self._world = WorldPanel(room)

    def refresh(self, now: float) -> None:
        """Read what is open and show it."""
        link, selection = self._room.link, self._room.selection
        if link.number != self._number:
            self._number = link.number
            self._forget()
        selection.refresh(now)
        if now >= self._next and self._room.server.get_clients():
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
        latest = self._room.history.latest
        if latest != self._undone:
            self._undone = latest
            self._undo.label, self._undo.disabled = f"Undo: {latest}" if latest else "Undo", not latest
        if selection.note != self._shown_note:
            self._shown_note = selection.note
            self._note.content = note_html(*selection.note)

    def _take_back(self) -> None:
        what = self._room.history.undo()
        if what:
            self._room.selection.say(f"undone: {what}")

    def _forget(self) -> None:
        self._model.clear()
        self._room.selection.clear()
        self._room.history.clear()
        self._changes, self._first = -1, 0
        self._asked.clear()

    def _read(self) -> None:
        """Read the nodes of open nodes anew if something has changed, and of those not read yet."""
        outline = self._room.selection.outline
        if outline is not None and outline.changes != self._changes:
            self._changes = outline.changes
            self._asked.clear()
        if outline is not None and outline.name == ROOT:
            self._model.title = outline.title
        for name in {**dict.fromkeys(self._model.open_nodes), self._room.selection.name: None}:
            if name not in self._asked and self._room.link.read(f"{name}.nodes", partial(self._take, name)):
                self._asked.add(name)

    def _take(self, name: str, text: str | None) -> None:
        self._model.set_held(name, None if text is None else read_held(text))

    def _press(self, number: int, _: Any) -> None:
        """Choose a row's node and open it; close it if it was chosen and open."""
        rows = self._model.rows()
        if self._first + number >= len(rows):
            return
        row = rows[self._first + number]
        is_chosen = row.name == self._room.selection.name
        if row.has_more and (is_chosen or not row.is_open):
            self._model.toggle(row.name)
        self._chosen = row.name  # it is in sight
        self._room.selection.choose(row.name)
        self._next = 0.0

    def _turn(self, button: str) -> None:
        last = max(0, len(self._model.rows()) - ROWS)
        step = ROWS - 1
        places = {"First": 0, "Back": self._first - step, "On": self._first + step, "Last": last}
        self._first = min(max(places[button], 0), last)

    def _scroll(self) -> None:
        """Bring a node into sight that was chosen elsewhere: open those above it, as they are known."""
        outline = self._room.selection.outline
        if not self._scroll_to or outline is None or outline.name != self._scroll_to:
            return
        closed = [each.name for each in outline.above if not self._model.is_open(each.name)]
        if closed:
            self._model.open(*closed)
            self._next = 0.0
        index = self._model.index(outline.name)
        if index is None:
            return
        self._scroll_to = ""
        if not self._first <= index < self._first + ROWS:
            self._first = max(0, index - ROWS // 2)

    def _show(self) -> None:
        rows = self._model.rows()
        self._first = min(self._first, max(0, len(rows) - ROWS))
        seen = rows[self._first : self._first + ROWS]
        wanted = [row_button(row, row.name == self._room.selection.name) for row in seen]
        wanted += [("", OTHER, False)] * (ROWS - len(wanted))
        before = self._shown or [("", "", False)] * ROWS
        for button, now, was in zip(self._rows, wanted, before, strict=True):
            if now != was:
                button.label, button.color, button.visible = now
        if wanted != self._shown:
            self._pages.visible = len(rows) > ROWS
        self._shown = wanted


def row_button(row: Row, is_chosen: bool) -> tuple[str, str, bool]:
    """Label, colour and visibility of the button of a row."""
    sign = ("▾" if row.is_open else "▸") if row.has_more else BLANK
    return f"{row.depth * INDENT}{sign} {row.title}", CHOSEN if is_chosen else OTHER, True


def note_html(text: str, refused: bool) -> str:
    """What a change led to."""
    colour = "#c92a2a" if refused else "#2b8a3e"
    return (
        f'<div id="odesim-edit" style="color:{colour};padding:0 0.8em 0.4em;font-size:0.85em;'
        f'overflow-wrap:anywhere;max-height:8em;overflow-y:auto">{escape(text) or "&nbsp;"}</div>'
    )
