"""What mesh files announce is counted, and refused before it is made: in no time, by arithmetic."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from sim_core.base.limits import LIMITS, VARIABLE
from sim_core.scene.meshes.mesh_files import MeshFileError, read_mesh

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#f" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
PARTS</mesh></geometry></library_geometries>
<library_nodes>NODES</library_nodes>
<library_visual_scenes><visual_scene id="w"><node>TOP</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""
TRIANGLE = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>'
POLYGON = (
    '<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>'
    "<vcount>{}</vcount><p>0 1 2 3</p></polylist>"
)
GEOMETRY = '<instance_geometry url="#g"/>'


def collada(folder: Path, parts: str, inner: str, doublings: int) -> Path:
    nodes = [f'<node id="n0">{inner}</node>']
    for number in range(1, doublings + 1):
        named = f'<instance_node url="#n{number - 1}"/>'
        nodes.append(f'<node id="n{number}">{named}{named}</node>')
    text = COLLADA.replace("PARTS", parts).replace("NODES", "".join(nodes))
    file = folder / "m.dae"
    file.write_text(text.replace("TOP", f'<instance_node url="#n{doublings}"/>'), encoding="utf-8")
    return file


def triangles(file: Path) -> int:
    return sum(len(part.triangles) for part in read_mesh(file).parts)


@pytest.mark.parametrize(("parts", "corners"), [(TRIANGLE, 1), (POLYGON.format(4), 2), (TRIANGLE * 3, 3)])
def test_copies_of_collada_are_counted_as_they_are_made(
    parts: str, corners: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = collada(tmp_path, parts, GEOMETRY, 3)
    for most in (8 * corners, 8 * corners - 1):
        monkeypatch.setenv(VARIABLE, f"mesh_triangles={most}")
        read_mesh.__globals__["_read"].cache_clear()
        if most == 8 * corners:
            assert triangles(file) == most
            continue
        with pytest.raises(MeshFileError, match=f"{8 * corners} triangles, expected at most {most}"):
            read_mesh(file)


@pytest.mark.parametrize("inner", [GEOMETRY, ""], ids=["triangles", "nothing at all"])
def test_nodes_that_double_are_refused(inner: str, tmp_path: Path) -> None:
    with pytest.raises(MeshFileError, match=f"nodes, expected at most {LIMITS['mesh_parts']}"):
        read_mesh(collada(tmp_path, TRIANGLE, inner, 60))


def test_a_polygon_that_announces_more_corners_than_it_has(tmp_path: Path) -> None:
    with pytest.raises(MeshFileError, match=r"2147483645 triangles|broken dae"):
        read_mesh(collada(tmp_path, POLYGON.format(2**31 - 1), GEOMETRY, 0))


def gltf(folder: Path, changes: dict[str, Any]) -> Path:
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    uri = f"data:application/octet-stream;base64,{base64.b64encode(corners).decode()}"
    told = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": uri}],
        **changes,
    }
    file = folder / "m.gltf"
    file.write_text(json.dumps(told), encoding="utf-8")
    return file


ONE = {"attributes": {"POSITION": 0}}
COUNTED = {
    "an accessor of nothing": (
        {"accessors": [{"componentType": 5126, "count": 10**8, "type": "VEC3"}]},
        f"1200000000 bytes of numbers, expected at most {LIMITS['mesh_bytes']}",
    ),
    "a number that is none": (
        {"accessors": [{"componentType": 5126, "count": -3, "type": "VEC3"}]},
        "a count of -3",
    ),
    "parts of one mesh": ({"meshes": [{"primitives": [ONE] * 60_000}]}, "120000 parts, expected"),
    "nodes of one mesh": (
        {"nodes": [{"mesh": 0}] * 300, "meshes": [{"primitives": [ONE] * 300}]},
        "90300 parts, expected",
    ),
}


@pytest.mark.parametrize("what", COUNTED)
def test_what_gltf_announces_is_refused(what: str, tmp_path: Path) -> None:
    changes, said = COUNTED[what]
    with pytest.raises(MeshFileError, match=said):
        read_mesh(gltf(tmp_path, changes))


def test_triangles_of_gltf_count_as_often_as_they_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = {"nodes": [{"mesh": 0}] * 5, "scenes": [{"nodes": [0, 1, 2, 3, 4]}]}
    assert triangles(gltf(tmp_path, drawn)) == 5
    monkeypatch.setenv(VARIABLE, "mesh_triangles=4")
    read_mesh.__globals__["_read"].cache_clear()
    with pytest.raises(MeshFileError, match="5 triangles, expected at most 4"):
        read_mesh(gltf(tmp_path, drawn))
