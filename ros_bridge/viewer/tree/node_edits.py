"""Adding and removing nodes from the viewer, and undoing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rcl_interfaces.msg import Log

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.sim_link import TOPICS
from ros_bridge.viewer.tree.outline import ROOT, ChildNodes, NodeOutline, read_children, read_outline
from ros_bridge.viewer.tree.tree_model import TreeModel

LOG_DEPTH = 50
NOT_READ = "not removed, because its text or place could not be read for an undo. Try again."


@dataclass(frozen=True)
class NodeSlot:
    """Place of a node: its parent, the field, and the index in it from 0 (None: the field holds one node)."""

    holder: str
    field: str
    index: int | None


class NodeEdits:
    """Adds and removes nodes; refusals, which the simulation reports in its log, are shown."""

    def __init__(self, context: ViewerContext, model: TreeModel) -> None:
        self._context = context
        self._model = model
        self._wait: tuple[str, ChildNodes] | None = None
        self._returning: NodeOutline | None = None
        self._removal = ""
        self._added: tuple[NodeSlot, str] = (NodeSlot(ROOT, "", None), "")
        self._log = PolledTopic(context.watch, Log, "/rosout", LOG_DEPTH)

    def refresh(self) -> None:
        """Show refusals, select a node that was added."""
        self._read_log()
        if self._wait is not None:
            self._look_for_new(*self._wait)

    def add_node(self, text: str, holder: str, field: str, index: int | None = None) -> None:
        """Add a node, given as text, to a field of a node or of the root, before the node at `index`."""
        if not text.strip():
            self._context.selection.show_message(
                "There is no text of a node. Enter one in New node.", refused=True
            )
            return
        self._wait_for_node(holder)
        self._added = (NodeSlot(holder, field, index), text)
        self._send("import_node", _placed(text, holder, field, index))

    def remove_node(self, name: str) -> None:
        """Remove a node after its text and place have been read, which an undo needs."""

        def ask(text: str | None) -> None:
            if text is not None:
                outline = read_outline(text)
                self.find_place(outline, partial(self._read_text, outline))

        self._context.report_unsent(self._context.link.read_parameter(f"{name}.outline", ask))

    def find_place(self, outline: NodeOutline, then: Callable[[NodeSlot], object]) -> None:
        """Read the place of a node from the simulation and pass it to `then`, if there is one."""
        holder = outline.above[-1].name if outline.above else ROOT

        def take(text: str | None) -> None:
            held = ChildNodes() if text is None else read_children(text)
            field = next((each.field for each in held.nodes if each.name == outline.name), None)
            if field is None:
                self._context.selection.show_message(f"{outline.title}: {NOT_READ}", refused=True)
                return
            names = [each.name for each in held.nodes if each.field == field]
            is_list = dict(held.fields).get(field, True)
            then(NodeSlot(holder, field, names.index(outline.name) if is_list else None))

        self._context.link.read_parameter(f"{holder}.nodes", take)

    def _wait_for_node(self, holder: str) -> None:
        """Wait for a new node."""
        self._wait = (holder, self._model.children(holder))
        self._model.open(holder)
        self._returning = None
        self._context.history.is_waiting = False

    def _read_text(self, outline: NodeOutline, place: NodeSlot) -> None:
        self._context.link.read_parameter(f"{outline.name}.vrml", partial(self._remove_node, outline, place))

    def _remove_node(self, outline: NodeOutline, place: NodeSlot, text: str | None) -> None:
        if text is None:
            self._context.selection.show_message(f"{outline.title}: {NOT_READ}", refused=True)
        elif self._send("remove_node", outline.name):
            self._removal = f"removal of {outline.title}"
            undo, redo = (
                partial(self._restore_node, outline, place, text),
                partial(self._remove_again, outline.name),
            )
            self._context.history.add_change(self._removal, undo, redo)

    def _restore_node(self, outline: NodeOutline, place: NodeSlot, text: str) -> None:
        """Undo a removal: import the node at its old place."""
        holder = self._context.history.current_name(place.holder)
        self._wait_for_node(holder)
        self._returning = outline
        self._context.history.is_waiting = True
        self._send("import_node", _placed(text, holder, place.field, place.index))

    def _remove_again(self, name: str) -> None:
        self._send("remove_node", self._context.history.current_name(name))

    def _send(self, topic: str, text: str) -> bool:
        if not self._context.link.send_text(topic, text):
            self._context.selection.show_message("No simulation is running.", refused=True)
            return False
        self._context.selection.show_message("")
        self._context.selection.read_again()
        return True

    def _read_log(self) -> None:
        for message in self._log.take():
            for topic in TOPICS:
                refused = f"~/{topic}: refused: "
                if message.name == self._context.link.logger and message.msg.startswith(refused):
                    self._context.selection.show_message(message.msg.removeprefix(refused), refused=True)
                    self._wait = None
                    self._context.history.is_waiting = False
                    if topic == "remove_node" and self._context.history.latest == self._removal:
                        self._context.history.drop_latest()

    def _look_for_new(self, holder: str, before: ChildNodes) -> None:
        now = self._model.children(holder)
        if now is before:
            return
        known = {each.name for each in before.nodes}
        new = [each for each in now.nodes if each.name not in known]
        if new:
            self._wait = None
            self._context.selection.select(new[-1].name)
            self._context.selection.show_message(f"Added {new[-1].title}.")
            self._record(new[-1].name, new[-1].title)

    def _record(self, name: str, title: str) -> None:
        """Record a new node for undo; a node that came back by an undo gets its new name instead."""
        history, returning = self._context.history, self._returning
        if returning is None:
            redo = partial(self._restore_node, NodeOutline(name, title), *self._added)
            history.add_change(f"addition of {title}", partial(self._remove_again, name), redo)
            return
        history.record_new_name(returning.name, name)
        if returning.pose is not None:
            self._context.restore_field(name, "pose", returning.pose)


def _placed(text: str, holder: str, field: str, index: int | None) -> str:
    """Return the message for `~/import_node`."""
    place = "" if index is None else f"[{index}]"
    return f"# into {holder}.{field}{place}\n{text}"
