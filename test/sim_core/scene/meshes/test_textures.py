"""Pictures on surfaces: what is read, what is refused, and the mean colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sim_core.base.errors import SceneError
from sim_core.scene import Node, parse_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes import picture_files
from sim_core.scene.meshes.textures import mean_colour, picture_of, surface_colour
from sim_core.sensing.raycast.reflectance import infrared_factor


def appearance(folder: Path, text: str) -> Node:
    scene = parse_scene(
        f"#VRML_SIM R2025a utf8\nShape {{ appearance {text} }}\n",
        str(folder / "world.wbt"),
        Assets(cache=folder),
    )
    return scene.nodes[0]["appearance"]


def picture(folder: Path, name: str, *pixels: tuple[int, ...]) -> None:
    mode = "RGBA" if len(pixels[0]) == 4 else "RGB"
    Image.fromarray(np.array([pixels], np.uint8), mode).save(folder / name)


def test_the_mean_colour_is_that_of_the_pixels(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 0, 51), (0, 102, 51))
    look = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "a.png" } }')
    texture = look["baseColorMap"]
    assert mean_colour(texture) == pytest.approx((0.5, 0.2, 0.2))
    pixels = picture_of(texture)
    assert pixels is not None and pixels.tolist() == [[[255, 0, 51, 255], [0, 102, 51, 255]]]


def test_transparent_pixels_do_not_count(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 0, 0, 255), (0, 255, 0, 0))
    look = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "a.png" } }')
    assert mean_colour(look["baseColorMap"]) == (1.0, 0.0, 0.0)


def test_a_surface_has_its_own_colour_times_that_of_its_picture(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 102, 51))
    texture = 'ImageTexture { url "a.png" }'
    look = appearance(
        tmp_path, f"PBRAppearance {{ baseColor 0.5 0.5 1 transparency 0.2 baseColorMap {texture} }}"
    )
    assert surface_colour(look) == pytest.approx((0.5, 0.2, 0.2, 0.8))
    old = appearance(
        tmp_path, f"Appearance {{ material Material {{ diffuseColor 1 0.5 1 }} texture {texture} }}"
    )
    assert surface_colour(old) == pytest.approx((1.0, 0.2, 0.2, 1.0))
    assert surface_colour(appearance(tmp_path, f"Appearance {{ texture {texture} }}")) == pytest.approx(
        (1.0, 0.4, 0.2, 1.0)
    )
    assert surface_colour(appearance(tmp_path, "Appearance { }")) is None


def test_infra_red_light_follows_the_documented_formula(tmp_path: Path) -> None:
    """f = 0.2 + 0.8·red·(1 - 0.5·roughness)·(1 - 0.5·occlusion)."""
    picture(tmp_path, "half.png", (102, 0, 0))
    picture(tmp_path, "rough.png", (51, 0, 0))
    half, rough = 'ImageTexture { url "half.png" }', 'ImageTexture { url "rough.png" }'
    plain = appearance(tmp_path, f"PBRAppearance {{ roughness 1 baseColorMap {half} }}")
    assert infrared_factor(plain) == pytest.approx(0.2 + 0.8 * 0.4 * 0.5)
    mapped = f"PBRAppearance {{ roughness 1 baseColorMap {half} roughnessMap {rough} occlusionMap {half} }}"
    expected = 0.2 + 0.8 * 0.4 * (1 - 0.5 * 0.2) * (1 - 0.5 * 0.4)
    assert infrared_factor(appearance(tmp_path, mapped)) == pytest.approx(expected)
    alone = appearance(tmp_path, f"PBRAppearance {{ roughness 1 roughnessMap {rough} }}")
    assert infrared_factor(alone) == pytest.approx(0.2 + 0.8 * 0.5)


def test_a_missing_picture_leaves_the_colour_as_it_is(tmp_path: Path) -> None:
    text = 'PBRAppearance { baseColor 0.5 0.5 0.5 roughness 0 baseColorMap ImageTexture { url "no.png" } }'
    look = appearance(tmp_path, text)
    assert surface_colour(look) == (0.5, 0.5, 0.5, 1.0)
    assert infrared_factor(look) == pytest.approx(0.6)
    with pytest.raises(SceneError, match=r'ImageTexture.url "no.png": no such file; looked for at'):
        picture_of(look["baseColorMap"])


def test_a_file_that_is_no_picture_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"nonsense")
    look = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "a.png" } }')
    with pytest.raises(SceneError, match="no picture") as caught:
        picture_of(look["baseColorMap"])
    assert "\n" not in str(caught.value)
    assert mean_colour(look["baseColorMap"]) is None
    picture(tmp_path, "b.png", *[(0, 0, 0)] * 9)
    monkeypatch.setattr(picture_files, "MOST_PIXELS", 8)
    large = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "b.png" } }')
    with pytest.raises(SceneError, match="9 x 1 pixels, expected at most 8"):
        picture_of(large["baseColorMap"])


def test_pictures_of_webots_are_found_from_its_common_worlds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "webots" / "projects" / "default" / "worlds" / "textures"
    folder.mkdir(parents=True)
    picture(folder, "common.png", (255, 255, 255))
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    text = 'PBRAppearance { baseColorMap ImageTexture { url "textures/common.png" } }'
    assert mean_colour(appearance(tmp_path, text)["baseColorMap"]) == (1.0, 1.0, 1.0)
