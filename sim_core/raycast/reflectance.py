"""How much infra-red light a surface gives back."""

from __future__ import annotations

from sim_core.scene import Node


def infrared_factor(appearance: Node | None) -> float:
    """Reflection factor of a surface, from 0.2 (black) to 1 (pure red or white).

    f = 0.2 + 0.8·red·(1 - 0.5·roughness)·(1 - 0.5·occlusion) (Webots reference, DistanceSensor). `red` is the
    red part of the diffuse or base colour, weakened by transparency; roughness counts for a PBRAppearance
    only; occlusion comes from texture maps alone and is 0 here. A Shape without appearance is white.
    """
    if appearance is None:
        return 1.0
    if appearance.type_name == "PBRAppearance":
        red = appearance["baseColor"][0] * (1.0 - appearance["transparency"])
        return 0.2 + 0.8 * red * (1.0 - 0.5 * appearance["roughness"])
    material = appearance["material"] if appearance.has_field("material") else None
    if material is None:
        return 1.0
    return 0.2 + 0.8 * material["diffuseColor"][0] * (1.0 - material["transparency"])


def is_transparent(appearance: Node | None) -> bool:
    """True for a surface that infra-red and laser rays pass: transparency 1 (since Webots R2022a)."""
    if appearance is None:
        return False
    if appearance.type_name == "PBRAppearance":
        return bool(appearance["transparency"] >= 1.0)
    material = appearance["material"] if appearance.has_field("material") else None
    return material is not None and bool(material["transparency"] >= 1.0)
