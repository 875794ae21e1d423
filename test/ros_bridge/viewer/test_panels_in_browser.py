"""The world in a real browser: its light, its shadows, its motion between messages."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import LIMIT, chromium
from processes import ODESIM, ReadProcess
from rclpy.qos import DurabilityPolicy, QoSProfile
from viewer_page import START_LIMIT, Keys, ViewerPage, comes
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.topics.names import SCENE
from ros_bridge.viewer.overlay_panel import KEYS as OVERLAY_KEYS
from ros_bridge.viewer.page.shortcuts import KEYS
from ros_bridge.viewer.run_panel import ENDED
from ros_bridge.viewer.viewer import LOWER_TABS, MAIN_TABS

pytest.importorskip("viser", reason="needs the Python package viser")
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
    Camera { name "right_eye" translation 0.2 -0.1 0 width 32 height 24 }
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { name "arm" }
      endPoint Solid { physics Physics { density -1 mass 0.1 } } } ]
  boundingObject USE BODY }
"""
OTHER = YARD.replace("<yard> & more", "park").replace("-3 0 2", "-2 0 1.5").replace('"robot1"', '"robot2"')
HAS_Y = """const {chart} = Object.values(window.__viserTestpoints.uplots)[0];
return chart.scales.y.max > chart.scales.y.min;"""
DRAG_INTO_PLOT = """const dataTransfer = new DataTransfer();
const tab = [...document.querySelectorAll('[role=tab]')].find(each => each.innerText.trim() === 'Plot');
arguments[0].dispatchEvent(new DragEvent('dragstart', {bubbles: true, dataTransfer}));
tab.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer}));"""
CHOOSE = """const list = document.querySelector(`#odesim-toolbar [aria-label="${arguments[0]}"]`);
list.value = arguments[1];
list.dispatchEvent(new Event('change'));"""
SCHEME = "return document.documentElement.dataset.mantineColorScheme"
SKY = np.array((0.3, 0.35, 0.4))
LEVEL = """window.__viserMutable.cameraControl.setLookAt(0, arguments[0], 3, 0, arguments[0], -3, false);
window.__viserMutable.requestRender();"""
"""Along x of the world, so many m above the floor."""
OUTLINE = (255, 140, 13)
SMALL = "--force-device-scale-factor=0.5"
"""The page with a quarter of the pixels, because there is no graphics card."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the worlds and of the browser's downloads."""
    made = tmp_path_factory.mktemp("yard")
    for name, text in (("yard", YARD), ("park", OTHER)):
        (made / f"{name}.wbt").write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def page(own_domain: None, folder: Path) -> Iterator[ViewerPage]:
    quiet = ("--no-controllers", "--no-viewer")
    simulation = ReadProcess(*ODESIM, "run", folder / "yard.wbt", *quiet, anew=True)
    viewer = ReadProcess(*ODESIM, "view", "--port", "0", anew=True)
    try:
        with chromium(folder, 1400, 900, SMALL) as browser:
            viewer.until_it_says("http://", START_LIMIT)
            shown = ViewerPage(browser, simulation, viewer)
            shown.load(next(word for word in viewer.says("http://")[0].split() if word.startswith("http://")))
            yield shown
    finally:
        viewer.end()
        simulation.end()


def between(page: ViewerPage) -> np.ndarray:
    """Return the pixels right of the lower window and left of the panel: shape (height, width, 3)."""
    return page.picture()[:, 330:-190]


def test_the_world_is_shown_in_its_own_light_with_shadows(page: ViewerPage) -> None:
    page.until(lambda: page.browser.title == "<yard> & more · odesim", "the title of the world")
    assert not page.shown("//*[contains(@class, 'tabler-icon-adjustments')]"), "the toolkit's settings"
    grey = 0.92 * np.dot((0.3, 0.59, 0.11), SKY)
    below = 127.5 * (SKY + grey)  # half way to a grey of nearly the same brightness
    page.until(lambda: np.abs(between(page)[3, 50:] - below).max() < 4, "the sky below the horizon")
    all_lights = "window.__viserMutable.scene.getObjectsByProperty('isLight', true)"
    lights = f"return {all_lights}.filter(e => e.castShadow).length"
    page.until(lambda: page.js(lights) == 1, "a light that casts shadows")

    def is_shaded() -> bool:
        """Return whether both lit and shadowed floor is visible."""
        picture = between(page).reshape(-1, 3)
        greys = picture[np.ptp(picture, axis=1) < 45].mean(axis=1)
        return len(greys) > 250 and np.quantile(greys, 0.9) - np.quantile(greys, 0.002) > 30

    page.until(is_shaded, "a shadow on the floor")
    page.js(LEVEL, 2.0)

    def stands_upright() -> bool:
        """Return whether the sky gets lighter towards the horizon, and has one colour along it."""
        picture = between(page)
        high, low = picture[3], picture[len(picture) // 2 - 12]
        return bool((low.mean() - high.mean() > 4.0) and np.ptp(low, axis=0).max() < 6)

    page.until(stands_upright, "the horizon of the sky")
    sky = between(page)[3]
    page.js(LEVEL, -0.3)
    page.until(lambda: np.abs(between(page)[3] - sky).max() < 6, "the sky, as a face has no back")


def test_what_moves_moves_between_two_messages(page: ViewerPage) -> None:
    """Send messages of poses 0.4 s apart; return the part's position in each picture of the page."""
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


def test_every_key_does_what_the_help_says(page: ViewerPage) -> None:
    page.draw_seldom()  # until the end of this file
    pressed = set()

    def press(key: str, condition: Callable[[], Any], typed: str = "") -> None:
        pressed.add(key)
        page.key(typed or key.lower())
        page.until(condition, f"what {KEYS[key]} does")

    def mode() -> str:
        return page.text("odesim-speed").partition(" ")[0]

    def looks_along(axis: int) -> bool:
        """Return whether the camera is on an axis; the centre of the world is near its origin."""
        camera = page.camera()
        return bool(np.argmax(np.abs(camera)) == axis and camera[axis] > 3.0)

    def is_on(label: str) -> bool:
        path = f"//*[normalize-space(text())='{label}']/following::input[@type='checkbox'][1]"
        return bool(page.wait_for(path).is_selected())

    page.until(lambda: mode() == "Running", "a world that runs")
    press("P", lambda: mode() == "Paused")
    time = page.text("odesim-time")
    press("N", lambda: page.text("odesim-time") > time)
    press("R", lambda: page.text("odesim-time") == "0:00:00:000")
    press("P", lambda: mode() == "Running")
    for key, axis in (("1", 0), ("2", 1), ("3", 2)):
        press(key, lambda axis=axis: looks_along(axis))
    press("V", lambda: np.allclose(page.camera(), (-3.0, 0.0, 2.0), atol=0.01))
    layers = {"G": "Grid", "L": "Labels"}
    overlays = {"O": "Paths driven"}
    overlays |= {key: name.replace("_", " ").capitalize() for name, key in OVERLAY_KEYS.items()}
    for tab, (key, label) in [
        *(("Layers", each) for each in layers.items()),
        *(("Overlays", each) for each in overlays.items()),
    ]:
        page.open(tab)
        before = is_on(label)
        for wanted in (not before, before):
            press(key, lambda label=label, wanted=wanted: is_on(label) is wanted)
    press("/", lambda: page.js("return document.activeElement === arguments[0]", page.field("Search")))
    page.press_row("DEF CRATE")
    page.until(lambda: "DEF CRATE" in page.chosen_row(), "the crate is chosen")
    press("F", lambda: np.linalg.norm(page.camera() - (1.0, -0.6, 0.25)) < 2.5)
    press("Escape", lambda: "more" in page.chosen_row(), Keys.ESCAPE)
    before = page.js(SCHEME)
    press("T", lambda: page.js(SCHEME) != before)
    press("T", lambda: page.js(SCHEME) == before)
    press("H", lambda: all(what in page.text("odesim-help") for what in KEYS.values()))
    press("H", lambda: not page.text("odesim-help"))
    assert pressed == KEYS.keys()


ELSEWHERE = {"Robot", "Scene", "View", "Layers", "Overlays", "Window"}
"""Titles of panels that other tests of a browser use: that of keys, and test_in_browser.py."""


def test_every_panel_shows_what_there_is(page: ViewerPage, folder: Path) -> None:
    used = set()

    def use(title: str) -> None:
        used.add(title)
        page.open(title)

    def says(words: str) -> None:
        page.wait_for(f"//*[contains(text(), '{words}')]")

    use("Console")
    page.until(lambda: "yard.wbt: 1 robot" in page.text("odesim-console"), "a line of the simulation")
    page.type_in("Filter", "nobody says this")
    page.until(lambda: "yard.wbt" not in page.text("odesim-console"), "no line with these words")
    use("Plot")
    page.choose("Topic", "/robot1/ground_truth")

    def adds(number: str) -> bool:
        """A choice reaches the viewer shortly after a press; a second press has no further effect."""
        page.press("Add curve")
        return bool(comes(lambda: page.shown(f"//*[contains(text(), '{number} = ')]")))

    for number in ("pose.pose.position.x", "pose.pose.position.z"):
        page.choose("Number", number)
        page.until(lambda number=number: adds(number), f"the curve of {number}")
    page.until(lambda: page.js(HAS_Y), "an axis for both, of which one begins later")
    page.press("Save as CSV")
    file = folder / "odesim-plot.csv"
    page.until(file.exists, "the table")
    head, first, *_ = csv.reader(file.read_text(encoding="utf-8").splitlines())
    assert head == ["time", *(f"/robot1/ground_truth pose.pose.position.{axis}" for axis in "xz")]
    assert len(first) == 3
    use("Picture")
    page.choose("Picture", "/robot1/left_eye/image_color")
    says("32 × 24, ")
    use("Cameras")
    page.switch("Show all cameras")
    says("2 of 2 cameras")
    use("Lidar")
    says("64 rays, ")  # the only lidar is chosen
    use("Poses")
    page.switch("Show poses")
    page.wait_for("//td[text()='robot1']")
    use("Motion")
    page.choose("Robot to move", "robot1")

    def adds_its_motor() -> bool:
        """A new pose contains the joints' positions, none before the first message of them."""
        page.press("Add")
        return str(page.field("Positions").get_attribute("value")).startswith("arm")

    page.until(adds_its_motor, "its motor")
    use("Topics")
    says("sensor_msgs/msg/LaserScan")
    page.click(page.wait_for("//button[@data-odesim-topic='/robot1/ground_truth']"))
    field = "/robot1/ground_truth pose.pose.position.y"
    page.js(DRAG_INTO_PLOT, page.wait_for(f"//button[@data-odesim-field='{field}']"))
    says(f"{field} = ")
    page.press("Remove all")
    page.until(lambda: page.shown(f"//*[contains(text(), '{field} = ')]") is None, "no curve")
    assert used | ELSEWHERE == {title for title, _ in (*MAIN_TABS, *LOWER_TABS)}


def test_the_toolbar_controls_the_run_and_makes_a_movie(page: ViewerPage, folder: Path) -> None:
    page.press("Pause")
    page.wait_for("//button[@aria-label='Run']")
    page.press("Run")
    page.wait_for("//button[@aria-label='Pause']")
    for speed in ("2", "1"):
        page.js(CHOOSE, "Speed", speed)
        page.until(lambda speed=speed: f"target {speed} ×" in page.text("odesim-speed"), "the speed")
    all_lights = "window.__viserMutable.scene.getObjectsByProperty('isLight', true)"
    for quality, shadows in (("low", 0), ("medium", 1), ("high", 1)):
        page.js(CHOOSE, "Quality", quality)
        lights = f"return {all_lights}.filter(e => e.castShadow).length"
        page.until(lambda lights=lights, shadows=shadows: page.js(lights) == shadows, f"quality {quality}")
    page.js(CHOOSE, "Quality", "medium")
    page.press("Dark or light")
    page.until(lambda: page.js(SCHEME) == "dark", "the dark theme")
    page.press("Dark or light")
    page.until(lambda: page.js(SCHEME) == "light", "the light theme")
    page.press("Keys and mouse")
    page.until(lambda: page.text("odesim-help"), "the help")
    page.press("Keys and mouse")
    page.until(lambda: not page.text("odesim-help"), "no help")
    before = page.camera()
    page.press("Fit to view")
    page.until(lambda: np.linalg.norm(page.camera() - before) > 0.5, "another place of the camera")
    page.click(page.wait_for("//button[@aria-label='Viewpoint']"))  # the tree has a row of this name
    page.wait_for_camera(-3.0, 0.0, 2.0)
    page.press("Record a movie")
    page.wait_for("//button[@aria-label='End the movie']")
    begun = page.js("return performance.now()")
    page.until(lambda: page.js("return performance.now()") > begun + 4000, "some pictures")
    page.press("End the movie")
    film = folder / "odesim.webm"
    page.until(lambda: film.exists() and film.stat().st_size, "the movie")
    page.wait_for("//button[@aria-label='Record a movie']")


def test_the_selected_node_is_outlined_and_followed_and_a_reload_keeps_the_viewpoint(
    page: ViewerPage,
) -> None:
    def outlined() -> int:
        return int((np.abs(page.picture() - OUTLINE).max(axis=2) < 12).sum())

    def middle() -> np.ndarray:
        """Return the middle of the outline, (x, y) in pixels of the picture."""
        rows, columns = np.nonzero(np.abs(page.picture() - OUTLINE).max(axis=2) < 12)
        return np.array((columns.mean(), rows.mean())) if len(rows) else np.zeros(2)

    page.until(lambda: page.text("odesim-loading") == "", "the world")
    page.click(page.wait_for("//button[@aria-label='Viewpoint']"))  # the tree has a row of this name
    page.wait_for_camera(-3.0, 0.0, 2.0)
    page.open("Scene")

    def selects() -> bool:
        """A press of a page that was just loaded may be too early."""
        page.press_row("DEF CRATE")
        return bool(comes(lambda: "DEF CRATE" in page.selected()))

    page.until(selects, "the crate is selected")
    page.until(lambda: outlined() > 30, "the outline")
    page.press("Follow")
    page.wait_for("//button[@aria-label='Follow'][@aria-pressed='true']")
    page.wait_for("//label[text()='translation']")
    page.enter("translation", "1 0.4 0.25")
    page.wait_for_camera(-3.0, 1.0, 2.0)
    page.press_row("Undo: translation of")
    page.wait_for_camera(-3.0, 0.0, 2.0)
    page.press_row("Redo: translation of")
    page.wait_for_camera(-3.0, 1.0, 2.0)
    page.press("Follow")  # off
    page.until(lambda: outlined() > 30, "the outline")
    before = middle()
    page.drag(2.0 * before, np.array((80, 0)), Keys.SHIFT)  # a pixel of the picture is two of the page
    page.until(lambda: page.has_row("Undo: place of"), "the end of the drag")
    page.until(lambda: np.abs(middle() - before - (40, 0)).max() < 12, "the crate where the mouse left it")
    page.browser.refresh()
    page.until(lambda: page.js("return !!window.odesimSend && !!window.__viserMutable"), "the page")
    page.draw_seldom()
    page.until(lambda: np.allclose(page.camera(), (-3.0, 0.0, 2.0), atol=0.01), "its Viewpoint")
    page.until(lambda: outlined() > 30, "the outline again")


def test_nodes_are_found_and_placed_and_another_world_is_framed(page: ViewerPage, folder: Path) -> None:
    page.open("Scene")
    page.type_in("Search", "crate")
    page.until(lambda: not page.has_row("Robot") and page.has_row("DEF CRATE"), "what the words find")
    page.type_in("Search", Keys.CONTROL + "a" + Keys.DELETE)
    page.until(lambda: page.has_row("Robot"), "the tree again")
    page.open("Add")
    page.choose("Start from", "Solid")
    page.press("Place with the mouse")
    says = "//*[text()='Click the place of the new node.']"
    page.wait_for(says)
    page.drag(np.array((900, 560)), np.zeros(2))
    page.until(lambda: page.has_row("Undo: addition of Solid"), "the new node")
    page.open("World")
    page.type_in("World", str(folder / "park.wbt"))
    page.press("Load")
    page.until(lambda: page.browser.title.startswith("park"), "the other world")
    page.until(lambda: np.allclose(page.camera(), (-2.0, 0.0, 1.5), atol=0.01), "its Viewpoint")
    page.open("Robot")
    page.choose("Robot", "robot2")
    page.field("Robot").click()  # its list opens
    page.wait_for("//*[@role='option'][normalize-space()='robot2']")
    assert page.shown("//*[@role='option'][normalize-space()='robot1']") is None, "it is gone"


def test_a_world_is_saved_elsewhere_and_a_new_one_begins_without_its_viewpoint(
    page: ViewerPage, folder: Path
) -> None:
    page.open("Scene")
    page.unfold("World", "Save")
    place = folder / "elsewhere"
    place.mkdir()
    page.type_in("Save as", str(place / "kept.wbt"))
    page.press("Save")
    page.until((place / "kept.wbt").exists, "the saved world")
    page.press("New world")
    page.until(lambda: page.browser.title.startswith("New world"), "the new world")
    page.wait_for_camera(-6.0, 0.0, 4.0)
    page.press_row("Viewpoint")
    page.unfold("Node and field", "Delete")
    page.press("Delete")
    page.until(lambda: page.has_row("Undo: removal of Viewpoint"), "its removal")
    page.key("v")
    page.until(lambda: np.linalg.norm(page.camera() - (-6.0, 0.0, 4.0)) > 1.0, "a view of the whole world")
    page.press_row("Undo: removal of Viewpoint")
    page.until(lambda: page.has_row("Redo"), "the Viewpoint again")
    page.key("v")
    page.wait_for_camera(-6.0, 0.0, 4.0)


def test_the_page_says_how_much_of_a_scene_has_come(page: ViewerPage, client: Any) -> None:
    """Parts of another scene, sent one by one; last, because the scene before is no longer there."""
    page.until(lambda: page.text("odesim-loading") == "", "the world of before")
    latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    scene = client.node.create_publisher(MarkerArray, SCENE, latched)
    client.until(scene.get_subscription_count, "the viewer")
    mesh = {"type": Marker.MESH_RESOURCE, "mesh_resource": "embedded://gone.glb"}
    parts = [Marker(ns="world", id=number, **mesh) for number in range(2)]
    begin = Marker(action=Marker.DELETEALL, id=1_000_000, text=str(len(parts)))
    scene.publish(MarkerArray(markers=[begin, parts[0]]))
    page.until(lambda: page.text("odesim-loading") == "Loading the scene: 1 of 2 parts", "the first part")
    scene.publish(MarkerArray(markers=[parts[1]]))
    page.until(lambda: page.text("odesim-loading") == "", "the whole scene")


def test_a_button_ends_the_simulation(page: ViewerPage) -> None:
    """The last test of this file."""
    page.unfold("More", "End the simulation")
    page.press("End the simulation")
    page.until(lambda: page.text("odesim-status") == ENDED, "the end of the simulation")
    page.until(lambda: not page.shown("//button[@aria-label='Step']").is_enabled(), "no step without it")
