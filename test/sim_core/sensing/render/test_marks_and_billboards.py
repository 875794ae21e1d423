"""Points, lines and Billboards are drawn at their projections, in their colours."""

import io
import math
from pathlib import Path

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image

from sim_core.scene import parse_scene
from sim_core.sensing.appearance_changes import AppearanceChanges
from sim_core.sensing.render.draw_list import SceneShapes
from sim_core.session.simulation import Simulation

SIZE, ANGLE = 64, 0.8
FOCAL = SIZE / 2.0 / math.tan(ANGLE / 2.0)
POINTS = [(2.0, 0.3, 0.2), (2.0, -0.25, 0.1), (3.0, 0.4, -0.6)]
COLOURS = [(1.0, 0.0, 0.0), (0.0, 0.5, 0.0), (0.2, 0.0, 1.0)]
LOOK = "Appearance { material Material { diffuseColor 1 1 1 emissiveColor 1 0 1 } }"
PBR = "PBRAppearance { baseColor 1 0 0 emissiveColor 0 1 0 }"
WHITE = (207, 207, 207)
"""255·(1 - exp(-1))^(1/2.2): what gives off 1."""
RED = (207, 0, 0)


def shown(light: float) -> float:
    return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)


def text(values: list[tuple[float, ...]]) -> str:
    return ", ".join(" ".join(map(str, each)) for each in values)


def point_set(colours: str = "", appearance: str = LOOK) -> str:
    return f"""Shape {{ appearance {appearance} geometry PointSet {{
      coord Coordinate {{ point [ {text(POINTS)} ] }} {colours} }} }}"""


def world(nodes: str, devices: str = "") -> Simulation:
    camera = f'Camera {{ name "eye" width {SIZE} height {SIZE} fieldOfView {ANGLE} near 0.01 }}'
    sim = Simulation(parse_scene(f"""#VRML_SIM R2025a utf8
      WorldInfo {{ basicTimeStep 10 gravity 0 }}
      DEF VIEW Viewpoint {{ position 9 8 7 orientation 0 0 1 1 fieldOfView {ANGLE} near 0.01 }}
      {nodes} Robot {{ name "r" children [ {camera} {devices} ] }}""", "w.wbt"))  # fmt: skip
    sim.step()
    return sim


def picture(sim: Simulation, device: str = "eye") -> np.ndarray:
    return sim.robot("r")[device].value[..., 2::-1].astype(int)


def pixel(place: tuple[float, float, float]) -> tuple[int, int]:
    """Return row and column of a position in the axes of the eye."""
    x, y, z = place
    return math.floor(SIZE / 2 - FOCAL * z / x), math.floor(SIZE / 2 - FOCAL * y / x)


@needs_gl
def test_points_have_four_pixels_and_a_colour_each() -> None:
    sim = world(point_set(f"color DEF COLOUR Color {{ color [ {text(COLOURS)} ] }}"))
    seen = picture(sim)
    for place, colour in zip(POINTS, COLOURS, strict=True):
        assert seen[pixel(place)] == pytest.approx([shown(part) for part in colour], abs=1)
    assert (seen.sum(axis=-1) > 0).sum() == 3 * 16
    sim.supervisor.remove("COLOUR")  # then the Material's emissive colour counts
    sim.step()
    seen = picture(sim)
    for place in POINTS:
        assert seen[pixel(place)] == pytest.approx([207, 0, 207], abs=1)
    assert (seen.sum(axis=-1) > 0).sum() == 3 * 16
    sim.close()


@needs_gl
def test_of_points_and_colours_the_fewer_count_and_a_change_is_seen() -> None:
    sim = world(
        point_set(f"color DEF COLOUR Color {{ color [ {text(COLOURS[:2])} ] }}"), "RangeFinder { maxRange 9 }"
    )
    seen = picture(sim)
    assert [bool(seen[pixel(place)].any()) for place in POINTS] == [True, True, False]
    sim.supervisor.set("COLOUR", "color", [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (1.0, 0.0, 0.0)])
    sim.step()
    seen = picture(sim)
    assert [tuple(seen[pixel(place)].tolist()) for place in POINTS] == [(0, 0, 207), WHITE, RED]
    sim.close()


@needs_gl
@pytest.mark.parametrize("appearance", ["NULL", "Appearance { }", PBR])
def test_points_without_a_material_are_white_and_lights_do_not_count(appearance: str) -> None:
    sim = world("DirectionalLight { ambientIntensity 1 } " + point_set(appearance=appearance))
    assert {tuple(picture(sim)[pixel(place)].tolist()) for place in POINTS} == {WHITE}
    sim.close()


@needs_gl
def test_transparent_points_let_through_what_is_behind_them() -> None:
    behind = """Pose { translation 5 0 0 children Shape { appearance Appearance { material Material {
      emissiveColor 0 0 1 } } geometry Box { size 0.1 9 9 } } }"""
    look = "Appearance { material Material { emissiveColor 1 0 0 transparency 0.25 } }"
    sim = world(behind + point_set(appearance=look))
    assert picture(sim)[pixel(POINTS[0])] == pytest.approx([shown(0.75), 0, shown(0.25)], abs=1)
    sim.close()


@needs_gl
def test_lines_go_from_point_to_point_up_to_minus_one() -> None:
    corners = [(2.0, 0.4, 0.4), (2.0, -0.4, 0.4), (2.0, -0.4, -0.4), (2.0, 0.4, -0.4)]
    sim = world(f"""Shape {{ appearance {LOOK} geometry IndexedLineSet {{
      coord Coordinate {{ point [ {text(corners)} ] }} coordIndex [ 0 1 -1 2 3 9 1 ] }} }}""")
    seen = picture(sim)
    top, left = pixel(corners[0])
    bottom, right = pixel(corners[2])
    middle = (left + right) // 2

    def is_magenta(row: int, column: int) -> bool:
        near = seen[row - 1 : row + 2, column - 1 : column + 2].reshape(-1, 3).tolist()
        return [207, 0, 207] in near

    assert is_magenta(top, middle) and is_magenta(bottom, middle)
    assert not is_magenta(SIZE // 2, left) and not is_magenta(SIZE // 2, right)
    assert (seen.sum(axis=-1) > 0).sum() == pytest.approx(2 * (right - left), abs=4)
    sim.close()


@needs_gl
def test_a_range_finder_measures_points_and_a_lidar_and_shadows_pass_them() -> None:
    devices = f"""RangeFinder {{ name "range" width {SIZE} height {SIZE} fieldOfView {ANGLE} maxRange 9 }}
      Lidar {{ horizontalResolution 64 numberOfLayers 16 fieldOfView {ANGLE} verticalFieldOfView 0.6 }}"""
    sim = world(point_set(), devices)
    depths = sim.robot("r")["range"].reading.value
    assert [depths[pixel(place)] for place in POINTS] == pytest.approx([2.0, 2.0, 3.0], abs=1e-5)
    assert np.isinf(sim.robot("r")["lidar"].reading.value).all()
    sim.close()


@needs_gl
def test_what_is_recognized_reaches_as_far_as_its_points() -> None:
    solid = f"Solid {{ translation 1 0 0 recognitionColors [ 1 0 0 ] children {point_set()} }}"
    recognizer = f"""Camera {{ name "sees" width {SIZE} height {SIZE} fieldOfView {ANGLE}
      recognition Recognition {{ }} }}"""
    sim = world(solid, recognizer)
    [found] = sim.robot("r")["sees"].reading.objects
    # x 3 to 4, y -0.25 to 0.4, z -0.6 to 0.2
    assert found.position == pytest.approx((3.5, 0.075, -0.2), abs=1e-6)
    assert found.size == pytest.approx((1.0, 0.65, 0.8), abs=1e-6)
    sim.close()


BILLBOARD = """Billboard { children Pose { translation 2 0.3 0.2 rotation 0 0 1 0.3 children
  Shape { appearance Appearance { material Material { emissiveColor 1 0 0 } }
    geometry Box { size 0.1 0.1 0.1 } } } }"""


def shot(sim: Simulation, folder: Path, **how: str) -> np.ndarray:
    file = sim.supervisor.export_image(folder / "shot.png", SIZE, SIZE, **how)
    return np.asarray(Image.open(io.BytesIO(Path(file).read_bytes())).convert("RGB"), int)


@needs_gl
@pytest.mark.parametrize("header", ["R2025a", "R2021b"])
def test_a_billboard_stays_where_it_is_in_the_picture_of_the_viewpoint(tmp_path: Path, header: str) -> None:
    """In a file of before R2022a the Viewpoint looks along -z, y is up; a Billboard has its axes."""
    sim = world(BILLBOARD)
    if header != "R2025a":
        sim.close()
        sim = Simulation(parse_scene(f"""#VRML_SIM {header} utf8
          WorldInfo {{ basicTimeStep 10 gravity 0 }}
          DEF VIEW Viewpoint {{ position 9 8 7 fieldOfView {ANGLE} near 0.01 }} Robot {{ name "r" }}
          {BILLBOARD.replace("2 0.3 0.2 rotation 0 0 1", "-0.3 0.2 -2 rotation 0 1 0")}"""))  # fmt: skip
    row, column = pixel((2.0, 0.3, 0.2))
    first = shot(sim, tmp_path)
    assert first[row, column] == pytest.approx(RED, abs=1)
    red = np.argwhere(first[..., 0] > 100)
    assert red.mean(axis=0) == pytest.approx((row, column), abs=1.0)
    sim.supervisor.set("VIEW", "position", (-3.0, 4.0, 5.0))
    sim.supervisor.set("VIEW", "orientation", (0.5, 0.5, 1.0, 2.0))
    assert (shot(sim, tmp_path) == first).all()
    sim.close()


@needs_gl
@pytest.mark.parametrize("look", ["fine", "fast"])
def test_a_billboard_looks_the_same_from_every_viewpoint(tmp_path: Path, look: str) -> None:
    """To the last bit, in the light of the sky and of lamps, with reflecting and transparent surfaces."""
    board = """Billboard { children [
      Pose { translation 2 0.1 0.2 rotation 1 2 3 0.7 children Shape {
        appearance PBRAppearance { baseColor 0.8 0.5 0.3 roughness 0.3 metalness 0.6 }
        geometry Cylinder { radius 0.2 height 0.3 } } }
      Pose { translation 2 -0.2 -0.1 rotation 3 1 2 1.1 children Shape {
        appearance Appearance { material Material { diffuseColor 0.2 0.7 0.4 specularColor 1 1 1 } }
        geometry Sphere { radius 0.2 } } }
      Pose { translation 1.7 0 0 rotation 0 1 1 0.4 children Shape {
        appearance PBRAppearance { baseColor 0.2 0.3 1 transparency 0.5 metalness 0 }
        geometry Box { size 0.1 0.3 0.3 } } } ] }"""
    lights = """Background { skyColor 0.15 0.45 1 } DirectionalLight { direction 1 0.3 -0.5 castShadows TRUE }
      PointLight { location 1 1 1 }"""
    sim = world(board + lights)
    first = shot(sim, tmp_path, look=look)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 100
    for turn in (0.3, 1.0, 2.0, 3.0):
        sim.supervisor.set("VIEW", "position", (-3.0 * turn, 4.0, 5.0))
        sim.supervisor.set("VIEW", "orientation", (0.5, 0.5, 1.0, turn))
        assert (shot(sim, tmp_path, look=look) == first).all(), turn
    sim.close()


@needs_gl
def test_cameras_do_not_see_billboards(tmp_path: Path) -> None:
    """Webots reference, Billboard."""
    sim = world(BILLBOARD)
    sim.supervisor.set("VIEW", "position", (0.0, 0.0, 0.0))
    sim.supervisor.set("VIEW", "orientation", (0.0, 0.0, 1.0, 0.0))  # as the camera stands
    sim.step()
    assert shot(sim, tmp_path).any()
    assert not picture(sim).any()
    assert not shot(sim, tmp_path, camera="r/eye").any()
    sim.close()


def test_pages_of_animations_have_surfaces_alone() -> None:
    box = "Shape { geometry Box { size 1 1 1 } }"
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\n{point_set()} {BILLBOARD} {box}", "w.wbt"))
    shapes = SceneShapes(sim.physics)
    assert len(shapes.read_shapes(AppearanceChanges()).frames) == 3
    page = shapes.read_shapes(AppearanceChanges(), is_page=True)
    assert page.frames.tolist() == [0] and [batch.marks for batch in page.batches] == [""]
