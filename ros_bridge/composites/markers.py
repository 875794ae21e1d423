"""`/odesim/markers`: the visible shapes of the world for RViz, built from marker types that it can draw.

Pen traces are line strips that are sent once and extended at their end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.control.fields.node_outline import name_to_pick
from ros_bridge.topics.conversions import fill_pose, fill_time, fill_vector
from ros_bridge.topics.frames import WORLD
from ros_bridge.topics.records import Filler
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.devices.light.led import Led
from sim_core.model.appearance import Appearance, Phong
from sim_core.model.geometry import (
    Box,
    CadShape,
    Capsule,
    Cone,
    Cylinder,
    FileMesh,
    Geometry,
    Plane,
    Sphere,
    TriangleMesh,
)
from sim_core.model.points_and_lines import LineSet, PointSet, PointsOrLines
from sim_core.model.shapes import ShapeRecord
from sim_core.sensing.trace import SPOT, Trace
from sim_core.session.energy_supply import Charger
from sim_core.session.simulation import Simulation

GREY = (0.7, 0.7, 0.7, 1.0)


class _Placed(NamedTuple):
    """A marker with its pose."""

    marker: Any
    pose: Callable[[], Pose]
    moves: bool


class MarkersFiller(Filler):
    """Fills visualization_msgs/MarkerArray, with everything or with what moves.

    Attributes:
        everything: whether the next array contains all shapes, for subscribers that lack some.

    Args:
        sim: the simulation.
        kinds: types of geometry to include; empty: all.
    """

    def __init__(self, sim: Simulation, kinds: tuple[type, ...] = ()) -> None:
        self._sim = sim
        self._kinds = kinds
        self._placed: list[_Placed] | None = None
        self._lit_markers: list[_LitMarker] = []
        self._traces = TraceMarkers(sim)
        self.everything = True
        self._forget = False

    def rebuild(self) -> None:
        """Rebuild the markers, and make subscribers delete the old ones: the world has changed."""
        self._placed = None
        self._lit_markers = []
        self.everything = self._forget = True

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill the present poses."""
        if self._placed is None:
            self._placed = list(self._make())
        for lamp in self._lit_markers:
            lamp.mix_colour()
        shown = [item for item in self._placed if item.moves or self.everything]
        lines = list(self._traces.markers(self.everything))
        labels = self._label_markers() if self.everything else []
        orders = [Marker(action=Marker.DELETEALL)] if self._forget else []
        self.everything = self._forget = False
        for marker, pose, _ in shown:
            fill_time(marker.header.stamp, time_ns)
            fill_pose(marker.pose, pose())
        for marker in lines:
            fill_time(marker.header.stamp, time_ns)
        # Traces first: they may start with the action that deletes all markers.
        message.markers = orders + lines + [item.marker for item in shown] + labels

    def _label_markers(self) -> list[Any]:
        """Return the supervisor's labels, above the origin: left to right along -y, as seen from -x."""
        found = []
        for number, label in self._sim.supervisor.labels.items():
            marker = Marker(id=number, ns="labels", type=Marker.TEXT_VIEW_FACING, action=Marker.ADD)
            marker.header.frame_id = WORLD
            marker.text = label.text
            marker.scale.z = label.size
            marker.pose.position.y, marker.pose.position.z = 0.5 - label.x, 1.5 - label.y
            red, green, blue = label.colour
            marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0 - label.transparency)
            found.append(marker)
        return found

    def _make(self) -> list[_Placed]:
        placed: list[_Placed] = []
        leds = _leds(self._sim)
        model = self._sim.physics.model
        for record in model.visible.records:
            if self._kinds and not isinstance(record.geometry, self._kinds):
                continue
            led = leds.get(record.appearance.node) if record.appearance is not None else None
            for part in parts_of(record.geometry):
                one = self._place(record, part, len(placed))
                if record.solid is not None:  # the text carries the owner, and is not displayed
                    one.marker.text = name_to_pick(self._sim, model.node(record.solid))
                placed.append(one._replace(moves=one.moves or led is not None))  # send again for its colour
                if led is not None:
                    self._lit_markers.append(_LitMarker(placed[-1].marker, led, _colour(record.appearance)))
        return placed

    def _place(self, record: ShapeRecord, part: MarkerPart, number: int) -> _Placed:
        offset = record.offset * part.pose
        physics, model = self._sim.physics, self._sim.physics.model
        owner = model.solid(record.robot).name if record.robot is not None else "world"
        marker = _marker(record, part, owner, number)
        if record.solid is None:
            return _Placed(marker, lambda: offset, False)
        solid, wheel = record.solid, record.wheel
        frame = physics.frame(solid)
        if wheel is not None and (axis := physics.axis(solid)).spec.is_dynamic:  # else the belt stands
            turning = model.track_wheel(solid, wheel)
            return _Placed(marker, lambda: frame.pose() * turning.turn(axis.position) * offset, True)
        return _Placed(marker, lambda: frame.pose() * offset, model.solid(record.solid).moves)


class _LitMarker(NamedTuple):
    """The marker of a shape lit by an LED or a charger."""

    marker: Any
    led: Led | Charger
    dark: tuple[float, float, float, float]

    def mix_colour(self) -> None:
        """Mix the shape's own colour with the light of the LED."""
        light = self.led.colour
        rest = 1.0 - max(light)
        red, green, blue = (own * rest + part for own, part in zip(self.dark, light, strict=False))
        self.marker.color = ColorRGBA(r=red, g=green, b=blue, a=self.dark[3])


def _leds(sim: Simulation) -> dict[NodeId, Led | Charger]:
    """Return LEDs and chargers by the appearances that they change."""
    devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
    shining: list[Led | Charger] = [*sim.chargers, *(device for device in devices if isinstance(device, Led))]
    return {look: each for each in shining for look in each.appearances}


def _marker(record: ShapeRecord, part: MarkerPart, owner: str, number: int) -> Any:
    marker = Marker(id=number, ns=owner, action=Marker.ADD)
    marker.header.frame_id = WORLD
    marker.type = getattr(Marker, part.kind)
    size = tuple(length * factor for length, factor in zip(part.size, record.scale, strict=True))
    fill_vector(marker.scale, (abs(size[0]), abs(size[1]), abs(size[2])))
    red, green, blue, alpha = part.colour or _colour(record.appearance)
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=alpha)
    points = part.points
    if part.kind in (POINTS, LINES):  # their scale is a width
        points = (np.array(points) * record.scale).tolist()
        fill_vector(marker.scale, part.size)
        marker.color = _emissive_colour(record.appearance)
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in points]
    marker.colors = [ColorRGBA(r=ink[0], g=ink[1], b=ink[2], a=marker.color.a) for ink in part.point_colours]
    marker.mesh_resource = part.file
    return marker


def _colour(appearance: Appearance | None) -> tuple[float, float, float, float]:
    """Return mean colour and opacity."""
    return (appearance.mean_colour if appearance is not None else None) or GREY


def _emissive_colour(appearance: Appearance | None) -> Any:
    """Return the emissive colour, used for points and lines."""
    if appearance is None or not isinstance(appearance.shading, Phong):
        return ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
    red, green, blue = appearance.emissive
    return ColorRGBA(r=red, g=green, b=blue, a=1.0 - appearance.transparency)


PLANE_THICKNESS = 0.001
CONE_SIDES = 24
POINTS, LINES = "POINTS", "LINE_LIST"
POINT_WIDTH, LINE_WIDTH = 0.01, 0.002
"""m; in camera pictures, points and lines have a fixed size in pixels instead."""
MAX_TRIANGLES = 20_000
"""Most triangles of a mesh file that are sent as such; of a larger one RViz gets the URL."""


class MarkerPart(NamedTuple):
    """One marker: name of its type in visualization_msgs/Marker, size in m, pose."""

    kind: str
    size: Vec3
    pose: Pose = Pose()
    points: Sequence[Vec3] = ()
    """Of a TRIANGLE_LIST: three corners for each triangle."""
    colour: tuple[float, float, float, float] | None = None
    """Own colour; None: that of the appearance."""
    file: str = ""
    """Of a MESH_RESOURCE: URL."""
    point_colours: Sequence[Vec3] = ()
    """Colours of the points; empty: `colour`."""


def parts_of(geometry: Geometry | None) -> list[MarkerPart]:
    """Return the markers for a geometry; none if it cannot be drawn with markers."""
    match geometry:
        case Box(size):
            return [MarkerPart("CUBE", size)]
        case Plane((x, y)):
            return [MarkerPart("CUBE", (x, y, PLANE_THICKNESS), Pose((0.0, 0.0, -PLANE_THICKNESS / 2.0)))]
        case Sphere(radius):
            return [_sphere(radius, 0.0)]
        case Cylinder(radius, height):
            return [_tube(radius, height)]
        case Capsule(radius, height):
            return [_tube(radius, height), _sphere(radius, height / 2.0), _sphere(radius, -height / 2.0)]
        case Cone(radius, height):
            return _cone(radius, height / 2.0)
        case PointSet(colours=colours):
            return _marks(POINTS, geometry, POINT_WIDTH, colours or ())
        case LineSet():
            return _marks(LINES, geometry, LINE_WIDTH, ())
        case FileMesh():
            return _file(geometry)
        case TriangleMesh():
            return _triangles(geometry.triangles)
    return []


def _marks(kind: str, marks: PointsOrLines, width: float, point_colours: Sequence[Vec3]) -> list[MarkerPart]:
    points = [(x, y, z) for x, y, z in marks.points.tolist()]
    size = (width, width, 0.0)
    return (
        [MarkerPart(kind, size, points=points, point_colours=point_colours[: len(points)])] if points else []
    )


def _sphere(radius: float, z: float) -> MarkerPart:
    return MarkerPart("SPHERE", (2.0 * radius, 2.0 * radius, 2.0 * radius), Pose((0.0, 0.0, z)))


def _tube(radius: float, height: float) -> MarkerPart:
    return MarkerPart("CYLINDER", (2.0 * radius, 2.0 * radius, height))


def _cone(radius: float, half: float) -> list[MarkerPart]:
    angles = [2.0 * math.pi * index / CONE_SIDES for index in range(CONE_SIDES + 1)]
    rim = [(radius * math.cos(angle), radius * math.sin(angle), -half) for angle in angles]
    points: list[Vec3] = []
    for a, b in pairwise(rim):
        points += [(0.0, 0.0, half), a, b, (0.0, 0.0, -half), b, a]
    return [MarkerPart("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points)]


def _file(mesh: FileMesh) -> list[MarkerPart]:
    """Return the triangles, or the file itself if it is large and RViz draws it identically."""
    if mesh.file is not None and mesh.ccw and len(mesh.triangles) > MAX_TRIANGLES:
        path = mesh.file.find_file().resolve()
        if path.suffix.lower() in (".obj", ".stl"):
            return [MarkerPart("MESH_RESOURCE", (1.0, 1.0, 1.0), file=path.as_uri())]
    if isinstance(mesh, CadShape) and len(mesh.triangles):
        return [shown for part in mesh.parts for shown in _triangles(part.triangles, part.colour)]
    return _triangles(mesh.triangles)


def _triangles(
    triangles: NDArray[np.float64], colour: tuple[float, float, float, float] | None = None
) -> list[MarkerPart]:
    points = [(x, y, z) for triangle in triangles.tolist() for x, y, z in triangle]
    return [MarkerPart("TRIANGLE_LIST", (1.0, 1.0, 1.0), points=points, colour=colour)] if points else []


CHUNK = 256
"""Most points of one marker; only the last markers of a trace are sent again."""
LEAST_WIDTH = 0.001
LIFT = 0.001
"""Height of lines above the floor, m, so that it does not cover half of them."""


class TraceMarkers:
    """Pen traces in a world, each in a namespace of its own."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._shown: dict[Trace, _SentTrace] = {}

    def markers(self, everything: bool) -> Iterator[Any]:
        """Return what is new since the last call, or everything.

        Everything starts with the action that deletes all markers, because traces may have been removed.
        """
        traces = self._sim.media.appearance_changes.traces
        if everything and (traces or self._shown):
            yield Marker(action=Marker.DELETEALL)
        for gone in self._shown.keys() - set(traces):
            yield from self._shown.pop(gone).deletions()
        for trace in traces:
            if trace not in self._shown:
                self._shown[trace] = _SentTrace(trace)
            yield from self._shown[trace].markers(everything)


class _SentTrace:
    """One trace, and how much of it has been sent."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._generation = trace.generation
        self._count = 0

    def markers(self, everything: bool) -> Iterator[Any]:
        trace = self._trace
        if trace.generation != self._generation:
            yield from self.deletions()
            self._generation = trace.generation
            everything = True
        if everything:
            self._count = 0
        if trace.count == self._count:
            return
        # The last complete marker is sent again too, in case a message was lost.
        first = 0 if self._count == 0 else max(0, (self._count - 1) // CHUNK - 1)
        self._count = trace.count
        for number in range(first, -(-trace.count // CHUNK)):
            yield from self._chunk(number)

    def _chunk(self, number: int) -> Iterator[Any]:
        """Return the points of a chunk and the first one of the next, so that the line has no gap."""
        trace, start = self._trace, number * CHUNK
        end = min(start + CHUNK + 1, trace.count)
        marker = self._marker(number, Marker.ADD)
        strokes = trace.strokes[start:end].tolist()
        places = [Point(x=x, y=y, z=z) for x, y, z in trace.points[start:end].tolist()]
        colours = np.column_stack((trace.colours[start:end], trace.densities[start:end]))
        point_colours = [
            ColorRGBA(r=red, g=green, b=blue, a=density) for red, green, blue, density in colours.tolist()
        ]
        for index in range(len(places) - 1):
            if strokes[index] == strokes[index + 1]:
                marker.points += _piece_ends(places[index], places[index + 1], marker.scale.x)
                marker.colors += [point_colours[index], point_colours[index + 1]]
        if marker.points:
            yield marker

    def _marker(self, number: int, action: int) -> Any:
        name = f"{self._trace.name} trace"
        marker = Marker(ns=name, id=number, type=Marker.LINE_LIST, action=action)
        marker.header.frame_id = WORLD
        marker.pose.position.z = LIFT
        marker.scale.x = max(self._trace.width, LEAST_WIDTH)
        return marker

    def deletions(self) -> Iterator[Any]:
        for number in range(-(-self._count // CHUNK)):
            yield self._marker(number, Marker.DELETE)


def _piece_ends(first: Any, second: Any, width: float) -> list[Any]:
    """Return the ends of a piece of a line; a spot becomes a piece as long as it is wide."""
    if abs(second.x - first.x) > 2.0 * SPOT or (second.y, second.z) != (first.y, first.z):
        return [first, second]
    return [Point(x=first.x + half, y=first.y, z=first.z) for half in (-width / 2.0, width / 2.0)]
