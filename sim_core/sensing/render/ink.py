"""Lines drawn by pens, as ribbons on surfaces, and spots of lasers. No GL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array, FloatArray, IntArray
from sim_core.sensing.appearance_changes import Spot
from sim_core.sensing.trace import Trace, tangent

SHARPEST = 0.5
"""Cosine of half the sharpest turn at which the corner of a ribbon is extended to its tip."""
COLUMNS = 10
"""Columns of a corner of a ribbon: position in m, normal, colour and opacity.

Colours of inks are linear, unlike the colours of surfaces: Webots' shaders do not decode them (phong.frag,
pbr.frag).
"""
EDGE = 24
"""Corners around a spot."""


_NOTHING = np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros((0, 4)), np.zeros((0, 3))


class InkUpdate(NamedTuple):
    """Changes of a line.

    Attributes:
        number: number of the line.
        start: points before this one are unchanged.
        points: (n, 3) m, world axes, the new ones.
        strokes: (n,) numbers of their strokes.
        colours: (n, 4) red, green, blue, opacity.
        normals: (n, 3) normals of the surfaces.
        width: m.
    """

    number: int
    start: int
    points: FloatArray
    strokes: IntArray
    colours: FloatArray
    normals: FloatArray
    width: float


class InkTracker:
    """Finds the changes of traces since the last call."""

    def __init__(self) -> None:
        self._reported: dict[int, tuple[Trace, int, int]] = {}

    def report_all(self) -> None:
        """Report all lines as new at the next call."""
        self._reported.clear()

    def updates(self, traces: list[Trace]) -> list[InkUpdate]:
        """Return the changes of all changed lines; lines of removed traces become empty."""
        found = []
        for number in range(len(traces), len(self._reported)):
            del self._reported[number]
            found.append(InkUpdate(number, 0, *_NOTHING, 0.0))
        for number, trace in enumerate(traces):
            reported, generation, start = self._reported.get(number, (None, 0, 0))
            if reported is not trace or generation != trace.generation or start > trace.count:
                start = 0
            elif start == trace.count:
                continue
            self._reported[number] = (trace, trace.generation, trace.count)
            colours = np.column_stack([trace.colours[start:], trace.densities[start:]])
            points, strokes = trace.points[start:], trace.strokes[start:]
            normals = trace.normals[start:]
            found.append(InkUpdate(number, start, points, strokes, colours, normals, trace.width))
        return found


def ribbon(
    points: FloatArray, strokes: IntArray, normals: FloatArray, width: float
) -> tuple[FloatArray, IntArray]:
    """Return a line as a flat band on the surfaces.

    Args:
        points: (n, 3) m.
        strokes: (n,) points of one stroke are joined.
        normals: (n, 3) of the surface there.
        width: m.

    Returns:
        (n, 2, 3) the left and the right edge at each point, and (k,) indices of the points from which a piece
        goes to the next one. Ends are extended by half the width.
    """
    count = len(points)
    along = np.diff(points, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    joined = (np.diff(strokes) == 0) & (lengths > 0.0)
    along[joined] /= lengths[joined, None]
    across = np.cross(normals[:-1] + normals[1:], along)
    extent = np.linalg.norm(across, axis=1)
    for index in np.flatnonzero(extent < 1e-6):  # the line leaves the surface
        across[index] = np.cross(normals[index], tangent(tuple(normals[index].tolist())))
        extent[index] = 1.0
    across = np.where(joined[:, None], across / extent[:, None], 0.0)
    along = np.where(joined[:, None], along, 0.0)
    before, after = np.zeros((count, 3)), np.zeros((count, 3))
    before[1:], after[:-1] = across, across
    middle = before + after
    middle /= np.maximum(np.linalg.norm(middle, axis=1), 1e-9)[:, None]
    either = np.where(np.any(after, axis=1)[:, None], after, before)
    reach = width / 2.0 / np.maximum((middle * either).sum(axis=1), SHARPEST)
    centres = points.copy()
    centres[:-1] -= np.where(~np.any(before[:-1], axis=1)[:, None], along, 0.0) * width / 2.0
    centres[1:] += np.where(~np.any(after[1:], axis=1)[:, None], along, 0.0) * width / 2.0
    edge = middle * reach[:, None]
    return np.stack([centres + edge, centres - edge], axis=1), np.flatnonzero(joined)


def discs(spots: Sequence[Spot]) -> tuple[Float32Array, NDArray[np.uint32]]:
    """Return red spots as flat discs: corners and triangles as those of an `InkLine`."""
    rows = np.zeros((len(spots), EDGE + 1, COLUMNS), np.float32)
    rows[..., [6, 9]] = 1.0
    angles = np.arange(EDGE) * (2.0 * np.pi / EDGE)
    for disc, (place, normal, radius) in zip(rows, spots, strict=True):
        axis = np.eye(3)[int(np.abs(normal).argmin())]
        u = np.cross(normal, axis)
        u /= np.linalg.norm(u)
        v = np.cross(normal, u)
        disc[:, :3] = place
        disc[1:, :3] += radius * (np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v)
        disc[:, 3:6] = normal
    around = np.arange(EDGE)
    fan = np.stack([np.zeros(EDGE, int), 1 + around, 1 + (around + 1) % EDGE], axis=1)
    triangles = fan.ravel() + (EDGE + 1) * np.arange(len(spots))[:, None]
    return rows.reshape(-1, COLUMNS), triangles.ravel().astype(np.uint32)


class InkLine:
    """The corners of the ribbon of one line for rendering; a stroke of one point is a square.

    Attributes:
        corners: (2·points + 4·squares, 10) float32.
        triangles: (n,) uint32, three for each, in the order in which they were drawn.
    """

    def __init__(self) -> None:
        self._points = np.zeros((0, 3))
        self._strokes = np.zeros(0, np.int64)
        self._colours = np.zeros((0, 4))
        self._normals = np.zeros((0, 3))
        self._edges = self.corners = np.zeros((0, COLUMNS), np.float32)
        self._pieces = self.triangles = np.zeros(0, np.uint32)

    def add_update(self, update: InkUpdate) -> None:
        """Add the changes of the line."""
        start = update.start
        self._points = np.concatenate([self._points[:start], update.points])
        self._strokes = np.concatenate([self._strokes[:start], update.strokes])
        self._colours = np.concatenate([self._colours[:start], update.colours])
        self._normals = np.concatenate([self._normals[:start], update.normals])
        # the new points change the direction of the point before them, but of no earlier one
        first = max(0, start - 2)
        edges, pieces = ribbon(
            self._points[first:], self._strokes[first:], self._normals[first:], update.width
        )
        kept = max(0, start - 1)
        rows = np.zeros((2 * len(edges), COLUMNS), np.float32)
        rows[:, :3] = edges.reshape(-1, 3)
        rows[:, 3:6] = np.repeat(self._normals[first:], 2, axis=0)
        rows[:, 6:] = np.repeat(self._colours[first:], 2, axis=0)
        self._edges = np.concatenate([self._edges[: 2 * kept], rows[2 * (kept - first) :]])
        old = self._pieces.reshape(-1, 6)
        old = old[old[:, 0] < 2 * kept]
        new = 2 * (pieces[pieces + first >= kept] + first)
        self._pieces = np.concatenate([old.ravel(), _two_triangles(new).ravel()])
        self._add_squares(update.width)

    def _add_squares(self, width: float) -> None:
        """Add squares for the strokes of one point."""
        apart = np.concatenate([[True], np.diff(self._strokes) != 0, [True]])
        alone = np.flatnonzero((apart[:-1] & apart[1:])[: len(self._strokes)])
        rows = np.repeat(self._edges[2 * alone], 4, axis=0)
        for square, normal in zip(rows.reshape(-1, 4, COLUMNS), self._normals[alone], strict=True):
            along = np.array(tangent(tuple(normal.tolist())))
            sides = np.stack([along, np.cross(normal, along)]) * width / 2.0
            square[:, :3] += np.array([(-1, 1), (-1, -1), (1, 1), (1, -1)]) @ sides
        squares = _two_triangles(len(self._edges) + 4 * np.arange(len(alone)))
        self.corners = np.concatenate([self._edges, rows])
        pieces = self._pieces.reshape(-1, 6)
        order = np.argsort(np.concatenate([pieces[:, 0] // 2, alone]), kind="stable")
        self.triangles = np.concatenate([pieces, squares])[order].ravel()


def _two_triangles(first: IntArray) -> NDArray[np.uint32]:
    """Return the corner indices of two triangles of rectangles, (n, 6); corners: left, right, next left,
    next right."""
    return (first[:, None] + np.array([0, 1, 3, 0, 3, 2])).astype(np.uint32)
