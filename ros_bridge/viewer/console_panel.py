"""Panel with the log lines of all nodes, the simulation's (with its controllers' output) among them."""

from __future__ import annotations

import time
from collections import deque
from html import escape
from typing import Any, NamedTuple

from rcl_interfaces.msg import Log

from ros_bridge.topics.qos import Qos, profile
from ros_bridge.viewer.panel import ViewerContext

LINES = 500
SHOWN_PERIOD = 0.5
COLOURS = {Log.WARN: "#e67700", Log.ERROR: "#e03131", Log.FATAL: "#e03131", Log.DEBUG: "#868e96"}
CLEAR = "Clear"
LEVELS = {"All": 0, "Info": 20, "Warnings": 30, "Errors": 40}
"""Filter buttons, each with the lowest level of rcl_interfaces/Log that it shows."""
DETECTION_TIME = 2.0
"""Seconds of wall time within which a new simulation is detected: its first lines arrive before that."""


class Line(NamedTuple):
    """A line of the log."""

    received_at: float
    level: int
    text: str
    html: str


class ConsolePanel:
    """Panel with the last lines of /rosout of the current simulation, the newest at the bottom."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._lines: deque[Line] = deque(maxlen=LINES)
        self._number = context.link.number
        gui = context.server.gui
        self._level = gui.add_button_group("Lines", (*LEVELS, CLEAR))
        self._filter = gui.add_text("Filter", "", hint="show only lines with all these words")
        self._html = gui.add_html(console_html(()))
        self._least = 0
        self._is_new = False
        self._next = 0.0
        latched = profile(Qos(depth=LINES, transient_local=True))  # to receive lines logged before we started
        context.node.create_subscription(
            Log, "/rosout", lambda message: context.inbox.put(lambda: self._add(message)), latched
        )
        context.on_use(self._level, lambda event: self._press(event.target.value))
        context.on_use(self._filter, lambda event: self._show_from(self._least))

    def refresh(self, now: float) -> None:
        """Show new lines twice a second."""
        number = self._context.link.number
        if number != self._number:
            if self._number:  # drop the lines of the previous simulation
                since = time.monotonic() - DETECTION_TIME
                self._lines = deque((line for line in self._lines if line.received_at > since), maxlen=LINES)
                self._is_new = True
            self._number = number
        if self._is_new and now >= self._next:
            self._next = now + SHOWN_PERIOD
            self._is_new = False
            words = self._filter.value.lower().split()
            self._html.content = console_html(
                line.html
                for line in self._lines
                if line.level >= self._least and all(word in line.text for word in words)
            )

    def _press(self, button: str) -> None:
        if button == CLEAR:
            self._lines.clear()
        self._show_from(LEVELS.get(button, self._least))

    def _show_from(self, level: int) -> None:
        self._least = level
        self._is_new, self._next = True, 0.0

    def _add(self, message: Any) -> None:
        text = f"{message.name}: {message.msg}".lower()
        self._lines.append(Line(time.monotonic(), _level(message.level)[0], text, line_html(message)))
        self._is_new = True


def line_html(message: Any) -> str:
    """Return the HTML of a log line, its text escaped."""
    colour = COLOURS.get(_level(message.level), "inherit")
    return f'<div style="color:{colour}">{escape(message.name)}: {escape(message.msg)}</div>'


def console_html(lines: Any) -> str:
    """Return all lines in a box that scrolls; `viewer.js` keeps the last one in sight."""
    text = "".join(lines) or "No messages yet."
    return (
        '<div id="odesim-console" style="font:0.8em monospace;white-space:pre-wrap;overflow-wrap:anywhere;'
        f'max-height:16em;overflow-y:auto;padding:0 0.8em">{text}</div>'
    )


def _level(level: Any) -> bytes:
    return level if isinstance(level, bytes) else bytes((level,))
