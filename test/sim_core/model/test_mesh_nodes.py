"""Mesh files: formats, units and axes, selection of parts, and errors of unusable files."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from sim_core.base.errors import SceneError
from sim_core.base.limits import VARIABLE
from sim_core.model.geometry import CadShape, FileMesh, TriangleMesh
from sim_core.model.geometry_nodes import broken_files
from sim_core.model.polygons import corners_of_triangles
from sim_core.model.world_model import WorldModel
from sim_core.scene import Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes.mesh_files import read_mesh

SIZE = (1.0, 2.0, 3.0)
TETRAHEDRON = """# one corner of a cube
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


def scene_of(folder: Path, body: str) -> Scene:
    return parse_scene(f"#VRML_SIM R2025a utf8\n{body}\n", str(folder / "world.wbt"), Assets(cache=folder))


def geometry_in(scene: Scene) -> TriangleMesh:
    """Return the visible geometry of the only shape of a scene."""
    (record,) = WorldModel(scene).visible.records
    assert isinstance(record.geometry, TriangleMesh)
    return record.geometry


def mesh_of(folder: Path, fields: str) -> FileMesh:
    mesh = geometry_in(scene_of(folder, f"Shape {{ geometry Mesh {{ {fields} }} }}"))
    assert isinstance(mesh, FileMesh)
    return mesh


def volume(triangles: np.ndarray) -> float:
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def extents(triangles: np.ndarray) -> list[float]:
    return np.ptp(triangles.reshape(-1, 3), axis=0).round(9).tolist()


def collada(up: str = "Z_UP", unit: float = 1.0) -> str:
    """Two tetrahedra with the edges 1, 2, 3 along x, y, z, moved by 10 and 20 along x; red and blue."""

    def geometry(name: str, material: str) -> str:
        return f"""<geometry id="{name}-id" name="{name}"><mesh>
          <source id="{name}-p"><float_array id="{name}-a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
            <technique_common><accessor source="#{name}-a" count="4" stride="3"><param name="X" type="float"/>
              <param name="Y" type="float"/><param name="Z" type="float"/>
            </accessor></technique_common></source>
          <vertices id="{name}-v"><input semantic="POSITION" source="#{name}-p"/></vertices>
          <triangles count="4" material="{material}"><input semantic="VERTEX" source="#{name}-v" offset="0"/>
            <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"""

    def instance(name: str, x: float, material: str) -> str:
        return f"""<node id="{name}-n"><translate>{x} 0 0</translate><instance_geometry url="#{name}-id">
          <bind_material><technique_common><instance_material symbol="{material}" target="#{material}"/>
          </technique_common></bind_material></instance_geometry></node>"""

    effects = "".join(
        f"""<effect id="{name}-fx"><profile_COMMON><technique sid="t"><lambert><diffuse>
        <color>{colour}</color></diffuse></lambert></technique></profile_COMMON></effect>"""
        for name, colour in (("red", "1 0 0 1"), ("blue", "0 0 1 1"))
    )
    materials = "".join(
        f'<material id="{name}" name="{name}"><instance_effect url="#{name}-fx"/></material>'
        for name in ("red", "blue")
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
      <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
        <unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
      <library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>
      <library_geometries>{geometry("one", "red")}{geometry("two", "blue")}</library_geometries>
      <library_visual_scenes><visual_scene id="s">{instance("one", 10, "red")}{instance("two", 20, "blue")}
      </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


@pytest.mark.parametrize("kind", ["obj", "stl", "stl_ascii", "ply", "off", "glb"])
def test_every_format_gives_the_same_closed_box(tmp_path: Path, kind: str) -> None:
    data = trimesh.creation.box(SIZE).export(file_type=kind)
    path = tmp_path / f"box.{kind.split('_')[0]}"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    mesh = mesh_of(tmp_path, f'url "{path.name}"')
    triangles = mesh.triangles
    assert triangles.shape == (12, 3, 3)
    assert volume(triangles) == pytest.approx(6.0)
    x, y, z = SIZE
    # glTF has y up by its standard; the others have no axes of their own
    assert extents(triangles) == pytest.approx((x, z, y) if kind == "glb" else SIZE)


def test_ccw_false_turns_the_triangles_round(tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    assert volume(mesh_of(tmp_path, 'url "t.obj"').triangles) == pytest.approx(1 / 6)
    assert volume(mesh_of(tmp_path, 'url "t.obj" ccw FALSE').triangles) == pytest.approx(-1 / 6)


@pytest.mark.parametrize(
    ("up", "expected"),
    [
        # the file's own axes 1, 2, 3 along x, y, z become: z up, and x and y as Webots turns them
        ("Z_UP", (1.0, 2.0, 3.0)),
        ("Y_UP", (1.0, 3.0, 2.0)),
        ("X_UP", (2.0, 3.0, 1.0)),
    ],
)
def test_collada_is_scaled_to_metres_and_turned_to_z_up(tmp_path: Path, up: str, expected: tuple) -> None:
    (tmp_path / "m.dae").write_text(collada(up, 0.01))
    mesh = mesh_of(tmp_path, 'url "m.dae" name "one"')
    triangles = mesh.triangles
    assert extents(triangles) == pytest.approx([value / 100 for value in expected])
    assert volume(triangles) == pytest.approx(1e-6)
    highest = {"Z_UP": 3.0, "Y_UP": 2.0, "X_UP": 11.0}[up]
    assert triangles[..., 2].max() == pytest.approx(highest / 100)


def test_name_and_material_choose_parts_of_a_collada_file(tmp_path: Path) -> None:
    (tmp_path / "m.dae").write_text(collada())
    every = mesh_of(tmp_path, 'url "m.dae"').parts
    assert [(part.names, part.material, part.colour) for part in every] == [
        (("one-id", "one"), 0, (1.0, 0.0, 0.0, 1.0)),
        (("two-id", "two"), 1, (0.0, 0.0, 1.0, 1.0)),
    ]
    assert [part.triangles[..., 0].min() for part in every] == [10.0, 20.0]
    for fields in ('name "two"', 'name "two-id"', "materialIndex 1"):
        (part,) = mesh_of(tmp_path, f'url "m.dae" {fields}').parts
        assert part.triangles[..., 0].min() == 20.0
    with pytest.raises(SceneError, match=r'Mesh.name "three", expected a geometry of m.dae: one-id, two-id'):
        _ = mesh_of(tmp_path, 'url "m.dae" name "three"').parts
    with pytest.raises(SceneError, match=r"Mesh.materialIndex 2, expected -1, or less than 2, as in m.dae"):
        _ = mesh_of(tmp_path, 'url "m.dae" materialIndex 2').parts


def test_a_cad_shape_is_visible_with_the_colours_of_its_materials(tmp_path: Path) -> None:
    (tmp_path / "c.obj").write_text("mtllib c.mtl\nusemtl green\n" + TETRAHEDRON)
    (tmp_path / "c.mtl").write_text("newmtl green\nKd 0 1 0\n")
    scene = scene_of(tmp_path, 'Pose { translation 1 2 3 children CadShape { url "c.obj" } }')
    (record,) = WorldModel(scene).visible.records
    assert record.offset.position == (1.0, 2.0, 3.0)
    assert isinstance(record.geometry, CadShape)
    (part,) = record.geometry.parts
    assert part.colour == (0.0, 1.0, 0.0, 1.0)
    assert len(record.geometry.triangles) == 4


def test_a_mesh_reads_only_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "secret.mtl").write_text("newmtl green\nKd 0 1 0\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "c.obj").write_text("mtllib ../secret.mtl\nusemtl green\n" + TETRAHEDRON)
    (part,) = mesh_of(tmp_path, 'url "in/c.obj"').parts
    assert part.colour is None or part.colour[:3] != (0.0, 1.0, 0.0)


def test_a_missing_file_is_a_warning_that_lists_where_it_was_looked_for(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, 'Shape { geometry Mesh { url "no/such.stl" } }')
    (warning,) = scene.warnings
    text = f"no such file; looked for at {tmp_path / 'no' / 'such.stl'}, left out"
    assert str(warning) == f'{tmp_path / "world.wbt"}:2:18: Mesh.url "no/such.stl": {text}'
    assert len(geometry_in(scene).triangles) == 0


def test_many_missing_pictures_are_one_warning(tmp_path: Path) -> None:
    shape = 'Shape {{ appearance PBRAppearance {{ baseColorMap ImageTexture {{ url "{}.png" }} }} }}\n'
    scene = scene_of(tmp_path, "".join(shape.format(name) for name in ("a", "b", "b", "c")))
    (warning,) = scene.warnings
    assert 'ImageTexture.url "a.png"' in str(warning)
    assert str(warning).endswith("(and 2 more pictures)")


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.xyz", b"x", 'the ending ".xyz", expected one of .obj, .stl, .dae, .glb, .gltf, .ply, .off'),
        ("a.obj", b"", "no triangles"),
        ("a.stl", b"nonsense", "no triangles|a broken stl file"),
        ("a.glb", b"xx", "a broken glb file"),
        ("a.dae", b"<COLLADA", "a broken dae file"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 7\n", "a broken obj file|no triangles"),
        ("a.obj", TETRAHEDRON.replace("v 1 0 0", "v nan 0 0").encode(), "not finite"),
        ("b.stl", bytes(80) + struct.pack("<I", 2**31) + bytes(50), "a broken stl file|no triangles"),
    ],
    ids=lambda value: value if isinstance(value, str) and value[1:2] == "." else "",
)
def test_an_unusable_file_is_one_line(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    (tmp_path / name).write_bytes(data)
    mesh = mesh_of(tmp_path, f'url "{name}"')
    with pytest.raises(SceneError, match=text) as caught:
        _ = mesh.parts
    assert "\n" not in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)
    assert len(mesh.triangles) == 0
    assert len(broken_files(scene_of(tmp_path, f'Shape {{ geometry Mesh {{ url "{name}" }} }}'))) == 1


def test_files_and_meshes_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    monkeypatch.setenv(VARIABLE, "mesh_triangles=3")
    with pytest.raises(SceneError, match="4 triangles, expected at most 3"):
        _ = mesh_of(tmp_path, 'url "t.obj"').parts
    monkeypatch.setenv(VARIABLE, "mesh_bytes=10")
    with pytest.raises(SceneError, match="bytes, expected at most 10"):
        _ = mesh_of(tmp_path, 'url "t.obj"').parts


def test_a_file_is_read_once_and_again_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "t.obj"
    path.write_text(TETRAHEDRON)
    first = read_mesh(path)
    assert read_mesh(path) is first
    path.write_text(TETRAHEDRON + "f 1 2 3\n")
    assert len(read_mesh(path).parts[0].triangles) == 5


def test_an_entity_bomb_in_a_collada_file_is_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 20}">' for k in range(1, 12))
    (tmp_path / "b.dae").write_text(
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "lol">{entities}]><COLLADA>&e11;</COLLADA>'
    )
    with pytest.raises(SceneError, match="a broken dae file"):
        _ = mesh_of(tmp_path, 'url "b.dae"').parts


def test_faces_of_any_form_keep_their_area_and_direction() -> None:
    """A star-shaped, concave polygon: the triangles' areas add up, all of them with the same normal."""
    angles = np.arange(10) * np.pi / 5
    radii = np.where(np.arange(10) % 2, 0.3, 1.0)
    flat = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    for tilt in (np.eye(3), np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]), np.diag([1.0, -1.0, -1.0])):
        points = np.column_stack([flat, np.zeros(10)]) @ tilt.T
        text = ", ".join(" ".join(map(str, point)) for point in points)
        indices = " ".join(map(str, range(10)))
        scene = parse_scene(
            "#VRML_SIM R2025a utf8\nShape { geometry IndexedFaceSet { convex FALSE "
            f"coord Coordinate {{ point [ {text} ] }} coordIndex [ {indices} -1 ] }} }}"
        )
        triangles = geometry_in(scene).triangles
        assert len(triangles) == 8
        crosses = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
        area = 10 * 0.5 * 1.0 * 0.3 * np.sin(np.pi / 5)
        assert np.linalg.norm(crosses, axis=1).sum() == pytest.approx(area)
        assert crosses.sum(axis=0) == pytest.approx(tilt @ (0, 0, area))


def test_a_polygon_with_a_point_that_is_not_there_is_left_out() -> None:
    scene = parse_scene(
        "#VRML_SIM R2025a utf8\nShape { geometry IndexedFaceSet { "
        "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 -1 0 1 9 -1 0 1 ] } }"
    )
    assert len(geometry_in(scene).triangles) == 1


def test_a_file_in_latin_1_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_bytes("# Würfelecke\n".encode("latin-1") + TETRAHEDRON.encode())
    assert len(mesh_of(tmp_path, 'url "t.obj"').triangles) == 4


def test_stl_triangles_are_exact(tmp_path: Path) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4")
    data = io.BytesIO()
    data.write(bytes(80) + struct.pack("<I", 1) + bytes(12) + corners.tobytes() + bytes(2))
    (tmp_path / "one.stl").write_bytes(data.getvalue())
    assert mesh_of(tmp_path, 'url "one.stl"').triangles.tolist() == [corners.tolist()]


def test_polygons_of_all_kinds_are_cut_in_their_order() -> None:
    """Areas of the triangles add up to those of the polygons, by the shoelace formula, polygon by polygon."""
    points = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0.5, 0], [3, 0, 0], [3, 2, 0]], float)
    polygons = [[0, 1, 2], [0, 1, 2, 3], [0, 4, 1, 2, 3], [1, 5, 6, 2, 1], [0, 1], [0, 1, 9], [], [1, 5, 6]]
    index = np.array([each for polygon in polygons for each in [*polygon, -1]], dtype=np.int64)
    found = corners_of_triangles(points, index)
    corners = points[index[found]]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert areas.min() > 0.0  # all with the orientation of their polygon
    belongs = np.cumsum(index < 0)[found]
    assert (belongs == belongs[:, :1]).all() and (np.diff(belongs[:, 0]) >= 0).all()
    for number, polygon in enumerate(polygons):
        is_there = len(polygon) >= 3 and max(polygon) <= 6
        x, y = points[polygon if is_there else [0, 0]].T[:2]
        expected = (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
        assert areas[belongs[:, 0] == number].sum() == pytest.approx(expected)
    assert len(corners_of_triangles(points, index[:3])) == 1  # the last polygon need not be ended
