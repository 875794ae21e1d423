"""Appearances as rows of numbers for the shader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.model.appearance import WHITE, Appearance, Pbr, Phong

PHONG, PBR = 0.0, 1.0
COLUMNS = 19
"""Base colour and opacity (4), emitted colour and kind (4), four numbers of the kind, segment colour, factor
of a picture of emitted light, what ambient light becomes (3). Of PHONG: specular colour, shininess. Of PBR:
metalness, roughness, IBLStrength, 0."""
EMISSIVE = slice(4, 7)
KIND = 7
SEGMENT = slice(12, 15)
AMBIENT = slice(16, 19)
BRIGHTEST = 1e6
"""What is written beyond it is as bright: a graphics card has numbers of 32 bits, up to 3e38."""


def to_linear(colour: Sequence[float] | NDArray[np.floating]) -> FloatArray:
    """Colours as they are written (sRGB, IEC 61966-2-1) in proportion to light."""
    value = np.clip(np.asarray(colour, float), 0.0, BRIGHTEST)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def material_row(appearance: Appearance | None, has_picture: bool = False) -> FloatArray:
    """(19,) what a shape looks like. Without appearance or Material it gives off white by itself.

    A picture stands in the place of a Material's diffuseColor and specularColor, as in Webots.
    """
    row = np.zeros(COLUMNS)
    if appearance is None or appearance.shading is None:
        row[3] = 1.0
        row[EMISSIVE] = 1.0
        return row
    row[3] = 1.0 - appearance.transparency
    row[EMISSIVE] = emitted(appearance)
    match appearance.shading:
        case Pbr(roughness, metalness, ibl_strength):
            row[:3] = to_linear(appearance.colour)
            row[KIND] = PBR
            row[8:11] = metalness, roughness, ibl_strength
            row[15] = appearance.emissive_intensity
        case Phong(ambient, specular, shininess):
            colour = np.array(WHITE if has_picture else appearance.colour)
            row[:3] = to_linear(colour)
            row[KIND] = PHONG
            row[8:11] = to_linear(specular)
            row[11] = shininess
            row[AMBIENT] = to_linear(ambient * colour)
    return row


def marks_row(appearance: Appearance | None) -> FloatArray:
    """(19,) points and lines: in the colour that a Material gives off, all others in white, as in Webots."""
    if appearance is not None and isinstance(appearance.shading, Phong):
        return material_row(appearance)
    return material_row(None)


def plain_row(colour: Sequence[float] | None) -> FloatArray:
    """(19,) a surface that scatters light in one colour (red, green, blue and opacity); None: white."""
    row = np.zeros(COLUMNS)
    row[:4] = 1.0
    if colour is not None:
        row[:3], row[3] = to_linear(colour[:3]), colour[3]
    row[AMBIENT] = row[:3]
    return row


def emitted(appearance: Appearance, colour: Sequence[float] | None = None) -> FloatArray:
    """The light that a surface gives off by itself; `colour` in the place of its own.

    A Material's colour is sRGB; that of a PBRAppearance counts as it is written, as in Webots.
    """
    own = np.array(colour if colour is not None else appearance.emissive)
    return own * appearance.emissive_intensity if isinstance(appearance.shading, Pbr) else to_linear(own)
