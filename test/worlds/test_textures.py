"""The textures: remade by the script, seamless, small, and of the colours that it says."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sim_core.base.shipped import CODE, share_dir
from sim_core.scene import parse_scene

FOLDER = share_dir() / "protos" / "appearances" / "textures"
FILES = sorted(FOLDER.glob("*.jpg"))
LARGEST = 150_000


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("make_textures", CODE / "scripts" / "make_textures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"), dtype=float)


def test_the_script_makes_the_same_files(script: Any, tmp_path: Path) -> None:
    """Another libjpeg may write other bytes; the pixels are the same."""
    script.main(tmp_path)
    assert [path.name for path in sorted(tmp_path.iterdir())] == [path.name for path in FILES]
    for path in FILES:
        assert np.abs(pixels(path) - pixels(tmp_path / path.name)).max() <= 2.0, path.name
        assert path.stat().st_size < LARGEST


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_texture_goes_on_at_its_edges(path: Path) -> None:
    """From its last row to its first one it changes no more than from one row to another within."""
    picture = pixels(path)
    for axis in (0, 1):
        steps = np.abs(picture - np.roll(picture, 1, axis=axis)).mean(axis=(1 - axis, 2))
        assert steps[0] <= 1.15 * steps[1:].max()


def test_a_texture_has_its_mean_colour(script: Any) -> None:
    for name, make in script.MATERIALS.items():
        mean = pixels(FOLDER / f"{name}.jpg").mean(axis=(0, 1)) / 255.0
        assert mean == pytest.approx(make().mean, abs=0.01), name


def test_a_floor_lays_its_picture_by_the_size_of_a_tile() -> None:
    text = "#VRML_SIM R2025a utf8\n" + (
        'EXTERNPROTO "%s"\nFloor { size 6 3 tileSize 0.5 0.75 }' % (share_dir() / "protos/arenas/Floor.proto")
    )
    geometry = parse_scene(text, "w.wbt").nodes[0]["children"][0]["geometry"]
    assert geometry["texCoord"]["point"][2] == (12.0, 4.0)
    assert geometry["coord"]["point"][2] == (3.0, 1.5, 0.0)
