"""Lines drawn by pens: points with time, colour and density, in strokes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.geometry import ZERO, Vec3, add, dot, normalized, scale, subtract
from sim_core.base.state import State, Stateful

MAX_POINTS = 2**17
"""Largest number of points of a trace; beyond it every second one is removed (10 MB)."""
SMALLEST_SPACING = 0.0005
"""Smallest distance of points in m; smaller distances are not visible."""
REST_DISTANCE = 1e-6
"""Distance in m that a resting pen may move in a step."""
SPOT = 1e-6
"""Distance in m of the two points of a spot, so small that it is as long as the line is wide."""
_VISIBLE_CHANGE = 1.0 / 64.0
"""Smallest visible change of the density or the colour of a spot."""
_ROUNDED = 1e-9
_FIRST_SIZE = 256
_LEVEL = (0.0, 0.0, 1.0)


class Ink(NamedTuple):
    """Colour and density of a pen."""

    colour: Vec3
    """Red, green, blue from 0 to 1."""
    density: float
    """0: transparent, 1: opaque."""


@dataclass(eq=False)
class TraceState(State):
    """The points of a trace, and the state of the pen.

    Attributes:
        spacing: smallest distance of two points, m.
        count: number of points.
        times, values, strokes: arrays with room for more points: ns; position, ink and normal (n, 10);
            numbers of strokes.
        stroke: number of the last stroke.
        ink: present ink; None: the pen is lifted.
        last_point: position of the last point.
        last: sim time, position and normal in the last step in which the pen wrote.
        cover: ink on the surface where the pen rests or was lifted; None: the pen moves.
        shown: the part of it that this trace's strokes draw.
    """

    spacing: float
    count: int = 0
    times: IntArray = field(default_factory=lambda: np.zeros(_FIRST_SIZE, np.int64))
    values: FloatArray = field(default_factory=lambda: np.zeros((_FIRST_SIZE, 10)))
    strokes: IntArray = field(default_factory=lambda: np.zeros(_FIRST_SIZE, np.int64))
    stroke: int = -1
    ink: Ink | None = None
    last_point: Vec3 = ZERO
    last: tuple[int, Vec3, Vec3] = (0, ZERO, _LEVEL)
    cover: Ink | None = None
    shown: Ink | None = None


class Trace(Stateful):
    """The line drawn by a pen, in the world's axes.

    A stroke is a piece of one ink drawn without lifting the pen. Points nearer than `spacing` to the one
    before are omitted, except the last one of a stroke. A pen that rests makes a spot, which gets denser:
    densities add up to at most 1, and inks mix by their densities (Webots, WbPaintTexture::paint). It
    consists of strokes on top of each other, one more whenever its density or its colour has changed visibly.
    A stroke of one point is a spot too.

    Attributes:
        name: names of the robot and the pen.
        width: width of the line, m.
        generation: increases whenever points are removed.
    """

    state: TraceState

    def __init__(self, name: str, width: float) -> None:
        self.name = name
        self.width = width
        self.generation = 0
        self.state = TraceState(max(width / 2.0, SMALLEST_SPACING))

    def restored(self) -> None:
        """Count the restored points as a new generation."""
        self.generation += 1

    @property
    def spacing(self) -> float:
        """Smallest distance of two points, m; doubles whenever points are removed."""
        return self.state.spacing

    @property
    def count(self) -> int:
        """Number of points."""
        return self.state.count

    @property
    def times(self) -> IntArray:
        """Sim times in ns, (count,), read-only as all these arrays."""
        return _frozen(self.state.times[: self.count])

    @property
    def points(self) -> FloatArray:
        """Positions, (count, 3) m, world axes."""
        return _frozen(self.state.values[: self.count, :3])

    @property
    def colours(self) -> FloatArray:
        """Red, green, blue from 0 to 1, (count, 3)."""
        return _frozen(self.state.values[: self.count, 3:6])

    @property
    def densities(self) -> FloatArray:
        """Densities from 0 to 1, (count,)."""
        return _frozen(self.state.values[: self.count, 6])

    @property
    def normals(self) -> FloatArray:
        """Unit normals of the surfaces, (count, 3), world axes."""
        return _frozen(self.state.values[: self.count, 7:])

    @property
    def strokes(self) -> IntArray:
        """Number of the stroke that each point belongs to, (count,), never decreasing."""
        return _frozen(self.state.strokes[: self.count])

    def pieces(self, start: int = 0) -> Iterator[tuple[FloatArray, Ink]]:
        """Return the points (n, 3) and the ink of each stroke, from the point number `start` on."""
        strokes = self.state.strokes[start : self.count]
        bounds = np.flatnonzero(np.diff(strokes)) + 1
        for part in np.split(np.arange(start, self.count), bounds):
            if len(part):
                values = self.state.values[part[0]]
                red, green, blue, density = values[3:7].tolist()
                yield self.points[part[0] : part[-1] + 1], Ink((red, green, blue), density)

    def draw_to(self, time_ns: int, point: Vec3, ink: Ink, normal: Vec3 = _LEVEL) -> None:
        """Draw to a point on a surface with this normal."""
        state = self.state
        under = state.ink or state.cover
        if under is not None and math.dist(point, state.last[1]) < REST_DISTANCE:
            self._draw_spot(time_ns, point, ink, under, normal)
            return
        if state.ink is None:
            self._begin_stroke(time_ns, point, normal, ink)
            return
        if ink != state.ink or state.cover is not None:
            self._end_stroke()
            self._begin_stroke(*state.last, ink)  # the new stroke begins where the old one ended
        if math.dist(point, state.last_point) >= self.spacing:
            self._add_point(time_ns, point, normal, ink)
        state.last = (time_ns, point, normal)

    def lift(self) -> None:
        """Lift the pen; a spot may continue where it was lifted."""
        state = self.state
        self._end_stroke()
        if state.cover is None:
            state.cover = state.shown = state.ink
        state.ink = None

    def remove_points(self) -> None:
        """Remove all points."""
        self.generation += 1
        self.state = TraceState(max(self.width / 2.0, SMALLEST_SPACING))

    def _draw_spot(self, time_ns: int, point: Vec3, ink: Ink, under: Ink, normal: Vec3) -> None:
        """Add one more step at the same position, covered by the ink `under` if the pen has not
        rested before."""
        state = self.state
        if state.cover is None:
            self._end_stroke()
            state.cover = state.shown = under
        cover = state.cover = _mixed(state.cover, ink)
        state.ink, state.last = ink, (time_ns, point, normal)
        spot = _missing_stroke(state.shown or cover, cover)
        if spot is None:
            return
        state.stroke += 1
        self._add_point(time_ns, point, normal, spot)
        self._add_point(time_ns, add(point, scale(tangent(normal), SPOT)), normal, spot)
        state.last_point, state.shown = point, cover

    def _begin_stroke(self, time_ns: int, point: Vec3, normal: Vec3, ink: Ink) -> None:
        state = self.state
        state.ink, state.cover = ink, None
        state.stroke += 1
        self._add_point(time_ns, point, normal, ink)
        state.last = (time_ns, point, normal)

    def _end_stroke(self) -> None:
        state = self.state
        if state.ink is not None and state.last[1] != state.last_point and state.cover is None:
            self._add_point(*state.last, state.ink)

    def _add_point(self, time_ns: int, point: Vec3, normal: Vec3, ink: Ink) -> None:
        state = self.state
        if self.count == MAX_POINTS:
            self._remove_points()
        index = self.count
        if index == len(state.times):
            state.times, state.values, state.strokes = (
                np.concatenate([old, np.zeros_like(old)])
                for old in (state.times, state.values, state.strokes)
            )
        state.times[index] = time_ns
        state.values[index] = (*point, *ink.colour, ink.density, *normal)
        state.strokes[index] = state.stroke
        state.count = index + 1
        state.last_point = point

    def _remove_points(self) -> None:
        """Remove every second point inside the strokes; if that is not enough, the oldest quarter of all
        points."""
        state = self.state
        count, strokes = self.count, state.strokes[: self.count]
        keep = np.arange(count) % 2 == 0
        ends = np.flatnonzero(np.diff(strokes))
        keep[[0, -1]] = True
        keep[ends] = keep[ends + 1] = True
        if keep.sum() > 3 * count // 4:
            keep[: count // 4] = False
        kept = int(keep.sum())
        for array in (state.times, state.values, state.strokes):
            array[:kept] = array[:count][keep]
        state.count = kept
        state.spacing *= 2.0
        self.generation += 1


def tangent(normal: Vec3) -> Vec3:
    """Return a direction in a surface: the projection of the x axis, or of the y axis where x is nearly
    normal to it."""
    axis = (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0)
    return normalized(subtract(axis, scale(normal, dot(axis, normal))))


def _mixed(cover: Ink, ink: Ink) -> Ink:
    """Return the ink on a surface after an ink was added."""
    total = cover.density + ink.density
    part = ink.density / total if total > 0.0 else 0.0
    red, green, blue = (old + part * (new - old) for old, new in zip(cover.colour, ink.colour, strict=True))
    return Ink((red, green, blue), min(1.0, total))


def _missing_stroke(shown: Ink, cover: Ink) -> Ink | None:
    """Return the stroke that changes the shown ink into the present one; None: the change is not visible.

    A stroke of density s and colour x leaves (1 - s) of what is below it and adds s·x.
    """
    change = max(abs(new - old) for old, new in zip(shown.colour, cover.colour, strict=True))
    gained = cover.density - shown.density
    is_denser = gained > _VISIBLE_CHANGE or (gained > _ROUNDED and cover.density == 1.0)
    if not is_denser and cover.density * change <= _VISIBLE_CHANGE:
        return None
    left = (1.0 - cover.density) / (1.0 - shown.density) if shown.density < 1.0 else 0.0
    red, green, blue = (
        min(1.0, max(0.0, (cover.density * new - left * shown.density * old) / (1.0 - left)))
        for old, new in zip(shown.colour, cover.colour, strict=True)
    )
    return Ink((red, green, blue), 1.0 - left)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
