"""Animations as pages that a browser opens from disk, without a network."""

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import chromium
from PIL import Image
from waiting import wait_until

from sim_core.base.errors import ConfigError
from sim_core.recording.label_pictures import Label
from sim_core.recording.viewpoint import WorldView
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

pytest.importorskip("viser", reason="needs the Python package viser")
LAMP = "PointLight { on FALSE }"
"""With a light of its own a world has none of viser's, whose picture of a city takes seconds to be made."""
HEIGHT, ANGLE = 10.0, 0.8
SPEED = 1.5
SMALL = "--force-device-scale-factor=0.5"
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ gravity 0 basicTimeStep 10 }}
Viewpoint {{ position 0 0 {HEIGHT} orientation 0 1 0 1.5607963 fieldOfView {ANGLE} }}
Background {{ skyColor 0 0 0 }}
DEF BOX Robot {{ name "</script> box"
  children Shape {{
    appearance Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor 1 0 0 }} }}
    geometry Box {{ size 0.5 0.5 0.01 }}
  }}
  boundingObject Box {{ size 0.5 0.5 0.5 }} physics Physics {{ }}
}}
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a browser without a network."""
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder, 900, 900, "--host-resolver-rules=MAP * ~NOTFOUND", SMALL) as opened:
        yield opened


def recorded(tmp_path: Path) -> Path:
    """Return a box that moves to the left in the picture for 2 s, then jumps to the middle."""
    sim = Simulation(parse_scene(WORLD + LAMP, "w.wbt"))
    sim.supervisor.set_velocity("BOX", (0.0, SPEED, 0.0))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(1.0)
    sim.supervisor.import_text(
        "Solid { translation 0 -2 0 children Shape { appearance PBRAppearance { baseColor 0 0 0"
        " emissiveColor 0 1 0 } geometry Sphere { radius 0.3 } } }"
    )
    sim.run(1.0)
    assert sim.recordings.stop_recording("animation").startswith(f"{tmp_path / 'a.html'}: 41 frames, 2.00 s")
    sim.close()
    assert not sim.supervisor.changed and not sim.watchers
    return tmp_path / "a.html"


def show(browser: Any, page: Path) -> None:
    """Open a page and stop its player."""
    browser.get(page.as_uri())
    slider = wait_until(lambda: browser.find_elements("css selector", "[role=slider]"), "the player")[0]
    slider.find_element("xpath", "preceding::button[1]").click()


def go_to(browser: Any, second: float) -> float:
    """Click on the time line there; return the time of the player, which is stopped."""
    from selenium.webdriver import ActionChains

    slider = browser.find_element("css selector", "[role=slider]")
    track = browser.execute_script("return arguments[0].closest('.mantine-Slider-root')", slider)
    across = (second / 2.0 - 0.5) * track.size["width"]
    ActionChains(browser).move_to_element_with_offset(track, int(across), 0).click().perform()

    def stands_at() -> float:
        return float(slider.get_attribute("aria-valuenow"))

    wait_until(lambda: stands_at() == pytest.approx(second, abs=0.03), f"the player at {second} s")
    return stands_at()


def place(browser: Any, channel: int) -> tuple[float, float] | None:
    """Return the middle of the shapes of a colour: from the canvas's middle to the left and up, in half
    its height."""
    canvas = browser.find_element("tag name", "canvas")
    picture = np.asarray(Image.open(io.BytesIO(canvas.screenshot_as_png)).convert("RGB")).astype(int)
    others = np.delete(picture, channel, axis=2).max(axis=2)
    shines = picture[..., channel] - others > 50
    shines[: len(shines) * 3 // 10] = (
        False  # there stands a note that the browser draws without a graphics card
    )
    rows, columns = np.nonzero(shines)
    if len(rows) < 50:
        return None
    height, width = picture.shape[:2]
    return ((width - 1) / 2.0 - columns.mean()) / (height / 2.0), (height / 2.0 - rows.mean()) / (
        height / 2.0
    )


def test_the_page_shows_the_box_where_it_was_at_each_time_and_its_view_can_be_turned(
    tmp_path: Path, browser: Any
) -> None:
    from selenium.webdriver import ActionChains

    page = recorded(tmp_path)
    show(browser, page)
    wait_until(lambda: place(browser, 0), "the box")
    tangent = math.tan(ANGLE / 2.0) * 9.0 / 16.0  # of half the vertical angle
    for second in (1.5, 0.5, 1.25, 1.0):
        time_there = go_to(browser, second)
        wanted = SPEED * math.floor(time_there * 20.0 + 1e-6) / 20.0 / (HEIGHT * tangent)

        def is_there(wanted: float = wanted) -> bool:
            found = place(browser, 0)
            return found is not None and abs(found[0] - wanted) < 0.01

        wait_until(is_there, f"the box {wanted:.3f} half heights left at {second} s")
        text = browser.find_element("id", "odesim-time").text
        assert re.fullmatch(r"0:00:0\d:\d\d\d", text)
        assert float(text[6]) + float(text[8:]) / 1000.0 == pytest.approx(time_there, abs=0.0011)
    go_to(browser, 1.9)
    ball = wait_until(lambda: place(browser, 1), "the ball that came after 1 s")
    assert ball[0] == pytest.approx(-2.0 / (HEIGHT * tangent), abs=0.03)
    go_to(browser, 0.5)
    wait_until(lambda: place(browser, 1) is None, "no ball before it came")
    assert browser.title == "w"
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0

    before = wait_until(lambda: place(browser, 0), "the box")
    canvas = browser.find_element("tag name", "canvas")
    ActionChains(browser).drag_and_drop_by_offset(canvas, 100, 0).perform()

    def has_turned() -> bool:
        now = place(browser, 0)
        return now is None or math.dist(now, before) > 0.1

    wait_until(has_turned, "the view that was turned by hand")


FOLLOWING = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 basicTimeStep 10 }
Viewpoint { position -6 1 3 orientation 0 1 0 0.4 follow "car" followType "KIND" }
LAMP
DEF CAR Robot { name "car" translation 1 0 0
  children Shape { appearance PBRAppearance { baseColor 1 0 0 } geometry Box { size 0.5 0.5 0.5 } }
  boundingObject Box { size 0.5 0.5 0.5 } physics Physics { }
}
"""
LINEAR, TURN = (1.0, 0.5, 0.25), 0.7
"""m/s of the car, and rad/s about z."""
EYE, START = np.array((-6.0, 1.0, 3.0)), np.array((1.0, 0.0, 0.0))
CAMERA = """
const {camera} = window.__viserMutable, [w, x, y, z] = window.__viserSceneTree.getState()[""].wxyz;
const back = camera.quaternion.clone().set(x, y, z, w).invert();
const ahead = camera.getWorldDirection(camera.position.clone()).applyQuaternion(back);
return [...camera.position.clone().applyQuaternion(back).toArray(), ...ahead.toArray()];
"""
"""Place and direction of the page's camera, in the axes of the world."""


TWO_PICTURES = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
"""Ends when two more pictures have begun: what looks at the time line has then looked."""


def camera_at(second: float, kind: str) -> np.ndarray:
    """Return position and direction of the Viewpoint by its rule, for a car of constant speed."""
    car = START + np.array(LINEAR) * second
    angle = TURN * second if kind == "Mounted Shot" else 0.0
    turn = np.array(
        ((math.cos(angle), -math.sin(angle), 0), (math.sin(angle), math.cos(angle), 0), (0, 0, 1))
    )
    place = EYE if kind == "Pan and Tilt Shot" else car + turn @ (EYE - START)
    ahead = turn @ np.array((math.cos(0.4), 0.0, -math.sin(0.4)))
    if kind == "Pan and Tilt Shot":
        ahead = (car - EYE) / np.linalg.norm(car - EYE)
    return np.concatenate((place, ahead))


@pytest.mark.parametrize("kind", ["Tracking Shot", "Mounted Shot", "Pan and Tilt Shot"])
def test_the_camera_follows_as_the_viewpoint_does(tmp_path: Path, browser: Any, kind: str) -> None:
    sim = Simulation(parse_scene(FOLLOWING.replace("KIND", kind).replace("LAMP", LAMP), "w.wbt"))
    sim.supervisor.set_velocity("CAR", LINEAR, (0.0, 0.0, TURN))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(2.0)
    sim.recordings.stop_recording("animation")
    sim.close()
    show(browser, (tmp_path / "a.html"))

    def is_where(second: float) -> bool:
        found = browser.execute_script(CAMERA)
        return bool(np.allclose(found, camera_at(second, kind), atol=0.02))

    for second in (1.5, 0.5, 2.0, 1.0):
        there = math.floor(go_to(browser, second) * 20.0 + 1e-6) / 20.0
        wait_until(lambda now=there: is_where(now), f"the camera of {second} s")
    button = browser.find_element("id", "odesim-follow")
    assert button.text == "follows car"
    button.click()
    stood = there
    there = math.floor(go_to(browser, 0.25) * 20.0 + 1e-6) / 20.0
    assert button.text == "follow car"
    browser.execute_async_script(TWO_PICTURES)
    assert is_where(stood), "it stays while following is off"
    button.click()
    wait_until(lambda: is_where(there), "the camera that follows again")


def test_labels_stand_where_and_when_the_supervisor_showed_them(tmp_path: Path, browser: Any) -> None:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(1.0)
    sim.supervisor.set_label(1, Label("</script> goal", 0.25, 0.5, 0.1, (1.0, 0.5, 0.0), 0.25))
    sim.run(0.5)
    sim.supervisor.set_label(1, None)
    sim.run(0.5)
    sim.recordings.stop_recording("animation")
    sim.close()
    show(browser, (tmp_path / "a.html"))

    def labels() -> Any:
        return browser.find_elements("class name", "odesim-label")

    go_to(browser, 1.25)
    (label,) = wait_until(labels, "the label")
    assert label.text == "</script> goal"
    canvas, box = browser.find_element("tag name", "canvas").rect, label.rect
    assert box["x"] - canvas["x"] == pytest.approx(0.25 * canvas["width"], abs=1.5)
    assert box["y"] - canvas["y"] == pytest.approx(0.5 * canvas["height"], abs=1.5)
    assert box["height"] == pytest.approx(0.1 * canvas["height"], rel=0.05)
    assert "255, 128, 0" in label.value_of_css_property("color")
    for second in (1.75, 0.5):
        go_to(browser, second)
        wait_until(lambda: not labels(), "no label")
    wait_until(lambda: place(browser, 0), "the box, in a world without a light of its own")


SCREEN = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Viewpoint { position -1 0 0.5 }
Background { skyColor 0 0 0 }
Robot { name "face" children Display { name "screen" translation 0 0 0.5 width 4 height 2
  children Shape { geometry Box { size 0.1 0.4 0.4 }
    appearance PBRAppearance { baseColor 0 0 0 emissiveColor 1 1 1 emissiveColorMap ImageTexture { } } } } }
"""
WALL = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Viewpoint { position -2 0 0.5 }
Background { skyColor 0 0 0 }
DEF LAMP PointLight { location -2 0 0.5 attenuation 0 0 1 color 0 1 0 intensity 1 ambientIntensity 0 }
Solid { children Shape { geometry Box { size 0.1 4 4 }
  appearance PBRAppearance { baseColor 1 1 1 metalness 0 roughness 1 } } }
"""


def middle(browser: Any) -> tuple[int, ...]:
    """Return the colour of the middle of the picture."""
    canvas = browser.find_element("tag name", "canvas")
    picture = Image.open(io.BytesIO(canvas.screenshot_as_png)).convert("RGB")
    return picture.getpixel((picture.width // 2, picture.height // 2))  # type: ignore[return-value]


def test_a_display_shows_what_was_drawn_on_it(tmp_path: Path, browser: Any) -> None:
    sim = Simulation(parse_scene(SCREEN + LAMP, "w.wbt"))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(1.0)
    canvas = sim.robot("face")["screen"].canvas
    canvas.set_color(0xFF0000)
    canvas.fill_rectangle(0, 0, 4, 2)
    sim.run(1.0)
    sim.recordings.stop_recording("animation")
    sim.close()
    show(browser, (tmp_path / "a.html"))
    for second in (1.6, 0.6):
        go_to(browser, second)

        def is_right(is_red: bool = second > 1.2) -> bool:
            red, green, blue = middle(browser)
            return max(green, blue) < 60 and (red > 150) is is_red

        wait_until(is_right, f"the screen of {second} s")


def test_the_worlds_own_lights_shine(tmp_path: Path, browser: Any) -> None:
    sim = Simulation(parse_scene(WALL, "w.wbt"))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(1.0)
    sim.supervisor.set("LAMP", "on", False)
    sim.run(1.0)
    sim.recordings.stop_recording("animation")
    sim.close()
    show(browser, (tmp_path / "a.html"))
    go_to(browser, 0.5)
    wait_until(lambda: middle(browser)[1] - middle(browser)[0] > 60, "a wall in green light")
    go_to(browser, 1.5)
    wait_until(lambda: max(middle(browser)) - min(middle(browser)) < 10, "a wall in no lamp's light")


def test_the_power_of_the_distance_is_as_the_attenuation_is() -> None:
    from sim_core.recording.page_surroundings import MATCH_DISTANCE, falloff

    assert falloff(1.0, 0.0, 0.0) == (1.0, 0.0)
    assert falloff(0.0, 0.5, 0.0) == pytest.approx((2.0, 1.0))
    assert falloff(0.0, 0.0, 4.0) == pytest.approx((0.25, 2.0))
    factor, power = falloff(1.0, 0.3, 0.7)
    for distance in (MATCH_DISTANCE - 1e-4, MATCH_DISTANCE, MATCH_DISTANCE + 1e-4):
        wanted = 1.0 / (1.0 + 0.3 * distance + 0.7 * distance**2)
        assert factor / distance**power == pytest.approx(wanted, rel=1e-7)


GREY_DAY = """#VRML_SIM R2025a utf8
WorldInfo {{ }}
Background {{ skyColor 0.25 0.5 0.75 }}
DirectionalLight {{ direction 0 0.6 -0.8 color {colour} intensity 2 }}
"""


GROUND_AND_ROOF = """
Viewpoint { position -4 0 1 orientation 0 0 1 0 ambientOcclusionRadius 0 }
Pose { children Shape {
  appearance DEF WHITE PBRAppearance { baseColor 0.8 0.8 0.8 roughness 1 metalness 0 }
  geometry Plane { size 90 90 } } }
Pose { translation 0 0 2 children Shape {
  appearance USE WHITE geometry Box { size 90 90 0.1 } castShadows FALSE } }
"""


@pytest.mark.parametrize("colour", ["1 1 1", "1 0 0"])
def test_the_white_balance_of_a_page_is_that_of_pictures(colour: str) -> None:
    """The light that white level ground reflects of sky and sun is as bright when balanced, and grey."""
    from sim_core.recording.page_surroundings import PageSurroundings
    from sim_core.recording.shown_scene import ShownScene

    sim = Simulation(parse_scene(GREY_DAY.format(colour=colour), "w.wbt"))
    told = PageSurroundings(sim, ShownScene(sim)).now()
    sim.close()
    ((sun,), sky) = told["lights"], np.array(told["around"])
    from_sun = np.array(sun["colour"]) * 0.8 / math.pi
    assert told["ground"] == 0.5
    assert told["bounce"] == pytest.approx(0.2 * from_sun, abs=1e-5)
    luminance = np.array([0.2126, 0.7152, 0.0722])
    light = sky + from_sun
    balanced = light * told["balance"]
    assert luminance @ balanced == pytest.approx(luminance @ light, rel=1e-3)
    assert balanced.max() / balanced.min() < 1.001 < light.max() / light.min()


@pytest.mark.parametrize(("radius", "share"), [(2.0, 0.9), (0.0, 1.0)])
def test_a_page_has_the_occlusion_of_pictures_and_its_mean(radius: float, share: float) -> None:
    from sim_core.recording.page_surroundings import PageSurroundings
    from sim_core.recording.shown_scene import ShownScene

    view = f"Viewpoint {{ exposure 1.5 ambientOcclusionRadius {radius} }}"
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }} {view}", "w.wbt"))
    told = PageSurroundings(sim, ShownScene(sim)).now()
    sim.close()
    assert (told["exposure"], told["occlusion"], told["open"]) == (1.5, radius, share)


PBR, PHONG = "PBRAppearance { }", "Appearance { material Material { } }"


@pytest.mark.parametrize(
    ("sky", "look", "lamps"),
    [
        ("Background { skyColor 0.25 0.5 0.75 }", PBR, 0),
        ("TexturedBackground { skybox FALSE }", PBR, 0),
        ("Background { }", PBR, 2),
        ("Background { skyColor 0.25 0.5 0.75 }", PHONG, 2),
        ("", PBR, 2),
    ],
)
def test_a_world_gets_lights_of_the_page_only_if_no_shape_has_any(sky: str, look: str, lamps: int) -> None:
    from sim_core.recording.page_surroundings import PageSurroundings
    from sim_core.recording.shown_scene import ShownScene

    shape = f"Shape {{ appearance {look} geometry Box {{ }} }}"
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }} {sky} {shape}", "w.wbt"))
    told = PageSurroundings(sim, ShownScene(sim)).now()
    sim.close()
    assert len(told["lights"]) == lamps
    assert lamps or (min(told["around"]) > 0.2 and told["ambient"] == told["bounce"] == [0.0] * 3)


def test_a_page_shows_the_colours_of_pictures(tmp_path: Path, browser: Any) -> None:
    """A floor and the underside of a roof, under a blue sky and a sun."""
    world = GREY_DAY.format(colour="1 1 1") + GROUND_AND_ROOF
    sim = Simulation(parse_scene(world, "w.wbt"))
    sim.recordings.start_recording("animation", tmp_path / "a.html", fps=20)
    sim.run(0.2)
    sim.recordings.stop_recording("animation")
    picture = np.asarray(WorldView(sim, 64, 36).picture()).astype(int)
    sim.close()
    show(browser, (tmp_path / "a.html"))

    seen: list[list[list[int]]] = []

    def is_alike() -> bool:
        shown = np.asarray(
            Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB").resize((64, 36))
        )
        seen.append([shown[row, 32].tolist() for row in (8, 26)])
        return all(np.abs(shown[row, 32] - picture[row, 32]).max() < 8 for row in (8, 26))

    wait_until(is_alike, lambda: f"{seen[-1]}, not the colours {picture[8, 32]} and {picture[26, 32]}")


def test_what_is_not_possible_is_refused(tmp_path: Path) -> None:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    for name, how, text in (
        ("a.wva", {}, r"expected \.html or \.htm"),
        ("a.html", {"fps": 0}, "1 to 240"),
        ("a.html", {"speed": -1.0}, "above 0"),
        ("none/a.html", {}, "there is no folder"),
    ):
        with pytest.raises(ConfigError, match=text):
            sim.recordings.start_recording("animation", tmp_path / name, **how)
    assert not list(tmp_path.iterdir()) and not sim.watchers
    sim.close()
