"""Where the corners of geometries given by points are in the pictures on them.

Places are (s, t) of VRML97: s from the left of a picture, t from below, 0 to 1 for the whole of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.scene.meshes.mesh_nodes import FILE_NODES, mesh_parts
from sim_core.scene.meshes.triangles import Triangles, face_corners
from sim_core.scene.node import Node

Places = NDArray[np.float64]


def texture_places(geometry: Node, triangles: Triangles) -> Places:
    """Places of the corners of a geometry's triangles.

    Args:
        geometry: an IndexedFaceSet, an ElevationGrid, a Mesh or a CadShape.
        triangles: (n, 3, 3) what `triangles_of` answers.

    Returns:
        (n, 3, 2); as the geometry says, or by default.
    """
    stated = None
    if geometry.type_name == "IndexedFaceSet":
        stated = _of_faces(geometry)
    elif geometry.type_name == "ElevationGrid":
        stated = _of_grid(geometry, triangles)
    elif geometry.type_name in FILE_NODES:
        stated = _of_file(geometry)
    if stated is not None and stated.shape[:2] == triangles.shape[:2]:
        return stated
    return default_places(triangles)


def default_places(triangles: Triangles) -> Places:
    """(n, 3, 2) s along the longest side of the box round all points, t along the second longest; both in
    parts of the longest (VRML97, IndexedFaceSet)."""
    if not len(triangles):
        return np.empty((0, 3, 2))
    low = triangles.min(axis=(0, 1))
    size = triangles.max(axis=(0, 1)) - low
    first, second = np.argsort(-size, kind="stable")[:2]
    places: Places = (triangles[..., [first, second]] - low[[first, second]]) / (size[first] or 1.0)
    return places


def _of_faces(node: Node) -> Places | None:
    """As `texCoord` says; a corner without a place of its own is in the middle, as in Webots."""
    if node["texCoord"] is None or not node["texCoord"]["point"] or node["coord"] is None:
        return None
    table = np.array([*node["texCoord"]["point"], (0.5, 0.5)], dtype=float).reshape(-1, 2)
    indices = np.array(node["texCoordIndex"] or node["coordIndex"], dtype=int)
    corners = face_corners(node)
    if corners.size and corners.max() >= len(indices):
        return None  # one for each of coordIndex is needed
    chosen = indices[corners]
    chosen[(chosen < 0) | (chosen >= len(table))] = len(table) - 1
    return table[chosen]


def _of_grid(node: Node, triangles: Triangles) -> Places | None:
    """The whole picture on the whole grid."""
    sizes = np.array(
        [(node["xDimension"] - 1) * node["xSpacing"], (node["yDimension"] - 1) * node["ySpacing"]]
    )
    return triangles[..., :2] / sizes if sizes.all() else None


def _of_file(node: Node) -> Places | None:
    """As the file says; by default where a part of it does not."""
    try:
        parts = mesh_parts(node)
    except SceneError:
        return None
    if not parts or all(part.places is None for part in parts):
        return None
    places = np.concatenate(
        [part.places if part.places is not None else default_places(part.triangles) for part in parts]
    )
    return places if node["ccw"] else places[:, ::-1]
