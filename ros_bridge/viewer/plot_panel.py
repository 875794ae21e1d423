"""A number of any topic over time, and which numbers in messages can be plotted."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ros_bridge.topics.conversions import time_of
from ros_bridge.viewer.panel import NOTHING, Room, offer
from ros_bridge.viewer.polled_topic import PolledTopic, known_class

SHOWN_PERIOD = 0.2
LONGEST = 1000
"""Points of the curve; older ones go."""
DEPTH = 50
"""Messages that may come between two looks, of which there are 20 a second."""


class PlotPanel:
    """A topic, a number in its messages, a curve over sim time that starts anew when time jumps back."""

    def __init__(self, room: Room) -> None:
        self._room = room
        gui = room.server.gui
        self._topics = gui.add_dropdown("Topic", (NOTHING,))
        room.when(self._topics, lambda event: self._choose(event.target.value))
        self._fields = gui.add_dropdown("Number", (NOTHING,))
        room.when(self._fields, lambda event: self._choose_field(event.target.value))
        self._value = gui.add_markdown("Choose a topic with numbers.")
        self._plot = gui.add_uplot(
            (np.zeros(1), np.zeros(1)),
            ({"label": "time in s"}, {"label": "value", "stroke": "#1971c2", "width": 2}),
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True}},
            aspect=1.7,
        )
        self._topic: PolledTopic | None = None
        self._field = NOTHING
        self._points: deque[tuple[float, float]] = deque(maxlen=LONGEST)
        self._plottable: dict[str, bool] = {}
        self._next = 0.0
        self._is_new = False

    def refresh(self, now: float) -> None:
        """Take what has come; draw five times a second."""
        if self._topic is not None and self._field != NOTHING:
            for message in self._topic.take():
                self._add(message)
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        offer(self._topics, tuple(sorted(name for name in self._room.topics if self._has_numbers(name))))
        if self._is_new and self._points:
            self._is_new = False
            times, values = np.array(self._points).T
            self._plot.data = (times, values)
            self._value.content = f"{values[-1]:.6g} at {times[-1]:.3f} s"

    def _add(self, message: object) -> None:
        stamp = stamp_of(message)
        time_ns = self._room.link.time_ns if stamp is None else stamp
        time, value = (time_ns or 0) / 1e9, number_in(message, self._field)
        if not np.isfinite(value):
            return
        if self._points and time < self._points[-1][0]:
            self._points.clear()
        self._points.append((time, value))
        self._is_new = True

    def _has_numbers(self, name: str) -> bool:
        kind = self._room.topics[name]
        if kind not in self._plottable:
            found = known_class(kind)
            self._plottable[kind] = found is not None and bool(number_fields(found))
        return self._plottable[kind]

    def _choose(self, name: str) -> None:
        if self._topic is not None:
            if self._topic.name == name:
                return
            self._topic.close()
            self._topic = None
        found = known_class(self._room.topics[name]) if name in self._room.topics else None
        fields = number_fields(found) if found is not None else []
        self._fields.options = tuple(fields) or (NOTHING,)
        self._choose_field(fields[0] if fields else NOTHING)
        if found is not None:
            self._topic = PolledTopic(self._room.watch, found, name, DEPTH)

    def _choose_field(self, field: str) -> None:
        if field == self._field and self._points:
            return
        self._field = field
        self._points.clear()
        self._value.content = "Choose a topic with numbers." if field == NOTHING else "Nothing has come yet."
        if self._fields.value != field:
            self._fields.value = field


NUMBERS = {
    *("boolean", "float", "double", "octet"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
NOT_PLOTTED = ("header", "stamp")
DEEPEST = 5
"""Messages in messages."""


def number_fields(message_type: Any, depth: int = DEEPEST) -> list[str]:
    """Dotted names of the numbers in a message class, without arrays and time stamps: `pose.position.x`."""
    found: list[str] = []
    for name, kind in message_type.get_fields_and_field_types().items():
        if kind in NUMBERS:
            found.append(name)
        elif name not in NOT_PLOTTED and depth > 1 and "/" in kind and not kind.endswith(("]", ">")):
            package, inner = kind.split("/")
            part = known_class(f"{package}/msg/{inner}")
            if part is not None:
                found += [f"{name}.{below}" for below in number_fields(part, depth - 1)]
    return found


def number_in(message: Any, field: str) -> float:
    """The number of a dotted name."""
    for name in field.split("."):
        message = getattr(message, name)
    return float(message[0] if isinstance(message, bytes) else message)


def stamp_of(message: Any) -> int | None:
    """Time in the header in ns; None without a header."""
    header = getattr(message, "header", None)
    return None if header is None else time_of(header.stamp)
