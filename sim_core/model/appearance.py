"""Appearances of surfaces: frozen records, made from appearance nodes by `appearance_of`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim_core.base.ids import NodeId
from sim_core.scene.assets import NotFoundError
from sim_core.scene.meshes.node_files import FileReference, file_of, find_file
from sim_core.scene.meshes.picture_files import PictureError, picture_of, read_picture
from sim_core.scene.node import Node

Rgb = tuple[float, float, float]
"""Red, green and blue as in the file, 0 to 1 (sRGB)."""
TextureTransform = tuple[float, float, float, float, float, float]
"""(a, b, c, d, e, f): a point (s, t), from the left and the top, is at (a·s + b·t + c, d·s + e·t + f) in the
picture."""

WHITE: Rgb = (1.0, 1.0, 1.0)
UNTURNED: TextureTransform = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
BASE, EMISSIVE, ROUGHNESS = "BASE", "EMISSIVE", "ROUGHNESS"
METALNESS, OCCLUSION, NORMAL = "METALNESS", "OCCLUSION", "NORMAL"
_MAPS = {
    BASE: "baseColorMap", EMISSIVE: "emissiveColorMap", ROUGHNESS: "roughnessMap",
    METALNESS: "metalnessMap", OCCLUSION: "occlusionMap", NORMAL: "normalMap",
}  # fmt: skip
"""Roles of pictures, and the fields of a PBRAppearance that contain them."""


class Texture(NamedTuple):
    """Picture on a surface.

    Attributes:
        file: None: no picture.
        repeat_s, repeat_t: True: the picture is repeated, across and upwards; otherwise its edge is extended.
        filtering: 0: the nearest pixel; above, a mean of pixels; from 2 on, sharper at grazing angles (Webots
            reference, ImageTexture).
    """

    file: FileReference | None
    repeat_s: bool
    repeat_t: bool
    filtering: int

    def pixels(self) -> NDArray[np.uint8] | None:
        """Return the picture, (height, width, 4); None: there is none.

        Raises:
            SceneError: its file does not exist or is not a picture.
        """
        return picture_of(self.file) if self.file is not None else None

    def mean(self) -> Rgb | None:
        """Return the mean colour, with transparent pixels weighted by their opacity; None: not available."""
        return _mean(self.file.url, self.file.bases) if self.file is not None else None


class Phong(NamedTuple):
    """Material node."""

    ambient: float
    specular: Rgb
    shininess: float


class Pbr(NamedTuple):
    """Fields of a PBRAppearance except its colours (Webots reference, PBRAppearance)."""

    roughness: float
    metalness: float
    ibl_strength: float
    normal_factor: float
    occlusion_strength: float


class Appearance(NamedTuple):
    """Appearance or PBRAppearance node.

    Attributes:
        node: id of the node.
        shading: None: an Appearance without Material, which is white.
        colour: diffuse or base colour; opacity: 0 to 1.
        emissive, emissive_intensity: emitted colour, and a factor.
        textures: by role, in the order of `BASE` to `NORMAL`.
        turn: transform of the textures.
    """

    node: NodeId
    shading: Phong | Pbr | None
    colour: Rgb
    transparency: float
    emissive: Rgb
    emissive_intensity: float
    textures: Mapping[str, Texture]
    turn: TextureTransform

    @property
    def mean_colour(self) -> tuple[float, float, float, float] | None:
        """Mean colour and opacity: its colour times the mean of its picture; None: it has neither."""
        mean = self.mean_of(BASE)
        if self.shading is None and mean is None:
            return None
        own, (red, green, blue) = self.colour, mean or WHITE
        return (own[0] * red, own[1] * green, own[2] * blue, 1.0 - self.transparency)

    def mean_of(self, role: str) -> Rgb | None:
        """Return the mean colour of the picture of a role; None: not available."""
        texture = self.textures.get(role)
        return texture.mean() if texture is not None else None


def appearance_of(node: Node | None) -> Appearance | None:
    """Return the record of an appearance node as it is now."""
    if node is None:
        return None
    turn = _turn(node["textureTransform"])
    if node.type_name == "PBRAppearance":
        pbr = Pbr(
            node["roughness"], node["metalness"], node["IBLStrength"],
            node["normalMapFactor"], node["occlusionMapStrength"],
        )  # fmt: skip
        textures = {
            role: _texture(node[field])
            for role, field in _MAPS.items()
            if node.is_set(field) and node[field] is not None
        }
        return Appearance(
            node.id, pbr, node["baseColor"], node["transparency"],
            node["emissiveColor"], node["emissiveIntensity"], textures, turn,
        )  # fmt: skip
    textures = {BASE: _texture(node["texture"])} if node["texture"] is not None else {}
    material = node["material"]
    if material is None:
        return Appearance(node.id, None, WHITE, 0.0, (0.0, 0.0, 0.0), 1.0, textures, turn)
    phong = Phong(material["ambientIntensity"], material["specularColor"], material["shininess"])
    return Appearance(
        node.id, phong, material["diffuseColor"], material["transparency"],
        material["emissiveColor"], 1.0, textures, turn,
    )  # fmt: skip


def _texture(node: Node) -> Texture:
    file = file_of(node) if node["url"] else None
    return Texture(file, node["repeatS"], node["repeatT"], max(0, int(node["filtering"])))


def _turn(node: Node | None) -> TextureTransform:
    """Return a TextureTransform for coordinates counted from the top: T' = -C·S·R·C·T applied to (s, t) (X3D,
    TextureTransform)."""
    if node is None:
        return UNTURNED
    cos, sin = math.cos(node["rotation"]), math.sin(node["rotation"])
    (x, y), (tx, ty), (cx, cy) = node["scale"], node["translation"], node["center"]
    a, b, d, e = x * cos, -x * sin, y * sin, y * cos
    c = a * (tx + cx) + b * (ty + cy) - cx
    f = d * (tx + cx) + e * (ty + cy) - cy
    # With t = 1 - v, v from the top.
    return (a, -b, c + b, -d, e, 1.0 - e - f)


@lru_cache(maxsize=1024)
def _mean(url: str, bases: tuple[str, ...]) -> Rgb | None:
    """Return the mean colour of a picture file; cached, because many surfaces have the same picture."""
    try:
        picture = read_picture(find_file(url, bases))
    except (NotFoundError, PictureError):
        return None
    pixels = picture.astype(float) / 255.0
    weights = pixels[..., 3]
    total = float(weights.sum())
    if total == 0.0:
        return None
    red, green, blue = (pixels[..., :3] * weights[..., None]).sum(axis=(0, 1)) / total
    return (float(red), float(green), float(blue))


class PaintLayer(NamedTuple):
    """Paint on a surface: its red component and its opacity, both from 0 to 1."""

    red: float
    density: float


def infrared_factor(
    appearance: Appearance | None,
    picture: Callable[[str], Rgb | None] | None = None,
    coats: Iterable[PaintLayer] = (),
) -> float:
    """Return the infra-red reflection factor of a surface, from 0.2 (black) to 1 (pure red or white).

    f = 0.2 + 0.8·red·(1 - 0.5·roughness)·(1 - 0.5·occlusion) (Webots reference, DistanceSensor). `red` is the
    red component of the diffuse or base colour, reduced by transparency, times that of the picture, covered
    by the paint layers; with a picture the diffuse colour is white, as in rendering. Roughness and occlusion
    apply to a PBRAppearance only, and their pictures only together with a colour picture, as in Webots. A
    Shape without appearance is white.

    Args:
        appearance: of the surface.
        picture: returns the colour of the picture of a role at the point of interest; None: use the mean of
            the whole picture.
        coats: paint layers at that point, the lowest first.
    """
    if appearance is None:
        return 0.2 + 0.8 * _covered(1.0, coats)
    colour_of = picture or appearance.mean_of
    base = colour_of(BASE)
    if appearance.shading is None and base is None:
        return 0.2 + 0.8 * _covered(1.0, coats)
    red = appearance.colour[0] if base is None or isinstance(appearance.shading, Pbr) else 1.0
    red *= (base[0] if base is not None else 1.0) * (1.0 - appearance.transparency)
    red = _covered(red, coats)
    if not isinstance(appearance.shading, Pbr):
        return 0.2 + 0.8 * red
    roughness, occlusion = appearance.shading.roughness, 0.0
    if base is not None:
        rough, dark = colour_of(ROUGHNESS), colour_of(OCCLUSION)
        roughness = rough[0] if rough is not None else roughness
        occlusion = dark[0] if dark is not None else 0.0
    return 0.2 + 0.8 * red * (1.0 - 0.5 * roughness) * (1.0 - 0.5 * occlusion)


def _covered(red: float, coats: Iterable[PaintLayer]) -> float:
    for coat in coats:
        red += coat.density * (coat.red - red)
    return red


def is_transparent(appearance: Appearance | None) -> bool:
    """Return True for a surface that infra-red and laser rays pass: transparency 1 (since Webots R2022a)."""
    return appearance is not None and appearance.transparency >= 1.0
