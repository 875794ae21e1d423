"""Geometries given by points as triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_core.scene import Node

Triangles = NDArray[np.float64]


def triangles_of(geometry: Node) -> Triangles:
    """The triangles of an IndexedFaceSet or an ElevationGrid.

    Returns:
        (n, 3, 3) corners in m, geometry coordinates, counter-clockwise seen from the front. Empty for other
        nodes and where the node's data do not make triangles. Polygons are cut into fans, which is right for
        convex ones.
    """
    if geometry.type_name == "IndexedFaceSet":
        return _face_set(geometry)
    if geometry.type_name == "ElevationGrid":
        return _elevation_grid(geometry)
    return np.empty((0, 3, 3))


def _face_set(node: Node) -> Triangles:
    if node["coord"] is None:
        return np.empty((0, 3, 3))
    points = np.array(node["coord"]["point"], dtype=float).reshape(-1, 3)
    corners: list[tuple[int, int, int]] = []
    polygon: list[int] = []
    for index in [*node["coordIndex"], -1]:
        if index >= 0:
            polygon.append(index)
            continue
        corners.extend((polygon[0], polygon[k], polygon[k + 1]) for k in range(1, len(polygon) - 1))
        polygon = []
    indices = np.array(corners, dtype=int).reshape(-1, 3)
    indices = indices[(indices < len(points)).all(axis=1)]
    if not node["ccw"]:
        indices = indices[:, ::-1]
    return np.ascontiguousarray(points[indices])


def _elevation_grid(node: Node) -> Triangles:
    columns, rows = node["xDimension"], node["yDimension"]
    if columns < 2 or rows < 2:
        return np.empty((0, 3, 3))
    heights = np.zeros(columns * rows)
    given = node["height"][: len(heights)]
    heights[: len(given)] = given
    y, x = np.mgrid[0:rows, 0:columns]
    points = np.stack([x * node["xSpacing"], y * node["ySpacing"], heights.reshape(rows, columns)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    halves = [np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]
    return np.ascontiguousarray(np.concatenate([half.reshape(-1, 3, 3) for half in halves]))
