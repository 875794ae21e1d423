"""Makes the PROTO files of `protos/appearances` from the table below: they differ in numbers alone.

    python3 scripts/make_appearances.py [FOLDER]

A row gives the colour, the roughness and the metalness of a material, or a picture of `make_textures.py`, which the
colour multiplies. Fields have the names, the types and the defaults of Webots' PROTO files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent.parent / "protos" / "appearances"
Colour = tuple[float, float, float]
WHITE = (1.0, 1.0, 1.0)
LAID_FOUR_TIMES = "TextureTransform { scale 4 4 }"


class Choice(NamedTuple):
    """A field whose value chooses the colour.

    Attributes:
        field: its name.
        default: its value where none is given.
        colours: the colour by value.
        type: of the field.
    """

    field: str
    default: str
    colours: Mapping[str, Colour]
    type: str = "SFString"


class Look(NamedTuple):
    """One row.

    Attributes:
        about: what it is; the comment of its file.
        colour: 0 to 1; multiplies the picture.
        tint: the field by which a world multiplies the colour; empty: there is none.
        picture: file name in `textures/` without its ending; empty: there is none. `…_normal` and `…_roughness`
            beside it are taken too.
        transform: default of `textureTransform`.
        unused: further fields of Webots, each as its type with the values it may have, its name and its default.
        choice: another field that chooses the colour.
    """

    about: str
    roughness: float
    metalness: float = 0.0
    colour: Colour = WHITE
    tint: str = "colorOverride"
    picture: str = ""
    transform: str = "NULL"
    unused: tuple[tuple[str, str, str], ...] = ()
    choice: Choice | None = None


def values(*names: str) -> str:
    """The type of a text that is one of these."""
    return f"SFString{{{', '.join(map(_quoted, names))}}}"


def _quoted(text: str) -> str:
    return f'"{text}"'


def type_of(*names: str) -> tuple[tuple[str, str, str], ...]:
    """The field `type` of Webots, the first value its default; it changes nothing."""
    return ((values(*names), "type", _quoted(names[0])),)


def paint(about: str, roughness: float, metalness: float = 0.0) -> Look:
    """A row whose colour is a field alone."""
    return Look(about, roughness, metalness, tint="baseColor", transform="TextureTransform { scale 10 10 }")


LOOKS = {
    "Asphalt": Look("Asphalt; a picture fits 1 m.", 1, picture="asphalt"),
    "BakelitePlastic": Look("Bakelite.", 0.35, tint="", choice=Choice("color", "red", {"red": (0.45, 0.08, 0.06), "braun": (0.3, 0.16, 0.09)})),
    "Bark": Look("The bark of a tree; a picture fits 0.5 m.", 1, picture="bark"),
    "BlanketFabric": Look("Woven wool.", 1, colour=(0.75, 0.7, 0.62)),
    "BrushedAluminium": Look("Brushed aluminium, without its streaks.", 0.3, 1, (0.8, 0.8, 0.82)),
    "BrushedSteel": Look("Brushed steel, without its streaks.", 0.35, 1, (0.6, 0.6, 0.61)),
    "Cardboard": Look("Corrugated cardboard; a picture fits 1 m.", 0.9, picture="cardboard", unused=((values("top", "bottom", "left", "right", "front", "back"), "type", '"back"'),)),
    "CarpetFibers": Look("A carpet of loops in two yarns; a picture fits 0.5 m.", 1, picture="carpet", unused=type_of("wooly", "synthetic", "pattern")),
    "CementTiles": Look("Four square tiles with joints; a picture fits 0.6 m.", 1, picture="tiles"),
    "ChequeredParquetry": Look("Oak strips in squares, laid along and across; a picture fits 1 m.", 0.5, tint="", picture="chequered_parquetry"),
    "Copper": Look("Copper.", 0.3, 1, (0.93, 0.6, 0.46), tint=""),
    "CorrodedMetal": Look("Metal with spots of rust; a picture fits 1 m.", 0.8, 0.4, picture="rust"),
    "CorrugatedMetal": Look("Sheet metal in waves; a picture fits 1 m.", 0.5, 0.8, (0.9, 0.9, 0.92), picture="waves"),
    "CorrugatedPlates": Look("Plates of painted sheet metal in waves; a picture fits 1 m.", 0.7, 0.2, (0.8, 0.82, 0.85), picture="waves"),
    "CorrugatedPvc": Look("Plastic in waves; a picture fits 1 m.", 0.5, picture="waves"),
    "DamascusSteel": Look("Steel, without its pattern.", 0.35, 1, (0.5, 0.5, 0.52)),
    "DryMud": Look("Mud that has dried; a picture fits 1 m.", 1, colour=(1.0, 0.93, 0.82), tint="", picture="soil"),
    "ElectricConduit": Look("A conduit of grey metal.", 0.5, 0.6, (0.55, 0.56, 0.57)),
    "FlexibleAluminiumDuct": Look("A duct of aluminium in folds; a picture fits 0.5 m.", 0.4, 0.9, (0.95, 0.95, 0.97), picture="waves"),
    "Foliage": Look("Leaves of a tree or a bush; a picture fits 1 m.", 0.9, picture="foliage"),
    "FormedConcrete": Look("Concrete out of a mould; a picture fits 2 m.", 0.9, colour=(0.95, 0.95, 0.94), tint="", picture="concrete"),
    "GalvanizedMetal": Look("Galvanized metal.", 0.45, 0.9, (0.68, 0.7, 0.72)),
    "GenericDoorAppearance": Look("A painted door.", 0.5, colour=(0.85, 0.84, 0.8)),
    "GlossyCarPaint": paint("The paint of a car, with a clear coat.", 0.15, 0.2),
    "GlossyPaint": paint("Glossy paint.", 0.2),
    "Grass": Look("A lawn; a picture fits 1 m.", 1, picture="grass", unused=type_of("maintained", "artificial", "artificial_white", "prickly", "mossy")),
    "HammeredCopper": Look("Copper, beaten with a hammer, without its dents.", 0.4, 1, (0.85, 0.52, 0.4)),
    "Leather": Look("Leather, without its grain.", 0.6, unused=type_of("dollaro", "grain"), choice=Choice("tone", "dark", {"dark": (0.21, 0.15, 0.1), "light": (0.6, 0.42, 0.28)})),
    "Marble": Look("Beige marble.", 0.15, colour=(0.83, 0.77, 0.68)),
    "MarbleTiles": Look("Four square tiles of marble with joints; a picture fits 0.6 m.", 0.4, colour=(1.0, 0.97, 0.9), picture="tiles"),
    "MatteCarPaint": paint("The paint of a car, without a clear coat.", 0.7, 0.2),
    "MattePaint": paint("Matte paint.", 0.9),
    "MetalPipePaint": Look("The worn paint of a pipe of metal.", 0.55, 0.2, (0.62, 0.2, 0.12), tint=""),
    "MetalStainlessSteelCable": Look("A cable of stainless steel, without its strands.", 0.35, 1, (0.6, 0.6, 0.6), tint=""),
    "OldPlywood": Look("Old plywood; a picture fits 1 m.", 0.9, colour=(0.85, 0.8, 0.75), picture="pine"),
    "OldSteel": Look("Old steel with some rust; a picture fits 1 m.", 0.6, 0.8, (0.85, 0.9, 0.95), picture="rust"),
    "OsbWood": Look("A board of pressed chips of wood; a picture fits 1 m.", 0.9, colour=(1.0, 0.88, 0.62), picture="cardboard"),
    "PaintedWood": Look("Painted wood, without its grain.", 0.6, colour=(0.9, 0.9, 0.88)),
    "Parquetry": Look("Oak strips; a picture fits 1 m.", 0.5, picture="parquetry", unused=((values("chequered", "dark strip", "light strip", "mosaic"), "type", '"mosaic"'),)),
    "Pavement": Look("Paving stones in a running bond; a picture fits 1 m.", 0.9, picture="pavement", unused=((values("black stone", "braun stone", "braun square stone", "grid", "slate", "tiles"), "type", '"braun square stone"'),)),
    "Pcb": Look("A circuit board, without its tracks.", 0.4, colour=(0.05, 0.3, 0.12), tint=""),
    "PerforatedMetal": Look("Sheet metal, without its holes.", 0.4, 1, (0.5, 0.5, 0.52)),
    "Plaster": Look("Smooth plaster.", 0.9, colour=(0.88, 0.86, 0.82)),
    "Plastic": Look("Plastic.", 0.6, unused=type_of("rough", "padded")),
    "PorcelainChevronTiles": Look("Tiles in a zigzag; a picture fits 1 m.", 0.25, picture="chevrons"),
    "RedBricks": Look("A wall of red bricks; a picture fits 0.8 m.", 0.95, picture="red_bricks"),
    "RoughConcrete": Look("Concrete, smoothed by hand; a picture fits 2 m.", 0.8, picture="concrete"),
    "RoughOak": Look("Oak that was sawn; a picture fits 1 m.", 0.9, colour=(0.8, 0.72, 0.65), picture="pine"),
    "RoughPine": Look("Pine that was sawn; a picture fits 1 m.", 0.9, picture="pine"),
    "RoughPolymer": Look("Rough plastic.", 0.8, tint="baseColor"),
    "Roughcast": Look("Roughcast; a picture fits 1 m.", 1, picture="roughcast"),
    "Rubber": Look("Rubber.", 1, colour=(0.12, 0.12, 0.12), unused=type_of("flat", "dotted")),
    "RustyMetal": Look("Metal with rust; a picture fits 1 m.", 0.8, 0.5, picture="rust", choice=Choice("rustLevel", "1", {"1": (0.9, 0.95, 1.0), "2": (1.0, 0.8, 0.65)}, "SFInt32")),
    "Sand": Look("Sand; a picture fits 1 m.", 1, colour=(1.0, 0.95, 0.75), tint="", picture="roughcast"),
    "SandyGround": Look("Soil, bleached; a picture fits 1 m.", 1, colour=(1.0, 0.95, 0.8), picture="soil", transform=LAID_FOUR_TIMES),
    "ScratchedPaint": Look("Paint, without its scratches.", 0.5, 0.1, unused=(("SFBool", "metalScratch", "TRUE"),)),
    "ScrewThread": Look("The thread of a screw; a picture fits 0.1 m.", 0.4, 0.9, (0.8, 0.8, 0.82), picture="waves"),
    "ScuffedPlastic": Look("Plastic, worn.", 0.75, colour=(0.85, 0.85, 0.85), transform=LAID_FOUR_TIMES),
    "ShinyLeather": Look("Leather that shines, without its grain.", 0.35, transform=LAID_FOUR_TIMES),
    "Soil": Look("Soil with some stones; a picture fits 1 m.", 1, tint="color", picture="soil", unused=type_of("braun", "grey")),
    "SolarCell": Look("A solar cell, without its wires.", 0.2, 0.3, (0.05, 0.07, 0.2), tint=""),
    "ThreadMetalPlate": Look("A plate of metal with bars against slipping; a picture fits 0.25 m.", 0.45, 0.8, picture="tread_plate", unused=type_of("oval", "square")),
    "TireRubber": Look("The rubber of a tyre, without its tread.", 0.95, colour=(0.08, 0.08, 0.08), tint="", unused=((values("bike", "car"), "type", '"car"'),)),
    "VarnishedPine": Look("A varnished board of pine, its grain along the picture; a picture fits 1 m.", 0.3, picture="pine"),
    "WornBurlap": Look("Burlap; a picture fits 0.5 m.", 1, colour=(1.0, 0.85, 0.6), picture="roughcast", transform=LAID_FOUR_TIMES),
}  # fmt: skip
"""By the name of the PROTO."""


def interface(look: Look) -> Iterator[tuple[str, str, str, str]]:
    """The fields of a row: keyword, type, name and default."""
    if look.tint:
        yield "field", "SFColor", look.tint, "1 1 1"
    if look.choice is not None:
        kind, default = look.choice.type, look.choice.default
        is_text = kind == "SFString"
        allowed = ", ".join(map(_quoted, look.choice.colours) if is_text else look.choice.colours)
        yield "field", f"{kind}{{{allowed}}}", look.choice.field, _quoted(default) if is_text else default
    for kind, name, default in look.unused:
        yield "unconnectedField", kind, name, default
    yield "field" if look.picture else "unconnectedField", "SFNode", "textureTransform", look.transform
    yield "field", "SFFloat", "IBLStrength", "1"


def colour_of(look: Look) -> tuple[str, str]:
    """The statement that a template begins with (empty: it is none), and what stands behind `baseColor`."""
    if look.choice is None and not look.tint:
        return "", " ".join(f"{part:g}" for part in look.colour)
    if look.choice is None and look.colour == WHITE:
        return "", f"IS {look.tint}"
    tint = f"fields.{look.tint}.value" if look.tint else "{ r: 1, g: 1, b: 1 }"
    if look.choice is None:
        own = str([round(part, 4) for part in look.colour])
    else:
        each = ", ".join(f"'{value}': {list(colour)}" for value, colour in look.choice.colours.items())
        own = f"({{ {each} }})[fields.{look.choice.field}.value]"
    statement = f"%< const tint = {tint}, [r, g, b] = {own}; >%"
    return statement, "%<= r * tint.r >% %<= g * tint.g >% %<= b * tint.b >%"


def pictures(look: Look) -> Iterator[tuple[str, str]]:
    """The fields of a PBRAppearance that take pictures, with the names of these."""
    if look.picture:
        yield "baseColorMap", look.picture
        for field, ending in (("normalMap", "_normal"), ("roughnessMap", "_roughness")):
            if (FOLDER / "textures" / f"{look.picture}{ending}.jpg").is_file():
                yield field, look.picture + ending


def proto_text(name: str, look: Look) -> str:
    """The text of the PROTO file of a row."""
    statement, colour = colour_of(look)
    rows = list(interface(look))
    wide = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [
        "#VRML_SIM R2025a utf8",
        *["# template language: javascript"] * bool(statement),
        f"# {look.about} Made by scripts/make_appearances.py.",
        f"PROTO {name} [",
        *(
            f"  {key:{wide[0]}} {kind:{wide[1]}} {field:{wide[2]}} {default}"
            for key, kind, field, default in rows
        ),
        "]",
        "{",
        *[f"  {statement}"] * bool(statement),
        "  PBRAppearance {",
        f"    baseColor {colour}",
        *(f'    {field} ImageTexture {{ url "textures/{file}.jpg" }}' for field, file in pictures(look)),
        f"    roughness {look.roughness:g}",
        f"    metalness {look.metalness:g}",
        *["    textureTransform IS textureTransform"] * bool(look.picture),
        "    IBLStrength IS IBLStrength",
        "  }",
        "}",
    ]
    return "\n".join(lines) + "\n"


def main(folder: Path = FOLDER) -> int:
    """Write all files into a folder."""
    for name, look in LOOKS.items():
        (folder / f"{name}.proto").write_text(proto_text(name, look), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
