"""What a pen has drawn: points with time, colour and density, in strokes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Vec3

MOST_POINTS = 2**17
"""Points that a trace keeps; when there are more, every second one is dropped (10 MB)."""
SMALLEST_SPACING = 0.0005
"""m; a finer line shows no more."""
_FIRST_SIZE = 256


class Ink(NamedTuple):
    """What a pen writes with."""

    colour: Vec3
    """Red, green, blue from 0 to 1."""
    density: float
    """0: transparent, 1: opaque."""


class Trace:
    """The line that a pen has drawn, in the world's axes.

    A stroke is a piece of one ink drawn without lifting the pen. Points nearer than `spacing` to the one
    before are left out, save the last of a stroke: a pen that stands still draws no more points.

    Attributes:
        name: of the robot and the pen, for people.
        width: of the line, m.
        spacing: least distance of two points, m; doubles whenever points are dropped.
        count: how many points there are.
        generation: grows whenever points that were there before have gone.
    """

    def __init__(self, name: str, width: float) -> None:
        self.name = name
        self.width = width
        self.generation = 0
        self._last: tuple[int, Vec3]
        self._start_anew()

    @property
    def times(self) -> NDArray[np.int64]:
        """(count,) sim time in ns, read-only as all these."""
        return _frozen(self._times[: self.count])

    @property
    def points(self) -> NDArray[np.float64]:
        """(count, 3) m, world axes."""
        return _frozen(self._values[: self.count, :3])

    @property
    def colours(self) -> NDArray[np.float64]:
        """(count, 3) red, green, blue from 0 to 1."""
        return _frozen(self._values[: self.count, 3:6])

    @property
    def densities(self) -> NDArray[np.float64]:
        """(count,) from 0 to 1."""
        return _frozen(self._values[: self.count, 6])

    @property
    def strokes(self) -> NDArray[np.int64]:
        """(count,) number of the stroke that each point belongs to; these never fall."""
        return _frozen(self._strokes[: self.count])

    def pieces(self, start: int = 0) -> Iterator[tuple[NDArray[np.float64], Ink]]:
        """The points (n, 3) and the ink of each stroke, from the point number `start` on."""
        strokes = self._strokes[start : self.count]
        bounds = np.flatnonzero(np.diff(strokes)) + 1
        for part in np.split(np.arange(start, self.count), bounds):
            if len(part):
                values = self._values[part[0]]
                red, green, blue, density = values[3:].tolist()
                yield self.points[part[0] : part[-1] + 1], Ink((red, green, blue), density)

    def draw(self, time_ns: int, point: Vec3, ink: Ink) -> None:
        """The pen writes here now."""
        if self._ink is not None and ink != self._ink:
            self._end_stroke()
            self._begin_stroke(*self._last, ink)  # the new colour begins where the old one ended
        if self._ink is None:
            self._begin_stroke(time_ns, point, ink)
            return
        if math.dist(point, self._noted) >= self.spacing:
            self._note(time_ns, point, ink)
        self._last = (time_ns, point)

    def lift(self) -> None:
        """The pen does not write now."""
        if self._ink is not None:
            self._end_stroke()

    def clear(self) -> None:
        """Wipe everything off."""
        self.generation += 1
        self._start_anew()

    def _start_anew(self) -> None:
        self.count = 0
        self.spacing = max(self.width / 2.0, SMALLEST_SPACING)
        self._times = np.zeros(_FIRST_SIZE, np.int64)
        self._values = np.zeros((_FIRST_SIZE, 7))
        self._strokes = np.zeros(_FIRST_SIZE, np.int64)
        self._stroke = -1
        self._ink: Ink | None = None
        self._noted: Vec3 = (0.0, 0.0, 0.0)
        self._last = (0, self._noted)

    def _begin_stroke(self, time_ns: int, point: Vec3, ink: Ink) -> None:
        self._ink = ink
        self._stroke += 1
        self._note(time_ns, point, ink)
        self._last = (time_ns, point)

    def _end_stroke(self) -> None:
        if self._ink is not None and self._last[1] != self._noted:
            self._note(*self._last, self._ink)
        self._ink = None

    def _note(self, time_ns: int, point: Vec3, ink: Ink) -> None:
        if self.count == MOST_POINTS:
            self._thin()
        index = self.count
        if index == len(self._times):
            for name in ("_times", "_values", "_strokes"):
                old: NDArray[Any] = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        self._times[index] = time_ns
        self._values[index] = (*point, *ink.colour, ink.density)
        self._strokes[index] = self._stroke
        self.count = index + 1
        self._noted = point

    def _thin(self) -> None:
        """Drop every second point inside the strokes; if that gives no room, the oldest quarter of all."""
        count, strokes = self.count, self._strokes[: self.count]
        keep = np.arange(count) % 2 == 0
        ends = np.flatnonzero(np.diff(strokes))
        keep[[0, -1]] = True
        keep[ends] = keep[ends + 1] = True
        if keep.sum() > 3 * count // 4:
            keep[: count // 4] = False
        kept = int(keep.sum())
        for array in (self._times, self._values, self._strokes):
            array[:kept] = array[:count][keep]
        self.count = kept
        self.spacing *= 2.0
        self.generation += 1


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
