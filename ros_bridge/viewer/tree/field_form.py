"""Form with the fields of the selected node."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.tree.outline import FieldText, NodeOutline

APPLY, DISCARD = "Apply", "Discard"
SHORT = 12
"""Longest text that is shown unchanged, characters."""
LONG_NUMBER = re.compile(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?|-?\d\.\d+e[-+]?\d+")
SHOWN_PERIOD = 1.0
"""Seconds of wall time between two updates of a field that the simulation changes."""
HOLD, HELD = "Hold values", "Values held"
HINT = "do not update changing fields; on by itself while the cursor is in a field"
PLACE = re.compile(r"^\S+:\d+:\d+: ")
"""Position in the world's file at the start of a refusal."""
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
"""A value that arrives while a user types would replace what was typed; therefore the first checkbox of the
form, `HOLD`, is switched on while the cursor is in a field. And viser's page sends one message every 50 ms,
the latest: Enter soon after another key would replace the message of that key. Therefore Enter is delayed.
"""
LONG = 60
"""Shortest text shown in several lines, characters."""


class _FieldLine:
    """One field with its GUI element.

    Args:
        gui: viser's GUI.
        field: its current state.
    """

    def __init__(self, gui: Any, field: FieldText) -> None:
        self._field = field
        hint = field.type + (", too long to be edited here" if field.is_cut else "")
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
            self._element = gui.add_text(field.name, rounded_text(field), multiline=several, **look)
        self._shown = self._element.value
        self._next = 0.0

    @property
    def kind(self) -> tuple[str, str]:
        """Name and type, which determine the element."""
        return self._field.name, self._field.type

    @property
    def is_edited(self) -> bool:
        """Whether the user has entered something that is not applied yet."""
        return bool(self._element.value != self._shown)

    @property
    def before(self) -> str:
        """Value of the field when editing began."""
        return self._field.text

    @property
    def text(self) -> str:
        """The entered value as it stands in a world file; of a string the bare string."""
        value = self._element.value
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, tuple):
            return " ".join(f"{each / 255.0:.4g}" for each in value)
        return str(value)

    def show_field(self, field: FieldText, now: float) -> None:
        """Show the current value, unless the user is editing it."""
        is_other = rounded_text(field) != rounded_text(self._field)
        if is_other and not self.is_edited and now >= self._next:
            self._next = now + SHOWN_PERIOD
            self._field = field
            self.discard()

    @property
    def value(self) -> Any:
        """Value of the GUI element."""
        return self._element.value

    def mark_applied(self, value: Any, text: str) -> None:
        """Mark a value that was sent as applied; what was entered since then is still to be applied.

        An equal value read later is not shown again, because the user may be typing already.
        """
        self._shown = value
        self._field = replace(self._field, text=text)

    def discard(self) -> None:
        """Show the field's current value instead of what was entered."""
        text = self._field.text
        value: Any = rounded_text(self._field)
        if self._field.type == "SFBool":
            value = text == "TRUE"
        elif self._field.type == "SFColor":
            value = _bytes(text)
        self._element.value = self._shown = value


class FieldForm:
    """A line for each field; Enter or the button applies all edited fields, one by one."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._place = context.server.gui.add_folder("Fields", visible=False)
        self._form: Any = None
        self._hold: Any = None
        self._lines: dict[str, _FieldLine] = {}
        self._node = ""

    def refresh(self, now: float) -> None:
        """Show the current values of the selected node's fields."""
        outline = self._context.selection.outline
        if outline is None:
            return
        kinds = [(field.name, field.type) for field in outline.fields]
        if outline.name != self._node or kinds != [line.kind for line in self._lines.values()]:
            self._make(outline)
            return
        if self._hold.value:
            if self._context.server.get_clients():
                return
            self._hold.value = False  # the browser that held the values has gone
        for field in outline.fields:
            self._lines[field.name].show_field(field, now)

    def _make(self, outline: NodeOutline) -> None:
        if self._form is not None:
            self._form.remove()
        gui = self._context.server.gui
        self._node, self._lines = outline.name, {}
        self._place.visible = bool(outline.fields)
        with self._place:
            self._form = gui.add_form(None)
        with self._form:
            gui.add_html(STYLE + WATCH_KEYS)
            self._hold = gui.add_checkbox(HOLD, False, hint=HINT)
            self._context.on_use(self._hold, lambda event: self._show_hold(event.target))
            for field in outline.fields:
                self._lines[field.name] = _FieldLine(gui, field)
            buttons = gui.add_button_group("Edited", (APPLY, DISCARD))
        self._form.on_submit(lambda _: self._context.inbox.put(self._apply))
        self._context.on_use(buttons, lambda event: self._press(event.target.value))

    def _show_hold(self, hold: Any) -> None:
        """Confirm that values are held: updates sent before arrive before this label."""
        hold.label = HELD if hold.value else HOLD

    def _press(self, button: str) -> None:
        if button == APPLY:
            self._apply()
            return
        for line in self._lines.values():
            if line.is_edited:
                line.discard()
        self._context.selection.show_message("")

    def _apply(self) -> None:
        for name, line in self._lines.items():
            if line.is_edited:
                self._write(self._node, name, line)

    def _write(self, node: str, field: str, line: _FieldLine) -> None:
        selection, before = self._context.selection, line.before
        title = selection.outline.title if selection.outline is not None else node
        value, text = line.value, line.text

        def answered(refusal: str) -> None:
            if refusal:
                selection.show_message(PLACE.sub("", refusal), refused=True)
            else:
                line.mark_applied(value, text)
                undo, redo = (
                    partial(self._context.restore_field, node, field, each) for each in (before, text)
                )
                self._context.history.add_change(f"{field} of {title}", undo, redo)
                selection.show_message(f"{field} set.")
            selection.read_again()

        self._context.report_unsent(self._context.link.set_parameter(f"{node}.{field}", text, answered))


def rounded_text(field: FieldText) -> str:
    """Return a value with at most seven digits; lengths and axes are rounded to 1e-6.

    Values computed by the physics have seventeen digits, and are 1e-17 instead of 0.
    """
    if field.type.endswith("String") or len(field.text) <= SHORT:
        return field.text
    digits = 6 if field.type.endswith(("Vec3f", "Rotation")) else 300
    return LONG_NUMBER.sub(lambda found: f"{round(float(found[0]), digits) + 0.0:.7g}", field.text)


def _bytes(text: str) -> tuple[int, int, int]:
    """Return `1 0.5 0` as 255, 128, 0."""
    red, green, blue = (round(255.0 * min(max(float(part), 0.0), 1.0)) for part in text.split())
    return red, green, blue
