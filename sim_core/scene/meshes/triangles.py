"""Geometries given by points as triangles: for contacts, for rays and for pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.scene.meshes.mesh_nodes import FILE_NODES, mesh_triangles
from sim_core.scene.meshes.polygons import Corner, triangulated
from sim_core.scene.node import Node

Triangles = NDArray[np.float64]

MESH_NODES = ("ElevationGrid", "IndexedFaceSet", *FILE_NODES)
"""Types of the nodes that have triangles."""


def triangles_of(geometry: Node) -> Triangles:
    """The triangles of an IndexedFaceSet, an ElevationGrid, a Mesh or a CadShape.

    Returns:
        (n, 3, 3) corners in m, geometry coordinates, anticlockwise seen from the front. Empty for other
        nodes and where the node's data or its file do not make triangles. Convex polygons are cut into fans,
        others by their ears.
    """
    name = geometry.type_name
    if name in FILE_NODES:
        try:
            return mesh_triangles(geometry)
        except SceneError:
            return np.empty((0, 3, 3))
    if name == "IndexedFaceSet":
        return _face_set(geometry)
    if name == "ElevationGrid":
        return _elevation_grid(geometry)
    return np.empty((0, 3, 3))


def _face_set(node: Node) -> Triangles:
    if node["coord"] is None:
        return np.empty((0, 3, 3))
    points = np.array(node["coord"]["point"], dtype=float).reshape(-1, 3)
    indices = np.array(node["coordIndex"], dtype=int)
    return np.ascontiguousarray(points[indices[face_corners(node)]])


def face_corners(node: Node) -> NDArray[np.int64]:
    """(n, 3) the triangles of an IndexedFaceSet, `ccw` heeded, as positions in its `coordIndex`.

    A polygon with a point that does not exist is left out.
    """
    points = np.array(node["coord"]["point"], dtype=float).reshape(-1, 3)
    corners: list[Corner] = []
    polygon: list[int] = []
    start = 0
    for position, index in enumerate([*node["coordIndex"], -1]):
        if index >= 0:
            polygon.append(index)
            continue
        if polygon and max(polygon) < len(points):
            if len(polygon) > 3 and polygon[0] == polygon[-1]:
                polygon.pop()
            own = triangulated(points[polygon], range(len(polygon)))
            corners.extend((start + a, start + b, start + c) for a, b, c in own)
        polygon = []
        start = position + 1
    found = np.array(corners, dtype=np.int64).reshape(-1, 3)
    return found if node["ccw"] else found[:, ::-1]


def grid_heights(node: Node) -> NDArray[np.float64]:
    """(yDimension, xDimension) heights of an ElevationGrid in m, 0 where none is given; may be empty."""
    columns, rows = max(0, node["xDimension"]), max(0, node["yDimension"])
    heights = np.zeros(columns * rows)
    given = node["height"][: len(heights)]
    heights[: len(given)] = given
    return heights.reshape(rows, columns)


def _elevation_grid(node: Node) -> Triangles:
    heights = grid_heights(node)
    rows, columns = heights.shape
    if columns < 2 or rows < 2:
        return np.empty((0, 3, 3))
    y, x = np.mgrid[0:rows, 0:columns]
    points = np.stack([x * node["xSpacing"], y * node["ySpacing"], heights], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    halves = [np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]
    return np.ascontiguousarray(np.concatenate([half.reshape(-1, 3, 3) for half in halves]))
