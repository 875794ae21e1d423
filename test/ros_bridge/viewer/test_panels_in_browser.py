"""The world in a real browser: its light, its shadows, its motion between messages."""

import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from typing import Any

import numpy as np
import pytest
from chromium import LIMIT, chromium
from PIL import Image
from waiting import wait_until

pytest.importorskip("viser", reason="needs the Python package viser")
pytest.importorskip("selenium", reason="needs the Python package selenium")
ActionChains = pytest.importorskip("selenium.webdriver.common.action_chains").ActionChains
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
ROOT = Path(__file__).resolve().parents[3]
YARD = """#VRML_SIM R2025a utf8
WorldInfo { title "<yard> & more" basicTimeStep 8 }
Viewpoint { position -3 0 2 orientation 0 1 0 0.35 }
Background { skyColor 0.3 0.35 0.4 }
DirectionalLight { direction 0.3 -0.4 -1 castShadows TRUE intensity 2 ambientIntensity 0.3 }
Solid { name "floor" boundingObject Plane { size 8 8 }
  children Shape { appearance PBRAppearance { baseColor 0.8 0.8 0.8 roughness 1 metalness 0 }
    geometry Plane { size 8 8 } castShadows FALSE } }
DEF CRATE Solid { name "crate" translation 1 -0.6 0.25 physics Physics { }
  children DEF BOX Shape { appearance PBRAppearance { baseColor 0.9 0.1 0.1 metalness 0 }
    geometry Box { size 0.5 0.5 0.5 } }
  boundingObject USE BOX }
Robot { name "robot1" translation 0 0 0.1 physics Physics { } controller "<none>"
  children [
    DEF BODY Shape { appearance PBRAppearance { baseColor 0 0.4 0 }
      geometry Cylinder { radius 0.15 height 0.2 } }
    Lidar { name "lidar" translation 0 0 0.15 horizontalResolution 64 numberOfLayers 1 }
    Camera { name "left_eye" translation 0.2 0.1 0 width 32 height 24 }
    Camera { name "right_eye" translation 0.2 -0.1 0 width 32 height 24 } ]
  boundingObject USE BODY }
"""
SHOWN = """const box = document.getElementById(arguments[0]);
return box && box.checkVisibility() ? box.innerText.trim() : '';"""
CAMERA = """const {camera} = window.__viserMutable;
const [w, x, y, z] = window.__viserSceneTree.getState()[""].wxyz;
const back = camera.quaternion.clone().set(x, y, z, w).invert();
return camera.position.clone().applyQuaternion(back).toArray();"""
"""Where the page's camera is, in the axes of the world."""


class Page:
    """A browser that looks at a simulation through a viewer."""

    def __init__(self, browser: Any, downloads: Path) -> None:
        self.browser, self.downloads = browser, downloads

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        return wait_until(condition, what)

    def text(self, name: str) -> str:
        return str(self.browser.execute_script(SHOWN, name))

    def js(self, code: str, *given: Any) -> Any:
        return self.browser.execute_script(code, *given)

    def shown(self, path: str) -> Any:
        from selenium.common.exceptions import StaleElementReferenceException

        try:
            return next((e for e in self.browser.find_elements("xpath", path) if e.is_displayed()), None)
        except StaleElementReferenceException:
            return None

    def open(self, tab: str) -> None:
        path = f"//*[@role='tab'][normalize-space()='{tab}']"
        ActionChains(self.browser).click(self.until(lambda: self.shown(path), tab)).perform()

    def press(self, button: str) -> None:
        path = f"//button[normalize-space()='{button}']"
        self.js("arguments[0].click()", self.until(lambda: self.shown(path), button))

    def switch(self, label: str) -> None:
        path = f"//*[normalize-space(text())='{label}']/following::input[@type='checkbox'][1]"
        found = self.until(lambda: self.browser.find_elements("xpath", path), label)
        self.js("arguments[0].click()", found[0])

    def field(self, label: str) -> Any:
        path = f"//label[normalize-space()='{label}']/following::input[1]"
        return self.until(lambda: self.shown(path), label)

    def choose(self, label: str, option: str) -> None:
        row = f"//*[@role='option'][normalize-space()='{option}']"

        def is_chosen() -> bool:
            found = self.shown(row)
            if found is not None:
                self.js("arguments[0].click()", found)
            elif self.field(label).get_attribute("value") != option:
                self.field(label).click()
                time.sleep(0.2)
            return bool(self.field(label).get_attribute("value") == option)

        self.until(is_chosen, option)

    def key(self, key: str) -> None:
        self.js("document.activeElement?.blur()")
        ActionChains(self.browser).send_keys(key).perform()

    def row(self, title: str) -> Any:
        rows = "[...document.querySelectorAll('[data-odesim-row]')]"
        return self.js(f"return {rows}.find(e => e.innerText.includes(arguments[0]))", title)

    def camera(self) -> np.ndarray:
        return np.array(self.js(CAMERA))

    def pixels(self) -> np.ndarray:
        """What is right of the window over the scene and left of the panel: shape (height, width, 3)."""
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        return np.asarray(picture).astype(int)[:, 660:-380]


@contextmanager
def command(*words: str) -> Iterator[Any]:
    """`odesim` with these arguments."""
    line = [sys.executable, "-m", "ros_bridge.cli", *words]
    with Popen(line, cwd=ROOT, stdout=PIPE, stderr=STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def page(own_domain: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("yard")
    (folder / "yard.wbt").write_text(YARD, encoding="utf-8")
    with (
        command("run", str(folder / "yard.wbt"), "--no-controllers", "--no-viewer") as simulation,
        command("view", "--port", "0") as viewer,
        chromium(folder, 1400, 900) as browser,
    ):
        address = next(word for word in viewer.stdout.readline().split() if word.startswith("http://"))
        for each in (simulation, viewer):
            threading.Thread(target=each.stdout.read, daemon=True).start()
        browser.get(address)
        shown = Page(browser, folder)
        shown.until(lambda: shown.js("return !!window.odesimSend && !!window.__viserMutable"), "the page")
        yield shown


def test_the_world_is_shown_in_its_own_light_with_shadows(page: Page) -> None:
    page.until(lambda: page.browser.title == "<yard> & more · odesim", "the title of the world")
    assert not page.shown("//*[contains(@class, 'tabler-icon-adjustments')]"), "the toolkit's settings"

    def is_sky() -> bool:
        picture = page.pixels()
        return bool(np.abs(picture[5, 100:] - (77, 89, 102)).max() < 4)

    page.until(is_sky, "the sky of the world")
    all_lights = "window.__viserMutable.scene.getObjectsByProperty('isLight', true)"
    lights = f"return {all_lights}.filter(e => e.castShadow).length"
    page.until(lambda: page.js(lights) == 1, "a light that casts shadows")

    def floor() -> np.ndarray:
        """The greys of the picture: floor in light and in shadow."""
        picture = page.pixels().reshape(-1, 3)
        return picture[np.ptp(picture, axis=1) < 45].mean(axis=1)

    def is_shaded() -> bool:
        greys = floor()
        return len(greys) > 1000 and np.quantile(greys, 0.9) - np.quantile(greys, 0.002) > 30

    page.until(is_shaded, "a shadow on the floor")


def test_what_moves_moves_between_two_messages(page: Page) -> None:
    """Messages of poses 0.4 s apart; the page is asked where the part is at each of its pictures."""
    script = """
    const done = arguments[0], names = ['/odesim test'], all = window.__viserMutable.nodeRefFromName;
    const found = Object.values(all).find(e => e?.isObject3D).clone(false);
    all[names[0]] = found;
    const row = (x) => new Float32Array([x, 0, 0, 1, 0, 0, 0]);
    const own = window.odesimMove;
    window.odesimMove = () => {};  // the viewer's messages wait
    let count = 0; const seen = [];
    const tell = () => { own(names, row(count++)); if (count < 12) setTimeout(tell, 400); };
    tell();
    const look = () => { seen.push(found.position.x); count < 12 ? requestAnimationFrame(look) : end(); };
    const end = () => { delete all[names[0]]; window.odesimMove = own; done(seen); };
    requestAnimationFrame(look);"""
    page.browser.set_script_timeout(LIMIT)
    seen = np.array(page.browser.execute_async_script(script))
    between = np.abs(seen - np.rint(seen)) > 0.02
    assert between.any(), "places that no message had"
    assert (np.diff(seen) > -1e-6).all(), "it never goes back"
