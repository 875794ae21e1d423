"""Shapes of a draw list as binary glTF (Khronos glTF 2.0), through trimesh.

Data for which glTF has no field is JSON in the names of materials, for `page/look.js`: `base` and `emitted`
colours without rounding (glTF's are whole numbers here), `phong`, reflected `ambient` light, `ibl`, the
textures that are linear, and whether the shape casts a shadow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim_core.base.arrays import FloatArray, Pixels
from sim_core.sensing.render.draw_list import BatchKind, DrawList
from sim_core.sensing.render.materials import AMBIENT, EMISSIVE, KIND, PBR
from sim_core.sensing.render.surfaces import SurfaceTextures

Light = tuple[float, float, float]
OPAQUE = 255


def glb_of(
    shapes: DrawList, instances: Sequence[int], glow: Mapping[int, Light], screens: Mapping[str, Pixels]
) -> bytes:
    """Return one file with some instances, in the coordinates of their frame.

    Args:
        shapes: the draw list.
        instances: numbers of the instances.
        glow: emitted light of instances that differs from their materials.
        screens: pictures of Displays, by the names used in looks.
    """
    import trimesh

    scene = trimesh.Scene()
    for number in instances:
        batch = _batch(shapes, number)
        corners, turn = shapes.meshes[batch.mesh].astype(float), shapes.turns[number]
        corners[:, 3:6] = _turned_normals(corners[:, 3:6], turn)
        corners[:, :3] = corners[:, :3] @ turn.T + shapes.offsets[number]
        pictures = {role: _picture(shapes, batch.look, role, screens) for role in _ROLES}
        is_flat = not any(pictures.values())
        if not is_flat and batch.look is not None:
            (a, b, c, d, e, f), (s, t) = batch.look.turn, corners[:, 6:].T.copy()
            corners[:, 6:] = np.stack(
                [a * s + b * t + c, 1.0 - (d * s + e * t + f)], axis=1
            )  # trimesh: from below
        else:
            corners[:, 6:] = 0.0
        points, faces = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
        material = _material(shapes, number, batch.look, glow.get(number), pictures)
        scene.add_geometry(
            trimesh.Trimesh(
                points[:, :3],
                faces.reshape(-1, 3),
                vertex_normals=points[:, 3:6],
                visual=trimesh.visual.TextureVisuals(
                    uv=None if is_flat else points[:, 6:], material=material
                ),
                process=False,
            )
        )
    return bytes(trimesh.exchange.gltf.export_glb(scene, include_normals=True))


def pictures_of(shapes: DrawList, number: int) -> list[str]:
    """Return the names of the textures of an instance."""
    look = _batch(shapes, number).look
    return [each.picture for each in look.maps] if look is not None else []


def _batch(shapes: DrawList, number: int) -> BatchKind:
    return shapes.batches[int(np.searchsorted(shapes.starts, number, side="right")) - 1]


def _turned_normals(normals: FloatArray, turn: FloatArray) -> FloatArray:
    """Transform normals by the inverse transposed matrix."""
    found = normals @ np.linalg.inv(turn)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


_ROLES = ("BASE", "EMISSIVE", "ROUGHNESS", "METALNESS", "NORMAL", "OCCLUSION")


def _picture(shapes: DrawList, look: SurfaceTextures | None, role: str, screens: Mapping[str, Pixels]) -> Any:
    """Return the texture of a role, as JPEG if it is opaque; None: there is none."""
    from PIL import Image

    for each in look.maps if look is not None else ():
        pixels = screens.get(each.picture, shapes.pictures.get(each.picture))
        if each.role == role and pixels is not None:
            picture = Image.fromarray(pixels)
            if picture.getchannel("A").getextrema()[0] == OPAQUE:
                picture = picture.convert("RGB")
                picture.format = "JPEG" if role != "NORMAL" else None
            return picture
    return None


def _material(
    shapes: DrawList,
    number: int,
    look: SurfaceTextures | None,
    light: Light | None,
    pictures: Mapping[str, Any],
) -> Any:
    """Return the material, with linear colours as in glTF; a highlight of Phong's becomes a roughness."""
    import trimesh

    row, is_pbr = shapes.materials[number], bool(shapes.materials[number][KIND] == PBR)
    metalness, roughness = (float(row[8]), float(row[9])) if is_pbr else (0.0, _roughness(row[11]))
    base, shining = pictures["BASE"], pictures["EMISSIVE"]
    own = row[EMISSIVE] if shining is None else (1.0, 1.0, 1.0)  # a texture replaces the colour
    emitted = own if light is None else light
    extras = {
        "base": _rounded(row[:3]),
        "emitted": _rounded(emitted),
        "ibl": round(float(row[10]), 4) if is_pbr else 0.0,
        "casts": bool(shapes.casts[number]),
        "linear": [each.role for each in look.maps if not each.is_srgb] if look is not None else [],
    }
    if not is_pbr:
        extras |= {"phong": True, "ambient": _rounded(row[AMBIENT])}
    rough = _rough_and_metal(pictures["ROUGHNESS"], pictures["METALNESS"], roughness, metalness)
    return trimesh.visual.material.PBRMaterial(
        name=json.dumps(extras, separators=(",", ":")),
        baseColorTexture=base,
        emissiveTexture=None if shining is None else shining.convert("RGB"),
        metallicRoughnessTexture=rough,
        normalTexture=pictures["NORMAL"],
        occlusionTexture=pictures["OCCLUSION"],
        baseColorFactor=np.rint(255.0 * np.clip(row[:4], 0.0, 1.0)).astype(np.uint8),
        emissiveFactor=np.clip(emitted, 0.0, 1.0),
        metallicFactor=metalness if rough is None else 1.0,
        roughnessFactor=roughness if rough is None else 1.0,
        alphaMode="BLEND" if row[3] < 1.0 or _is_transparent(base) else "OPAQUE",
    )


def _rough_and_metal(rough: Any, metal: Any, roughness: float, metalness: float) -> Any:
    """Combine roughness (green) and metalness (blue) in one texture, as in glTF; None: there are no
    textures."""
    from PIL import Image

    given = [each for each in (rough, metal) if each is not None]
    if not given:
        return None
    size = max(given, key=lambda each: each.width).size
    bands = [
        Image.new("L", size, round(255.0 * number))
        if each is None
        else each.convert("RGB").getchannel(0).resize(size)
        for each, number in ((rough, roughness), (metal, metalness))
    ]
    return Image.merge("RGB", (Image.new("L", size), *bands))


def _rounded(colour: Sequence[float] | FloatArray) -> list[float]:
    return [round(float(part), 5) for part in colour]


def _is_transparent(picture: Any) -> bool:
    return picture is not None and picture.mode == "RGBA"


def _roughness(shininess: float) -> float:
    """Return the roughness of Phong's highlight with the exponent 128·shininess (Blinn's α² = 2/(n + 2))."""
    return math.sqrt(math.sqrt(2.0 / (128.0 * shininess + 2.0)))
