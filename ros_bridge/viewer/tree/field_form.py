"""The fields of the chosen node, to be read and changed."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from ros_bridge.viewer.panel import Room
from ros_bridge.viewer.tree.outline import FieldText, NodeOutline

APPLY, DISCARD = "Apply", "Discard"
SHORT = 12
"""Characters up to which a text is shown as it is."""
LONG_NUMBER = re.compile(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?|-?\d\.\d+e[-+]?\d+")
SHOWN_PERIOD = 1.0
"""Seconds of wall time between two values shown of a field that changes by itself."""
HOLD, HELD = "Hold values", "Values held"
HINT = "fields that change by themselves are not shown anew while the cursor is in one, and while this is on"
PLACE = re.compile(r"^\S+:\d+:\d+: ")
"""The place in the world's file with which a refusal begins."""
STYLE = """<style id="odesim-fields">
form:has(#odesim-fields) div:has(> p > label) { width: 9em !important; }
</style>"""
WATCH_KEYS = """<img src="data:," alt="" style="display:none" onerror="
  const form = this.closest('form');
  if (form.dataset.waits) return;
  form.dataset.waits = 'yes';
  const box = () => form.querySelector('input[type=checkbox]');
  const hold = (on) => { if (box().checked !== on) box().click(); };
  form.addEventListener('focusin', (event) => { if (event.target !== box()) hold(true); });
  form.addEventListener('focusout', () => setTimeout(() => {
    if (!form.contains(document.activeElement)) hold(false);
  }));
  let now = false;
  form.addEventListener('submit', (event) => {
    if (now) return;
    event.preventDefault();
    event.stopPropagation();
    setTimeout(() => { now = true; form.requestSubmit(); now = false; }, 120);
  }, true);">"""
"""A value that comes while somebody types takes the place of what was typed, so the first checkbox of the
form, `HOLD`, goes on with the cursor. And viser's page sends a message every 50 ms, the last one that there
is: an Enter soon after a key would take the place of that key. So Enter waits until the keys are away."""
LONG = 60
"""Characters from which on a text gets several lines."""


class _FieldLine:
    """One field with its element.

    Args:
        gui: viser's.
        field: what it is now.
    """

    def __init__(self, gui: Any, field: FieldText) -> None:
        self._field = field
        hint = field.type + (", longer than what is shown" if field.is_cut else "")
        look: dict[str, Any] = {"disabled": field.is_cut, "hint": hint}
        if field.type == "SFBool":
            self._element = gui.add_checkbox(field.name, field.text == "TRUE", **look)
        elif field.allowed:
            choices = tuple(str(each) for each in field.allowed)
            first = field.text if field.text in choices else choices[0]
            self._element = gui.add_dropdown(field.name, choices, initial_value=first, **look)
        elif field.type == "SFColor":
            self._element = gui.add_rgb(field.name, _bytes(field.text), **look)
        else:
            several = "\n" in field.text or (field.type.startswith("MF") and len(field.text) > LONG)
            self._element = gui.add_text(field.name, readable(field), multiline=several, **look)
        self._shown = self._element.value
        self._next = 0.0

    @property
    def kind(self) -> tuple[str, str]:
        """Name and type, which decide upon the element."""
        return self._field.name, self._field.type

    @property
    def is_edited(self) -> bool:
        """Whether somebody has entered something that is not applied yet."""
        return bool(self._element.value != self._shown)

    @property
    def before(self) -> str:
        """What the field was when somebody began to edit it."""
        return self._field.text

    @property
    def text(self) -> str:
        """What was entered, as it stands in a world file; of a string the string."""
        value = self._element.value
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, tuple):
            return " ".join(f"{each / 255.0:.4g}" for each in value)
        return str(value)

    def show(self, field: FieldText, now: float) -> None:
        """Show what the field is now, unless somebody is editing it."""
        is_other = readable(field) != readable(self._field)
        if is_other and not self.is_edited and now >= self._next:
            self._next = now + SHOWN_PERIOD
            self._field = field
            self.discard()

    def settle(self) -> None:
        """What was entered has been applied; a reading that says the same is not shown anew, for it could be
        lost on somebody who types already."""
        self._shown = self._element.value
        self._field = replace(self._field, text=self.text)

    def discard(self) -> None:
        """Show what the field is."""
        text = self._field.text
        value: Any = readable(self._field)
        if self._field.type == "SFBool":
            value = text == "TRUE"
        elif self._field.type == "SFColor":
            value = _bytes(text)
        self._element.value = self._shown = value


class FieldForm:
    """A line for each field; Enter or the button apply those that were edited, each by itself."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._place = room.server.gui.add_folder("Fields", visible=False)
        self._form: Any = None
        self._hold: Any = None
        self._lines: dict[str, _FieldLine] = {}
        self._node = ""

    def refresh(self, now: float) -> None:
        """Show the chosen node's fields as they are."""
        outline = self._room.selection.outline
        if outline is None:
            return
        kinds = [(field.name, field.type) for field in outline.fields]
        if outline.name != self._node or kinds != [line.kind for line in self._lines.values()]:
            self._make(outline)
            return
        if self._hold.value:
            if self._room.server.get_clients():
                return
            self._hold.value = False  # who held them has left
        for field in outline.fields:
            self._lines[field.name].show(field, now)

    def _make(self, outline: NodeOutline) -> None:
        if self._form is not None:
            self._form.remove()
        gui = self._room.server.gui
        self._node, self._lines = outline.name, {}
        self._place.visible = bool(outline.fields)
        with self._place:
            self._form = gui.add_form(None)
        with self._form:
            gui.add_html(STYLE + WATCH_KEYS)
            self._hold = gui.add_checkbox(HOLD, False, hint=HINT)
            self._room.when(self._hold, lambda event: self._say_hold(event.target))
            for field in outline.fields:
                self._lines[field.name] = _FieldLine(gui, field)
            buttons = gui.add_button_group("Edited", (APPLY, DISCARD))
        self._form.on_submit(lambda _: self._room.inbox.put(self._apply))
        self._room.when(buttons, lambda event: self._press(event.target.value))

    def _say_hold(self, hold: Any) -> None:
        """Say that no value comes any more: those under way have come before this."""
        hold.label = HELD if hold.value else HOLD

    def _press(self, button: str) -> None:
        if button == APPLY:
            self._apply()
            return
        for line in self._lines.values():
            if line.is_edited:
                line.discard()
        self._room.selection.say("")

    def _apply(self) -> None:
        for name, line in self._lines.items():
            if line.is_edited:
                self._write(self._node, name, line)

    def _write(self, node: str, field: str, line: _FieldLine) -> None:
        selection, before = self._room.selection, line.before
        title = selection.outline.title if selection.outline is not None else node

        def answered(refusal: str) -> None:
            if refusal:
                selection.say(PLACE.sub("", refusal), refused=True)
            else:
                line.settle()
                undo = partial(self._room.put_back, node, field, before)
                self._room.history.add(f"{field} of {title}", undo)
                selection.say(f"{field} set")
            selection.read_again()

        self._room.must(self._room.link.write(f"{node}.{field}", line.text, answered))


def readable(field: FieldText) -> str:
    """A value with numbers of at most seven digits, and where lengths and axes are meant, nothing below 1e-6.

    What the physics computes has seventeen digits, and stands at 1e-17 where 0 is meant.
    """
    if field.type.endswith("String") or len(field.text) <= SHORT:
        return field.text
    digits = 6 if field.type.endswith(("Vec3f", "Rotation")) else 300
    return LONG_NUMBER.sub(lambda found: f"{round(float(found[0]), digits) + 0.0:.7g}", field.text)


def _bytes(text: str) -> tuple[int, int, int]:
    """`1 0.5 0` as 255, 128, 0."""
    red, green, blue = (round(255.0 * min(max(float(part), 0.0), 1.0)) for part in text.split())
    return red, green, blue
