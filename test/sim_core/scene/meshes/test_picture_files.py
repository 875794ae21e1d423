"""Pictures of a few formats are read, and no reader of pictures starts a program."""

import ast
import base64
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pictured_meshes import gltf, write_dae, write_glb, write_gltf, write_obj
from PIL import EpsImagePlugin, Image

from sim_core.scene.meshes.mesh_files import read_mesh
from sim_core.scene.meshes.picture_files import FORMATS, PictureError, open_picture, read_picture

ROOT = Path(__file__).resolve().parents[4]
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nshowpage\n%%EOF\n"
NAME = "look.png"


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mark that is there as soon as Pillow has started Ghostscript."""
    mark, program = tmp_path / "started", tmp_path / "gs"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", str(program))
    return mark


def write_gltf_with_text(folder: Path, picture: str) -> str:
    header, data = gltf({"uri": _in_text((folder / picture).read_bytes())})
    header["buffers"][0]["uri"] = _in_text(data)
    (folder / "q.gltf").write_text(json.dumps(header))
    return "q.gltf"


def write_glossy(folder: Path, picture: str) -> str:
    """trimesh works out the look of such a material while it reads."""
    write_gltf_with_text(folder, picture)
    header = json.loads((folder / "q.gltf").read_text())
    texture = {"index": 0}
    gloss = {"diffuseTexture": texture, "specularGlossinessTexture": texture}
    header["materials"] = [{"extensions": {"KHR_materials_pbrSpecularGlossiness": gloss}}]
    (folder / "q.gltf").write_text(json.dumps(header))
    return "q.gltf"


def write_ply(folder: Path, picture: str) -> str:
    rows = ["0 0 0 0 0", "1 0 0 1 0", "0 1 0 0 1"]
    names = "".join(f"property float {name}\n" for name in ("x", "y", "z", "s", "t"))
    (folder / "q.ply").write_text(
        f"ply\nformat ascii 1.0\ncomment TextureFile {picture}\nelement vertex 3\n{names}"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        + "\n".join([*rows, "3 0 1 2", ""])
    )
    return "q.ply"


def _in_text(data: bytes) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


MESHES = (write_obj, write_dae, write_gltf, write_glb, write_gltf_with_text, write_glossy, write_ply)


def test_pillow_alone_starts_a_program_for_such_a_file(started: Path) -> None:
    """So that the tests below show something."""
    with pytest.raises(OSError):
        Image.open(io.BytesIO(EPS)).load()
    assert started.exists()


def test_a_texture_starts_no_program(started: Path, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(EPS)
    with pytest.raises(PictureError, match="no picture"):
        read_picture(tmp_path / NAME)
    assert not started.exists()


@pytest.mark.parametrize("write", MESHES, ids=lambda write: write.__name__)
def test_a_picture_of_a_mesh_starts_no_program(
    write: Callable[[Path, str], str], started: Path, tmp_path: Path
) -> None:
    (tmp_path / NAME).write_bytes(EPS)
    parts = read_mesh(tmp_path / write(tmp_path, NAME)).parts
    for part in parts:
        if part.picture is not None and write is not write_glossy:  # there it is a factor of another one
            with pytest.raises(PictureError, match="no picture"):
                part.picture.pixels()
    assert any(part.picture is not None for part in parts) or write is write_ply
    assert not started.exists() and Image.open.__module__ == "PIL.Image"


@pytest.mark.parametrize("write", MESHES[:5], ids=lambda write: write.__name__)
def test_a_picture_in_a_mesh_that_is_too_large_is_not_decoded(
    write: Callable[[Path, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("RGB", (30, 40)).save(tmp_path / NAME)
    monkeypatch.setenv("ODESIM_LIMITS", "picture_pixels=1199")
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda image: pytest.fail("decoded"))
    (part,) = read_mesh(tmp_path / write(tmp_path, NAME)).parts
    assert part.picture is not None
    with pytest.raises(PictureError, match="30 x 40 pixels, expected at most 1199"):
        part.picture.pixels()


@pytest.mark.parametrize("kind", [*FORMATS, "MPO"])
def test_each_format_is_read(kind: str, tmp_path: Path) -> None:
    """MPO is what cameras write for JPEG."""
    Image.new("RGB", (2, 3), (200, 100, 50)).save(tmp_path / NAME, kind, lossless=True)
    pixels = read_picture(tmp_path / NAME)
    assert pixels.shape == (3, 2, 4) and abs(pixels[0, 0, :3].astype(int) - (200, 100, 50)).max() < 4


@pytest.mark.parametrize("kind", ["PPM", "PCX", "ICNS", "SGI", "EPS", "PDF"])
def test_no_other_format_is(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (16, 16)).save(out, kind)
    with pytest.raises(PictureError, match="no picture"):
        open_picture(out.getvalue())


def test_every_picture_is_opened_there() -> None:
    """No file of the source but one calls `Image.open`."""
    callers = {
        path.relative_to(ROOT).as_posix()
        for folder in ("sim_core", "ros_bridge", "webots_api")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr == "open"
        and isinstance(node.value, ast.Name)
        and node.value.id in ("Image", "Pillow", "Picture", "Pictures", "PIL")
    }
    assert callers == {"sim_core/scene/meshes/picture_files.py"}
