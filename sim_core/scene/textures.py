"""Pictures on surfaces: read through Pillow, and what their mean colour is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim_core.errors import SceneError
from sim_core.scene.assets import NotFoundError
from sim_core.scene.meshes import asset_file, find_file, places
from sim_core.scene.node import Node

Rgb = tuple[float, float, float]

MOST_BYTES = 64 * 2**20
MOST_PIXELS = 8192 * 8192
WHITE: Rgb = (1.0, 1.0, 1.0)


class PictureError(Exception):
    """A file is no picture that can be used; never leaves this package."""


def read_picture(path: Path) -> NDArray[np.uint8]:
    """(height, width, 4) red, green, blue and opacity of a picture file, the top row first; read once.

    Raises:
        PictureError: it is of no format that Pillow reads, too large, or broken.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror}") from None
    return _read(path, found.st_mtime_ns, found.st_size)


def picture_of(texture: Node) -> NDArray[np.uint8] | None:
    """The picture of an ImageTexture; None without url.

    Raises:
        SceneError: its file is nowhere or no picture.
    """
    if not texture["url"]:
        return None
    path = asset_file(texture)
    try:
        return read_picture(path)
    except PictureError as error:
        raise SceneError(*texture.source, f"ImageTexture.url {path}: {error}") from None


def picture_in_field(node: Node, field: str) -> NDArray[np.uint8]:
    """The picture whose URL stands in a field of one text.

    Raises:
        SceneError: its file is nowhere or no picture.
    """
    url: str = node[field]
    what = f'{node.type_name}.{field} "{url}"'
    try:
        return read_picture(find_file(url, places(node)))
    except NotFoundError as error:
        where = f"; looked for at {', '.join(error.looked)}" if error.looked else ""
        raise SceneError(*node.source, f"{what}: {error}{where}") from None
    except PictureError as error:
        raise SceneError(*node.source, f"{what}: {error}") from None


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


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int, size: int) -> NDArray[np.uint8]:
    from PIL import Image

    if size > MOST_BYTES:
        raise PictureError(f"{size / 2**20:.0f} MiB, expected at most {MOST_BYTES // 2**20}")
    try:
        with Image.open(path) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise PictureError(f"{width} x {height} pixels, expected at most {MOST_PIXELS}")
            pixels = np.array(image.convert("RGBA"))
    except (PictureError, MemoryError):
        raise
    except Exception as error:  # Pillow's readers raise many kinds
        text = " ".join(str(error).split()) or type(error).__name__
        raise PictureError(f"no picture ({text[:120]})") from None
    pixels.flags.writeable = False
    return pixels


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
