"""Meshes as markers: triangles, colours of their materials, and where RViz finds a large file."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.composites import markers
from ros_bridge.composites.markers import MarkersFiller, parts_of
from sim_core.model.geometry_nodes import geometry_of
from sim_core.scene import Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation


def scene_of(folder: Path, body: str) -> Scene:
    trimesh.creation.box((1, 2, 3)).export(folder / "box.stl")
    (folder / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl green\nKd 0 1 0\n")
    (folder / "two.obj").write_text(
        "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 2 3\nusemtl green\nf 1 2 4\n"
    )
    text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 10 }}\n{body}\n"
    return parse_scene(text, str(folder / "world.wbt"), Assets(cache=folder))


def test_a_mesh_file_is_sent_as_triangles(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, 'Shape { geometry Mesh { url "box.stl" } }')
    (part,) = parts_of(geometry_of(scene.nodes[1]["geometry"]))
    assert (part.kind, len(part.points), part.file) == ("TRIANGLE_LIST", 36, "")
    assert max(part.points) == pytest.approx((0.5, 1.0, 1.5))


def test_of_a_large_one_rviz_is_told_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markers, "MAX_TRIANGLES", 11)
    scene = scene_of(tmp_path, 'Shape { geometry Mesh { url "box.stl" } }')
    message = MarkerArray()
    MarkersFiller(Simulation(scene)).fill(message, 0)
    (marker,) = message.markers
    assert marker.type == Marker.MESH_RESOURCE
    assert marker.mesh_resource == (tmp_path / "box.stl").as_uri()
    assert (marker.scale.x, marker.scale.y, marker.scale.z) == (1.0, 1.0, 1.0)
    assert len(marker.points) == 0


def test_a_cad_shape_has_a_marker_for_each_material(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, 'Pose { translation 1 2 3 children CadShape { url "two.obj" } }')
    message = MarkerArray()
    MarkersFiller(Simulation(scene)).fill(message, 0)
    colours = {(marker.color.r, marker.color.g, marker.color.b) for marker in message.markers}
    assert colours == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)}
    assert all(marker.pose.position.z == 3.0 for marker in message.markers)


def test_a_missing_file_has_no_marker(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, 'Shape { geometry Mesh { url "none.stl" } }')
    assert parts_of(geometry_of(scene.nodes[1]["geometry"])) == []


def test_points_and_lines_are_markers_of_their_kinds(tmp_path: Path) -> None:
    """Points have their given colours, lines the emissive colour of their Material."""
    scene = scene_of(
        tmp_path,
        """Transform { scale 2 1 1 children Shape { geometry PointSet {
          color Color { color [ 1 0 0, 0 0 1 ] } coord Coordinate { point [ 1 2 3, 4 5 6, 7 8 9 ] } } } }
        Shape { appearance Appearance { material Material { emissiveColor 0 1 0 transparency 0.25 } }
          geometry IndexedLineSet {
            coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0 ] } coordIndex [ 0 1 2 ] } }""",
    )
    message = MarkerArray()
    MarkersFiller(Simulation(scene)).fill(message, 0)
    points, lines = message.markers
    assert (points.type, lines.type) == (Marker.POINTS, Marker.LINE_LIST)
    assert [(each.x, each.y, each.z) for each in points.points] == [(2, 2, 3), (8, 5, 6)]
    assert [(ink.r, ink.g, ink.b, ink.a) for ink in points.colors] == [(1, 0, 0, 1), (0, 0, 1, 1)]
    assert 0.0 < lines.scale.x < points.scale.x == points.scale.y <= 0.01
    assert (lines.color.r, lines.color.g, lines.color.b, lines.color.a) == (0, 1, 0, 0.75)
    assert [(each.x, each.y) for each in lines.points] == [(0, 0), (1, 0), (1, 0), (1, 1)]
