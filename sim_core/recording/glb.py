"""Shapes of a draw list as binary glTF (Khronos glTF 2.0), through trimesh."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.sensing.render.draw_list import BatchKind, DrawList
from sim_core.sensing.render.materials import EMISSIVE, PBR
from sim_core.sensing.render.surfaces import Look, Pixels

Light = tuple[float, float, float]


def glb_of(
    shapes: DrawList, instances: Sequence[int], glow: Mapping[int, Light], screens: Mapping[str, Pixels]
) -> bytes:
    """One file with some instances, in the coordinates of their frame.

    Args:
        shapes: what there is to draw.
        instances: their numbers.
        glow: the light that some of them give off, in the place of what their materials say.
        screens: what Displays show, by the names that looks have for it.
    """
    import trimesh

    scene = trimesh.Scene()
    for number in instances:
        batch = _batch(shapes, number)
        corners, turn = shapes.meshes[batch.mesh].astype(float), shapes.turns[number]
        corners[:, 3:6] = _turned_normals(corners[:, 3:6], turn)
        corners[:, :3] = corners[:, :3] @ turn.T + shapes.offsets[number]
        picture = _picture(shapes, batch.look, "BASE", screens)
        shining = _picture(shapes, batch.look, "EMISSIVE", screens)
        is_flat = picture is None and shining is None
        if not is_flat and batch.look is not None:
            (a, b, c, d, e, f), (s, t) = batch.look.turn, corners[:, 6:].T.copy()
            corners[:, 6:] = np.stack(
                [a * s + b * t + c, 1.0 - (d * s + e * t + f)], axis=1
            )  # trimesh: from below
        else:
            corners[:, 6:] = 0.0
        points, faces = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
        material = _material(shapes.materials[number], glow.get(number), picture, shining)
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
    """Names of the pictures on an instance."""
    look = _batch(shapes, number).look
    return [each.picture for each in look.maps] if look is not None else []


def _batch(shapes: DrawList, number: int) -> BatchKind:
    return shapes.batches[int(np.searchsorted(shapes.starts, number, side="right")) - 1]


def _turned_normals(normals: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normals go with the inverse transposed matrix."""
    found = normals @ np.linalg.inv(turn)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def _picture(shapes: DrawList, look: Look | None, role: str, screens: Mapping[str, Pixels]) -> Any:
    """The picture of a surface's own colour, or of the light it gives off; None: it has none."""
    from PIL import Image

    for each in look.maps if look is not None else ():
        pixels = screens.get(each.picture, shapes.pictures.get(each.picture))
        if each.role == role and pixels is not None:
            return Image.fromarray(pixels)
    return None


def _material(row: NDArray[np.float64], light: Light | None, picture: Any, shining: Any) -> Any:
    """Colours in proportion to light, as glTF has them too; a highlight of Phong's becomes a roughness."""
    import trimesh

    metalness, roughness = (float(row[8]), float(row[9])) if row[7] == PBR else (0.0, _roughness(row[11]))
    own = row[EMISSIVE] if shining is None else (1.0, 1.0, 1.0)  # a picture stands in the place of the colour
    return trimesh.visual.material.PBRMaterial(
        baseColorTexture=picture,
        emissiveTexture=None if shining is None else shining.convert("RGB"),
        baseColorFactor=np.rint(255.0 * np.clip(row[:4], 0.0, 1.0)).astype(np.uint8),
        emissiveFactor=np.clip(own if light is None else light, 0.0, 1.0),
        metallicFactor=metalness,
        roughnessFactor=roughness,
        alphaMode="BLEND" if row[3] < 1.0 or _has_holes(picture) else "OPAQUE",
        doubleSided=True,
    )


def _has_holes(picture: Any) -> bool:
    return picture is not None and picture.getextrema()[3][0] < 255


def _roughness(shininess: float) -> float:
    """Width of Phong's highlight with the exponent 128·shininess (Blinn's α² = 2/(n + 2))."""
    return math.sqrt(math.sqrt(2.0 / (128.0 * shininess + 2.0)))
