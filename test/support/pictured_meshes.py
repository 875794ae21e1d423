"""Mesh files of a square that has a picture."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

CORNERS = ((0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5))
"""y and z of a square at x = 0, seen along x: lower left first, anticlockwise; PLACES go with them."""
PLACES = ((0, 0), (1, 0), (1, 1), (0, 1))


def write_obj(folder: Path, picture: str, more: str = "Kd 1 1 1") -> str:
    lines = [f"v 0 {y} {z}" for y, z in CORNERS] + [f"vt {s} {t}" for s, t in PLACES]
    (folder / "q.obj").write_text("\n".join(["mtllib q.mtl", *lines, "usemtl m", "f 1/1 2/2 3/3 4/4", ""]))
    (folder / "q.mtl").write_text(f"newmtl m\n{more}\nmap_Kd {picture}\n")
    return "q.obj"


def write_dae(folder: Path, picture: str) -> str:
    def source(name: str, rows: Any, parameters: str) -> str:
        numbers = [number for row in rows for number in row]
        names = "".join(f'<param name="{each}" type="float"/>' for each in parameters)
        return f"""<source id="{name}"><float_array id="{name}-a" count="{len(numbers)}">
          {" ".join(map(str, numbers))}</float_array><technique_common>
          <accessor source="#{name}-a" count="{len(rows)}" stride="{len(parameters)}">{names}</accessor>
          </technique_common></source>"""

    places = [(0.0, y, z) for y, z in CORNERS]
    (folder / "q.dae").write_text(f"""<?xml version="1.0" encoding="utf-8"?>
      <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
        <unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
      <library_images><image id="i" name="i"><init_from>{picture}</init_from></image></library_images>
      <library_effects><effect id="fx"><profile_COMMON>
        <newparam sid="sf"><surface type="2D"><init_from>i</init_from></surface></newparam>
        <newparam sid="sa"><sampler2D><source>sf</source></sampler2D></newparam>
        <technique sid="t"><lambert><diffuse><texture texture="sa" texcoord="UV"/></diffuse></lambert>
        </technique></profile_COMMON></effect></library_effects>
      <library_materials><material id="m" name="m"><instance_effect url="#fx"/></material></library_materials>
      <library_geometries><geometry id="g" name="g"><mesh>{source("p", places, "XYZ")}
        {source("t", PLACES, "ST")}
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles count="2" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
          <input semantic="TEXCOORD" source="#t" offset="1" set="0"/>
          <p>0 0 1 1 2 2 0 0 2 2 3 3</p></triangles></mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"><bind_material>
        <technique_common><instance_material symbol="m" target="#m">
          <bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/></instance_material>
        </technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
      <scene><instance_visual_scene url="#s"/></scene></COLLADA>""")
    return "q.dae"


def gltf(picture: dict[str, Any], extra: bytes = b"") -> tuple[dict[str, Any], bytes]:
    """A square in glTF: y up, so that (x, y, z) there is (x, -z, y) here; places from above."""
    points = np.array([(0.0, z, -y) for y, z in CORNERS], np.float32)
    places = np.array([(s, 1 - t) for s, t in PLACES], np.float32)
    corners = np.array([0, 1, 2, 0, 2, 3], np.uint16)
    parts = [points.tobytes(), places.tobytes(), corners.tobytes(), extra]
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": len(part)}
        for start, part in zip(starts, parts, strict=False)
        if part
    ]
    header: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 4,
                "type": "VEC3",
                "min": points.min(axis=0).tolist(),
                "max": points.max(axis=0).tolist(),
            },
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": views,
        "images": [picture],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    }
    data = b"".join(parts)
    return {**header, "buffers": [{"byteLength": len(data)}]}, data


def write_gltf(folder: Path, picture: str) -> str:
    header, data = gltf({"uri": picture})
    (folder / "q.bin").write_bytes(data)
    header["buffers"][0]["uri"] = "q.bin"
    (folder / "q.gltf").write_text(json.dumps(header))
    return "q.gltf"


def write_glb(folder: Path, picture: str) -> str:
    """With the picture in it."""
    header, data = gltf({"bufferView": 3, "mimeType": "image/png"}, (folder / picture).read_bytes())
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    (folder / "q.glb").write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return "q.glb"


WRITERS = {"obj": write_obj, "dae": write_dae, "gltf": write_gltf, "glb": write_glb}
