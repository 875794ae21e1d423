"""`<material>` of visuals: colours, scripts of Gazebo Classic by their names, PBR maps."""

from __future__ import annotations

from pathlib import Path

from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.robot_description import Material, Rgba
from sim_core.scene.sdf.documents import Document
from sim_core.scene.sdf.uris import find
from sim_core.scene.sdf.values import colour, finite, flag

WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
DULL = 1.0
"""Roughness of a material that has only a colour."""

_COLOURS: dict[str, tuple[float, float, float]] = {
    "Grey": (0.7, 0.7, 0.7),
    "Gray": (0.7, 0.7, 0.7),
    "DarkGrey": (0.175, 0.175, 0.175),
    "DarkGray": (0.175, 0.175, 0.175),
    "LightGrey": (0.85, 0.85, 0.85),
    "GreyGradientSky": (0.6, 0.6, 0.65),
    "White": (1.0, 1.0, 1.0),
    "Black": (0.05, 0.05, 0.05),
    "FlatBlack": (0.1, 0.1, 0.1),
    "Red": (1.0, 0.0, 0.0),
    "RedBright": (0.87, 0.26, 0.07),
    "Green": (0.0, 1.0, 0.0),
    "DarkGreen": (0.0, 0.4, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.7),
    "DarkBlue": (0.0, 0.0, 0.4),
    "Yellow": (1.0, 1.0, 0.0),
    "DarkYellow": (0.7, 0.7, 0.0),
    "Orange": (1.0, 0.51, 0.14),
    "DarkOrange": (0.8, 0.4, 0.1),
    "Purple": (1.0, 0.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0),
    "Indigo": (0.33, 0.0, 0.5),
    "Gold": (0.8, 0.65, 0.0),
    "Silver": (0.75, 0.75, 0.78),
    "Brown": (0.4, 0.26, 0.13),
    "ZincYellow": (0.98, 0.96, 0.2),
    "Wood": (0.6, 0.44, 0.27),
    "WoodFloor": (0.55, 0.38, 0.22),
    "WoodPallet": (0.7, 0.56, 0.36),
    "WoodTile": (0.6, 0.45, 0.3),
    "Bricks": (0.6, 0.33, 0.25),
    "CeilingTiled": (0.85, 0.85, 0.8),
    "CloudySky": (0.6, 0.7, 0.85),
    "Grass": (0.3, 0.5, 0.2),
    "Dirt": (0.45, 0.36, 0.25),
    "Rockwall": (0.5, 0.47, 0.43),
    "Rocky": (0.5, 0.47, 0.43),
    "Asphalt": (0.25, 0.25, 0.26),
    "Road": (0.25, 0.25, 0.26),
    "Residential": (0.35, 0.35, 0.35),
    "PaintedWall": (0.8, 0.78, 0.72),
    "PioneerBody": (0.6, 0.0, 0.0),
    "Chrome": (0.8, 0.8, 0.8),
    "Footway": (0.6, 0.58, 0.55),
    "Motorway": (0.3, 0.3, 0.32),
    "GrassFloor": (0.3, 0.5, 0.2),
    "EpsonLogo": (1.0, 1.0, 1.0),
    "FlatGrey": (0.7, 0.7, 0.7),
}
"""Approximate colours of the scripts `Gazebo/NAME` of Gazebo Classic."""
_GLOWS = "Glow"
_SEE_THROUGH = "Transparent"


def appearance_of(visual: Tag, by: Document) -> Material:
    """Return the appearance of a visual.

    Raises:
        SceneError: a number is invalid.
    """
    casts = flag(visual, "cast_shadows", True)
    opacity = 1.0 - finite(visual, "transparency", 0.0, 0.0, 1.0)
    material = visual.first("material")
    if material is None:
        return Material((*WHITE[:3], opacity), roughness=DULL, is_of_file=opacity == 1.0, casts_shadows=casts)
    material.all("lighting", "double_sided", "shininess", "render_order", "specular")
    rgba, glow = _scripted(material)
    ambient, diffuse = colour(material, "ambient"), colour(material, "diffuse")
    rgba = diffuse or rgba or ambient or WHITE
    emissive = colour(material, "emissive")
    if emissive is not None and any(emissive[:3]):
        glow = emissive[:3]
    maps = _maps(material, by)
    has_colours = any(maps) or any(
        material.first(name) is not None for name in ("diffuse", "ambient", "script", "emissive")
    )
    metal = material.at("pbr", "metal")
    roughness = DULL if metal is None else finite(metal, "roughness", 0.5, 0.0, 1.0)
    metalness = 0.0 if metal is None else finite(metal, "metalness", 0.5, 0.0, 1.0)
    albedo, normal, rough, metallic, glowing = maps
    if albedo and diffuse is None:
        rgba = WHITE
    return Material(
        (*rgba[:3], rgba[3] * opacity),
        albedo,
        roughness,
        metalness,
        glow or (0.0, 0.0, 0.0),
        normal,
        rough,
        metallic,
        glowing,
        is_of_file=not has_colours and opacity == 1.0,
        casts_shadows=casts,
    )


def _scripted(material: Tag) -> tuple[Rgba | None, tuple[float, float, float] | None]:
    """Return colour and emission of a `<script>` with a name of Gazebo; None: another name."""
    script = material.first("script")
    if script is None:
        return None, None
    script.all("uri")
    name = (script.word("name") or script.text).rpartition("/")[2]
    plain = name.removesuffix(_GLOWS).removesuffix(_SEE_THROUGH)
    rgb = _COLOURS.get(plain)
    if rgb is None:
        for each in script.all("name"):
            each.ignore()
        return None, None
    return (*rgb, 0.5 if name.endswith(_SEE_THROUGH) else 1.0), rgb if name.endswith(_GLOWS) else None


def _maps(material: Tag, by: Document) -> tuple[str, str, str, str, str]:
    """Return the pictures of colour, normals, roughness, metalness and emission, as paths; empty: none."""
    metal = material.at("pbr", "metal")
    names = ("albedo_map", "normal_map", "roughness_map", "metalness_map", "emissive_map")
    if metal is None:
        return "", "", "", "", ""
    albedo, normal, rough, metallic, glowing = (_picture(metal, name, by.path) for name in names)
    return albedo, normal, rough, metallic, glowing


def _picture(tag: Tag, name: str, file: Path) -> str:
    """Return the path of a picture; empty: not given, or not found, which is listed as without effect."""
    found = tag.first(name)
    if found is None or not found.text:
        return ""
    place = find(found.text, file)
    if place is None:
        found.ignore()
        return ""
    return str(place)
