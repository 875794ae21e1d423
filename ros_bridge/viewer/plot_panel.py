"""Panel that plots numbers from any topics over time, and saves them as a table."""

from __future__ import annotations

import csv
import io
from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ros_bridge.topics.conversions import time_of
from ros_bridge.topics.message_fields import number_fields, number_in
from ros_bridge.viewer.panel import NOTHING, ViewerContext, download, set_choices
from ros_bridge.viewer.polled_topic import PolledTopic, known_class

SHOWN_PERIOD = 0.2
MAX_POINTS = 3000
"""Most points of a curve; the oldest are dropped."""
DEPTH = 50
"""Most messages kept between two updates, of which there are 30 a second."""
CURVE_COLOURS = ("#4dabf7", "#ff922b", "#51cf66", "#f06595", "#b197fc", "#fcc419", "#22b8cf", "#ff6b6b")
"""Colours of the curves, whose number limits that of the curves."""
MARGIN = 0.2
"""Part of the values' range that stays free above and below them."""
MAX_RANGE_FACTOR = 5.0
"""Largest y range shown, in multiples of the range needed."""
FIRST_RANGE = (-1.0, 1.0)
START = "Choose a topic and a number, then press Add curve."


class Curve(NamedTuple):
    """A number over time."""

    topic: str
    field: str
    points: deque[tuple[float, float]]

    @property
    def title(self) -> str:
        """`/robot1/odom pose.pose.position.x`"""
        return f"{self.topic} {self.field}"


class PlotPanel:
    """Topics, numbers in their messages, and curves over sim time that restart when time jumps back."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        self._folder = gui.add_folder(None)  # above the lists, so that the curves are in sight
        self._topics = gui.add_dropdown("Topic", (NOTHING,))
        context.on_use(self._topics, lambda event: self._choose(event.target.value))
        self._fields = gui.add_dropdown(
            "Number", (NOTHING,), hint="list elements appear with the first message"
        )
        buttons = gui.add_button_group("Curves", ("Add curve", "Remove all", "Save as CSV"))
        context.on_use(buttons, self._press)
        self._value = gui.add_markdown(START)
        self._plot: Any = None
        self._range = FIRST_RANGE
        self._listened: dict[str, PolledTopic] = {}
        self._looked_at = NOTHING
        self._curves: list[Curve] = []
        self._plottable: dict[str, bool] = {}
        self._next = 0.0
        self._is_new = False
        self._make_plot()
        context.message_handlers["curve"] = self._add_dragged

    def refresh(self, now: float) -> None:
        """Take new messages; draw five times a second."""
        for name, topic in self._listened.items():
            for message in topic.take():
                self._receive(name, message)
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        set_choices(
            self._topics, tuple(sorted(name for name in self._context.topics if self._has_numbers(name)))
        )
        if self._is_new:
            self._is_new = False
            times, values = table_of(self._curves)
            if len(times):
                self._draw((times, *values))
                last = [f"{each.title} = {each.points[-1][1]:.6g}" for each in self._curves if each.points]
                self._value.content = f"{'; '.join(last)} at {times[-1]:.3f} s"

    def _add_dragged(self, title: Any, _: Any) -> None:
        """Add the curve of a topic and a field that come from the list of topics."""
        topic, _, field = str(title).partition(" ")
        if self._context.topics.get(topic):
            self.add_curve(topic, field)

    def _receive(self, name: str, message: Any) -> None:
        if name == self._looked_at:
            known = tuple(self._fields.options)
            now = tuple(number_fields(type(message), message)) or (NOTHING,)
            if known != now:
                self._fields.options = now
        stamp = stamp_of(message)
        time_ns = self._context.link.time_ns if stamp is None else stamp
        time = (time_ns or 0) / 1e9
        for curve in self._curves:
            value = number_in(message, curve.field) if curve.topic == name else float("nan")
            if not np.isfinite(value):
                continue
            if curve.points and time < curve.points[-1][0]:
                curve.points.clear()
            curve.points.append((time, value))
            self._is_new = True

    def _has_numbers(self, name: str) -> bool:
        kind = self._context.topics[name]
        if kind not in self._plottable:
            found = known_class(kind)
            self._plottable[kind] = found is not None and bool(number_fields(found))
        return self._plottable[kind]

    def _choose(self, name: str) -> None:
        """Subscribe to a topic, whose list elements are known when a message has arrived."""
        found = known_class(self._context.topics[name]) if name in self._context.topics else None
        self._looked_at = name
        fields = tuple(number_fields(found)) if found is not None else ()
        self._fields.options = fields or (NOTHING,)
        self._subscribe(name)
        self._close_unused()

    def _subscribe(self, name: str) -> None:
        """Subscribe to a topic whose messages have numbers."""
        found = known_class(self._context.topics[name]) if name in self._context.topics else None
        if found is not None and name not in self._listened:
            self._listened[name] = PolledTopic(self._context.watch, found, name, DEPTH)

    def _press(self, event: Any) -> None:
        match event.target.value:
            case "Add curve":
                self.add_curve(self._looked_at, self._fields.value)
            case "Remove all":
                self._curves.clear()
                self._close_unused()
                self._value.content = START
                self._make_plot()
            case _:
                download(event.client, "odesim-plot.csv", csv_of(self._curves).encode())

    def add_curve(self, topic: str, field: str) -> None:
        """Add a curve."""
        is_there = any((each.topic, each.field) == (topic, field) for each in self._curves)
        if NOTHING in (topic, field) or is_there:
            return
        if len(self._curves) == len(CURVE_COLOURS):
            self._value.content = f"At most {len(CURVE_COLOURS)} curves can be shown."
            return
        self._subscribe(topic)
        self._curves.append(Curve(topic, field, deque(maxlen=MAX_POINTS)))
        self._value.content = "No messages yet."
        self._make_plot()
        self._is_new = True

    def _close_unused(self) -> None:
        """Close the topics that are no longer used."""
        wanted = {each.topic for each in self._curves} | {self._looked_at}
        for name in self._listened.keys() - wanted:
            self._listened.pop(name).close()

    def _draw(self, data: tuple[NDArray[np.float64], ...]) -> None:
        """Show times and values, on a y axis that covers all of them.

        uPlot's own search for such an axis fails where a curve begins later than others, with NaN. Another
        axis needs a new plot, which loses the user's zoom: so it changes seldom.

        """
        low, high = float(np.nanmin(data[1:])), float(np.nanmax(data[1:]))
        margin = MARGIN * (high - low) or abs(high) or 1.0
        bottom, top = self._range
        if low < bottom or high > top or top - bottom > MAX_RANGE_FACTOR * (high - low + 2.0 * margin):
            self._range = low - margin, high + margin
            self._make_plot(data)
        else:
            self._plot.data = data

    def _make_plot(self, data: tuple[NDArray[np.float64], ...] = ()) -> None:
        """Replace the plot by a new one; without data it is empty."""
        if self._plot is not None:
            self._plot.remove()
        self._folder.visible = bool(self._curves)
        titles = [each.title for each in self._curves] or ["nothing"]
        series: list[Any] = [{"label": "time in s"}]
        series += [
            {"label": title, "stroke": ink, "width": 2, "spanGaps": True}
            for title, ink in zip(titles, CURVE_COLOURS, strict=False)
        ]
        with self._folder:
            self._plot = self._context.server.gui.add_uplot(
                data or (np.zeros(1),) * len(series),
                tuple(series),
                scales={"x": {"time": False, "auto": True}, "y": {"range": self._range}},
                legend={"show": True},
                aspect=3.2,
            )


def table_of(curves: list[Curve]) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return all times (n,) and the values (n,) of each curve at them, interpolated between its points.

    Values are NaN before a curve's first point and after its last one.

    """
    rows = [np.array(each.points).reshape(-1, 2) for each in curves]
    if len(rows) == 1:
        return rows[0][:, 0], [rows[0][:, 1]]
    times = np.unique(np.concatenate([row[:, 0] for row in rows])) if rows else np.zeros(0)
    nothing = np.full(len(times), np.nan)
    values = [
        np.interp(times, row[:, 0], row[:, 1], left=np.nan, right=np.nan) if len(row) else nothing
        for row in rows
    ]
    return times, values


def csv_of(curves: list[Curve]) -> str:
    """Return a column of times in s and one for each curve; cells without a value are empty."""
    times = sorted({time for each in curves for time, _ in each.points})
    found = [dict(each.points) for each in curves]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["time", *(each.title for each in curves)])
    writer.writerows(
        [repr(time), *(repr(row[time]) if time in row else "" for row in found)] for time in times
    )
    return file.getvalue()


def stamp_of(message: Any) -> int | None:
    """Return the header's time in ns; None without a header."""
    header = getattr(message, "header", None)
    return None if header is None else time_of(header.stamp)
