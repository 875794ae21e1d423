"""Plots of results as SVG, for a page."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

from sim_core.base.html_page import escaped

WIDTH, HEIGHT = 360.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 12.0, 10.0, 30.0
"""Margins around the points; all in the units of the SVG."""
MOST_VALUES = 24
"""Different values up to which the mean of each is drawn."""
MOST_LABELS = 4
LABEL = 14
"""Characters of a label."""


class Scale(NamedTuple):
    """Values of an axis: places between 0 and 1, and the labels of some."""

    places: list[float]
    labels: list[tuple[float, str]]


def plot(title: str, x: Sequence[Any], y: Sequence[float]) -> str:
    """Return a figure with a point for each pair of values, and a line through the means.

    Args:
        title: above it.
        x: n values; if they are not all numbers, they stand in the order of their first appearance.
        y: n finite numbers.
    """
    across, up = scale_of(x), scale_of(y)
    points = [(_x(a), _y(b)) for a, b in zip(across.places, up.places, strict=True)]
    parts = [f'<path class="points" d="{"".join(f"M{a:.1f} {b:.1f}h0" for a, b in points)}"/>']
    groups = defaultdict(list)
    for a, b in points:
        groups[a].append(b)
    if 1 < len(groups) <= MOST_VALUES and len(groups) < len(points):
        means = " ".join(f"{a:.1f},{fmean(groups[a]):.1f}" for a in sorted(groups))
        parts.append(f'<polyline class="mean" points="{means}"/>')
    base = HEIGHT - BOTTOM
    parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{base}H{WIDTH - RIGHT}"/>')
    parts += [
        f'<text x="{_x(place):.1f}" y="{base + 16}" text-anchor="middle">{escaped(label)}</text>'
        for place, label in across.labels
    ]
    parts += [
        f'<text x="{LEFT - 5}" y="{_y(place) + 4:.1f}" text-anchor="end">{escaped(label)}</text>'
        for place, label in up.labels
    ]
    drawn = f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{escaped(title)}">'
    return f"<figure><figcaption>{escaped(title)}</figcaption>{drawn}{''.join(parts)}</svg></figure>"


def scale_of(values: Sequence[Any]) -> Scale:
    """Return the scale of the values of an axis; numbers keep their distances."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return _of_numbers([float(value) for value in values])
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    known = list(dict.fromkeys(texts))
    of = {text: (index + 0.5) / len(known) for index, text in enumerate(known)}
    shown = known[:: -(-len(known) // MOST_LABELS)]
    labels = [(of[text], text if len(text) <= LABEL else text[: LABEL - 1] + "…") for text in shown]
    return Scale([of[text] for text in texts], labels)


def _of_numbers(values: Sequence[float]) -> Scale:
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = _nice((high - low) / 4)
    ticks = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
    span = high - low
    labels = [((tick - low) / span, f"{tick:.6g}") for tick in ticks]
    return Scale([(value - low) / span for value in values], labels)


def _nice(step: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is not below a step."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= step)


def _x(place: float) -> float:
    return LEFT + 6.0 + place * (WIDTH - LEFT - RIGHT - 12.0)


def _y(place: float) -> float:
    return HEIGHT - BOTTOM - 6.0 - place * (HEIGHT - TOP - BOTTOM - 12.0)
