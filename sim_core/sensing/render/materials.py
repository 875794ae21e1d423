"""Appearances as rows of numbers for the shader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import FloatArray
from sim_core.model.appearance import WHITE, Appearance, Pbr, Phong

PHONG, PBR = 0.0, 1.0
COLUMNS = 19
"""Base colour and opacity (4), emitted colour and kind (4), four numbers of the kind, segment colour,
factor of an emissive texture, reflected ambient light (3). The four numbers are, of PHONG: specular
colour, shininess; of PBR: metalness, roughness, IBLStrength, 0."""
EMISSIVE = slice(4, 7)
KIND = 7
SEGMENT = slice(12, 15)
AMBIENT = slice(16, 19)
BRIGHTEST = 1e6
"""Largest brightness: a graphics card has 32-bit numbers, up to 3e38."""


def to_linear(colour: Sequence[float] | NDArray[np.floating]) -> FloatArray:
    """Convert sRGB colours (IEC 61966-2-1) to linear ones."""
    value = np.clip(np.asarray(colour, float), 0.0, BRIGHTEST)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def material_row(appearance: Appearance | None, has_picture: bool = False) -> FloatArray:
    """Return the row of an appearance, (19,); without appearance or Material a shape emits white light.

    A texture replaces a Material's diffuseColor and specularColor, as in Webots.
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
    """Return the row of points and lines, (19,): in the emissive colour of a Material, else white, as in
    Webots."""
    if appearance is not None and isinstance(appearance.shading, Phong):
        return material_row(appearance)
    return material_row(None)


def plain_row(colour: Sequence[float] | None) -> FloatArray:
    """Return the row of a matt surface, (19,), of one colour (red, green, blue and opacity); None: white."""
    row = np.zeros(COLUMNS)
    row[:4] = 1.0
    if colour is not None:
        row[:3], row[3] = to_linear(colour[:3]), colour[3]
    row[AMBIENT] = row[:3]
    return row


def emitted(appearance: Appearance, colour: Sequence[float] | None = None) -> FloatArray:
    """Return the linear light that a surface emits; `colour` replaces its emissive colour.

    A Material's colour is sRGB; that of a PBRAppearance is already linear, as in Webots.
    """
    own = np.array(colour if colour is not None else appearance.emissive)
    return own * appearance.emissive_intensity if isinstance(appearance.shading, Pbr) else to_linear(own)
