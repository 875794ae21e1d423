"""Geometries: frozen records, made from nodes by `geometry_nodes.geometry_of`.

Each is in its own frame, lengths in m: primitives are centred on the origin, round ones about z; grids and
meshes are where their points are. Sizes are those of the scene and may be impossible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.model.points_and_lines import PointsOrLines
from sim_core.model.polygons import corners_of_triangles, face_normals, smooth_normals
from sim_core.scene.meshes.mesh_files import MeshFile, MeshFileError, MeshPart, read_mesh
from sim_core.scene.meshes.node_files import FileReference

Triangles = NDArray[np.float64]
"""(n, 3, 3) corners in m, anticlockwise seen from the front."""
TextureCoordinates = FloatArray
"""(n, 3, 2) texture coordinates of the corners, as in VRML97: from the left and from below, 0 to 1."""
NO_TRIANGLES: Triangles = np.empty((0, 3, 3))


@dataclass(frozen=True)
class Box:
    """Box with edges along the axes.

    Attributes:
        CORNERS: (8, 3) in half sizes.
        EDGES: (12, 2) indices of the corners they connect.
    """

    size: Vec3
    CORNERS: ClassVar = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    EDGES: ClassVar = np.array(
        [(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b).bit_count() == 1]
    )


@dataclass(frozen=True)
class Sphere:
    """Sphere."""

    radius: float


@dataclass(frozen=True)
class _Tube:
    """Round geometry about z; `side`, `top` and `bottom` tell what is visible; it collides as a whole."""

    radius: float
    height: float
    side: bool = True
    top: bool = True
    bottom: bool = True


class Cylinder(_Tube):
    """Cylinder with flat ends."""


class Capsule(_Tube):
    """Cylinder of this height with a hemisphere on each end."""


@dataclass(frozen=True)
class Cone:
    """Cone; the radius is that of the bottom, at z = -height/2."""

    radius: float
    height: float
    side: bool = True
    bottom: bool = True


@dataclass(frozen=True)
class Plane:
    """Plane z = 0: visible from above as a rectangle of this size along x and y; infinite for collisions."""

    size: tuple[float, float]


class TriangleMesh(ABC):
    """Surface of triangles, which are made when they are first needed."""

    @property
    @abstractmethod
    def triangles(self) -> Triangles:
        """(n, 3, 3) corners; empty if the data or the file of the geometry are unusable."""

    @property
    @abstractmethod
    def points(self) -> FloatArray:
        """(k, 3) points that define it."""

    @cached_property
    def places(self) -> TextureCoordinates:
        """(n, 3, 2) texture coordinates of the geometry, or default ones."""
        stated = self._given_texture_coordinates()
        if stated is not None and stated.shape[:2] == self.triangles.shape[:2]:
            return stated
        return default_texture_coordinates(self.triangles)

    @property
    def normals(self) -> FloatArray | None:
        """(n, 3, 3) normals at the corners; None: each triangle is flat."""
        return None

    def scaled(self, scale: Vec3) -> Triangles:
        """Return the triangles, `stretched`."""
        return stretched(self.triangles, scale)

    def _given_texture_coordinates(self) -> TextureCoordinates | None:
        return None


@dataclass(frozen=True, eq=False)
class IndexedFaceSet(TriangleMesh):
    """Polygons; convex ones are split into fans, others by ear clipping."""

    coord: Sequence[Vec3]
    coord_index: Sequence[int]
    ccw: bool = True
    tex_coord: Sequence[tuple[float, float]] = ()
    tex_coord_index: Sequence[int] = ()
    crease_angle: float = 0.0
    normal: Sequence[Vec3] = ()
    normal_index: Sequence[int] = ()
    normal_per_vertex: bool = True

    @cached_property
    def points(self) -> FloatArray:
        """(k, 3) all points of `coord`."""
        return np.array(self.coord, dtype=float).reshape(-1, 3)

    @cached_property
    def triangles(self) -> Triangles:
        """(n, 3, 3) triangles of all polygons whose points exist."""
        indices = np.array(self.coord_index, dtype=int)
        return np.ascontiguousarray(self.points[indices[self._corners]])

    @cached_property
    def _corners(self) -> NDArray[np.int64]:
        """(n, 3) triangles, as positions in `coord_index`; polygons with points that do not exist are left
        out."""
        found = corners_of_triangles(self.points, np.array(self.coord_index, dtype=np.int64))
        return found if self.ccw else found[:, ::-1]

    @cached_property
    def normals(self) -> FloatArray | None:
        """(n, 3, 3) normals at the corners, of any length, as in Webots: those of `normal` per corner; or
        those of the triangles (which `normal` may give too), smoothed by `crease_angle`."""
        corners, table = self._corners, np.array(self.normal, dtype=float).reshape(-1, 3)
        if self.normal and self.normal_per_vertex:
            indices = np.array(self.normal_index or self.coord_index, dtype=int)
            if len(indices) == len(self.coord_index):
                chosen = indices[corners]
                chosen[(chosen < 0) | (chosen >= len(table))] = 0
                return table[chosen]
        is_stated = bool(self.normal) and not self.normal_per_vertex and len(table) >= len(corners)
        if self.crease_angle <= 0.0 and not is_stated:
            return None
        faces = table[: len(corners)] if is_stated else face_normals(self.triangles)
        if self.crease_angle <= 0.0:
            return np.repeat(faces[:, None], 3, axis=1)
        points = np.array(self.coord_index, dtype=np.int64)[corners]
        return smooth_normals(faces, points, self.crease_angle)

    def _given_texture_coordinates(self) -> TextureCoordinates | None:
        """Return texture coordinates of `tex_coord`; corners without one are at the centre, as in Webots."""
        if not self.tex_coord:
            return None
        table = np.array([*self.tex_coord, (0.5, 0.5)], dtype=float).reshape(-1, 2)
        indices = np.array(self.tex_coord_index or self.coord_index, dtype=int)
        corners = self._corners
        if corners.size and corners.max() >= len(indices):
            return None  # needs one for each item of coord_index
        chosen = indices[corners]
        chosen[(chosen < 0) | (chosen >= len(table))] = len(table) - 1
        return table[chosen]


@dataclass(frozen=True, eq=False)
class ElevationGrid(TriangleMesh):
    """Height field from the origin along +x and +y.

    Attributes:
        height: row by row, m; missing values are 0, surplus ones are ignored.
        columns, rows: number of points along x and along y.
        spacing: of the points, m.
        thickness: of the ground below the lowest point, for collisions, m.
    """

    height: Sequence[float]
    columns: int
    rows: int
    spacing: tuple[float, float]
    thickness: float

    @cached_property
    def heights(self) -> FloatArray:
        """(rows, columns) m; may be empty."""
        columns, rows = max(0, self.columns), max(0, self.rows)
        heights = np.zeros(columns * rows)
        given = self.height[: len(heights)]
        heights[: len(given)] = given
        return heights.reshape(rows, columns)

    @cached_property
    def points(self) -> FloatArray:
        """(rows·columns, 3) row by row."""
        rows, columns = self.heights.shape
        y, x = np.mgrid[0:rows, 0:columns]
        grid = np.stack([x * self.spacing[0], y * self.spacing[1], self.heights], axis=-1)
        return grid.reshape(-1, 3)

    @cached_property
    def triangles(self) -> Triangles:
        """(n, 3, 3) two for each cell."""
        rows, columns = self.heights.shape
        if columns < 2 or rows < 2:
            return NO_TRIANGLES
        points = self.points.reshape(rows, columns, 3)
        a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
        halves = [np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]
        return np.ascontiguousarray(np.concatenate([half.reshape(-1, 3, 3) for half in halves]))

    def _given_texture_coordinates(self) -> TextureCoordinates | None:
        """Return texture coordinates that stretch the picture over the grid."""
        sizes = np.array([(self.columns - 1) * self.spacing[0], (self.rows - 1) * self.spacing[1]])
        return self.triangles[..., :2] / sizes if sizes.all() else None


@dataclass(frozen=True, eq=False)
class FileMesh(TriangleMesh):
    """Mesh file of a Mesh node.

    Attributes:
        file: None: no file is named.
        name, material: part of a Collada file, as in Webots (reference, Mesh); ignored for other files; ""
            and -1: all.
    """

    file: FileReference | None
    ccw: bool = True
    name: str = ""
    material: int = -1

    @cached_property
    def parts(self) -> list[MeshPart]:
        """Parts of the file that are shown, with `ccw` applied.

        Raises:
            SceneError: the file does not exist, is damaged, or has no such part.
        """
        if self.file is None:
            return []
        path = self.file.find_file()
        try:
            file = read_mesh(path)
        except MeshFileError as error:
            raise SceneError(*self.file.source, f"{self.file.what} {path}: {error}") from None
        parts = list(file.parts)
        if path.suffix.lower() == ".dae" and (self.name or self.material >= 0):
            parts = self._chosen(file, self.file)
        return parts if self.ccw else [part.inside_out() for part in parts]

    @cached_property
    def triangles(self) -> Triangles:
        """(n, 3, 3) of all parts."""
        try:
            found = [part.triangles for part in self.parts]
        except SceneError:
            return NO_TRIANGLES
        return found[0] if len(found) == 1 else np.concatenate(found or [NO_TRIANGLES])

    @cached_property
    def points(self) -> FloatArray:
        """(k, 3) the corners, each once."""
        return np.unique(self.triangles.reshape(-1, 3), axis=0)

    def _chosen(self, file: MeshFile, reference: FileReference) -> list[MeshPart]:
        """Return the parts of a Collada file with this name and material."""
        parts = [part for part in file.parts if not self.name or self.name in part.names]
        if not parts:
            known = ", ".join(sorted({part.names[0] for part in file.parts}))
            expected = f"a geometry of {reference.url}: {known}"
            raise SceneError(*reference.source, f'Mesh.name "{self.name}"', expected)
        if self.material < 0:
            return parts
        if self.material >= file.materials:
            found = f"Mesh.materialIndex {self.material}"
            expected = f"-1, or less than {file.materials}, as in {reference.url}"
            raise SceneError(*reference.source, found, expected)
        return [part for part in parts if part.material == self.material]

    def _given_texture_coordinates(self) -> TextureCoordinates | None:
        """Return the file's texture coordinates, with default ones for parts without."""
        parts = self.parts if len(self.triangles) else []
        if all(part.places is None for part in parts):
            return None
        return np.concatenate(
            [
                part.places if part.places is not None else default_texture_coordinates(part.triangles)
                for part in parts
            ]
        )


class CadShape(FileMesh):
    """Mesh file that is shown with the colours and pictures of its own materials."""


Geometry = Box | Sphere | Cylinder | Capsule | Cone | Plane | TriangleMesh | PointsOrLines


def stretched(triangles: Triangles, scale: Vec3) -> Triangles:
    """Scale triangles along the axes; after a reflection their order is reversed, so that they face the same
    way."""
    scaled = triangles * np.array(scale)
    return np.ascontiguousarray(scaled[:, ::-1] if np.prod(scale) < 0.0 else scaled)


def default_texture_coordinates(triangles: Triangles) -> TextureCoordinates:
    """Return (n, 3, 2) texture coordinates: s along the longest side of the bounding box, t along the second
    longest; both relative to the longest (VRML97, IndexedFaceSet)."""
    if not len(triangles):
        return np.empty((0, 3, 2))
    low = triangles.min(axis=(0, 1))
    size = triangles.max(axis=(0, 1)) - low
    first, second = np.argsort(-size, kind="stable")[:2]
    places: TextureCoordinates = (triangles[..., [first, second]] - low[[first, second]]) / (
        size[first] or 1.0
    )
    return places
