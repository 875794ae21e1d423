"""What pens draw, as line strips that are sent once and grow at their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.topics.frames import WORLD
from sim_core.devices.drawing.pen import Pen
from sim_core.sensing.trace import Trace
from sim_core.session.simulation import Simulation

CHUNK = 256
"""Points of one marker; only the last markers of a trace are sent again."""
LEAST_WIDTH = 0.001
LIFT = 0.001
"""m that lines are drawn above the floor, which would cover half of them."""


class TraceMarkers:
    """The traces of all pens of a world, each in a namespace of its own."""

    def __init__(self, sim: Simulation) -> None:
        devices = (device for robot in sim.robots.values() for device in robot.devices.values())
        self._shown = [_Shown(device.trace) for device in devices if isinstance(device, Pen)]

    def markers(self, everything: bool) -> Iterator[Any]:
        """What is new since the last call, or all.

        With everything comes, first, the order to forget all markers, for a trace may have been wiped off.
        """
        if everything and self._shown:
            yield Marker(action=Marker.DELETEALL)
        for shown in self._shown:
            yield from shown.markers(everything)


class _Shown:
    """One trace and how much of it has been sent."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._generation = trace.generation
        self._count = 0

    def markers(self, everything: bool) -> Iterator[Any]:
        trace = self._trace
        if trace.generation != self._generation:
            if not everything:
                yield from self._deletions()
            self._generation = trace.generation
            everything = True
        if everything:
            self._count = 0
        if trace.count == self._count:
            return
        # The marker before the one that grows is sent again too: a message may have been lost.
        first = 0 if self._count == 0 else max(0, (self._count - 1) // CHUNK - 1)
        self._count = trace.count
        for number in range(first, -(-trace.count // CHUNK)):
            yield from self._chunk(number)

    def _chunk(self, number: int) -> Iterator[Any]:
        """The points of a chunk and the first one of the next, so that the line has no gap."""
        trace, start = self._trace, number * CHUNK
        end = min(start + CHUNK + 1, trace.count)
        marker = self._marker(number, Marker.LINE_LIST)
        strokes = trace.strokes[start:end].tolist()
        places = [Point(x=x, y=y, z=z) for x, y, z in trace.points[start:end].tolist()]
        inks = [
            ColorRGBA(r=red, g=green, b=blue, a=density)
            for (red, green, blue), density in zip(
                trace.colours[start:end].tolist(), trace.densities[start:end].tolist(), strict=True
            )
        ]
        for index in range(len(places) - 1):
            if strokes[index] == strokes[index + 1]:
                marker.points += [places[index], places[index + 1]]
                marker.colors += [inks[index], inks[index + 1]]
        if marker.points:
            yield marker

    def _marker(self, number: int, kind: int) -> Any:
        marker = Marker(ns=f"{self._trace.name} trace", id=number, type=kind, action=Marker.ADD)
        marker.header.frame_id = WORLD
        marker.pose.position.z = LIFT
        marker.scale.x = max(self._trace.width, LEAST_WIDTH)
        return marker

    def _deletions(self) -> Iterator[Any]:
        for number in range(-(-self._count // CHUNK)):
            marker = self._marker(number, Marker.LINE_LIST)
            marker.action = Marker.DELETE
            yield marker
