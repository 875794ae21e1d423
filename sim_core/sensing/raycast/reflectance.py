"""How much infra-red light a surface gives back."""

from __future__ import annotations

from sim_core.scene import Node
from sim_core.scene.meshes.textures import mean_colour, surface_colour


def infrared_factor(appearance: Node | None) -> float:
    """Reflection factor of a surface, from 0.2 (black) to 1 (pure red or white).

    f = 0.2 + 0.8·red·(1 - 0.5·roughness)·(1 - 0.5·occlusion) (Webots reference, DistanceSensor). `red` is the
    red part of the diffuse or base colour, weakened by transparency, times that of the picture on the
    surface; roughness and occlusion count for a PBRAppearance only. As in Webots, pictures of them count only
    beside one of the colour. Webots asks each picture at the point that the ray meets; here it is the mean of
    the whole picture. A Shape without appearance is white.
    """
    colour = surface_colour(appearance)
    if appearance is None or colour is None:
        return 1.0
    red = colour[0] * colour[3]
    if appearance.type_name != "PBRAppearance":
        return 0.2 + 0.8 * red
    roughness, occlusion = appearance["roughness"], 0.0
    if mean_colour(appearance["baseColorMap"]) is not None:
        rough, dark = mean_colour(appearance["roughnessMap"]), mean_colour(appearance["occlusionMap"])
        roughness = rough[0] if rough is not None else roughness
        occlusion = dark[0] if dark is not None else 0.0
    return 0.2 + 0.8 * red * (1.0 - 0.5 * roughness) * (1.0 - 0.5 * occlusion)


def is_transparent(appearance: Node | None) -> bool:
    """True for a surface that infra-red and laser rays pass: transparency 1 (since Webots R2022a)."""
    if appearance is None:
        return False
    if appearance.type_name == "PBRAppearance":
        return bool(appearance["transparency"] >= 1.0)
    material = appearance["material"] if appearance.has_field("material") else None
    return material is not None and bool(material["transparency"] >= 1.0)
