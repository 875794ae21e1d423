"""The noise mask of a Camera: c·(1 - a) + m·a, shifted each time, and the same in every run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image

from sim_core.devices.vision.noise_mask import NoiseMask
from sim_core.scene import parse_scene
from sim_core.scene.asset_check import used_files
from sim_core.session.simulation import Simulation

Mask = np.ndarray[Any, np.dtype[np.uint8]]
WALL = (
    "Shape { appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 0.8 0.5 0.2 } }"
    " geometry Box { size 0.1 9 9 } }"
)


def random_mask(height: int, width: int) -> Mask:
    return np.random.default_rng(3).integers(0, 256, (height, width, 4), np.uint8)


def simulation(folder: Path, fields: str) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }} Solid {{ translation 3 0 0 children {WALL} }}
Robot {{ name "r" children [
  Camera {{ width 24 height 16 {fields} }} ] }}"""
    return Simulation(parse_scene(text, str(folder / "w.wbt")))


@needs_gl
@pytest.mark.parametrize("size", [(40, 50), (7, 5)])
def test_each_pixel_is_mixed_with_the_mask_at_a_random_place(tmp_path: Path, size: tuple[int, int]) -> None:
    mask = random_mask(*size)
    Image.fromarray(mask).save(tmp_path / "mask.png")
    sim, clean = simulation(tmp_path, 'noiseMaskUrl "mask.png"'), simulation(tmp_path, "")
    assert used_files(sim.scene, sim.scene.assets) == [tmp_path / "mask.png"]
    clean.step()
    drawn = clean.robot("r")["camera"].value[..., 2::-1].astype(float)
    camera, corners, seen = sim.robot("r")["camera"], [], []
    for _ in range(6):
        sim.step()
        seen.append(camera.value[..., 2::-1].astype(float))
        # Found without asking the device: the only place at which the mask fits.
        fits = []
        for row in range(size[0]):
            for column in range(size[1]):
                part = np.roll(mask, (-row, -column), (0, 1))
                part = np.tile(part, (4, 6, 1))[:16, :24].astype(float)
                opacity = part[..., 3:] / 255.0
                expected = drawn * (1.0 - opacity) + part[..., :3] * opacity
                if np.abs(expected - seen[-1]).max() < 0.51:
                    fits.append((row, column))
        assert len(fits) == 1
        corners += fits
    assert len(set(corners)) > 3
    assert (camera.value[..., 3] == 255).all()
    sim.reset()
    for picture in seen:
        sim.step()
        assert (camera.value[..., 2::-1] == picture).all()
    sim.close()
    clean.close()


def test_all_places_are_equally_likely() -> None:
    """χ² of 6 rows and of 4 columns in 6000 draws: below the 99.9 % points of 5 and 3 degrees of freedom."""
    mask = NoiseMask(random_mask(6, 4), 7)
    corners = np.array([mask.corner(10_000_000 * k) for k in range(6000)])
    for column, count, limit in ((0, 6, 20.5), (1, 4, 16.3)):
        found = np.bincount(corners[:, column], minlength=count)
        assert ((found - 6000 / count) ** 2 / (6000 / count)).sum() < limit


@needs_gl
def test_the_noise_comes_after_the_mask(tmp_path: Path) -> None:
    """An opaque mask hides the world; its grey and the noise's deviation remain."""
    grey = np.full((64, 64, 4), 128, np.uint8)
    grey[..., 3] = 255
    Image.fromarray(grey).save(tmp_path / "mask.png")
    sim = simulation(tmp_path, 'noiseMaskUrl "mask.png" noise 0.02')
    sim.step()
    values = sim.robot("r")["camera"].value[..., :3].astype(float)
    sim.close()
    sigma = (5.12**2 + 1 / 12) ** 0.5
    assert values.mean() == pytest.approx(128.0, abs=4 * sigma / values.size**0.5)
    assert values.std() == pytest.approx(sigma, rel=0.1)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ('noiseMaskUrl "nowhere.png"', 'Camera.noiseMaskUrl "nowhere.png": '),
        ('noiseMaskUrl "text.png"', 'Camera.noiseMaskUrl "text.png": '),
        ('projection "spherical" noiseMaskUrl "mask.png"', "Camera.noiseMaskUrl with the projection"),
    ],
)
def test_a_mask_that_cannot_be_is_said_in_a_line_and_the_camera_works(
    tmp_path: Path, fields: str, said: str
) -> None:
    (tmp_path / "text.png").write_text("no picture")
    Image.fromarray(random_mask(8, 8)).save(tmp_path / "mask.png")
    camera = simulation(tmp_path, fields).robot("r")["camera"]
    (warning,) = camera.warnings
    assert str(warning).startswith(f"{tmp_path / 'w.wbt'}:4:3: {said}")
    assert "\n" not in str(warning)
    if "nowhere" in fields:
        assert str(tmp_path / "nowhere.png") in str(warning)
