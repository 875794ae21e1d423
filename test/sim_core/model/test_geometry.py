"""Records of geometry nodes: their values and derived data, which match the nodes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
import trimesh

from sim_core.base.geometry import Pose
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.engines.ode.frames import OdeFrame
from sim_core.model import mass
from sim_core.model.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    ElevationGrid,
    Geometry,
    IndexedFaceSet,
    Plane,
    Sphere,
    TriangleMesh,
)
from sim_core.model.geometry_nodes import geometry_of
from sim_core.model.objects import object_of
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.model.shapes import bounding_shapes
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, parse_scene
from sim_core.scene.node_types import all_node_types

DEFAULTS = {
    "Box": Box((2.0, 2.0, 2.0)),
    "Sphere": Sphere(1.0),
    "Cylinder": Cylinder(1.0, 2.0),
    "Capsule": Capsule(1.0, 2.0),
    "Cone": Cone(1.0, 2.0),
    "Plane": Plane((1.0, 1.0)),
}
"""As in the Webots reference."""


@pytest.mark.parametrize(
    "name", [name for name, kind in all_node_types().items() if kind.is_a("Geometry") and not kind.abstract]
)
def test_every_geometry_node_is_a_record_if_it_is_drawn(name: str) -> None:
    geometry = geometry_of(Node.create(name))
    if name in DEFAULTS:
        assert geometry == DEFAULTS[name]
    elif name in ("ElevationGrid", "IndexedFaceSet", "Mesh"):
        assert isinstance(geometry, TriangleMesh)
        assert geometry.triangles.shape == (0, 3, 3) and geometry.places.shape == (0, 3, 2)
        assert geometry.points.shape == (0, 3)
    elif name in ("IndexedLineSet", "PointSet"):
        assert isinstance(geometry, LineSet | PointSet) and geometry.points.shape == (0, 3)
    else:
        assert geometry is None


def test_a_geometry_record_never_changes_and_an_edit_makes_a_new_one() -> None:
    node = Node.create("Cylinder", radius=0.5, height=3.0, top=False)
    before = geometry_of(node)
    assert before == Cylinder(0.5, 3.0, top=False)
    node["radius"] = 0.25
    assert before == Cylinder(0.5, 3.0, top=False) and geometry_of(node) == Cylinder(0.25, 3.0, top=False)
    with pytest.raises(FrozenInstanceError):
        before.radius = 1.0  # type: ignore[misc, union-attr]


def face_set(mesh: trimesh.Trimesh) -> IndexedFaceSet:
    indices = [index for a, b, c in mesh.faces.tolist() for index in (a, b, c, -1)]
    return IndexedFaceSet([tuple(point) for point in mesh.vertices.tolist()], indices)  # type: ignore[misc]


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 0.5, 3.0), (-1.0, 2.0, 1.0), (-1.0, -2.0, -3.0)])
def test_a_scaled_or_mirrored_mesh_of_a_box_has_the_mass_of_the_scaled_box(scale: tuple) -> None:
    size = (0.3, 0.2, 0.1)
    found = mass.of_geometry(face_set(trimesh.creation.box(size)), 700.0, scale)
    x, y, z = (abs(length * factor) for length, factor in zip(size, scale, strict=True))
    m = 700.0 * x * y * z
    assert found.mass == pytest.approx(m)
    assert found.centre == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert found.inertia[::4] == pytest.approx(
        (m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)
    )
    triangles = face_set(trimesh.creation.box(size)).scaled(scale)
    assert np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])).sum() > 0.0


@pytest.mark.parametrize(
    "geometry", [None, Plane((1.0, 1.0)), ElevationGrid([1.0] * 4, 2, 2, (1.0, 1.0), 1.0)]
)
def test_a_surface_without_volume_has_no_mass(geometry: Geometry | None) -> None:
    assert mass.of_geometry(geometry, 1000.0, (1.0, 1.0, 1.0)).mass == 0.0


def test_a_grid_has_the_heights_that_are_given_and_0_beyond() -> None:
    grid = ElevationGrid([1.0, 2.0, 3.0, 4.0], 3, 2, (0.5, 2.0), 1.0)
    assert grid.heights.tolist() == [[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]
    assert grid.points[4].tolist() == [0.5, 2.0, 0.0]
    assert len(grid.triangles) == 4
    assert ElevationGrid([1.0] * 9, 2, 2, (1.0, 1.0), 1.0).heights.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    across = np.cross(
        grid.triangles[:, 1] - grid.triangles[:, 0], grid.triangles[:, 2] - grid.triangles[:, 0]
    )
    assert across[:, 2].tolist() == [1.0] * 4  # twice the area of half a cell, upwards


def test_a_mesh_file_reaches_as_far_as_its_points(tmp_path: Path) -> None:
    (tmp_path / "ball.stl").write_bytes(trimesh.creation.icosphere(3, 0.5).export(file_type="stl"))
    text = 'Solid { translation 1 2 3 boundingObject Mesh { url "ball.stl" } }'
    scene = parse_scene(f"#VRML_SIM R2025a utf8\n{text}", str(tmp_path / "w.wbt"))
    frame = OdeFrame(None, Pose((1.0, 2.0, 3.0)))
    bounds = ObjectBounds(
        object_of(scene.nodes[0], bounding_shapes(scene.nodes), WorldModel(scene).visible.records),
        lambda _: frame,
    )
    low, high = bounds.box(Pose())
    assert low == pytest.approx((0.5, 1.5, 2.5), abs=2e-3) and high == pytest.approx(
        (1.5, 2.5, 3.5), abs=2e-3
    )
