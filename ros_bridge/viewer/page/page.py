"""Brings the viewer's own scripts and styles into viser's page, and tells them how the world looks."""

from __future__ import annotations

import json
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from std_msgs.msg import String

from ros_bridge.topics.names import SURROUNDINGS
from ros_bridge.viewer.panel import Room
from ros_bridge.viewer.polled_topic import PolledTopic
from sim_core.recording.page_lights import LOOK_SCRIPT, PageLights

HERE = Path(__file__).parent
MARK = "odesim-page"
FIELD = f"{MARK} nobody 0 {{}}"
"""First content of the field that the script writes into, by which it finds it."""
STYLE, SCRIPT = HERE / "viewer.css", HERE / "viewer.js"


class Page:
    """The page's scripts, its title, the surroundings of the world, and what the scripts send."""

    def __init__(self, room: Room) -> None:
        self._room = room
        gui = room.server.gui
        gui.add_html(script_html())
        self._look = PageLights(room.server.scene)
        self._html = gui.add_html(surround_html({}))
        self._topic: PolledTopic | None = None
        self._number = -1
        # read in viser's thread: the next words may be there by the time the inbox is empty
        gui.add_text("Page", FIELD).on_update(lambda event: self._hear(event.target.value, event.client))
        self._last: dict[str, int] = {}

    def refresh(self, now: float) -> None:
        """Show the world in its own light."""
        link = self._room.link
        if self._topic is None or link.number != self._number:
            if self._topic is not None:
                self._topic.close()
            self._number = link.number
            self._topic = PolledTopic(self._room.watch, String, f"{link.space}{SURROUNDINGS}", latched=True)
        for message in self._topic.take()[-1:]:
            told = json.loads(message.data)
            if told != self._room.surround:
                self._room.surround = told
                self._look.show(told)
                self._html.content = surround_html(told)
                self._room.server.gui.set_panel_label(told["title"])

    def _hear(self, text: str, client: Any) -> None:
        """What a browser sends: its name, a number that grows, and JSON: a kind and a value."""
        words = text.split(" ", 3)
        if len(words) < 4 or words[0] != MARK or not words[2].isdigit():
            return
        browser, number = words[1], int(words[2])
        try:
            told = json.loads(words[3])
        except ValueError:
            return
        if isinstance(told, dict) and number > self._last.get(browser, 0):
            self._last[browser] = number
            for kind, value in told.items():
                if kind in self._room.hear:
                    self._room.inbox.put(partial(self._room.hear[kind], value, client))


def script_html() -> str:
    """Scripts in HTML that comes later are not run, handlers are."""
    code = "\n".join(each.read_text(encoding="utf-8") for each in (LOOK_SCRIPT, SCRIPT))
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<style id="odesim-style">{style}</style><img alt="" hidden src="data:," onerror="{escape(code)}">'
    )


def surround_html(told: dict[str, Any]) -> str:
    """For the script."""
    return (
        f'<div id="odesim-surround" hidden data-surround="{escape(json.dumps(told) if told else "")}"></div>'
    )
