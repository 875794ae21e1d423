"""Infra-red reflection of surfaces: the colour at the point that a ray hits.

Textures are mapped on shapes as in rendering (`sensing/render/meshes.py`), including what displays show and
what pens have drawn.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, rotate, rotate_back, subtract
from sim_core.base.ids import NodeId
from sim_core.devices.media import Media, Medium
from sim_core.model.appearance import BASE, Appearance, PaintLayer, Rgb, infrared_factor
from sim_core.model.changes import Aspect, Edits
from sim_core.model.shapes import ShapeRecord
from sim_core.sensing.appearance_changes import Screen
from sim_core.sensing.rays import Rays
from sim_core.sensing.render.meshes import Form, form_of, mesh_of
from sim_core.sensing.trace import Trace

_FLAT = 1e-5
"""Distance of triangles from their surface, as a fraction of their extent, because meshes have 32-bit
numbers."""
_ROUND = 0.01
"""The same for curved surfaces, whose triangles are chords, in radii."""


class Beam(NamedTuple):
    """A ray of a sensor, and its length.

    Attributes:
        ray: the ray alone, hitting visible shapes; in the frame of the sensor.
        length: m to the hit.
    """

    ray: Rays
    length: float

    @property
    def end(self) -> Vec3:
        """Position of the hit in the world, m."""
        assert self.ray.frame is not None
        (x, y, z), rotation = self.ray.frame.pose()
        dx, dy, dz = rotate(rotation, tuple((self.length * self.ray.directions[0]).tolist()))
        return (x + dx, y + dy, z + dz)


class Reflectances(Medium):
    """Infra-red reflection factors of surfaces, at the points that rays hit."""

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self._appearance_changes = media.appearance_changes
        self._lines: dict[Trace, _TraceIndex] = {}
        self._clear_cache()

    def scene_changed(self, edits: Edits) -> None:
        """Discard cached data after edits of anything but poses."""
        if edits.touch(Aspect.STRUCTURE, Aspect.SIZE, Aspect.LOOKS):
            self._clear_cache()

    def factor(self, record: ShapeRecord, beam: Beam) -> float:
        """Return the factor of a shape at the end of a beam."""
        appearance = record.appearance
        is_plain = appearance is None or not appearance.textures
        if is_plain and not self._appearance_changes.traces:
            return infrared_factor(appearance)
        point = beam.end
        coats = self._ink_at(point)
        if appearance is None or is_plain:
            return infrared_factor(appearance, coats=coats)
        place = self._place(record, point)
        picture = partial(self._colour, appearance, place) if place is not None else None
        return infrared_factor(appearance, picture, coats)

    def factor_of_solid(self, bounding: ShapeRecord, beam: Beam) -> float:
        """Return the factor by the rule of Webots 6: the colour of the bounding object, or else of the
        visible shape."""
        if bounding.appearance is not None:
            return self.factor(bounding, beam)
        rays = self.rays
        rays.clear()
        rays.add_rays(beam.ray)
        rays.cast()
        seen = rays.record(0)
        if seen is None or seen.solid != bounding.solid:
            return 1.0
        return self.factor(seen, beam._replace(length=float(rays.distances[0])))

    def _clear_cache(self) -> None:
        self._meshes: dict[Hashable, _TexturedMesh] = {}
        self._screens: dict[NodeId, Screen] = {}
        self._displays = -1

    def _place(self, record: ShapeRecord, point: Vec3) -> tuple[float, float] | None:
        """Return the texture coordinates of a point of a shape: from the left and from the top, 0 to 1."""
        form = form_of(record.geometry)
        if form is None:
            return None
        mesh = self._meshes.get(form.key)
        if mesh is None:
            mesh = self._meshes[form.key] = _textured_mesh_of(form)
        pose = self.world.frame(record.solid).pose() if record.solid is not None else Pose()
        position, rotation = pose * record.offset
        local = np.array(rotate_back(rotation, subtract(point, position)))
        return mesh.texture_coordinates(local / record.scale / form.scale)

    def _colour(self, appearance: Appearance, place: tuple[float, float], role: str) -> Rgb | None:
        """Return the colour of a texture there; transparent parts are dark."""
        texture = appearance.textures.get(role)
        if texture is None:
            return None
        screen = self._screen_on(appearance) if role == BASE else None
        try:
            pixels = screen.pixels if screen is not None else texture.pixels()
        except SceneError:
            return None
        if pixels is None:
            return None
        a, b, c, d, e, f = appearance.turn
        s, t = place
        height, width = pixels.shape[:2]
        column = _pixel(a * s + b * t + c, width, texture.repeat_s)
        row = _pixel(d * s + e * t + f, height, texture.repeat_t)
        red, green, blue, opacity = (pixels[row, column] / 255.0).tolist()
        return (red * opacity, green * opacity, blue * opacity)

    def _screen_on(self, appearance: Appearance) -> Screen | None:
        """Return the screen of the Display on an appearance."""
        screens = self._appearance_changes.screens
        if self._displays != len(screens):
            self._displays = len(screens)
            of = self.world.model.screen_of
            self._screens = {
                node: screen for display, screen in screens.items() if (node := of(display)) is not None
            }
        return self._screens.get(appearance.node)

    def _ink_at(self, point: Vec3) -> list[PaintLayer]:
        """Return the ink of pens at a point, the first drawn first."""
        traces = self._appearance_changes.traces
        if any(trace not in self._lines for trace in traces) or len(self._lines) > len(traces):
            self._lines = {trace: self._lines.get(trace) or _TraceIndex(trace) for trace in traces}
        return [coat for trace in traces if trace.count for coat in self._lines[trace].coats(point)]


class _TexturedMesh(NamedTuple):
    """The triangles of a form with texture coordinates.

    Attributes:
        corners: (n, 3, 3).
        normals: (n, 3) unit vectors.
        places: (n, 3, 2) texture coordinates of the corners.
        tolerance: largest distance of a point of the surface from its triangle.
    """

    corners: FloatArray
    normals: FloatArray
    places: FloatArray
    tolerance: float

    def texture_coordinates(self, point: FloatArray) -> tuple[float, float] | None:
        """Return the texture coordinates of a point of the surface."""
        if not len(self.corners):
            return None
        first = self.corners[:, 0]
        off = np.abs(((point - first) * self.normals).sum(axis=1))
        near = np.flatnonzero(off <= off.min() + self.tolerance)
        origin = first[near]
        u, v = self.corners[near, 1] - origin, self.corners[near, 2] - origin
        across = np.cross(u, v)
        area = (across * across).sum(axis=1)
        to = point - origin
        second = (np.cross(to, v) * across).sum(axis=1) / area
        third = (np.cross(u, to) * across).sum(axis=1) / area
        parts = np.stack([1.0 - second - third, second, third], axis=1)
        best = int(parts.min(axis=1).argmax())
        s, t = (parts[best] @ self.places[near[best]]).tolist()
        return (s, t)


def _textured_mesh_of(form: Form) -> _TexturedMesh:
    vertices = mesh_of(form).astype(np.float64).reshape(-1, 3, 8)
    corners = vertices[..., :3]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(across, axis=1)
    kept = lengths > 0.0
    extent = float(np.ptp(corners, axis=(0, 1)).max()) if len(corners) else 0.0
    return _TexturedMesh(
        corners[kept],
        across[kept] / lengths[kept, None],
        vertices[kept, :, 6:],
        _ROUND if form.segments else _FLAT * extent,
    )


def _pixel(place: float, count: int, repeats: bool) -> int:
    index = math.floor(place * count)
    return index % count if repeats else min(max(index, 0), count - 1)


class _TraceIndex:
    """Spatial index of a pen's line: its pieces by cells of the x-y plane."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._reach = trace.width / 2.0 + 1e-9
        self._generation = trace.generation - 1
        self._read = 0
        self._pieces: dict[tuple[int, int], list[int]] = {}

    def coats(self, point: Vec3) -> list[PaintLayer]:
        """Return the pieces that cover a point, the first drawn first."""
        self._update()
        trace = self._trace
        column, row = self._cell(point[0], point[1])
        pieces = {
            piece
            for x in (column - 1, column, column + 1)
            for y in (row - 1, row, row + 1)
            for piece in self._pieces.get((x, y), ())
        }
        points, strokes = trace.points, trace.strokes
        met: dict[int, int] = {}  # a stroke covers a point only once
        for piece in sorted(pieces):
            end = piece + 1 if _continues(strokes, piece) else piece
            if _distance(point, points[piece], points[end]) <= self._reach:
                met.setdefault(int(strokes[piece]), piece)
        return [
            PaintLayer(float(trace.colours[piece, 0]), float(trace.densities[piece]))
            for piece in met.values()
        ]

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        return math.floor(x / self._size), math.floor(y / self._size)

    def _update(self) -> None:
        """Add the pieces drawn since the last call."""
        trace = self._trace
        if trace.generation != self._generation or trace.count < self._read:
            self._generation, self._read, self._pieces = trace.generation, 0, {}
            self._size = max(trace.width, 2.0 * trace.spacing)
        if trace.count == self._read:
            return
        first = max(0, self._read - 1)
        points, strokes = trace.points[first:, :2].tolist(), trace.strokes[first:].tolist()
        for index, (x, y) in enumerate(points):
            to_x, to_y = points[index + 1] if _continues(strokes, index) else (x, y)
            count = math.ceil(2.0 * math.hypot(to_x - x, to_y - y) / self._size) + 1
            for step in range(count + 1):
                part = step / count
                cell = self._pieces.setdefault(self._cell(x + part * (to_x - x), y + part * (to_y - y)), [])
                if not cell or cell[-1] != first + index:
                    cell.append(first + index)
        self._read = trace.count


def _continues(strokes: Sequence[int] | IntArray, index: int) -> bool:
    """Return True if a piece of a stroke begins at a point, False if it is the last point of its stroke."""
    return index + 1 < len(strokes) and bool(strokes[index] == strokes[index + 1])


def _distance(point: Vec3, start: FloatArray, end: FloatArray) -> float:
    """Return the distance from a point to a piece of a line, m."""
    along, to = end - start, np.array(point) - start
    length = float(along @ along)
    part = min(1.0, max(0.0, float(to @ along) / length)) if length > 0.0 else 0.0
    return float(np.linalg.norm(to - part * along))
