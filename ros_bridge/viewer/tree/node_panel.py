"""Panel of the selected node: cut, copy, paste, delete, change type, reset fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ros_bridge.viewer.panel import NOTHING, ViewerContext, download
from ros_bridge.viewer.tree.add_panel import AddPanel
from ros_bridge.viewer.tree.node_edits import NodeEdits, NodeSlot
from ros_bridge.viewer.tree.outline import ROOT, FieldText, NodeOutline, read_outline
from ros_bridge.viewer.tree.tree_model import TreeModel

HEADER = "#VRML_OBJ R2025a utf8"
CUT, COPY, PASTE, PASTE_AFTER, DELETE = "Cut", "Copy", "Paste", "Paste after", "Delete"
NOISE = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<noise>-?\d+(?:\.\d+)?e-(?:1[2-9]|[2-9]\d|\d{3})\b)')
"""A string, or a number below 1e-12 up to a factor."""
COPY_VALUE, PASTE_VALUE, RESET_VALUE = "Copy value", "Paste value", "Reset value"


class NodePanel:
    """Buttons for the selected node and for one of its fields, which use the same commands as edits.

    The clipboard (a node as text, and a value with its type) is kept here.
    """

    def __init__(self, context: ViewerContext, model: TreeModel) -> None:
        self._context = context
        self._node_edits = NodeEdits(context, model)
        self._node_text = ""
        self._value: FieldText | None = None
        self._types: tuple[str, ...] = ()
        gui = context.server.gui
        with gui.add_folder("Node and field", expand_by_default=False):
            nodes = gui.add_button_group("Node", (CUT, COPY, PASTE, PASTE_AFTER, DELETE))
            context.on_use(nodes, lambda event: self._press(event.target.value))
            self._field = gui.add_dropdown("Field", (NOTHING,))
            values = gui.add_button_group("Value", (COPY_VALUE, PASTE_VALUE, RESET_VALUE))
            context.on_use(values, lambda event: self._press(event.target.value))
            reset = gui.add_button(
                "Reset all fields", hint="to their defaults, except fields that cannot change now"
            )
            context.on_use(reset, lambda _: self._reset(self._outline().fields))
            self._kinds = gui.add_dropdown("Change type to", (NOTHING,))
            context.on_use(self._kinds, lambda event: self._change_type(event.target.value))
            export = gui.add_button("Export selected node", icon="download")
            context.on_use(export, self._export)
        self._add = AddPanel(context, model, self._node_edits)

    def refresh(self, now: float) -> None:
        """List the fields of the selected node and the types it can be changed to."""
        outline = self._context.selection.outline
        if outline is not None:
            _set_options(self._field, tuple(field.name for field in outline.fields))
        self._add.refresh(now)
        if self._add.types != self._types:
            self._types = self._add.types
            _set_options(self._kinds, self._types)
        self._node_edits.refresh()

    def _outline(self) -> NodeOutline:
        """Return the outline of the selected node; an empty one if nothing has been read yet."""
        return self._context.selection.outline or NodeOutline(ROOT, "")

    def _press(self, button: str) -> None:
        act: dict[str, Callable[[], None]] = {
            CUT: partial(self._copy, then_remove=True),
            COPY: self._copy,
            PASTE: self._paste,
            PASTE_AFTER: self._paste_after,
            DELETE: self._delete,
            COPY_VALUE: self._copy_value,
            PASTE_VALUE: self._paste_value,
            RESET_VALUE: lambda: self._reset(self._chosen_field()),
        }
        act[button]()

    def _chosen(self) -> str:
        """Return the name of the selected node; show a message if there is none."""
        name = self._context.selection.name
        if name == ROOT:
            self._context.selection.show_message("No node is selected.", refused=True)
            return ""
        return name

    # ---- nodes

    def _copy(self, then_remove: bool = False) -> None:
        name = self._chosen()
        if not name:
            return

        def keep(text: str | None) -> None:
            if text is None:
                return
            self._node_text = without_noise(text)
            self._context.selection.show_message(f"Copied {text.split('{', 1)[0].strip()}.")
            if then_remove:
                self._node_edits.remove_node(name)

        self._context.report_unsent(self._context.link.read_parameter(f"{name}.vrml", keep))

    def _paste(self) -> None:
        """Paste into the field selected in `Into`."""
        self._node_edits.add_node(self._node_text, *self._add.place)

    def _paste_after(self) -> None:
        """Paste after the selected node, into the same field."""
        if self._chosen():
            self._node_edits.find_place(self._outline(), self._paste_behind)

    def _paste_behind(self, place: NodeSlot) -> None:
        index = None if place.index is None else place.index + 1
        self._node_edits.add_node(self._node_text, place.holder, place.field, index)

    def _delete(self) -> None:
        name = self._chosen()
        if name:
            self._node_edits.remove_node(name)

    def _change_type(self, kind: str) -> None:
        outline = self._outline()
        if kind == NOTHING or not self._chosen():
            return
        before = outline.type

        def answered(refusal: str) -> None:
            if refusal:
                self._context.selection.show_message(refusal, refused=True)
            else:
                self._context.link.read_parameter(
                    f"{outline.name}.outline", partial(self._show_type, outline)
                )
                undo = partial(self._restore_type, outline, before)
                redo = partial(self._context.restore_field, outline.name, "node_type", kind)
                self._context.history.add_change(f"type of {outline.title}", undo, redo)
            self._context.selection.read_again()
            self._add.read_again()

        self._context.report_unsent(
            self._context.link.set_parameter(f"{outline.name}.node_type", kind, answered)
        )
        self._kinds.value = NOTHING

    def _show_type(self, before: NodeOutline, text: str | None) -> None:
        """Show the new type of a node, and which fields were lost."""
        if text is not None:
            now = read_outline(text)
            kept = {field.name for field in now.fields}
            lost = ", ".join(each.name for each in before.fields if each.is_set and each.name not in kept)
            self._context.selection.show_message(
                f"Now {now.title}" + (f"; lost fields: {lost}" if lost else "")
            )

    def _restore_type(self, outline: NodeOutline, kind: str) -> None:
        self._context.restore_field(outline.name, "node_type", kind)
        for field in outline.fields:
            if field.is_set and field.default is not None and not field.is_cut:
                self._context.restore_field(outline.name, field.name, field.text)

    def _export(self, event: Any) -> None:
        """Send the node as a file to the browser that asked for it."""
        outline = self._outline()
        if not self._chosen():
            return
        name = (outline.def_name or outline.proto or outline.type) + ".wbo"

        def send(text: str | None) -> None:
            if text is not None:
                download(event.client, name, f"{HEADER}\n{text}".encode())

        self._context.link.read_parameter(f"{outline.name}.vrml", send)

    # ---- values

    def _chosen_field(self) -> tuple[FieldText, ...]:
        """Return the field selected in the list, in a tuple; show a message if there is none."""
        found = tuple(each for each in self._outline().fields if each.name == self._field.value)
        if not found:
            self._context.selection.show_message("No field is selected.", refused=True)
        return found

    def _copy_value(self) -> None:
        for field in self._chosen_field():
            self._value = replace(field, text=without_noise(field.text))
            self._context.selection.show_message(f"Copied {field.name} {self._value.text}")

    def _paste_value(self) -> None:
        for field in self._chosen_field():
            value = self._value
            if value is None or value.type != field.type:
                found = "nothing was copied" if value is None else f"the copied value is {value.type}"
                self._context.selection.show_message(
                    f"{field.name} is {field.type}, but {found}.", refused=True
                )
            else:
                self._write({field: value.text}, "set")

    def _reset(self, fields: tuple[FieldText, ...]) -> None:
        self._write({each: each.default for each in fields if each.default is not None}, "reset")

    def _write(self, values: dict[FieldText, str], done: str) -> None:
        """Set fields of the selected node; one line shows the results."""
        outline, selection = self._outline(), self._context.selection
        names: list[str] = []
        refusals: list[str] = []

        def answered(field: FieldText, refusal: str) -> None:
            if refusal:
                refusals.append(refusal)
            else:
                names.append(field.name)
                undo, redo = (
                    partial(self._context.restore_field, outline.name, field.name, each)
                    for each in (field.text, values[field])
                )
                self._context.history.add_change(f"{field.name} of {outline.title}", undo, redo)
            changes = [f"{', '.join(names)} {done}"] if names else []
            selection.show_message("; ".join([*changes, *refusals]), refused=bool(refusals))
            selection.read_again()

        for field, value in values.items():
            self._context.report_unsent(
                self._context.link.set_parameter(
                    f"{outline.name}.{field.name}", value, partial(answered, field)
                )
            )
        if not values:
            selection.show_message("All fields have their default values.")


def without_noise(text: str) -> str:
    """Replace numbers below 1e-12 by 0, which the physics computes where 0 is meant; strings are kept."""
    return NOISE.sub(lambda found: "0" if found["noise"] else found[0], text)


def _set_options(dropdown: Any, choices: tuple[str, ...]) -> None:
    wanted = (NOTHING, *choices)
    if tuple(dropdown.options) != wanted:
        dropdown.options = wanted
        dropdown.value = NOTHING
