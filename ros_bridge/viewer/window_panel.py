"""Robot window of the selected robot: a page of the world's project that talks with its controller."""

from __future__ import annotations

from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.robot_panel import robot_name_of
from ros_bridge.viewer.tree.outline import ROOT, NodeOutline, read_outline
from ros_bridge.viewer.window_server import KEPT_MESSAGES, WindowServer

NONE, GENERIC = ("", "<none>"), "<generic>"
FOLDER = "plugins/robot_windows"
HEIGHT = "60vh"


class WindowPanel:
    """Shows the page of the robot that was selected last, among those that have one."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._server: WindowServer | None = None
        self._robot = ""
        self._seen: tuple[str, str] = ("", "")
        self._number = 0
        self._from_controller: PolledTopic | None = None
        self._to_controller: Any = None
        self._html = context.server.gui.add_html(window_html("Select a robot to see its window here."))

    def refresh(self, now: float) -> None:
        """Follow the selection; forward messages of the controller."""
        if self._number != self._context.link.number:
            self._number, self._seen = self._context.link.number, ("", "")
            self._remove_window()
        outline = self._context.selection.outline
        robot = robot_name_of(outline) if outline is not None else ""
        if outline is not None and robot and (outline.name, _window(outline)) != self._seen:
            self._seen = (outline.name, _window(outline))
            self._choose(f"{self._context.link.namespace}/{robot}".removeprefix("/"), _window(outline))
        for message in self._from_controller.take() if self._from_controller is not None else []:
            if self._server is not None:
                self._server.send(self._robot, message.data)

    def close(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.close()

    def _choose(self, robot: str, window: str) -> None:
        if window in NONE:
            self._show_message(f"{robot} has no window: its field window is empty or <none>.")
        elif window == GENERIC:
            self._show_message(
                f"{robot} has the generic window: use Picture, Plot, Motion and Topics for its devices."
            )
        else:
            self._context.link.read_parameter(f"{ROOT}.outline", partial(self._open, robot, window))

    def _open(self, robot: str, window: str, text: str | None) -> None:
        if text is None:
            return
        project = Path(read_outline(text).file).resolve().parent.parent
        page = project / FOLDER / window / f"{window}.html"
        if Path(window).name != window or not page.is_file():
            self._show_message(f'{robot}: window "{window}" not found: there is no file {page}')
            return
        self._remove_window()
        if self._server is None:
            self._server = WindowServer(
                lambda robot, text: self._context.inbox.put(partial(self._forward, robot, text))
            )
        self._robot = robot
        address = self._server.serve_page(robot, page)
        topic = f"/{robot}/window"
        self._from_controller = PolledTopic(
            self._context.watch,
            String,
            f"{topic}/from_controller",
            KEPT_MESSAGES,
            latched=True,
            can_pause=False,
        )
        self._to_controller = self._context.node.create_publisher(
            String, f"{topic}/to_controller", KEPT_MESSAGES
        )
        self._html.content = window_html(f"{robot}: {window}", address)

    def _forward(self, robot: str, text: str) -> None:
        """Forward a message of a page to the controller; ignore pages of robots selected earlier."""
        if robot == self._robot and self._to_controller is not None:
            self._to_controller.publish(String(data=text))

    def _show_message(self, text: str) -> None:
        self._remove_window()
        self._html.content = window_html(text)

    def _remove_window(self) -> None:
        if self._from_controller is not None:
            self._from_controller.close()
            self._context.node.destroy_publisher(self._to_controller)
            self._from_controller = self._to_controller = None
        self._robot = ""


def _window(outline: NodeOutline) -> str:
    """Return the value of a robot's field `window`."""
    return next((each.text for each in outline.fields if each.name == "window"), "")


def window_html(text: str, address: str = "") -> str:
    """Return a line of text with the page below; the page may run scripts, but cannot leave its frame."""
    frame = (
        f'<iframe id="odesim-window" src="{escape(address, quote=True)}" title="{escape(text, quote=True)}" '
        'sandbox="allow-scripts allow-same-origin allow-forms" '
        f'style="width:100%;height:{HEIGHT};border:0;background:white"></iframe>'
        if address
        else ""
    )
    return f'<div style="padding:0 0.8em;overflow-wrap:anywhere">{escape(text)}</div>{frame}'
