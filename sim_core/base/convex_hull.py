"""The convex hull of points in a plane."""

from __future__ import annotations

from collections.abc import Iterable

Point = tuple[float, float]

STRAIGHT = 1e-15
"""m²; twice the area of a triangle of three points that lie on a line."""


def turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of a triangle; positive if a, b, c is a turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the convex hull, counter-clockwise (Andrew's monotone chain, 1979); of points on a line
    its two ends."""
    ordered = sorted(set(points))
    return ordered if len(ordered) < 3 else _chain(ordered) + _chain(ordered[::-1])


def _chain(ordered: Iterable[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in ordered:
        while len(kept) > 1 and turn(kept[-2], kept[-1], point) <= STRAIGHT:
            kept.pop()
        kept.append(point)
    return kept[:-1]
