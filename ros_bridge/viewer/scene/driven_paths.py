"""The paths that robots have driven since their switch is on, as lines in the scene."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.scene.scene_view import is_robot

SAMPLE_PERIOD = 0.5
"""Seconds of wall time between two points."""
MAX_POINTS = 2000
"""Most points of a path; the oldest are dropped."""
LEAST_MOTION = 0.01
"""Smallest distance between two points, m."""
LINE_PIXELS = 2.5
COLOUR = (255, 146, 43)


class DrivenPaths:
    """One line for each robot, through the places of its first part. It restarts after a reset."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._is_on = False
        self._next = 0.0
        self._time_ns = 0
        self._paths: dict[str, deque[tuple[float, float, float]]] = {}
        self._line: Any = None

    def show(self, is_on: bool) -> None:
        """Begin to note the places, or remove the lines."""
        self._is_on = is_on
        self._clear()

    def refresh(self, now: float) -> None:
        """Note where the robots are, and draw the lines."""
        if not self._is_on or now < self._next:
            return
        self._next = now + SAMPLE_PERIOD
        time_ns = self._context.link.time_ns or 0
        if time_ns < self._time_ns:
            self._clear()
        self._time_ns = time_ns
        if self._sample():
            self._draw()

    def _sample(self) -> bool:
        """Return whether a robot has moved."""
        seen: set[str] = set()
        moved = False
        for (namespace, _), item in self._context.state.items():
            if namespace in seen or not item.moves or not is_robot(namespace):
                continue
            seen.add(namespace)
            path = self._paths.setdefault(namespace, deque(maxlen=MAX_POINTS))
            place = item.place.position
            if not path or math.dist(path[-1], place) > LEAST_MOTION:
                path.append(place)
                moved = True
        return moved

    def _draw(self) -> None:
        pairs = [pair for path in self._paths.values() for pair in zip(path, list(path)[1:], strict=False)]
        if not pairs:
            return
        lines = np.array(pairs, np.float32)
        if self._line is None:
            self._line = self._context.server.scene.add_line_segments(
                "/driven_paths",
                lines,
                np.array(COLOUR, np.uint8),
                thickness=LINE_PIXELS,
                thickness_units="screen",
            )
        else:
            self._line.points = lines

    def _clear(self) -> None:
        self._paths.clear()
        if self._line is not None:
            self._line.remove()
            self._line = None
