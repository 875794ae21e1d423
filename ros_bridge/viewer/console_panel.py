"""The lines that nodes log: the simulation's, with its controllers' output, and everybody else's."""

from __future__ import annotations

from collections import deque
from html import escape
from typing import Any

from rcl_interfaces.msg import Log

from ros_bridge.topics.qos import Qos, profile
from ros_bridge.viewer.panel import Room

LINES = 200
SHOWN_PERIOD = 0.5
COLOURS = {Log.WARN: "#e67700", Log.ERROR: "#c92a2a", Log.FATAL: "#c92a2a", Log.DEBUG: "#868e96"}


class ConsolePanel:
    """The last lines of /rosout, the newest at the top."""

    def __init__(self, room: Room) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._html = room.server.gui.add_html(console_html(()))
        self._is_new = False
        self._next = 0.0
        latched = profile(Qos(depth=LINES, transient_local=True))  # what was said before we came comes too
        room.node.create_subscription(
            Log, "/rosout", lambda message: room.inbox.put(lambda: self._add(message)), latched
        )
        room.when(room.server.gui.add_button("Clear"), lambda _: self._clear())

    def refresh(self, now: float) -> None:
        """Show new lines twice a second."""
        if self._is_new and now >= self._next:
            self._next = now + SHOWN_PERIOD
            self._is_new = False
            self._html.content = console_html(reversed(self._lines))

    def _add(self, message: Any) -> None:
        self._lines.append(line_html(message))
        self._is_new = True

    def _clear(self) -> None:
        self._lines.clear()
        self._is_new = True


def line_html(message: Any) -> str:
    """A line of the log; its text cannot be more than text."""
    colour = COLOURS.get(_level(message.level), "inherit")
    return f'<div style="color:{colour}">{escape(message.name)}: {escape(message.msg)}</div>'


def console_html(lines: Any) -> str:
    """All lines in a box of their own that scrolls."""
    text = "".join(lines) or "Nothing has been said yet."
    return (
        '<div id="odesim-console" style="font:0.8em monospace;white-space:pre-wrap;overflow-wrap:anywhere;'
        f'max-height:24em;overflow-y:auto;padding:0 0.8em">{text}</div>'
    )


def _level(level: Any) -> bytes:
    return level if isinstance(level, bytes) else bytes((level,))
