"""Nodes that are brought in, taken out, and written to files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import Log

from ros_bridge.viewer.outline import ROOT, Held, Outline, read_outline
from ros_bridge.viewer.panel import NOTHING, Room
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.sim_link import TOPICS
from ros_bridge.viewer.tree_model import TreeModel
from sim_core.base.shipped import share_dir

WORLD = "world"
PROTO_FOLDERS = ("objects", "robots", "arenas", "lights")
"""Of the PROTO nodes that come with odesim, those that stand in a world by themselves."""
HEADER = "#VRML_OBJ R2025a utf8"
LOG_DEPTH = 50
SOLID = """Solid {
  translation 0 0 0.5
  children DEF SHAPE Shape { appearance PBRAppearance { } geometry Box { size 0.2 0.2 0.2 } }
  boundingObject USE SHAPE
  physics Physics { }
}"""


def templates() -> dict[str, str]:
    """Texts to begin with, by name: a Solid, and the PROTO nodes that come with odesim."""
    folder = share_dir() / "protos"
    files: list[Path] = [file for part in PROTO_FOLDERS for file in sorted((folder / part).glob("*.proto"))]
    return {"Solid": SOLID, **{file.stem: f"{file.stem} {{ }}" for file in files}}


class NodePanel:
    """Add, delete, import and export; the simulation answers in its log, and refusals are shown."""

    def __init__(self, room: Room, model: TreeModel) -> None:
        self._room = room
        self._model = model
        self._templates = templates()
        self._wait: tuple[str, Held] | None = None
        self._returning: Outline | None = None
        self._removal = ""
        gui = room.server.gui
        self._log = PolledTopic(room.watch, Log, "/rosout", LOG_DEPTH)
        with gui.add_folder("Add, delete, export", expand_by_default=False):
            choice = gui.add_dropdown("Begin with", (NOTHING, *self._templates))
            self._text = gui.add_text("New node", "", multiline=True, hint="as in a world file")
            self._into = gui.add_dropdown("Into", (WORLD,))
            room.when(choice, lambda event: self._begin(event.target.value))
            room.when(gui.add_button("Add", icon="plus"), lambda _: self._add(self._text.value))
            upload = gui.add_upload_button(
                "Import a file of nodes", icon="upload", mime_type=".wbo,.wbt,.txt"
            )
            upload.on_upload(lambda event: room.inbox.put(lambda: self._import(event.target.value)))
            room.when(gui.add_button("Export the chosen node", icon="download"), self._export)
            room.when(gui.add_button("Delete the chosen node", color="red", icon="trash"), self._delete)

    def refresh(self, now: float) -> None:
        """Offer the fields that can hold a new node; tell what was refused, choose what has come."""
        outline = self._room.selection.outline
        chosen = outline.name if outline is not None else ROOT
        fields = self._fields(chosen)
        if tuple(self._into.options) != fields:
            self._into.options = fields
            self._into.value = fields[0]
        self._read_log()
        if self._wait is not None:
            self._look_for_new(*self._wait)

    def _fields(self, chosen: str) -> tuple[str, ...]:
        """The world, and the fields of the chosen node that have room."""
        held = self._model.held(chosen) if chosen != ROOT else Held()
        taken = {each.field for each in held.nodes}
        return (WORLD, *(name for name, is_list in held.fields if is_list or name not in taken))

    def _begin(self, choice: str) -> None:
        if choice in self._templates:
            self._text.value = self._templates[choice]

    def _add(self, text: str) -> None:
        if not text.strip():
            self._room.selection.say("there is no text of a node, expected one", refused=True)
            return
        field, chosen = self._into.value, self._room.selection.name
        holder = ROOT if field == WORLD else chosen
        self._expect(holder)
        self._send("import_node", text if field == WORLD else f"# into {chosen}.{field}\n{text}")

    def _expect(self, holder: str) -> None:
        """A node will come."""
        self._wait = (holder, self._model.held(holder))
        self._model.open(holder)
        self._returning = None
        self._room.history.is_waiting = False

    def _import(self, file: Any) -> None:
        try:
            self._add(file.content.decode("utf-8"))
        except UnicodeDecodeError:
            self._room.selection.say(f"{file.name}: found bytes, expected text in UTF-8", refused=True)

    def _export(self, event: Any) -> None:
        """The browser that asked gets the node as a file."""
        outline = self._room.selection.outline
        if outline is None or outline.name == ROOT:
            self._room.selection.say("no node is chosen, expected one to export", refused=True)
            return
        name = (outline.def_name or outline.proto or outline.type) + ".wbo"

        def send(text: str | None) -> None:
            if text is not None and event.client is not None:
                event.client.send_file_download(name, f"{HEADER}\n{text}".encode(), save_immediately=True)

        self._room.link.read(f"{outline.name}.vrml", send)

    def _delete(self, _: Any) -> None:
        name = self._room.selection.name
        if name == ROOT:
            self._room.selection.say("no node is chosen, expected one to delete", refused=True)
            return
        link = self._room.link

        def ask(text: str | None) -> None:
            if text is not None:
                link.read(f"{name}.vrml", partial(self._take_out, read_outline(text)))

        if not link.read(f"{name}.outline", ask):
            self._room.selection.say("no simulation runs", refused=True)

    def _take_out(self, outline: Outline, text: str | None) -> None:
        """Remove a node whose text is known, and can bring it back."""
        holder = outline.above[-1].name if outline.above else ROOT
        of_holder = self._model.held(holder).nodes
        field = next((each.field for each in of_holder if each.name == outline.name), "")
        names = [each.name for each in of_holder if each.field == field]
        if self._send("remove_node", outline.name) and text is not None and (field or holder == ROOT):
            index = names.index(outline.name) if names else 0
            self._removal = f"removal of {outline.title}"
            self._room.history.add(
                self._removal, partial(self._bring_back, outline, holder, f"{field}[{index}]", text)
            )

    def _bring_back(self, outline: Outline, holder: str, place: str, text: str) -> None:
        """Import a node that was taken out, to where it was."""
        holder = self._room.history.name(holder)
        self._expect(holder)
        self._returning = outline
        self._room.history.is_waiting = True
        self._send("import_node", text if holder == ROOT else f"# into {holder}.{place}\n{text}")

    def _remove_again(self, name: str) -> None:
        self._send("remove_node", self._room.history.name(name))

    def _send(self, topic: str, text: str) -> bool:
        if not self._room.link.send(topic, text):
            self._room.selection.say("no simulation runs", refused=True)
            return False
        self._room.selection.say("")
        self._room.selection.read_again()
        return True

    def _read_log(self) -> None:
        for message in self._log.take():
            for topic in TOPICS:
                refused = f"~/{topic}: refused: "
                if message.name == self._room.link.logger and message.msg.startswith(refused):
                    self._room.selection.say(message.msg.removeprefix(refused), refused=True)
                    self._wait = None
                    self._room.history.is_waiting = False
                    if topic == "remove_node" and self._room.history.latest == self._removal:
                        self._room.history.forget()

    def _look_for_new(self, holder: str, before: Held) -> None:
        now = self._model.held(holder)
        if now is before:
            return
        known = {each.name for each in before.nodes}
        new = [each for each in now.nodes if each.name not in known]
        if new:
            self._wait = None
            self._room.selection.choose(new[-1].name)
            self._room.selection.say(f"added {new[-1].title}")
            self._remember(new[-1].name, new[-1].title)

    def _remember(self, name: str, title: str) -> None:
        """A node has come: it can be taken out again, or it is one that was there before."""
        history, returning = self._room.history, self._returning
        if returning is None:
            history.add(f"addition of {title}", partial(self._remove_again, name))
            return
        history.renamed(returning.name, name)
        if returning.pose is not None:
            self._room.put_back(name, "pose", returning.pose)
