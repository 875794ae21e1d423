"""Rays against meshes with trees, compared with all triangles one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from still_world import StillWorld, cast

from sim_core.base.geometry import Pose
from sim_core.model.bvh import LEAF
from sim_core.scene import parse_scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.sensing.raycast.shapes import MeshTrees

TURN = (0.6, 0.0, 0.8, 0.7)


def first_triangle(
    origins: np.ndarray, directions: np.ndarray, mesh: np.ndarray, one_sided: bool
) -> np.ndarray:
    """Intersect each ray with each triangle: o + t·d = a + u·(b - a) + v·(c - a), solved by Cramer's rule."""
    best = np.full(len(origins), np.inf)
    for a, b, c in mesh:
        normal = np.cross(b - a, c - a)
        along = directions @ normal
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (a - origins) @ normal / along
            p = origins + t[:, None] * directions - a
            u = np.cross(p, c - a) @ normal / (normal @ normal)
            v = np.cross(b - a, p) @ normal / (normal @ normal)
        met = (t >= 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
        if one_sided:
            met &= along < 0.0
        best = np.where(met, np.minimum(best, t), best)
    return best


def rays(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rays from outside and from inside, some of them along the axes."""
    origins = rng.uniform(-3.0, 3.0, (count, 3))
    directions = rng.uniform(-1.0, 1.0, (count, 3)) - origins
    directions[::20] = np.eye(3)[rng.integers(3, size=len(directions[::20]))]
    return origins, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def soup(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return random triangles, some of them flat along an axis."""
    mesh = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.uniform(-0.3, 0.3, (count, 3, 3))
    mesh[::7, :, 2] = mesh[::7, :1, 2]
    return mesh


def scene_of(mesh: np.ndarray, field: str) -> RayScene:
    points = ", ".join(" ".join(map(repr, point)) for point in mesh.reshape(-1, 3).tolist())
    indices = " ".join(f"{3 * k} {3 * k + 1} {3 * k + 2} -1" for k in range(len(mesh)))
    face_set = f"IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ {indices} ] }}"
    shape = face_set if field == "boundingObject" else f"Shape {{ geometry {face_set} }}"
    turn = " ".join(map(str, TURN))
    text = f"#VRML_SIM R2025a utf8\nSolid {{ translation 0.3 0.1 -0.2 rotation {turn} {field} {shape} }}"
    return RayScene(StillWorld(parse_scene(text)))


@pytest.mark.parametrize("field", ["boundingObject", "children"])
@pytest.mark.parametrize("count", [1, 3, 5, 40, 700])
def test_a_tree_finds_what_all_triangles_together_find(count: int, field: str) -> None:
    rng = np.random.default_rng(count)
    mesh = soup(count, rng)
    origins, directions = rays(3000, rng)
    hits = cast(scene_of(mesh, field), origins, directions, math.inf, None, field == "children")
    turn = np.array(Pose.from_axis_angle((0.0, 0.0, 0.0), TURN).rotation).reshape(3, 3)
    local = (origins - [0.3, 0.1, -0.2]) @ turn
    expected = first_triangle(local, directions @ turn, mesh, field == "children")
    assert np.isfinite(expected).any()
    assert np.allclose(hits.distances, expected, atol=1e-9)


def test_a_height_field_is_met_from_above_and_from_the_side() -> None:
    rng = np.random.default_rng(2)
    heights = rng.uniform(0.0, 0.5, (60, 80))
    values = " ".join(map(repr, heights.ravel().tolist()))
    text = (
        "#VRML_SIM R2025a utf8\nSolid { boundingObject ElevationGrid { xDimension 80 yDimension 60 "
        f"xSpacing 0.1 ySpacing 0.1 height [ {values} ] }} }}"
    )
    scene = RayScene(StillWorld(parse_scene(text)))
    x, y = rng.integers(1, 79, 500), rng.integers(1, 59, 500)
    origins = np.column_stack([0.1 * x, 0.1 * y, np.full(500, 3.0)])
    hits = cast(scene, origins, np.tile([0.0, 0.0, -1.0], (500, 1)))
    assert np.allclose(hits.distances, 3.0 - heights[y, x], atol=1e-9)


def test_leaves_hold_every_triangle_once_and_boxes_hold_their_triangles() -> None:
    rng = np.random.default_rng(1)
    trees = MeshTrees()
    meshes = [soup(count, rng) for count in (9, 1000)]
    roots = [trees.add_mesh(mesh) for mesh in meshes]
    boxes, links, triangles = trees.tables()
    for root, mesh in zip(roots, meshes, strict=True):
        found = []
        waiting = [(root, -np.full(3, np.inf), np.full(3, np.inf), 0)]
        while waiting:
            node, low, high, depth = waiting.pop()
            assert (boxes[node, :3] >= low - 1e-6).all() and (boxes[node, 3:] <= high + 1e-6).all()
            assert depth <= math.ceil(math.log2(len(mesh)))
            first, count, _ = links[node]
            if not count:
                waiting += [(first + side, boxes[node, :3], boxes[node, 3:], depth + 1) for side in (0, 1)]
                continue
            assert count <= LEAF
            for triangle in triangles[first : first + count]:
                assert (triangle >= boxes[node, :3]).all() and (triangle <= boxes[node, 3:]).all()
                found.append(triangle)
        assert sorted(triangle.tolist() for triangle in found) == sorted(mesh.tolist())


def test_equal_triangles_make_a_tree_too() -> None:
    trees = MeshTrees()
    trees.add_mesh(np.tile(np.eye(3), (500, 1, 1)))
    assert len(trees.tables()[2]) == 501
