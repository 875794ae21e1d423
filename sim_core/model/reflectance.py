"""How much infra-red light a surface gives back."""

from __future__ import annotations

from sim_core.model.appearance import BASE, OCCLUSION, ROUGHNESS, Appearance, Pbr


def infrared_factor(appearance: Appearance | None) -> float:
    """Reflection factor of a surface, from 0.2 (black) to 1 (pure red or white).

    f = 0.2 + 0.8·red·(1 - 0.5·roughness)·(1 - 0.5·occlusion) (Webots reference, DistanceSensor). `red` is the
    red part of the diffuse or base colour, weakened by transparency, times that of the picture on the
    surface; roughness and occlusion count for a PBRAppearance only. As in Webots, pictures of them count only
    beside one of the colour. Webots asks each picture at the point that the ray meets; here it is the mean of
    the whole picture. A Shape without appearance is white.
    """
    colour = appearance.mean_colour if appearance is not None else None
    if appearance is None or colour is None:
        return 1.0
    red = colour[0] * colour[3]
    if not isinstance(appearance.shading, Pbr):
        return 0.2 + 0.8 * red
    roughness, occlusion = appearance.shading.roughness, 0.0
    if appearance.mean_of(BASE) is not None:
        rough, dark = appearance.mean_of(ROUGHNESS), appearance.mean_of(OCCLUSION)
        roughness = rough[0] if rough is not None else roughness
        occlusion = dark[0] if dark is not None else 0.0
    return 0.2 + 0.8 * red * (1.0 - 0.5 * roughness) * (1.0 - 0.5 * occlusion)


def is_transparent(appearance: Appearance | None) -> bool:
    """True for a surface that infra-red and laser rays pass: transparency 1 (since Webots R2022a)."""
    return appearance is not None and appearance.transparency >= 1.0
