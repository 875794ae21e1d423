"""Lines and dots in the world, and their conversion to markers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.topics.conversions import fill_time
from ros_bridge.topics.frames import WORLD
from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.session.simulation import Simulation

Colour = tuple[float, float, float]
LINE_WIDTH = 0.003
DOT_SIZE = 0.03
"""Size in m, as drawn by RViz; the viewer draws lines one or two pixels wide at any distance."""
NO_POINTS: FloatArray = np.empty((0, 3))


class Primitives(NamedTuple):
    """Lines or dots of one colour.

    Attributes:
        namespace: of the marker; RViz has a checkbox for each.
        points: (n, 3) m in the world; for lines both ends of the first, both ends of the second, …
        colour: red, green, blue, from 0 to 1.
        are_dots: dots instead of lines.
    """

    namespace: str
    points: FloatArray
    colour: Colour
    are_dots: bool = False


class Overlay(ABC):
    """One type of overlay of a world.

    Args:
        sim: the simulation, which an overlay never changes.
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim

    def set_wanted(self, wanted: bool) -> None:  # noqa: B027
        """Prepare or stop, depending on whether it has subscribers; called whenever that may have changed."""

    @abstractmethod
    def primitives(self) -> Iterable[Primitives]:
        """Return the present lines and dots; after changes of the world the overlay is created again.

        Raises:
            OdesimError: the world contains something invalid.
        """


class MarkerMaker:
    """Converts marks to markers; markers and points are reused, which is faster."""

    def __init__(self) -> None:
        self._markers: dict[tuple[str, int], Any] = {}
        self._points: dict[tuple[str, int], list[Any]] = {}
        self._filled: dict[tuple[str, int], FloatArray] = {}
        self._first = Marker(action=Marker.DELETEALL)

    def markers(self, primitives: Iterable[Primitives], time_ns: int) -> list[Any]:
        """Return all markers of one message; the first deletes those of the message before."""
        found = [self._first]
        counts: dict[str, int] = {}
        for each in primitives:
            if not len(each.points):
                continue
            number = counts.get(each.namespace, 0)
            counts[each.namespace] = number + 1
            found.append(self._fill((each.namespace, number), each, time_ns))
        return found

    def _fill(self, key: tuple[str, int], primitives: Primitives, time_ns: int) -> Any:
        marker = self._markers.get(key)
        if marker is None:
            marker = self._markers[key] = Marker(ns=key[0], id=key[1], action=Marker.ADD)
            marker.header.frame_id = WORLD
            marker.pose.orientation.w = 1.0
        kind, size = (Marker.SPHERE_LIST, DOT_SIZE) if primitives.are_dots else (Marker.LINE_LIST, LINE_WIDTH)
        marker.type = kind
        marker.scale.x = size
        marker.scale.y = marker.scale.z = size if primitives.are_dots else 0.0
        red, green, blue = primitives.colour
        marker.color = ColorRGBA(r=float(red), g=float(green), b=float(blue), a=1.0)
        fill_time(marker.header.stamp, time_ns)
        filled = self._filled.get(key)
        if filled is not None and np.array_equal(filled, primitives.points):
            return marker
        self._filled[key] = primitives.points
        kept = self._points.setdefault(key, [])
        rows = primitives.points.tolist()
        kept += [Point() for _ in range(len(rows) - len(kept))]
        for point, (x, y, z) in zip(kept, rows, strict=False):
            point.x, point.y, point.z = x, y, z
        marker.points = kept[: len(rows)]
        return marker


def in_world(pose: Pose, points: FloatArray) -> FloatArray:
    """Transform points (n, 3) from a frame at `pose` to the world, m."""
    turned: FloatArray = points @ np.array(pose.rotation).reshape(3, 3).T + pose.position
    return turned


def joined(parts: list[FloatArray]) -> FloatArray:
    """Concatenate points."""
    return np.concatenate([part.reshape(-1, 3) for part in parts]) if parts else NO_POINTS


def outline(points: FloatArray) -> FloatArray:
    """Return the lines of a closed polygon: (n, 3) corners → (2·n, 3) ends."""
    return np.stack((points, np.roll(points, -1, axis=0)), axis=1).reshape(-1, 3)


def chain(points: FloatArray) -> FloatArray:
    """Return the lines of an open polygon: (n, 3) corners → (2·n - 2, 3) ends."""
    return np.stack((points[:-1], points[1:]), axis=1).reshape(-1, 3)


def spokes(start: FloatArray, ends: FloatArray) -> FloatArray:
    """Return lines between points of two arrays of shape (…, 3), or from one point to many."""
    return np.stack(np.broadcast_arrays(start, ends), axis=-2).reshape(-1, 3)
