"""`odesim topic hz` and `bw`: message rate and bandwidth."""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ros_bridge.topic_tools.topic_inspector import TopicInspector
from ros_bridge.topics.qos import Qos, profile

PERIOD = 1.0
"""Seconds of wall time between two reports."""
QOS = Qos(reliable=False, depth=5)
"""QoS of sensor data, which all publishers offer."""
COLUMNS = ("topic", "rate", "min_delta", "max_delta", "std_dev", "window")
UNITS = ((1e6, "MB"), (1e3, "KB"))
"""Bytes from which larger units are used."""


class Rate(NamedTuple):
    """Statistics of the messages in a window."""

    rate: float
    """Hz."""
    least: float
    most: float
    deviation: float
    """The three above: seconds between two messages."""
    window: int


class Times:
    """Arrival times and sizes of the last messages.

    Args:
        window: number of messages.
    """

    def __init__(self, window: int) -> None:
        self._gaps: deque[float] = deque(maxlen=window)
        self._sizes: deque[tuple[float, int]] = deque(maxlen=window)
        self._last: float | None = None
        self._reported: float | None = None

    def add_message(self, now: float, size: int) -> None:
        """Add a message that arrived at a time in s; clear all if time has jumped back."""
        if self._last is not None and now < self._last:
            self._gaps.clear()
            self._sizes.clear()
        elif self._last is not None:
            self._gaps.append(now - self._last)
        self._sizes.append((now, size))
        self._last = now

    def rate(self) -> Rate | None:
        """Return the statistics; None: there are none, or none new."""
        if not self._gaps or self._last == self._reported:
            return None
        self._reported = self._last
        gaps = list(self._gaps)
        mean = sum(gaps) / len(gaps)
        deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
        return Rate(1.0 / mean if mean > 0.0 else 0.0, min(gaps), max(gaps), deviation, len(gaps))

    def bandwidth(self, now: float) -> str | None:
        """Return the bytes per second, as text; None: too few messages."""
        times = list(self._sizes)
        if len(times) < 2 or now <= times[0][0]:
            return None
        sizes = [size for _, size in times]
        speed, mean = sum(sizes) / (now - times[0][0]), sum(sizes) / len(sizes)
        unit, name = next(((unit, name) for unit, name in UNITS if speed >= unit), (1.0, "B"))
        texts = [
            f"{each / unit:.0f} {name}" if unit == 1.0 else f"{each / unit:.2f} {name}"
            for each in (speed, mean, min(sizes), max(sizes))
        ]
        return (
            f"{texts[0]}/s from {len(sizes)} messages\n"
            f"\tMessage size mean: {texts[1]} min: {texts[2]} max: {texts[3]}"
        )


def hz(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the rates of topics once a second, until Ctrl-C."""
    names = list(dict.fromkeys(arguments.topic_names))
    times = {name: Times(arguments.window) for name in names}
    now = _clock(topic_inspector, arguments.wall_time)
    for name in names:
        _subscribe(topic_inspector, name, partial(_note, times[name], now))
        if len(names) > 1:
            print(f"Subscribed to [{name}]", flush=True)
    while True:
        topic_inspector.sleep(PERIOD)
        rates = {name: rate for name in names if (rate := times[name].rate()) is not None}
        if len(names) > 1 and rates:
            print(_table(rates), flush=True)
        elif rates:
            (rate,) = rates.values()
            print(
                f"average rate: {rate.rate:.3f}\n\tmin: {rate.least:.3f}s max: {rate.most:.3f}s "
                f"std dev: {rate.deviation:.5f}s window: {rate.window}",
                flush=True,
            )


def bw(topic_inspector: TopicInspector, arguments: argparse.Namespace) -> int:
    """Print the bandwidth of a topic once a second, until Ctrl-C."""
    times, now = Times(arguments.window), _clock(topic_inspector, False)
    _subscribe(topic_inspector, arguments.topic_name, partial(_note, times, now))
    print(f"Subscribed to [{arguments.topic_name}]", flush=True)
    while True:
        topic_inspector.sleep(PERIOD)
        text = times.bandwidth(now())
        if text is not None:
            print(text, flush=True)


def _subscribe(topic_inspector: TopicInspector, topic: str, receive: Callable[[bytes], None]) -> None:
    _, message_type = topic_inspector.class_of(topic)
    topic_inspector.node.create_subscription(
        message_type, topic_inspector.full_name(topic), receive, profile(QOS), raw=True
    )


def _note(times: Times, now: Callable[[], float], data: bytes) -> None:
    times.add_message(now(), len(data))


def _clock(topic_inspector: TopicInspector, wall_time: bool) -> Callable[[], float]:
    """Return the node's clock, in s, which `use_sim_time` sets to sim time."""
    if wall_time:
        return time.time
    clock = topic_inspector.node.get_clock()
    return lambda: float(clock.now().nanoseconds * 1e-9)


def _table(rates: dict[str, Rate]) -> str:
    rows = [
        (name, f"{r.rate:.3f}", f"{r.least:.3f}", f"{r.most:.3f}", f"{r.deviation:.5f}", str(r.window))
        for name, r in rates.items()
    ]
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    head = "   ".join(word.center(width) for word, width in zip(COLUMNS, widths, strict=True))
    lines = [_row(row, widths) for row in rows]
    return "\n".join([head, "=" * (sum(widths) + 3 * (len(widths) - 1)), *lines, ""])


def _row(row: Sequence[Any], widths: Sequence[int]) -> str:
    return "   ".join(word.ljust(width) for word, width in zip(row, widths, strict=True))
