"""Rays hit mesh files as they hit the shapes in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from still_world import StillWorld, cast

from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.sensing.raycast.ray_scene import RayScene

SIZE = (0.6, 1.0, 1.4)


def ray_scene(folder: Path, body: str) -> RayScene:
    scene = parse_scene(f"#VRML_SIM R2025a utf8\n{body}", str(folder / "w.wbt"), Assets(cache=folder))
    return RayScene(StillWorld(scene))


@pytest.mark.parametrize(("kind", "visible"), [("Mesh", False), ("Mesh", True), ("CadShape", True)])
def test_a_box_from_a_file_is_met_where_the_box_is(tmp_path: Path, kind: str, visible: bool) -> None:
    (tmp_path / "box.obj").write_text(trimesh.creation.box(SIZE).export(file_type="obj", digits=12))
    rng = np.random.default_rng(5)
    origins = rng.normal(size=(400, 3))
    origins *= 3.0 / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = rng.uniform(-0.5, 0.5, size=(400, 3)) - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = []
    for geometry in (f'{kind} {{ url "box.obj" }}', "Box { size 0.6 1 1.4 }"):
        shape = geometry if kind == "CadShape" and "url" in geometry else f"Shape {{ geometry {geometry} }}"
        body = f"Pose {{ children {shape} }}" if visible else f"Solid {{ boundingObject {geometry} }}"
        hits.append(cast(ray_scene(tmp_path, body), origins, directions, 10.0, None, visible))
    mesh, box = hits
    assert 100 < np.isfinite(box.distances).sum() < 400
    assert mesh.distances == pytest.approx(box.distances, abs=1e-9)
    met = np.isfinite(box.distances)
    assert mesh.normals[met] == pytest.approx(box.normals[met], abs=1e-9)
