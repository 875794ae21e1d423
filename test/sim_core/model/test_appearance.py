"""Pictures on surfaces: which are read, which are refused, and mean colours."""

from __future__ import annotations

import gc
import logging
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sim_core.base.errors import SceneError
from sim_core.base.limits import VARIABLE
from sim_core.model.appearance import BASE, Appearance, Texture, appearance_of, infrared_factor
from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes.picture_files import read_picture
from sim_core.sensing.render.surfaces import TextureTable


def appearance(folder: Path, text: str) -> Appearance:
    scene = parse_scene(
        f"#VRML_SIM R2025a utf8\nShape {{ appearance {text} }}\n",
        str(folder / "world.wbt"),
        Assets(cache=folder),
    )
    found = appearance_of(scene.nodes[0]["appearance"])
    assert found is not None
    return found


def texture(folder: Path, name: str) -> Texture:
    """Return the texture of a surface's colour."""
    text = f'PBRAppearance {{ baseColorMap ImageTexture {{ url "{name}" }} }}'
    return appearance(folder, text).textures[BASE]


def picture(folder: Path, name: str, *pixels: tuple[int, ...]) -> None:
    mode = "RGBA" if len(pixels[0]) == 4 else "RGB"
    Image.fromarray(np.array([pixels], np.uint8), mode).save(folder / name)


def test_the_mean_colour_is_that_of_the_pixels(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 0, 51), (0, 102, 51))
    look = texture(tmp_path, "a.png")
    assert look.mean() == pytest.approx((0.5, 0.2, 0.2))
    pixels = look.pixels()
    assert pixels is not None and pixels.tolist() == [[[255, 0, 51, 255], [0, 102, 51, 255]]]


def test_transparent_pixels_do_not_count(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 0, 0, 255), (0, 255, 0, 0))
    assert texture(tmp_path, "a.png").mean() == (1.0, 0.0, 0.0)


def test_a_surface_has_its_own_colour_times_that_of_its_picture(tmp_path: Path) -> None:
    picture(tmp_path, "a.png", (255, 102, 51))
    image = 'ImageTexture { url "a.png" }'
    look = appearance(
        tmp_path, f"PBRAppearance {{ baseColor 0.5 0.5 1 transparency 0.2 baseColorMap {image} }}"
    )
    assert look.mean_colour == pytest.approx((0.5, 0.2, 0.2, 0.8))
    old = appearance(
        tmp_path, f"Appearance {{ material Material {{ diffuseColor 1 0.5 1 }} texture {image} }}"
    )
    assert old.mean_colour == pytest.approx((1.0, 0.2, 0.2, 1.0))
    assert appearance(tmp_path, f"Appearance {{ texture {image} }}").mean_colour == pytest.approx(
        (1.0, 0.4, 0.2, 1.0)
    )
    assert appearance(tmp_path, "Appearance { }").mean_colour is None


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


def test_with_a_picture_the_diffuse_colour_has_no_effect_on_infra_red_light(tmp_path: Path) -> None:
    """As in rendering: 65 mm from a picture of red 113/255 a sensor with 2000 at 0.2 m gives 1172.2065."""
    picture(tmp_path, "a.png", (113, 200, 80))
    material = "material Material { diffuseColor 0.75 1 1 transparency 0.5 }"
    with_picture = appearance(tmp_path, f'Appearance {{ {material} texture ImageTexture {{ url "a.png" }} }}')
    assert infrared_factor(with_picture) == pytest.approx(0.2 + 0.8 * 0.5 * 113 / 255)
    assert infrared_factor(appearance(tmp_path, f"Appearance {{ {material} }}")) == pytest.approx(0.5)
    opaque = appearance(tmp_path, f"""Appearance {{ {material.replace("0.5 }", "0 }")}
      texture ImageTexture {{ url "a.png" }} }}""")  # fmt: skip
    assert 0.065 / infrared_factor(opaque) / 0.2 * 2000 == pytest.approx(1172.2065, abs=0.001)


def test_a_missing_picture_leaves_the_colour_as_it_is(tmp_path: Path) -> None:
    text = 'PBRAppearance { baseColor 0.5 0.5 0.5 roughness 0 baseColorMap ImageTexture { url "no.png" } }'
    look = appearance(tmp_path, text)
    assert look.mean_colour == (0.5, 0.5, 0.5, 1.0)
    assert infrared_factor(look) == pytest.approx(0.6)
    with pytest.raises(SceneError, match=r'ImageTexture.url "no.png": no such file; looked for at'):
        look.textures[BASE].pixels()


def test_a_file_that_is_no_picture_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"nonsense")
    look = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "a.png" } }')
    with pytest.raises(SceneError, match="no picture") as caught:
        look.textures[BASE].pixels()
    assert "\n" not in str(caught.value)
    assert look.mean_of(BASE) is None
    picture(tmp_path, "b.png", *[(0, 0, 0)] * 9)
    monkeypatch.setenv(VARIABLE, "picture_pixels=8")
    large = appearance(tmp_path, 'PBRAppearance { baseColorMap ImageTexture { url "b.png" } }')
    with pytest.raises(SceneError, match="9 x 1 pixels, expected at most 8"):
        large.textures[BASE].pixels()


def test_all_pictures_together_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gc.collect()
    read_picture.__globals__["_read"].cache_clear()  # of other tests
    monkeypatch.setenv(VARIABLE, "all_picture_pixels=1000000")
    for name in ("a", "b", "c"):
        Image.new("RGB", (600, 1000)).save(tmp_path / f"{name}.png")
    held = read_picture(tmp_path / "a.png")
    assert read_picture(tmp_path / "a.png") is held  # counted once
    image = 'ImageTexture { url "b.png" }'
    look = appearance(tmp_path, f"PBRAppearance {{ baseColorMap {image} }}")
    with pytest.raises(SceneError, match=f"600000 pixels besides .*{VARIABLE}=all_picture_pixels=NUMBER"):
        look.textures[BASE].pixels()
    with caplog.at_level(logging.WARNING):
        surfaces = TextureTable()
        assert surfaces.textures_of(look) is surfaces.textures_of(look) is None
    (line,) = [each.getMessage() for each in caplog.records]
    assert line.startswith(f"{tmp_path / 'world.wbt'}:2:") and "ImageTexture.url" in line
    del held  # pictures without references make room
    assert read_picture(tmp_path / "c.png").shape == (1000, 600, 4)


def test_pictures_of_webots_are_found_from_its_common_worlds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "webots" / "projects" / "default" / "worlds" / "textures"
    folder.mkdir(parents=True)
    picture(folder, "common.png", (255, 255, 255))
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    assert texture(tmp_path, "textures/common.png").mean() == (1.0, 1.0, 1.0)


def test_a_record_never_changes_and_an_edit_makes_a_new_one() -> None:
    scene = parse_scene("#VRML_SIM R2025a utf8\nShape { appearance PBRAppearance { baseColor 1 0 0 } }")
    node = scene.nodes[0]["appearance"]
    before = appearance_of(node)
    node["baseColor"] = (0.0, 1.0, 0.0)
    after = appearance_of(node)
    assert before is not None and before.colour == (1.0, 0.0, 0.0) and before.node == node.id
    assert after is not None and after.mean_colour == (0.0, 1.0, 0.0, 1.0)
