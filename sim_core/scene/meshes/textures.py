"""Pictures on surfaces, and what their mean colour is."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.scene.assets import NotFoundError
from sim_core.scene.meshes.node_files import file_of, find_file, places
from sim_core.scene.meshes.picture_files import PictureError, read_picture
from sim_core.scene.node import Node

Rgb = tuple[float, float, float]

WHITE: Rgb = (1.0, 1.0, 1.0)


def picture_of(texture: Node) -> NDArray[np.uint8] | None:
    """The picture of an ImageTexture; None without url.

    Raises:
        SceneError: its file is nowhere or no picture.
    """
    if not texture["url"]:
        return None
    path = file_of(texture).find()
    try:
        return read_picture(path)
    except PictureError as error:
        raise SceneError(*texture.source, f"ImageTexture.url {path}: {error}") from None


def picture_in_field(node: Node, field: str) -> NDArray[np.uint8]:
    """The picture whose URL stands in a field of one text.

    Raises:
        SceneError: its file is nowhere or no picture.
    """
    file = file_of(node, field)
    try:
        return read_picture(file.find())
    except PictureError as error:
        raise SceneError(*node.source, f'{file.what} "{file.url}": {error}') from None


def mean_colour(texture: Node | None) -> Rgb | None:
    """Mean red, green and blue of an ImageTexture, 0 to 1; None: there is none, or no picture to be had.

    What is transparent counts as little as it is seen.
    """
    if texture is None or not texture["url"]:
        return None
    return _mean(texture["url"][0], places(texture))


def surface_colour(appearance: Node | None) -> tuple[float, float, float, float] | None:
    """Mean colour and opacity of a surface: base or diffuse colour times that of its picture.

    None: it has no appearance, or one without material.
    """
    if appearance is None:
        return None
    if appearance.has_field("baseColor"):
        own, picture, transparency = (
            appearance["baseColor"], appearance["baseColorMap"], appearance["transparency"]
        )  # fmt: skip
    else:
        material = appearance["material"] if appearance.has_field("material") else None
        picture = appearance["texture"] if appearance.has_field("texture") else None
        if material is None and mean_colour(picture) is None:
            return None
        own = material["diffuseColor"] if material is not None else WHITE
        transparency = material["transparency"] if material is not None else 0.0
    red, green, blue = mean_colour(picture) or WHITE
    return (own[0] * red, own[1] * green, own[2] * blue, 1.0 - transparency)


@lru_cache(maxsize=1024)
def _mean(url: str, bases: tuple[str, ...]) -> Rgb | None:
    """Of the file of a URL; remembered, for rays ask again and again."""
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
