"""Triangles of a bounding object, prepared for collisions."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import numpy as np

from sim_core.base.geometry import Vec3
from sim_core.engines.ode.ode_trimesh import MeshData
from sim_core.model.bvh import bvh_of
from sim_core.model.geometry import ElevationGrid, TriangleMesh, Triangles, stretched
from sim_core.model.welding import welded

CACHE_SIZE = 64
_cache: OrderedDict[bytes, CollisionMesh] = OrderedDict()


class CollisionMesh:
    """Triangles in the frame of a geometry, with its scale applied; shared by all equal shapes.

    Attributes:
        data: the triangles for ODE; for an ElevationGrid a closed block with its `thickness`.
        tree: of the surface.
        normals: (n, 3) of the triangles of the tree; zero for one without area.
        block_points, block_normals: (m, 3) a corner of each triangle for ODE, and its normal if it is part of
            the surface, else zero.
        extents: half the size of the bounding box about the origin.
        reach: radius of the bounding sphere about the origin.
    """

    def __init__(self, triangles: Triangles, block: Triangles) -> None:
        """Prepare a mesh; `block`: the triangles for ODE, those of the surface first."""
        points, corners, _ = welded(block)
        self.data = MeshData(points, corners)
        cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        length = np.linalg.norm(cross, axis=1, keepdims=True)
        self.block_points, self.block_normals = np.ascontiguousarray(block[:, 0]), np.zeros((len(block), 3))
        normals = self.block_normals[: len(triangles)]
        np.divide(cross, length, out=normals, where=length > 0.0)
        self.tree = bvh_of(triangles)
        self.normals = normals[self.tree.order]
        x, y, z = np.abs(points).max(axis=0).tolist()
        self.extents: Vec3 = (x, y, z)
        self.reach = float(np.sqrt((points * points).sum(axis=1).max()))


def collision_mesh(mesh: TriangleMesh, scale: Vec3) -> CollisionMesh:
    """Return the mesh of a bounding object, which has triangles, scaled along its axes."""
    triangles = mesh.triangles
    thickness = mesh.thickness if isinstance(mesh, ElevationGrid) else 0.0
    key = hashlib.sha1(triangles.tobytes(), usedforsecurity=False)
    key.update(repr((scale, thickness, isinstance(mesh, ElevationGrid))).encode())
    digest = key.digest()
    found_mesh = _cache.pop(digest, None)
    if found_mesh is None:
        surface = block = mesh.scaled(scale)
        if isinstance(mesh, ElevationGrid) and thickness > 0.0:
            block = stretched(_block(mesh), scale)
        found_mesh = CollisionMesh(surface, block)
    _cache[digest] = found_mesh
    if len(_cache) > CACHE_SIZE:
        _cache.popitem(last=False)
    return found_mesh


def _block(grid: ElevationGrid) -> Triangles:
    """Return the surface of a grid, with the sides and the underside of the block below it."""
    heights = grid.heights
    rows, columns = heights.shape
    bottom = float(heights.min()) - grid.thickness
    xs, ys = np.arange(columns) * grid.spacing[0], np.arange(rows) * grid.spacing[1]
    south = [(x, ys[0], z) for x, z in zip(xs, heights[0], strict=True)]
    east = [(xs[-1], y, z) for y, z in zip(ys, heights[:, -1], strict=True)]
    north = [(x, ys[-1], z) for x, z in zip(xs[::-1], heights[-1, ::-1], strict=True)]
    west = [(xs[0], y, z) for y, z in zip(ys[::-1], heights[::-1, 0], strict=True)]
    rim = np.array([*south[:-1], *east[:-1], *north[:-1], *west[:-1]])  # anticlockwise from above
    after = np.roll(rim, -1, axis=0)
    below, after_below = rim.copy(), after.copy()
    below[:, 2] = after_below[:, 2] = bottom
    middle = np.broadcast_to([(xs[0] + xs[-1]) / 2.0, (ys[0] + ys[-1]) / 2.0, bottom], rim.shape)
    sides = [(rim, below, after_below), (rim, after_below, after), (below, middle, after_below)]
    return np.concatenate([grid.triangles, *(np.stack(side, axis=1) for side in sides)])
