"""Geometries as triangles with normals; geometries of equal form share one mesh."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.model.geometry import (
    Box,
    CadShape,
    Capsule,
    Cone,
    Cylinder,
    Geometry,
    Plane,
    Sphere,
    TriangleMesh,
    default_texture_coordinates,
)
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.scene.meshes.mesh_files import MeshPart

Vertices = Float32Array
"""(n, 8): position in m, unit normal, texture coordinates (0 to 1 from the left and the top); three rows
are a triangle, counter-clockwise seen from the front. For points a row is one point, for lines two rows
are a piece; they have a linear colour instead of the normal if the row's last but one number is 1.

Textures are mapped on Box, Sphere and so on as in Webots: whole on each side of a Box, once around a Cylinder
from +y over -x, and so on.
"""
COLUMNS = 8

SAGITTA = 0.0005
"""Largest distance in m of chords from a round surface, unless more than the largest number of chords is
needed."""
SEGMENTS = (24, 32, 48, 64)
"""Numbers of chords of a circle; few different ones, so that more geometries share a mesh."""
COARSE = (12, 16, 24)
"""Numbers of chords of instances that are small in a picture."""
FLATTER = 0.25
"""Largest distance in pixels of chords from a small round instance."""


class Form(NamedTuple):
    """A geometry as a shared mesh and its scale.

    Attributes:
        mesh: a primitive of about 1 m, or the triangles themselves.
        segments: number of chords of a circle.
        scale: along the axes of the mesh, to the geometry's size.
    """

    mesh: Geometry | MeshPart
    segments: int = 0
    scale: Vec3 = (1.0, 1.0, 1.0)

    @property
    def key(self) -> Hashable:
        """Key that is equal for geometries with the same mesh; triangles are shared only by one part of a
        file."""
        return self.mesh, self.segments


def form_of(geometry: Geometry | None) -> Form | None:
    """Return the form of a geometry; None: it has no extent, or is not drawn."""
    form = None
    match geometry:
        case Box(size):
            form = Form(Box((1.0, 1.0, 1.0)), 0, size)
        case Plane((length, width)):
            form = Form(Plane((1.0, 1.0)), 0, (length, width, 1.0))
        case Sphere(radius):
            form = Form(Sphere(1.0), _segments(radius), (radius, radius, radius))
        case Cylinder(radius, height, side, top, bottom):
            form = Form(Cylinder(1.0, 1.0, side, top, bottom), _segments(radius), (radius, radius, height))
        case Cone(radius, height, side, bottom):
            form = Form(Cone(1.0, 1.0, side, bottom), _segments(radius), (radius, radius, height))
        case Capsule(radius, height, side, top, bottom) if radius > 0.0 and height > 0.0:
            unit = Capsule(1.0, height / radius, side, top, bottom)
            form = Form(unit, _segments(radius), (radius, radius, radius))
        case PointSet(points=points) | LineSet(points=points) if len(points) and np.isfinite(points).all():
            form = Form(geometry)
        case TriangleMesh(triangles=triangles) if len(triangles) and np.isfinite(triangles).all():
            form = Form(geometry)
    return form if form is not None and all(0.0 < size < math.inf for size in form.scale) else None


def cad_forms(shape: CadShape) -> list[tuple[Form, MeshPart]]:
    """Return the parts of a CadShape, each with its record; none if its file cannot be read."""
    try:
        return [(Form(part), part) for part in shape.parts if np.isfinite(part.triangles).all()]
    except SceneError:
        return []


def coarser(form: Form) -> list[Form]:
    """Return the form with fewer chords, for small instances; the fewest first."""
    return [form._replace(segments=count) for count in COARSE if count < form.segments]


def chords(radii: FloatArray) -> FloatArray:
    """Return the numbers of chords that circles of these radii in pixels need, (n,), for small angles per
    chord."""
    needed: FloatArray = math.pi * np.sqrt(np.maximum(radii, 0.0) / (2.0 * FLATTER))
    return needed


def mesh_of(form: Form) -> Vertices:
    """Return the vertices of a form, before scaling."""
    segments = form.segments
    pieces: list[Vertices] = []
    match form.mesh:
        case Box():
            return _box()
        case Plane():
            return _square((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
        case Sphere():
            points, normals = _dome(segments, -math.pi / 2.0, 0.0)
            return _revolved(points, normals, segments, np.linspace(1.0, 0.0, len(points)))
        case PointSet(points=points, colours=colours) if colours is not None:
            flags = np.ones((len(points), 2))
            return np.hstack([points, np.array(colours[: len(points)]), flags]).astype(np.float32)
        case PointSet(points=points) | LineSet(points=points):
            return np.pad(points, ((0, 0), (0, COLUMNS - 3))).astype(np.float32)
        case TriangleMesh() as mesh:
            return _separate_triangles(mesh.triangles, mesh.places, mesh.normals)
        case MeshPart(triangles=triangles, places=places):
            return _separate_triangles(
                triangles, default_texture_coordinates(triangles) if places is None else places
            )
        case Cylinder(_, _, side, top, bottom):
            if side:
                pieces.append(_revolved(*_line((1.0, -0.5), (1.0, 0.5)), segments, DOWN))
            if top:
                pieces.append(_revolved(*_line((1.0, 0.5), (0.0, 0.5)), segments, None))
            if bottom:
                pieces.append(_revolved(*_line((0.0, -0.5), (1.0, -0.5)), segments, None))
        case Cone(_, _, side, bottom):
            if side:
                pieces.append(_revolved(*_line((1.0, -0.5), (0.0, 0.5)), segments, DOWN))
            if bottom:
                pieces.append(_revolved(*_line((0.0, -0.5), (1.0, -0.5)), segments, None))
        case Capsule(_, height, side, top, bottom):
            half = height / 2.0
            if side:
                pieces.append(_revolved(*_line((1.0, -half), (1.0, half)), segments, DOWN / 3.0 + 1.0 / 3.0))
            points, normals = _dome(segments, 0.0, half)
            down = np.linspace(1.0 / 3.0, 0.0, len(points))
            if top:
                pieces.append(_revolved(points, normals, segments, down))
            if bottom:
                flip = np.array([1.0, -1.0])
                pieces.append(
                    _revolved(points[::-1] * flip, normals[::-1] * flip, segments, 1.0 - down[::-1])
                )
    return np.concatenate(pieces) if pieces else np.empty((0, COLUMNS), np.float32)


def _segments(radius: float) -> int:
    """Return the number of chords of a circle of this radius."""
    if not (math.isfinite(radius) and radius > SAGITTA):
        return SEGMENTS[0]
    half = math.acos(1.0 - SAGITTA / radius)
    wanted = math.pi / half if half > 0.0 else math.inf
    return next((count for count in SEGMENTS if count >= wanted), SEGMENTS[-1])


_SIDES = (
    # normal, and in the texture: to the right, downwards
    ((1, 0, 0), (0, 1, 0), (0, 0, -1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, -1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, -1)),
    ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    ((0, 0, -1), (1, 0, 0), (0, 1, 0)),
)
_CORNERS = np.array([(0, 1), (1, 1), (1, 0), (0, 1), (1, 0), (0, 0)], float)
"""Texture coordinates of a square seen from the front: two triangles, counter-clockwise."""


def _square(normal: Sequence[float], right: Sequence[float], down: Sequence[float]) -> Vertices:
    """Return a square of 1 m around the origin with texture coordinates."""
    places = (_CORNERS - 0.5) @ np.array([right, down], float)
    normals = np.broadcast_to(np.array(normal, float), places.shape)
    return np.hstack([places, normals, _CORNERS]).astype(np.float32)


def _box() -> Vertices:
    sides = [_square(*side) for side in _SIDES]
    for side in sides:
        side[:, :3] += side[:, 3:6] / 2.0
    return np.concatenate(sides)


Profile = tuple[FloatArray, FloatArray]
"""(k, 2) points (radius, height) of a line that is rotated about z, from below, and their normals."""


def _line(start: tuple[float, float], end: tuple[float, float]) -> Profile:
    points = np.array([start, end])
    along = points[1] - points[0]
    normal = np.array([along[1], -along[0]]) / math.hypot(*along)
    return points, np.array([normal, normal])


def _dome(segments: int, lowest: float, lift: float) -> Profile:
    """Return an arc of radius 1 from an elevation up to the pole."""
    count = max(2, round(segments * (math.pi / 2.0 - lowest) / (2.0 * math.pi)))
    angles = np.linspace(lowest, math.pi / 2.0, count + 1)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    normals[-1] = (0.0, 1.0)
    if lowest < 0.0:
        normals[0] = (0.0, -1.0)
    return normals + np.array([0.0, lift]), normals


DOWN = np.array([1.0, 0.0])
"""Texture coordinate, from the top, of the lower and the upper end of a line."""


def _revolved(points: FloatArray, normals: FloatArray, segments: int, down: FloatArray | None) -> Vertices:
    """Return a profile rotated about z: two triangles for each chord and piece of the profile, one at the
    axis.

    Args:
        points, normals: the profile.
        segments: chords; a multiple of 4.
        down: (k,) texture coordinates of the points, from the top; the texture goes around once, from +y over
            -x. None: a disc is cut out of the texture, as seen from above, or below, with +x to the right.
    """
    count = segments // 4
    angles = np.linspace(0.0, 2.0 * math.pi, segments + 1)
    cos, sin = np.cos(angles), np.sin(angles)
    cos, sin = np.roll(cos[:-1], -count), np.roll(sin[:-1], -count)
    cos, sin = np.append(cos, cos[0]), np.append(sin, sin[0])  # closed to the last bit

    def spun(profile: FloatArray) -> FloatArray:
        radius, height = profile[:, 0, None], profile[:, 1, None]
        return np.stack([radius * cos, radius * sin, height + 0.0 * cos], axis=-1)

    places, directions = spun(points), spun(normals)
    if down is None:
        above = np.sign(directions[..., 2])
        picture = np.stack([0.5 + 0.5 * places[..., 0], 0.5 - 0.5 * above * places[..., 1]], axis=-1)
    else:
        across = np.broadcast_to(np.linspace(0.0, 1.0, segments + 1), places.shape[:2])
        picture = np.stack([across, np.broadcast_to(down[:, None], across.shape)], axis=-1)
    grid = np.concatenate([places, directions, picture], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    half = 0.5 / segments if down is not None else 0.0
    triangles = []
    for k in range(len(points) - 1):
        if points[k, 0] > 0.0:
            far = c[k].copy()
            # the pole is in the middle of its triangle's edge
            far[:, 6] -= half if points[k + 1, 0] == 0.0 else 0.0
            triangles.append(np.stack([a[k], b[k], far], axis=1).reshape(-1, COLUMNS))
        if points[k + 1, 0] > 0.0:
            near = a[k].copy()
            near[:, 6] += half if points[k, 0] == 0.0 else 0.0
            triangles.append(np.stack([near, c[k], d[k]], axis=1).reshape(-1, COLUMNS))
    return np.concatenate(triangles).astype(np.float32)


def _separate_triangles(
    triangles: FloatArray, places: FloatArray, at_corners: FloatArray | None = None
) -> Vertices:
    """Return triangles, each with its own normal, without those that have no area.

    Args:
        triangles: (n, 3, 3) m.
        places: (n, 3, 2) texture coordinates, from the left and from below.
        at_corners: (n, 3, 3) normals at their corners, which replace their own.
    """
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(across, axis=1)
    kept = lengths > 0.0
    normals = np.repeat((across[kept] / lengths[kept, None])[:, None], 3, axis=1)
    if at_corners is not None:
        normals = at_corners[kept].reshape(-1, 3, 3)
    from_top = places[kept] * (1.0, -1.0) + (0.0, 1.0)
    rows = np.concatenate([triangles[kept], normals, from_top], axis=2)
    return rows.reshape(-1, COLUMNS).astype(np.float32)
