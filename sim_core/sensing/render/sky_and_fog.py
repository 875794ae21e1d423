"""Background and Fog as numbers and pictures for renderers and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from sim_core.base.arrays import FloatArray, Pixels
from sim_core.base.errors import SceneError
from sim_core.model.surroundings import Background, Fog
from sim_core.scene.meshes.node_files import FileReference
from sim_core.scene.meshes.picture_files import picture_of
from sim_core.scene.meshes.radiance_files import mean_light
from sim_core.sensing.picture_view import GAMMA
from sim_core.sensing.render.materials import to_linear

Read = TypeVar("Read")
NO_FOG, LINEAR, EXPONENTIAL, EXPONENTIAL2 = range(4)
_FOGS = {"LINEAR": LINEAR, "EXPONENTIAL": EXPONENTIAL, "EXPONENTIAL2": EXPONENTIAL2}
BRIGHTEST = 1e6
"""Largest luminosity of a Background: all is white long before, and shaders have 32-bit numbers."""


def sky_light(background: Background | None, exposure: float) -> FloatArray:
    """Return the light that a picture with the Viewpoint's exposure shows as the colour in the file."""
    if background is None or background.colour is None:
        return np.zeros(3)
    shown = np.clip(background.colour, 0.0, 1.0) ** GAMMA
    light: FloatArray = -np.log(1.0 + 1e-9 - shown) / max(exposure, 1e-9)
    return light


def ambient_light(background: Background | None, strip: Pixels | None) -> FloatArray:
    """Return the ambient light, (3,): that of the background times its luminosity.

    It is the mean of the irradiance pictures, else of the other pictures, else the colour in the file, up to
    white.
    """
    if background is None:
        return np.zeros(3)
    light: FloatArray = np.clip(background.colour or (0.0, 0.0, 0.0), 0.0, 1.0)
    if strip is not None:
        light = strip[..., :3].mean(axis=(0, 1)) / 255.0
    if means := _read(background.irradiance, mean_light, "the light of the sky is computed without it"):
        light = np.mean(means, axis=0)
    return np.minimum(light, BRIGHTEST) * min(background.luminosity, BRIGHTEST)


def fog_row(fog: Fog | None) -> tuple[float, ...]:
    """Return the kind of fog, its visibility range in m, and its linear colour (3)."""
    if fog is None:
        return (NO_FOG, 1.0, 0.0, 0.0, 0.0)
    return (_FOGS[fog.kind], fog.visibility, *to_linear(fog.colour))


SIDES = (
    # Ahead, to the right in the picture, upwards, seen from inside (Webots reference, Background); front: -x.
    ((-1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, -1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0), (1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (-1, 0, 0)),
)


def backdrop(background: Background) -> Pixels | None:
    """Return the pictures one below the other, (6·n, n, 4); None: there are none, or one cannot be read,
    which is logged once.

    All are resized to the largest.
    """
    pictures = _read(background.pictures, picture_of, "the sky is drawn without pictures")
    if not pictures:
        return None
    side = max(max(picture.shape[:2]) for picture in pictures)
    squares = []
    for picture in pictures:
        rows, columns = (np.arange(side) * length // side for length in picture.shape[:2])
        squares.append(picture[rows[:, None], columns])
    return np.concatenate(squares)


def _read(
    files: Iterable[FileReference], read: Callable[[FileReference], Read], consequence: str
) -> list[Read]:
    """Return what is read of each file; nothing if one of them cannot be read, which is logged once."""
    found = []
    for file in files:
        try:
            found.append(read(file))
        except SceneError as error:
            file.log_unusable(error, consequence)
            return []
    return found
