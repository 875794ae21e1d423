"""`<geometry>` of visuals and collisions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import (
    Pose,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    rotation_from_axis_angle,
    three_numbers,
)
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.meshes.mesh_files import MeshFileError, read_mesh
from sim_core.scene.robot_description import GeometryElement
from sim_core.scene.sdf.documents import Document
from sim_core.scene.sdf.heightmaps import heightmap
from sim_core.scene.sdf.uris import find
from sim_core.scene.sdf.values import finite, flag, vector

KINDS = (
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "ellipsoid",
    "plane",
    "mesh",
    "polyline",
    "heightmap",
    "empty",
)
LONGEST = 1e9
SLICES = 24
"""Number of faces around round shapes that are made of faces."""


def geometry_of(holder: Tag, by: Document, warnings: list[SceneError]) -> tuple[GeometryElement, Pose] | None:
    """Return the geometry of a visual or a collision, and its pose in it; None: a warning gives the
    reason.

    Raises:
        SceneError: a number is invalid.
    """
    outer = holder.first("geometry")
    shape = None if outer is None else outer.first(*KINDS)
    if shape is None:
        others = [] if outer is None else [item.name for _, item in outer.item.children]
        found = f"{holder.item.name} of {others[0] if others else 'nothing'}"
        warnings.append(_left_out(outer or holder, found))
        return None
    if shape.item.name == "heightmap":
        return heightmap(shape, by, warnings)
    pose = _upright(shape) if shape.item.name == "plane" else Pose()
    made = _made(shape, holder.item.name == "collision", by, warnings)
    if made is not None and made.kind != "mesh" and not all(0.0 < each < LONGEST for each in made.size):
        found = f"{holder.item.name} is a {shape.item.name} of size {_shown(made.size)}"
        warnings.append(_left_out(shape, found))
        return None
    if made is not None and (sub := shape.first("submesh")) is not None and flag(sub, "center"):
        pose = _centred(made)
    return None if made is None else (made, pose)


def _made(shape: Tag, collides: bool, by: Document, warnings: list[SceneError]) -> GeometryElement | None:
    """Return a shape centred on its visual or collision; shapes without collision geometry collide as
    faces."""
    kind = shape.item.name
    if kind == "empty":
        return None
    if kind == "plane":
        size = shape.first("size")
        width, height = (1.0, 1.0) if size is None else size.numbers(2)
        return GeometryElement("plane", (width, height))
    if kind == "mesh":
        return _mesh(shape, by, warnings)
    if kind == "box":
        return GeometryElement("box", vector(shape, "size", (1.0, 1.0, 1.0)))
    if kind == "sphere":
        return GeometryElement("sphere", (finite(shape, "radius", 1.0),))
    if kind == "ellipsoid":
        radii = vector(shape, "radii", (1.0, 1.0, 1.0))
        as_faces = collides and min(radii) > 0.0
        return _ellipsoid(radii) if as_faces else GeometryElement("ellipsoid", radii)
    if kind == "polyline":
        return _polyline(shape, warnings)
    radius, length = finite(shape, "radius", 0.5), finite(shape, "length", 1.0)
    as_faces = kind == "cone" and collides and min(radius, length) > 0.0
    return _cone(radius, length) if as_faces else GeometryElement(kind, (radius, length))


def _mesh(shape: Tag, by: Document, warnings: list[SceneError]) -> GeometryElement | None:
    """Return a mesh whose file exists."""
    uri, scale = shape.word("uri", "filename"), vector(shape, "scale", (1.0, 1.0, 1.0))
    part = ""
    if (sub := shape.first("submesh")) is not None:
        part = sub.word("name")
    if not uri or 0.0 in scale:
        warnings.append(_left_out(shape, f"mesh without uri, or of scale {_shown(scale)}"))
        return None
    place = find(uri, by.path)
    if place is None or not place.is_file():
        warnings.append(_left_out(shape, f'mesh "{uri}" is not here'))
        return None
    return GeometryElement("mesh", scale, str(place), part)


def _centred(mesh: GeometryElement) -> Pose:
    """Return the pose at which the centre of a mesh's bounding box is the origin; none for an invalid
    file."""
    try:
        parts = read_mesh(Path(mesh.url)).parts
    except MeshFileError:  # reported where the mesh is used
        return Pose()
    corners = [part.triangles for part in parts if not mesh.part or mesh.part in part.names]
    if not corners:
        return Pose()
    low = np.min([each.min(axis=(0, 1)) for each in corners], axis=0)
    high = np.max([each.max(axis=(0, 1)) for each in corners], axis=0)
    return Pose(three_numbers((-0.5 * (low + high) * mesh.size).tolist()))


def _upright(plane: Tag) -> Pose:
    """Return the frame of a plane, whose z is its normal."""
    normal = vector(plane, "normal", (0.0, 0.0, 1.0))
    return Pose(rotation=_turn_of_z(normalized(normal))) if norm(normal) > 0.0 else Pose()


def _turn_of_z(normal: Vec3) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return the shortest rotation from z to a unit vector."""
    axis, cosine = cross((0.0, 0.0, 1.0), normal), dot((0.0, 0.0, 1.0), normal)
    if norm(axis) < 1e-9:
        return rotation_from_axis_angle((1.0, 0.0, 0.0, 0.0 if cosine > 0.0 else math.pi))
    return rotation_from_axis_angle((*normalized(axis), math.acos(max(-1.0, min(1.0, cosine)))))


def _cone(radius: float, length: float) -> GeometryElement:
    """Return a cone of faces, with its centre at half its height."""
    low = -length / 2.0
    ring = tuple(_on_circle(radius, number, low) for number in range(SLICES))
    sides = tuple((k, (k + 1) % SLICES, SLICES) for k in range(SLICES))
    base = tuple(reversed(range(SLICES)))
    return GeometryElement("faces", (), points=(*ring, (0.0, 0.0, length / 2.0)), faces=(*sides, base))


def _ellipsoid(radii: Vec3) -> GeometryElement:
    """Return an ellipsoid of faces."""
    layers = SLICES // 2
    a, b, c = radii
    points: list[Vec3] = [(0.0, 0.0, -c)]
    for layer in range(1, layers):
        angle = math.pi * layer / layers
        for number in range(SLICES):
            x, y, _ = _on_circle(math.sin(angle), number, 0.0)
            points.append((a * x, b * y, -c * math.cos(angle)))
    points.append((0.0, 0.0, c))
    top = len(points) - 1
    faces: list[tuple[int, ...]] = []
    for k in range(SLICES):
        after = (k + 1) % SLICES
        faces.append((0, 1 + after, 1 + k))
        for layer in range(layers - 2):
            low, high = 1 + layer * SLICES, 1 + (layer + 1) * SLICES
            faces.append((low + k, low + after, high + after, high + k))
        last = 1 + (layers - 2) * SLICES
        faces.append((last + k, last + after, top))
    return GeometryElement("faces", (), points=tuple(points), faces=tuple(faces))


def _on_circle(radius: float, number: int, z: float) -> Vec3:
    angle = 2.0 * math.pi * number / SLICES
    return radius * math.cos(angle), radius * math.sin(angle), z


def _polyline(shape: Tag, warnings: list[SceneError]) -> GeometryElement | None:
    """Return a prism over a polygon, from z 0 to its height."""
    height = finite(shape, "height", 1.0)
    points = [tuple(each.numbers(2)) for each in shape.all("point")]
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    if len(points) < 3 or height <= 0.0:
        warnings.append(_left_out(shape, f"polyline of {len(points)} points and height {height:g}"))
        return None
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
    if area < 0.0:
        points.reverse()
    count = len(points)
    low = [(x, y, 0.0) for x, y in points]
    high = [(x, y, height) for x, y in points]
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    ends = [tuple(reversed(range(count))), tuple(range(count, 2 * count))]
    return GeometryElement("faces", (), points=(*low, *high), faces=(*sides, *ends))


def _shown(size: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in size)


def _left_out(tag: Tag, found: str) -> Mistake:
    return Mistake(*tag.source, found, "left out")
