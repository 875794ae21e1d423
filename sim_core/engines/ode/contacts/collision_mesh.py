"""The triangles of a bounding object, ready to collide and to be weighed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.engines.ode.contacts.mesh_tree import build_tree
from sim_core.engines.ode.mass import MassProperties, of_box, of_mesh
from sim_core.engines.ode.ode_trimesh import MeshData
from sim_core.scene import Node
from sim_core.scene.meshes.geometry_walk import ShapeRecord
from sim_core.scene.meshes.mesh_nodes import FILE_NODES, mesh_triangles
from sim_core.scene.meshes.triangles import grid_heights, triangles_of

MOST_TRIANGLES = 500_000
MOST_KEPT = 64
_FARTHEST = 1e9
_kept: OrderedDict[bytes, CollisionMesh] = OrderedDict()


class CollisionMesh:
    """Triangles in the frame of a geometry, its scale taken in; the same for all shapes that equal it.

    Attributes:
        data: what ODE collides; of an ElevationGrid a closed block with its `thickness`.
        triangles, normals: (n, 3, 3) and (n, 3) the surface; the normal of a triangle without area is zero.
        bounds, links, order: the tree over the surface (`mesh_tree.build_tree`).
        extents: half the size of the box about the origin that holds it.
        reach: radius of the ball about the origin that holds it.
        is_closed: each edge has a triangle on either side, of the same orientation.
    """

    def __init__(self, triangles: NDArray[np.float64], block: NDArray[np.float64]) -> None:
        """`block`: the triangles that ODE collides."""
        points, corners = _welded(block)
        self.data = MeshData(points, corners)
        self.is_closed = _is_closed(corners)
        self.triangles = np.ascontiguousarray(triangles)
        cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        length = np.linalg.norm(cross, axis=1, keepdims=True)
        self.normals = np.divide(cross, length, out=np.zeros_like(cross), where=length > 0.0)
        self.block_normals, self.block_points = self.normals, np.ascontiguousarray(block[:, 0])
        if len(block) != len(triangles):
            extra = block[len(triangles) :]
            self.block_normals = np.concatenate([self.normals, np.zeros((len(extra), 3))])
        count = len(triangles)
        self.bounds = np.zeros((2 * count, 6))
        self.links = np.zeros((2 * count, 2), np.int64)
        self.order = np.zeros(count, np.int64)
        build_tree(self.triangles, self.bounds, self.links, self.order)
        x, y, z = np.abs(points).max(axis=0).tolist()
        self.extents: Vec3 = (x, y, z)
        self.reach = float(np.sqrt((points * points).sum(axis=1).max()))

    def weighed(self, density: float) -> MassProperties:
        """Mass, centre and inertia of the body that a closed mesh encloses, whichever way its faces point.

        That of an open mesh is not known: it weighs what the box about it weighs.
        """
        if self.is_closed:
            own = of_mesh(density, self.triangles)
            if own.mass > 0.0:
                return own
        low, high = self.triangles.min(axis=(0, 1)), self.triangles.max(axis=(0, 1))
        size, middle = (high - low).tolist(), ((high + low) / 2.0).tolist()
        return of_box(density, (size[0], size[1], size[2]))._replace(centre=(middle[0], middle[1], middle[2]))


def collision_mesh(record: ShapeRecord) -> CollisionMesh | None:
    """The mesh of a geometry in a boundingObject; None: it has no triangles.

    Raises:
        SceneError: its file is no use, it has too many triangles, or points beyond 10⁹ m.
    """
    geometry = record.geometry
    name = geometry.type_name
    triangles = mesh_triangles(geometry) if name in FILE_NODES else triangles_of(geometry)
    if not len(triangles):
        return None
    if len(triangles) > MOST_TRIANGLES:
        found = f"{name} in a boundingObject with {len(triangles)} triangles"
        raise SceneError(*geometry.source, found, f"at most {MOST_TRIANGLES}")
    scale = np.array(record.scale)
    if not np.abs(triangles * scale).max() <= _FARTHEST:
        raise SceneError(*geometry.source, f"{name} with coordinates beyond {_FARTHEST:g} m", "finite ones")
    if not (scale != 0.0).all():
        raise SceneError(*geometry.source, f"{name} in a boundingObject below a scale of 0", "another one")
    thickness = _thickness(geometry) if name == "ElevationGrid" else 0.0
    key = hashlib.sha1(triangles.tobytes(), usedforsecurity=False)
    key.update(repr((record.scale, thickness, name == "ElevationGrid")).encode())
    digest = key.digest()
    found_mesh = _kept.pop(digest, None)
    if found_mesh is None:
        block = _block(geometry, triangles, thickness) if name == "ElevationGrid" else triangles
        found_mesh = CollisionMesh(_scaled(triangles, scale), _scaled(block, scale))
    _kept[digest] = found_mesh
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return found_mesh


def _scaled(triangles: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled = triangles * scale
    return np.ascontiguousarray(scaled[:, ::-1] if scale.prod() < 0.0 else scaled)


def _thickness(grid: Node) -> float:
    thickness: float = grid["thickness"]
    if not 0.0 <= thickness <= _FARTHEST:
        raise SceneError(*grid.source, f"ElevationGrid.thickness {thickness:g}", "a finite number from 0")
    return thickness


def _block(grid: Node, surface: NDArray[np.float64], thickness: float) -> NDArray[np.float64]:
    """The surface of a grid, and the sides and the underside of the block below it."""
    heights = grid_heights(grid)
    rows, columns = heights.shape
    if thickness == 0.0 or columns < 2 or rows < 2:
        return surface
    bottom = float(heights.min()) - thickness
    xs, ys = np.arange(columns) * grid["xSpacing"], np.arange(rows) * grid["ySpacing"]
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
    return np.concatenate([surface, *(np.stack(side, axis=1) for side in sides)])


def _welded(triangles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Points, each once, and the triangles as indices; those that lose a corner are left as they are."""
    points, corners = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return points, corners.reshape(-1, 3).astype(np.uint32)


def _is_closed(corners: NDArray[np.uint32]) -> bool:
    """Whether each edge is run through as often in one direction as in the other."""
    wide = corners.astype(np.int64)
    start, end = wide.ravel(), np.roll(wide, -1, axis=1).ravel()
    different = start != end
    count = int(wide.max()) + 1
    forth = np.sort((start * count + end)[different])
    back = np.sort((end * count + start)[different])
    return bool(np.array_equal(forth, back))
