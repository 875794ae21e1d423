"""Panel to add nodes: types and PROTOs that fit the place, found by search, with their documentation."""

from __future__ import annotations

import base64
import json
import re
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from ros_bridge.viewer.panel import NOTHING, ViewerContext
from ros_bridge.viewer.tree.node_edits import NodeEdits
from ros_bridge.viewer.tree.outline import ROOT, ChildNodes
from ros_bridge.viewer.tree.tree_model import TreeModel

WORLD = "world"
AT_ROOT = "children"
LARGEST_ICON = 200_000
"""Bytes."""
SOLID = """Solid {
  translation 0 0 0.5
  children DEF SHAPE Shape { appearance PBRAppearance { } geometry Box { size 0.2 0.2 0.2 } }
  boundingObject USE SHAPE
  physics Physics { }
}"""
TOKEN = re.compile(r"[{}]|\btranslation\s+\S+\s+\S+\s+(?P<z>[-+.\deE]+)")
NOTHING_KNOWN: dict[str, Any] = {"types": [], "fields": {}, "protos": {}}


class AddPanel:
    """Place of a new node, list of what fits there, and text of the node.

    Attributes:
        types: types that the selected node can be changed to.

    """

    def __init__(self, context: ViewerContext, model: TreeModel, node_edits: NodeEdits) -> None:
        self._context = context
        self._model = model
        self._node_edits = node_edits
        self.types: tuple[str, ...] = ()
        self._known: dict[str, dict[str, Any]] = {}
        self._of: tuple[str, int] = ("", 0)
        self._shown: tuple[str, str, str] | None = None
        gui = context.server.gui
        self._into = gui.add_dropdown(
            "Into", (WORLD,), hint="field of the selected node that receives new and pasted nodes"
        )
        with gui.add_folder("Add", expand_by_default=False):
            self._words = gui.add_text("Search", "", hint="search names, keywords, folders and comments")
            self._choice = gui.add_dropdown("Start from", (NOTHING,))
            self._about = gui.add_html("")
            self._text = gui.add_text("New node", "", multiline=True, hint="text as in a world file")
            context.on_use(self._choice, lambda event: self._begin(event.target.value))
            add = gui.add_button("Add", icon="plus")
            context.on_use(add, lambda _: node_edits.add_node(self._text.value, *self.place))
            aim = gui.add_button(
                "Place with the mouse", icon="pointer", hint="then click the place in the scene"
            )
            context.on_use(aim, lambda _: self._aim(True))
            self._aiming = gui.add_html(aim_html(False))
            context.message_handlers["place"] = self._put
            upload = gui.add_upload_button(
                "Import nodes from a file", icon="upload", mime_type=".wbo,.wbt,.txt"
            )
            upload.on_upload(lambda event: context.inbox.put(lambda: self._import(event.target.value)))

    @property
    def place(self) -> tuple[str, str]:
        """Parent of a new node, and the field that receives it."""
        field = self._into.value
        return (ROOT, AT_ROOT) if field == WORLD else (self._context.selection.name, field)

    def read_again(self) -> None:
        """Read again what fits: the selected node has changed."""
        self._of = ("", 0)

    def refresh(self, now: float) -> None:
        """List the fields that can take a node, and what fits the one that is selected."""
        chosen, link = self._context.selection.name, self._context.link
        fields = self._fields(chosen)
        if tuple(self._into.options) != fields:
            self._into.options = fields
            self._into.value = fields[0]
        if self._of != (chosen, link.number) and self._context.server.get_clients():
            self._known = {}
            sent = [
                link.read_parameter(f"{name}.addable", partial(self._store_answer, name))
                for name in {ROOT, chosen}
            ]
            if all(sent):
                self._of = (chosen, link.number)
        self._show_list()

    def _aim(self, is_on: bool) -> None:
        """Switch the mode in which the next click into the scene adds the node there, below the root."""
        self._aiming.content = aim_html(is_on)
        if is_on:
            self._context.selection.show_message("Click the place of the new node.")

    def _put(self, place: Any, _: Any) -> None:
        self._aim(False)
        if isinstance(place, list) and len(place) == 3:
            x, y, z = (float(each) for each in place)
            self._node_edits.add_node(with_translation(self._text.value, (x, y, z)), ROOT, AT_ROOT)

    def _fields(self, chosen: str) -> tuple[str, ...]:
        """Return the world, and the fields of the selected node that can take a node."""
        held = self._model.children(chosen) if chosen != ROOT else ChildNodes()
        taken = {each.field for each in held.nodes}
        return (WORLD, *(name for name, is_list in held.fields if is_list or name not in taken))

    def _store_answer(self, name: str, text: str | None) -> None:
        if text is not None:
            self._known[name] = json.loads(text)
            self._shown = None
        if name == self._context.selection.name:
            self.types = tuple(self._known.get(name, NOTHING_KNOWN)["types"])

    def _fitting_nodes(self) -> dict[str, Any]:
        return self._known.get(self.place[0], NOTHING_KNOWN)

    def _show_list(self) -> None:
        wanted = (*self.place, self._words.value)
        if wanted == self._shown:
            return
        self._shown = wanted
        fits = self._fitting_nodes()["fields"].get(wanted[1], {"types": [], "protos": []})
        protos = self._fitting_nodes()["protos"]
        words = wanted[2].lower().split()
        names = [each for each in fits["types"] if matches(words, each, {})]
        names += [each for each in fits["protos"] if matches(words, each, protos[each])]
        self._choice.options = (NOTHING, *names)
        self._choice.value = NOTHING

    def _begin(self, name: str) -> None:
        proto = self._fitting_nodes()["protos"].get(name)
        if proto is not None:
            self._text.value = proto["text"]
        elif name != NOTHING:
            self._text.value = SOLID if name == "Solid" else f"{name} {{ }}"
        self._about.content = "" if proto is None else about_html(proto)

    def _import(self, file: Any) -> None:
        try:
            self._node_edits.add_node(file.content.decode("utf-8"), *self.place)
        except UnicodeDecodeError:
            self._context.selection.show_message(f"{file.name}: not a text file in UTF-8", refused=True)


def aim_html(is_on: bool) -> str:
    """Return the element that tells `viewer.js` whether the next click is a place."""
    return f'<div id="odesim-aim" hidden data-on="{"yes" if is_on else "no"}"></div>'


def with_translation(text: str, place: tuple[float, float, float]) -> str:
    """Set the translation of a node given as text; its own height is added to that of the place."""
    head, brace, body = text.partition("{")
    depth, own = 0, None
    for match in TOKEN.finditer(body):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match["z"] is not None:
            own = match
            break
    x, y, z = place
    height = float(own["z"]) if own is not None else 0.0
    if own is not None:
        body = body[: own.start()] + body[own.end() :]
    return f"{head}{brace} translation {x:.6g} {y:.6g} {z + height:.6g} {body}" if brace else text


def matches(words: list[str], name: str, proto: dict[str, Any]) -> bool:
    """Return whether name, folder, comments and keywords of a node contain all words."""
    description = " ".join(
        (name, proto.get("folder", ""), proto.get("about", ""), *proto.get("keywords", ()))
    )
    return all(word in description.lower() for word in words)


def about_html(proto: dict[str, Any]) -> str:
    """Return icon, comments, keywords and documentation of a PROTO; only web addresses become links."""
    icon, link = _picture(proto["icon"]), proto["documentation"]
    parts = [
        f'<img src="{icon}" alt="" style="float:right;width:64px;height:64px">' if icon else "",
        escape(proto["about"]).replace("\n", "<br>"),
        f"<i>{escape(', '.join(proto['keywords']))}</i>" if proto["keywords"] else "",
    ]
    if link.startswith(("https://", "http://")):
        address = escape(link, quote=True)
        parts.append(f'<a href="{address}" target="_blank" rel="noopener noreferrer">{address}</a>')
    body = "<br>".join(filter(None, parts[1:]))
    return f'<div style="padding:0 0.8em;font-size:0.85em;overflow-wrap:anywhere">{parts[0]}{body}</div>'


def _picture(file: str) -> str:
    """Return a local PNG file as a data URL; empty if it cannot be read."""
    try:
        content = Path(file).read_bytes() if file and Path(file).stat().st_size < LARGEST_ICON else b""
    except OSError:
        return ""
    is_png = content.startswith(b"\x89PNG\r\n\x1a\n")
    return f"data:image/png;base64,{base64.b64encode(content).decode()}" if is_png else ""
