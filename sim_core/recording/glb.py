"""Shapes of a draw list as binary glTF (Khronos glTF 2.0), through trimesh."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.render.draw_list import DrawList
from sim_core.render.materials import EMISSIVE, PBR

Light = tuple[float, float, float]


def glb_of(shapes: DrawList, instances: Sequence[int], glow: Mapping[int, Light]) -> bytes:
    """One file with some instances, in the coordinates of their frame.

    Args:
        shapes: what there is to draw.
        instances: their numbers.
        glow: the light that some of them give off, in the place of what their materials say.
    """
    import trimesh

    scene = trimesh.Scene()
    for number in instances:
        mesh = int(np.searchsorted(shapes.starts, number, side="right")) - 1
        corners = shapes.meshes[mesh][:, :6].astype(float)
        turn = shapes.turns[number]
        corners = np.hstack(
            [corners[:, :3] @ turn.T + shapes.offsets[number], _turned_normals(corners[:, 3:], turn)]
        )
        points, faces = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
        material = _material(shapes.materials[number], glow.get(number))
        scene.add_geometry(
            trimesh.Trimesh(
                points[:, :3],
                faces.reshape(-1, 3),
                vertex_normals=points[:, 3:],
                visual=trimesh.visual.TextureVisuals(material=material),
                process=False,
            )
        )
    return bytes(trimesh.exchange.gltf.export_glb(scene, include_normals=True))


def _turned_normals(normals: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normals go with the inverse transposed matrix."""
    found = normals @ np.linalg.inv(turn)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)


def _material(row: NDArray[np.float64], light: Light | None) -> Any:
    """Colours in proportion to light, as glTF has them too; a highlight of Phong's becomes a roughness."""
    import trimesh

    metalness, roughness = (float(row[8]), float(row[9])) if row[7] == PBR else (0.0, _roughness(row[11]))
    return trimesh.visual.material.PBRMaterial(
        baseColorFactor=np.rint(255.0 * np.clip(row[:4], 0.0, 1.0)).astype(np.uint8),
        emissiveFactor=np.clip(row[EMISSIVE] if light is None else light, 0.0, 1.0),
        metallicFactor=metalness,
        roughnessFactor=roughness,
        alphaMode="BLEND" if row[3] < 1.0 else "OPAQUE",
        doubleSided=True,
    )


def _roughness(shininess: float) -> float:
    """Width of Phong's highlight with the exponent 128·shininess (Blinn's α² = 2/(n + 2))."""
    return math.sqrt(math.sqrt(2.0 / (128.0 * shininess + 2.0)))
