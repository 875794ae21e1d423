"""Textures are mapped as by VRML97 and Webots, in the colours of their files."""

import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import Studio, needs_gl
from PIL import Image

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

CORNERS = {"red": (0, 0), "green": (1, 0), "blue": (0, 1), "white": (1, 1)}
"""Quarters of the picture by column and row, from its top left."""
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}


def shown(light: float) -> float:
    return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)


def linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def draw_quarters(folder: Path) -> None:
    """Write quarters.png: red and green above, blue and white below."""
    picture = np.zeros((64, 64, 3), np.uint8)
    for name, (column, row) in CORNERS.items():
        picture[32 * row : 32 * row + 32, 32 * column : 32 * column + 32] = COLOURS[name]
    Image.fromarray(picture).save(folder / "quarters.png")


EYES = [f"EYE{number}" for number in range(5)]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """Return the folder of that picture."""
    folder = tmp_path_factory.mktemp("studio")
    draw_quarters(folder)
    with closing(Studio(folder, dict.fromkeys(EYES, "width 100 height 100"))) as made:
        yield made


GLOW = "material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 }"


def shining(url: str) -> str:
    """Return an appearance that emits the colours of a texture."""
    return f'Appearance {{ {GLOW} texture ImageTexture {{ url "{url}" }} }}'


def shape(geometry: str, look: str = "", more: str = "", place: str = "2 0 0") -> str:
    """Return a shape that emits the colours of the texture alone."""
    look = look or (
        "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 } "
        f'texture ImageTexture {{ url "quarters.png" {more} }} }}'
    )
    return f"Pose {{ translation {place} children Shape {{ appearance {look} geometry {geometry} }} }}"


def pictures(studio: Studio, nodes: str, *places: str) -> list[Any]:
    """Return pictures of one world, seen from several places."""
    return [eye.value.copy() for eye in studio.show(nodes, dict(zip(EYES, places, strict=False)))]


def picture(studio: Studio, nodes: str, place: str = "") -> Any:
    return pictures(studio, nodes, place)[0]


def name_of(pixel: Any) -> str:
    """Return the name of a colour, by its bright channels."""
    bright = tuple(bool(each) for each in pixel[2::-1] > 90)
    names = {(True, False, False): "red", (False, True, False): "green", (False, False, True): "blue"}
    return {**names, (True, True, True): "white"}.get(bright, "black")


def quarters(value: Any, half: float) -> list[str]:
    """Return the colours above left, above right, below left, below right of the middle, `half` pixels
    away."""
    middle, off = 50, round(half / 2)
    return [name_of(value[middle + off * y, middle + off * x]) for y in (-1, 1) for x in (-1, 1)]


UPRIGHT = ["red", "green", "blue", "white"]
FOCAL = 100 / (2 * math.tan(0.785398 / 2))

SEEN_FROM = {
    "front": ("translation 2 0 0 rotation 0 0 1 3.14159265", UPRIGHT),
    "back": ("translation -2 0 0", UPRIGHT),
    "left": ("translation 0 2 0 rotation 0 0 1 -1.57079633", UPRIGHT),
    "right": ("translation 0 -2 0 rotation 0 0 1 1.57079633", UPRIGHT),
    # A camera that looks down with +y upwards in its picture: x ahead to -z, z up to +y.
    "top": ("translation 0 0 2 rotation 0.57735027 0.57735027 0.57735027 2.0943951", None),
}


def look_down() -> str:
    """Ahead -z, up +y, so left -x: columns of the rotation are (0 0 -1), (-1 0 0), (0 1 0)."""
    turn = np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], float)
    angle = math.acos((np.trace(turn) - 1) / 2)
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    axis /= np.linalg.norm(axis)
    return f"translation 0 0 2 rotation {axis[0]} {axis[1]} {axis[2]} {angle}"


@needs_gl
def test_each_side_of_a_box_has_the_whole_picture_upright(studio: Studio) -> None:
    eyes = {name: look_down() if name == "top" else eye for name, (eye, _) in SEEN_FROM.items()}
    box = shape("Box { size 0.6 0.6 0.6 }", place="0 0 0")
    for side, value in zip(eyes, pictures(studio, box, *eyes.values()), strict=True):
        assert quarters(value, FOCAL * 0.3 / 1.7) == UPRIGHT, side


FLAT = (
    "Plane { size 0.6 0.6 }",
    "ElevationGrid { xDimension 3 yDimension 3 xSpacing 0.3 ySpacing 0.3 }",
    "Cylinder { radius 0.3 height 0.02 }",
    """IndexedFaceSet { coord Coordinate { point [ -0.3 -0.3 0, 0.3 -0.3 0, 0.3 0.3 0, -0.3 0.3 0 ] }
        coordIndex [ 0 1 2 3 -1 ] }""",
    """IndexedFaceSet { coord Coordinate { point [ -0.3 -0.3 0, 0.3 -0.3 0, 0.3 0.3 0, -0.3 0.3 0 ] }
        texCoord TextureCoordinate { point [ 1 1, 0 1, 0 0, 1 0 ] }
        coordIndex [ 0 1 2 3 -1 ] texCoordIndex [ 2 3 0 1 -1 ] }""",
)


@needs_gl
def test_from_above_pictures_lie_upright_on_flat_shapes(studio: Studio) -> None:
    """The shapes are side by side, each with a camera above it that sees no other."""
    shapes, eyes = "", []
    for number, geometry in enumerate(FLAT):
        x = 10.0 * number
        shapes += shape(geometry, place=f"{x - 0.3} -0.3 0" if "Grid" in geometry else f"{x} 0 0")
        eyes.append(look_down().replace("translation 0 0 2", f"translation {x} 0 2"))
    for geometry, value in zip(FLAT, pictures(studio, shapes, *eyes), strict=True):
        assert quarters(value, FOCAL * 0.3 / 2.0) == UPRIGHT, geometry


ROUND = (
    "Cylinder { radius 0.3 height 0.6 }",
    "Sphere { radius 0.3 }",
    "Cone { bottomRadius 0.3 height 0.6 }",
)


@needs_gl
@pytest.mark.parametrize("geometry", ROUND)
def test_pictures_go_round_from_the_left_over_the_back(studio: Studio, geometry: str) -> None:
    """s = 0 at +y, then -x (s = 1/4), -y (1/2), +x (3/4): each half of the picture covers half the way."""
    eyes = (SEEN_FROM[side][0] for side in ("back", "front", "right"))
    *halves, right = pictures(studio, shape(geometry, place="0 0 0"), *eyes)
    off = round(FOCAL * 0.1 / 2.0)
    for half, value in enumerate(halves):
        for row, names in ((50 - off // 2, ("red", "green")), (50 + off, ("blue", "white"))):
            assert name_of(value[row, 50]) == names[half]
    # Seen from -y: to the left -x, the end of the first half, to the right +x.
    assert quarters(right, 1.4 * off) == UPRIGHT


@needs_gl
def test_a_capsule_has_a_third_of_the_picture_on_each_part(studio: Studio) -> None:
    value = picture(studio, shape("Capsule { radius 0.2 height 0.6 }", place="0 0 0"), SEEN_FROM["right"][0])
    rows = [name_of(value[50 + round(FOCAL * z / 1.8), 45]) for z in (-0.28, -0.1, 0.1, 0.28)]
    assert rows == ["red", "red", "blue", "blue"]


@needs_gl
def test_a_texture_transform_moves_turns_and_stretches(studio: Studio) -> None:
    """(s, t) becomes -C·S·R·C·T·(s, t): computed here for the middles of the quarters."""
    turn, scale, shift = 0.5 * math.pi, (1.0, 1.0), (0.5, 0.0)
    fields = f"rotation {turn} scale {scale[0]} {scale[1]} translation {shift[0]} {shift[1]} center -0.5 -0.5"
    look = (
        "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 } texture ImageTexture "
        f'{{ url "quarters.png" }} textureTransform TextureTransform {{ {fields} }} }}'
    )
    value = picture(studio, shape("Plane { size 0.6 0.6 }", look, place="0 0 0"), look_down())
    names = {where: name for name, where in CORNERS.items()}
    want = []
    for t in (0.75, 0.25):
        for s in (0.25, 0.75):
            x, y = s + shift[0] - 0.5, t + shift[1] - 0.5
            x, y = math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y
            x, y = scale[0] * x + 0.5, scale[1] * y + 0.5
            want.append(names[int(x % 1.0 > 0.5), int(y % 1.0 < 0.5)])
    assert quarters(value, FOCAL * 0.3 / 2.0) == want


@needs_gl
@pytest.mark.parametrize(("repeat", "beyond"), [("TRUE", "red"), ("FALSE", "green")])
def test_beyond_its_edge_a_picture_is_repeated_or_not(studio: Studio, repeat: str, beyond: str) -> None:
    look = (
        "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 } texture ImageTexture "
        f'{{ url "quarters.png" repeatS {repeat} filtering 0 }} '
        "textureTransform TextureTransform { scale 2 1 } }"
    )
    value = picture(studio, shape("Plane { size 0.6 0.6 }", look, place="0 0 0"), look_down())
    row, half = 45, FOCAL * 0.3 / 2.0
    assert [name_of(value[row, 50 + round(half * x)]) for x in (-0.75, -0.25, 0.25)] == [
        "red",
        "green",
        beyond,
    ]


@needs_gl
def test_a_picture_is_a_factor_of_the_light(studio: Studio) -> None:
    """White light straight on. On a Material it replaces diffuseColor; PBR: base·texture."""
    Image.new("RGB", (8, 8), (200, 100, 50)).save(studio.folder / "plain.png")
    light = "DirectionalLight { direction 1 0 0 ambientIntensity 0.5 }"
    parts = [linear(value / 255) for value in (200, 100, 50)]
    base = [linear(value) for value in (0.5, 0.9, 1.0)]
    phong = """Appearance { material Material { diffuseColor 0.5 0.9 1 ambientIntensity 0.4 shininess 1 }
        texture ImageTexture { url "plain.png" } }"""
    got = picture(studio, light + shape("Box { size 0.1 4 4 }", phong))[50, 50, 2::-1]
    want = [shown(p * (1 + 0.5 * linear(0.4))) for p in parts]
    assert got == pytest.approx(want, abs=1.0)
    pbr = """PBRAppearance { baseColor 0.5 0.9 1 baseColorMap ImageTexture { url "plain.png" }
        metalness 0 roughness 1 IBLStrength 0 }"""
    got = picture(studio, light + shape("Box { size 0.1 4 4 }", pbr))[50, 50, 2::-1]
    want = [shown((0.96 * 0.96 * b * p + 0.04 / 4) / math.pi) for b, p in zip(base, parts, strict=True)]
    assert got == pytest.approx(want, abs=1.0)


@needs_gl
def test_pictures_of_numbers_stand_for_the_numbers(studio: Studio) -> None:
    """Roughness and metalness from textures give the same as the fields."""
    for name, level in (("rough", 204), ("metal", 102), ("half", 128)):
        Image.new("RGB", (4, 4), (level, level, level)).save(studio.folder / f"{name}.png")
    light = "DirectionalLight { direction 1 0 0 } Background { skyColor 1 1 1 }"
    plain = f"""PBRAppearance {{ baseColor 0.5 0.7 0.2 roughness {204 / 255} metalness {102 / 255}
        IBLStrength {0.4 * 128 / 255} }}"""
    mapped = """PBRAppearance { baseColor 0.5 0.7 0.2 IBLStrength 0.4
        roughnessMap ImageTexture { url "rough.png" }
        metalnessMap ImageTexture { url "metal.png" } occlusionMap ImageTexture { url "half.png" } }"""
    values = [
        picture(studio, light + shape("Box { size 0.1 4 4 }", look))[50, 50] for look in (plain, mapped)
    ]
    assert values[0].astype(int) == pytest.approx(values[1].astype(int), abs=1)


@needs_gl
def test_a_tilted_normal_takes_the_light_as_a_tilted_wall_does(studio: Studio) -> None:
    """The normal map tilts by 30° towards the right of the texture; light comes from there."""
    tilt = math.radians(30)
    normal = [round(127.5 * (1 + each)) for each in (math.sin(tilt), 0.0, math.cos(tilt))]
    Image.new("RGB", (4, 4), tuple(normal)).save(studio.folder / "normal.png")
    angle = math.radians(40)
    light = f"DirectionalLight {{ direction {math.cos(angle)} {math.sin(angle)} 0 }}"  # from the right, -y
    look = """PBRAppearance { metalness 0 roughness 1 IBLStrength 0
        normalMap ImageTexture { url "normal.png" } }"""
    plain = look.replace('normalMap ImageTexture { url "normal.png" }', "")
    tilted = picture(studio, light + shape("Box { size 0.1 4 4 }", look))[50, 50, 0]
    straight = picture(studio, light + shape("Box { size 0.1 4 4 }", plain))[50, 50, 0]

    def diffuse(value: int) -> float:
        return -math.log(1 - (value / 255) ** 2.2) * math.pi / 0.96**2

    assert diffuse(straight) == pytest.approx(math.cos(angle), abs=0.03)  # and a little shine
    assert diffuse(tilted) == pytest.approx(math.cos(angle - tilt), abs=0.03)


@needs_gl
def test_one_sees_through_the_holes_of_a_picture(studio: Studio) -> None:
    holed = np.full((64, 64, 4), 255, np.uint8)
    holed[:, 32:, 3] = 0
    Image.fromarray(holed).save(studio.folder / "holed.png")
    look = shining("holed.png")
    behind = "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0 0 } }"
    value = picture(
        studio, shape("Box { size 0.1 1 1 }", look) + shape("Box { size 0.1 4 4 }", behind, place="3 0 0")
    )
    assert [name_of(value[50, column]) for column in (40, 60)] == ["white", "red"]


@needs_gl
def test_from_afar_a_fine_pattern_is_grey_and_still(studio: Studio) -> None:
    """The mean light of a checkerboard of black and white is one half, seen from any distance."""
    board = np.indices((256, 256)).sum(axis=0) % 2 * np.uint8(255)
    Image.fromarray(board.astype(np.uint8)).save(studio.folder / "board.png")
    look = shining("board.png")
    want = shown(0.5)
    value = picture(studio, shape("Box { size 0.1 1 1 }", look, place="5 0 0"))
    patch = value[46:54, 46:54, 0].astype(float)
    assert patch.mean() == pytest.approx(want, abs=3)
    assert patch.std() < 8


@needs_gl
def test_a_mesh_has_its_picture_where_its_file_says(studio: Studio) -> None:
    (studio.folder / "square.obj").write_text(
        "v -0.3 -0.3 0\nv 0.3 -0.3 0\nv 0.3 0.3 0\nv -0.3 0.3 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
        "f 1/2 2/3 3/4 4/1\n"
    )
    value = picture(studio, shape('Mesh { url "square.obj" }', place="0 0 0"), look_down())
    # The corner at (-0.3, -0.3) has the place (1, 0) of the picture, the next ones go round from there.
    assert quarters(value, FOCAL * 0.3 / 2.0) == ["blue", "red", "white", "green"]


@needs_gl
def test_a_changed_url_shows_another_picture(tmp_path: Path) -> None:
    draw_quarters(tmp_path)
    Image.new("RGB", (8, 8), (0, 255, 0)).save(tmp_path / "plain.png")
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} {shape("Box { size 0.1 9 9 }").replace("texture Im", "texture DEF T Im")}
    Robot {{ name "r" children [ Camera {{ }} ] }}"""
    sim = Simulation(parse_scene(text, str(tmp_path / "w.wbt")))
    sim.step()
    camera = sim.robot("r")["camera"]
    assert name_of(camera.value[20, 20]) == "red"
    sim.supervisor.set("T", "url", ["plain.png"])
    sim.step()
    assert name_of(camera.value[20, 20]) == "green"
    sim.supervisor.set("T", "url", [])
    sim.step()
    assert name_of(camera.value[20, 20]) == "white"
    sim.supervisor.set("T", "url", ["not_there/../plain.png"])  # a URL, of whose folders none is entered
    sim.step()
    assert name_of(camera.value[20, 20]) == "green"
    sim.reset()
    sim.step()
    assert name_of(camera.value[20, 20]) == "red"
    sim.close()


@needs_gl
def test_a_display_is_seen_on_its_screen(tmp_path: Path) -> None:
    look = (
        "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 1 1 } "
        "texture ImageTexture { filtering 0 } }"
    )
    box = f"Shape {{ appearance {look} geometry Box {{ size 0.1 1 1 }} }}"
    screen = f"""Robot {{ name "s" translation 2 0 0 children [ Display {{ width 20 height 10
        children [ Group {{ children {box} }} ] }} ] }}"""
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} {screen}
    Robot {{ name "r" children [ Camera {{ width 100 height 100 }} ] }}"""
    sim = Simulation(parse_scene(text, str(tmp_path / "w.wbt")))
    camera, canvas = sim.robot("r")["camera"], sim.robot("s")["display"].canvas
    sim.step()
    assert name_of(camera.value[50, 50]) == "black"
    canvas.set_color(0xFF0000)
    canvas.fill_rectangle(0, 0, 10, 5)
    canvas.set_color(0x00FF00)
    canvas.fill_rectangle(10, 5, 10, 5)
    sim.step()
    half = FOCAL * 0.5 / 1.95
    assert quarters(camera.value, half) == ["red", "black", "black", "green"]
    # The edge between the tenth and the eleventh column is in the middle, to the pixel.
    assert [name_of(camera.value[30, column]) for column in (49, 50)] == ["red", "black"]
    sim.reset()
    sim.step()
    assert name_of(camera.value[30, 40]) == "black"
    sim.close()
