"""Textures of mesh files are drawn on CadShapes, each colour at its place."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from pictured_meshes import WRITERS, write_glb, write_obj
from pictures import needs_gl
from PIL import Image

from sim_core.model.geometry_nodes import broken_files
from sim_core.scene import Scene, parse_scene
from sim_core.scene.meshes.mesh_files import read_mesh
from sim_core.session.simulation import Simulation

COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "grey": (128, 128, 128)}
QUARTERS = np.array([[COLOURS["red"], COLOURS["green"]], [COLOURS["blue"], COLOURS["grey"]]], np.uint8)
"""Above red and green, below blue and grey."""


def write_picture(path: Path, pixels: np.ndarray = QUARTERS) -> None:
    Image.fromarray(np.kron(pixels, np.ones((32, 32, 1), np.uint8))).save(path)


HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
DirectionalLight { ambientIntensity 1 intensity 0 }
"""
CAMERA = "Camera { width 100 height 100 }"


def scene_of(folder: Path, file: str, fields: str = "", place: str = "2 0 0") -> Scene:
    """Return a square of 1 m, 2 m ahead, in uniform light of 1: its colours are those of the
    texture after the film.
    """
    text = f"""{HEAD}Pose {{ translation {place} children CadShape {{ url "{file}" {fields} }} }}
Robot {{ name "r" children {CAMERA} }}"""
    return parse_scene(text, str(folder / "w.wbt"))


def picture(scene: Scene) -> Any:
    sim = Simulation(scene)
    sim.step()
    sim.close()
    return sim.robot("r")["camera"].value[..., 2::-1].astype(float)


def filmed(colour: Any, factor: float = 1.0) -> Any:
    """Return the value of a picture for a surface of this colour in light of 1: (1 -
    exp(-factor·light))^(1/2.2)."""
    c = np.asarray(colour, float) / 255.0
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return 255.0 * (1.0 - np.exp(-factor * light)) ** (1 / 2.2)


def check(value: Any, factor: float = 1.0) -> None:
    """Check that each quarter has its colour, except the pixels of its edges."""
    # The square is 100/(2·tan(0.3927))/2 = 60 pixels wide: from 20 to 80.
    for row, top in ((0, 24), (1, 54)):
        for column, left in ((0, 24), (1, 54)):
            part = value[top : top + 22, left : left + 22].reshape(-1, 3)
            assert np.abs(part - filmed(QUARTERS[row, column], factor)).max() < 1.5
    assert (value[:10] == 0).all()


@needs_gl
def test_a_textured_square_has_the_colours_of_its_picture(tmp_path: Path) -> None:
    """One file of each kind, each before a camera of its own."""
    write_picture(tmp_path / "quarters.png")
    worlds = []
    for number, write in enumerate(WRITERS.values()):
        file, y = write(tmp_path, "quarters.png"), 10.0 * number
        square = f'Pose {{ translation 2 {y} 0 children CadShape {{ url "{file}" }} }}'
        worlds.append(f'{square} Robot {{ name "r{number}" translation 0 {y} 0 children {CAMERA} }}')
    scene = parse_scene(HEAD + " ".join(worlds), str(tmp_path / "w.wbt"))
    assert broken_files(scene) == []
    sim = Simulation(scene)
    sim.step()
    sim.close()
    for number in range(len(WRITERS)):
        check(sim.robot(f"r{number}")["camera"].value[..., 2::-1].astype(float))


@needs_gl
def test_the_colour_of_the_material_is_a_factor(tmp_path: Path) -> None:
    """Kd 0.5 in linear numbers: ((0.5 + 0.055)/1.055)^2.4."""
    write_picture(tmp_path / "quarters.png")
    scene = scene_of(tmp_path, write_obj(tmp_path, "quarters.png", "Kd 0.5 0.5 0.5"))
    check(picture(scene), ((0.5 + 0.055) / 1.055) ** 2.4)


@needs_gl
def test_one_sees_through_what_is_transparent_in_the_picture(tmp_path: Path) -> None:
    pixels = np.dstack([QUARTERS, np.array([[255, 255], [0, 255]], np.uint8)])
    write_picture(tmp_path / "quarters.png", pixels)
    value = picture(scene_of(tmp_path, write_obj(tmp_path, "quarters.png")))
    assert (value[60:70, 30:40] == 0).all()  # in the place of blue nothing
    assert value[30, 30] == pytest.approx(filmed(COLOURS["red"]), abs=1.5)
    write_glb(tmp_path, "quarters.png")  # glTF's alphaMode OPAQUE, the default
    check(picture(scene_of(tmp_path, "q.glb")))


@needs_gl
def test_the_back_is_seen_with_ccw_false_mirrored(tmp_path: Path) -> None:
    write_picture(tmp_path / "quarters.png")
    file = write_obj(tmp_path, "quarters.png")
    turned = "2 0 0 rotation 0 0 1 3.14159265"
    assert (picture(scene_of(tmp_path, file, place=turned)) == 0).all()
    check(picture(scene_of(tmp_path, file, "ccw FALSE", turned))[:, ::-1])


@pytest.mark.parametrize(
    "name", ["../textures/q.png", "textures\\q.png", "C:\\home\\me\\q.png", "-s 1 1 1 q.png"]
)
def test_pictures_are_found_where_exporters_leave_them(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "meshes"
    for each in (folder, tmp_path / "textures", folder / "textures"):
        each.mkdir()
        write_picture(each / "q.png")
    write_picture(folder / "q.png")
    (part,) = read_mesh(folder / write_obj(folder, name)).parts
    assert part.picture is not None
    assert (part.picture.pixels()[::32, ::32, :3] == QUARTERS).all()


@pytest.mark.parametrize("kind", ["obj", "dae", "gltf"])
@pytest.mark.parametrize("data", [None, b"no picture"])
def test_a_picture_that_cannot_be_had_is_one_line(tmp_path: Path, kind: str, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "lost.png").write_bytes(data)
    scene = scene_of(tmp_path, WRITERS[kind](tmp_path, "lost.png"))
    (problem,) = broken_files(scene)
    why = "no such file" if data is None else "no picture"
    start = f'{tmp_path / "w.wbt"}:4:35: CadShape.url q.{kind}: its picture "lost.png": {why}'
    assert str(problem).startswith(start) and "\n" not in str(problem)


@needs_gl
def test_without_its_picture_a_part_is_drawn_in_its_colour_and_the_log_says_it_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene = scene_of(tmp_path, write_obj(tmp_path, "lost.png", "Kd 0 1 0"))
    with caplog.at_level(logging.WARNING):
        value = picture(scene)
    assert value[50, 50] == pytest.approx(filmed(COLOURS["green"]), abs=1.5)
    (line,) = [each.getMessage() for each in caplog.records if "lost.png" in each.getMessage()]
    assert line.startswith(f"{tmp_path / 'w.wbt'}:4:")


def test_a_picture_in_a_file_that_trimesh_wrote_is_found(tmp_path: Path) -> None:
    write_picture(tmp_path / "quarters.png")
    mesh = trimesh.load(tmp_path / write_obj(tmp_path, "quarters.png"), process=False, force="mesh")
    mesh.export(tmp_path / "t.glb")
    (own,), (other,) = (read_mesh(tmp_path / name).parts for name in ("q.obj", "t.glb"))
    assert own.picture is not None and other.picture is not None
    assert (own.picture.pixels() == other.picture.pixels()).all()
