"""The shapes of a world from above, as polygons, from markers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
CUBE, SPHERE, CYLINDER, TRIANGLES = 1, 2, 3, 11
"""visualization_msgs/Marker: type."""
FLAT = 0.02
"""m: what does not rise above it is ground."""
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


class Outline(NamedTuple):
    """A shape from above."""

    points: Points
    """(n, 2), in m"""
    colour: tuple[float, float, float, float]
    top: float
    """m above the ground"""


def outlines(markers: Iterable[Any]) -> list[Outline]:
    """Outlines of visualization_msgs/Markers, the lowest first; those of other types are left out."""
    found: list[Outline] = []
    for marker in markers:
        colour = (marker.color.r, marker.color.g, marker.color.b, marker.color.a)
        for solid in _solids(marker):
            placed = _placed(solid, marker.pose)
            found.append(Outline(hull(placed[:, :2]), colour, float(placed[:, 2].max())))
    return sorted(found, key=lambda outline: outline.top)


def _solids(marker: Any) -> Iterable[Points]:
    """Points whose hulls make up a shape, in its own frame."""
    scale = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
    angle = np.linspace(0.0, 2.0 * np.pi, 33)[:-1]
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1) / 2.0
    if marker.type == CUBE:
        yield CORNERS * scale
    elif marker.type == CYLINDER:
        yield np.concatenate([np.insert(circle, 2, z, axis=1) for z in (-0.5, 0.5)]) * scale
    elif marker.type == SPHERE:
        for_height = [(z, np.sqrt(max(0.0, 0.25 - z * z)) * 2.0) for z in np.linspace(-0.5, 0.5, 9)]
        yield np.concatenate([np.insert(circle * wide, 2, z, axis=1) for z, wide in for_height]) * scale
    elif marker.type == TRIANGLES and len(marker.points) > 2:
        corners = np.array([(p.x, p.y, p.z) for p in marker.points]) * scale
        yield from corners[: len(corners) // 3 * 3].reshape(-1, 3, 3)


def _placed(points: Points, pose: Any) -> Points:
    x, y, z, w = pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w
    axis = np.array([x, y, z])
    turned = points + 2.0 * np.cross(axis, np.cross(axis, points) + w * points)
    return turned + np.array([pose.position.x, pose.position.y, pose.position.z])


def hull(points: Points) -> Points:
    """The convex hull of points in a plane, counterclockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def chain(path: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for c in path:
            while len(kept) > 1:
                a, b = kept[-2], kept[-1]
                if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0:
                    break
                kept.pop()
            kept.append(c)
        return kept[:-1]

    return np.array(chain(ordered) + chain(reversed(ordered)))
