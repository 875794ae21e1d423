"""Appearances as rows of numbers for the shader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim_core.scene import Node

PHONG, PBR = 0.0, 1.0
COLUMNS = 16
"""Base colour and opacity (4), emitted colour and kind (4), four numbers of the kind, segment colour
and one more (4). Of PHONG: specular colour, shininess; weight of ambient light. Of PBR: metalness, roughness,
IBLStrength, 0; factor of a picture of emitted light."""
EMISSIVE = slice(4, 7)
KIND = 7
SEGMENT = slice(12, 15)


def to_linear(colour: Sequence[float] | NDArray[np.floating]) -> NDArray[np.float64]:
    """Colours as they are written (sRGB, IEC 61966-2-1) in proportion to light."""
    value = np.clip(np.asarray(colour, float), 0.0, None)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def material_row(appearance: Node | None) -> NDArray[np.float64]:
    """(16,) what a shape looks like; without an appearance it is white."""
    row = np.zeros(COLUMNS)
    row[:4] = row[15] = 1.0
    if appearance is None:
        return row
    if appearance.type_name == "PBRAppearance":
        row[:3] = to_linear(appearance["baseColor"])
        row[3] = 1.0 - appearance["transparency"]
        row[EMISSIVE] = emitted(appearance)
        row[KIND] = PBR
        row[8:11] = appearance["metalness"], appearance["roughness"], appearance["IBLStrength"]
        row[15] = appearance["emissiveIntensity"]
        return row
    material = appearance["material"] if appearance.has_field("material") else None
    if material is None:
        return row
    row[:3] = to_linear(material["diffuseColor"])
    row[3] = 1.0 - material["transparency"]
    row[EMISSIVE] = emitted(appearance)
    row[KIND] = PHONG
    row[8:11] = to_linear(material["specularColor"])
    row[11] = material["shininess"]
    row[15] = material["ambientIntensity"]
    return row


def plain_row(colour: Sequence[float] | None) -> NDArray[np.float64]:
    """(16,) a surface that scatters light in one colour (red, green, blue and opacity); None: white."""
    row = material_row(None)
    if colour is not None:
        row[:3], row[3] = to_linear(colour[:3]), colour[3]
    return row


def emitted(appearance: Node, colour: Sequence[float] | None = None) -> NDArray[np.float64]:
    """The light that a surface gives off by itself; `colour` in the place of its emissiveColor."""
    if appearance.type_name == "PBRAppearance":
        own = to_linear(colour if colour is not None else appearance["emissiveColor"])
        return own * appearance["emissiveIntensity"]
    material = appearance["material"] if appearance.has_field("material") else None
    if colour is None:
        colour = material["emissiveColor"] if material is not None else (0.0, 0.0, 0.0)
    return to_linear(colour)
