"""Adds the viewer's own scripts and styles to viser's page, and sends it the look of the world."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from ros_bridge.topics.names import SURROUNDINGS
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from sim_core.recording.page_lights import PageLights, page_script

HERE = Path(__file__).parent
MARK = "odesim-page"
FIELD = f"{MARK} nobody 0 {{}}"
"""First content of the field that the script writes to, by which the script finds it."""
STYLE = HERE / "viewer.css"
SCRIPTS = tuple(HERE / f"{name}.js" for name in ("viewer", "loading", "toolbar", "outline"))


class Page:
    """The page's scripts, its title, the background of the world, and messages from the scripts."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        gui.add_html(script_html())
        self._look = PageLights(context.server.scene)
        self._html = gui.add_html(surround_html({}))
        self._topic: PolledTopic | None = None
        self._number = -1
        # parsed in viser's thread: by the time the inbox is handled, the field may hold newer text
        gui.add_text("Page", FIELD).on_update(
            lambda event: self._handle_message(event.target.value, event.client)
        )
        self._last: dict[str, int] = {}

    def refresh(self, now: float) -> None:
        """Show the world's own light and background."""
        link = self._context.link
        if self._topic is None or link.number != self._number:
            if self._topic is not None:
                self._topic.close()
            self._number = link.number
            self._topic = PolledTopic(
                self._context.watch, String, f"{link.namespace}{SURROUNDINGS}", latched=True
            )
        for message in self._topic.take()[-1:]:
            surround = json.loads(message.data)
            if surround != self._context.surround:
                self._context.surround = surround
                self._look.show(surround)
                self._html.content = surround_html(surround)
                self._context.server.gui.set_panel_label(surround["title"])

    def _handle_message(self, text: str, client: Any) -> None:
        """Handle a message of a browser: its identifier, a serial number, and JSON of kinds and values."""
        words = text.split(" ", 3)
        if len(words) < 4 or words[0] != MARK or not words[2].isdigit():
            return
        browser, number = words[1], int(words[2])
        try:
            surround = json.loads(words[3])
        except ValueError:
            return
        if isinstance(surround, dict) and number > self._last.get(browser, 0):
            self._last[browser] = number
            for kind, value in surround.items():
                if kind in self._context.message_handlers:
                    self._context.inbox.put(partial(self._context.message_handlers[kind], value, client))


def script_html() -> str:
    """Return HTML that runs the scripts: `<script>` in HTML added later is not run, event handlers are."""
    code = "\n".join((page_script(), *(each.read_text(encoding="utf-8") for each in SCRIPTS)))
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<style id="odesim-style">{style}</style><img alt="" hidden src="data:," onerror="{escape(code)}">'
    )


def surround_html(surround: dict[str, Any]) -> str:
    """Return the element from which the script reads the look of the world."""
    data = escape(json.dumps(surround) if surround else "")
    return f'<div id="odesim-surround" hidden data-surround="{data}"></div>'
