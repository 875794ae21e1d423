"""Levels of detail in a page: a shape that is small in a picture has few triangles, and its outline."""

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import chromium
from PIL import Image
from waiting import wait_until

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

pytest.importorskip("viser", reason="needs the Python package viser")
WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }}
Viewpoint {{ position {distance} 0 0 }}
Background {{ skyColor 0 0 0 }}
PointLight {{ on FALSE }}
Shape {{ appearance PBRAppearance {{ baseColor 0 0 0 emissiveColor 1 1 1 }}
  geometry Sphere {{ radius 1 subdivision 5 }} castShadows FALSE }}
"""
DRAWN = """let triangles = 0;
window.__viserMutable?.scene?.traverse(({isInstancedMesh, visible, count, geometry, material}) => {
  if (isInstancedMesh && visible && material.userData.dressed) triangles += count * geometry.index.count / 3;
});
return triangles;"""
ZOOM = "return window.__viserMutable.camera.projectionMatrix.elements[5];"
CANVAS_ALONE = """const style = document.createElement('style');
style.textContent = '* { visibility: hidden !important } canvas { visibility: visible !important }';
document.head.append(style);"""
NEAR, FAR = 4.0, 70.0
"""Distances of the ball, m."""
HEXAGON = 1.5 * math.sqrt(3.0) / math.pi
"""Area of a hexagon in a circle of area 1: its outline has at least so many corners."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a browser without a network."""
    options = ("--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=0.5")
    with chromium(tmp_path_factory.mktemp("browser"), 500, 500, *options) as opened:
        yield opened


def shown(browser: Any, folder: Path, distance: float) -> tuple[int, np.ndarray]:
    """Return the triangles of a ball with a radius of 1 m that emits light of 1, and a picture of it."""
    sim = Simulation(parse_scene(WORLD.format(distance=-distance), "w.wbt"))
    page = folder / f"{distance:g}.html"
    sim.recordings.start_recording("animation", page, fps=20)
    sim.run(0.1)
    sim.recordings.stop_recording("animation")
    sim.close()
    browser.get(page.as_uri())
    wait_until(lambda: browser.execute_script(DRAWN), "the ball")
    slider = browser.find_element("css selector", "[role=slider]")
    slider.find_element("xpath", "preceding::button[1]").click()  # it stands still
    browser.execute_script(CANVAS_ALONE)
    picture = browser.find_element("tag name", "canvas").screenshot_as_png
    return browser.execute_script(DRAWN), np.asarray(Image.open(io.BytesIO(picture)).convert("L")) / 255.0


def test_a_far_ball_has_few_triangles_and_its_disc(browser: Any, tmp_path: Path) -> None:
    near, _ = shown(browser, tmp_path, NEAR)
    far, picture = shown(browser, tmp_path, FAR)
    assert near > 1000 and far < 0.1 * near
    diameter = len(picture) * browser.execute_script(ZOOM) / FAR
    assert 6.0 < diameter < 12.0
    row, column = (length // 2 for length in picture.shape)
    ball = picture[row - 12 : row + 12, column - 12 : column + 12]
    light = (1.0 - math.exp(-1.0)) ** (1.0 / 2.2)
    part = ball.sum() / light / (math.pi / 4.0 * diameter**2)
    assert HEXAGON < part < 1.05
