"""The simulation view of Webots' book, in a browser: what the other files of pages leave out.

| in the book | test |
|---|---|
| run, stop, step, reset, virtual time | test_in_browser: buttons; test_panels_in_browser: keys |
| fast, real time, speed relative to real time | here: speeds |
| contact points, sensor rays, frustums, axes, bounding objects, lights | here: overlays; the switches: keys |
| follow object, drag objects | test_panels_in_browser: outlined and followed; test_in_browser: handles |
| scene tree: search, fields, add, delete, undo, redo | test_in_browser, test_panels_in_browser |
| cut, copy, paste, reset to default | here: edits |
| change of node type | test_panels_on_ros, without a browser |
| save, load, revert | test_panels_in_browser, test_in_browser |
| console | test_panels_in_browser: every panel |
| perspective and orthographic view, standard views, restore viewpoint | test_in_browser |
| motion editor | test_panels_in_browser: a pose; test_motion_draft |
| robot windows | here: the window of the chosen robot; test_in_browser: messages |
| colours of overlays | test/ros_bridge/overlays; here: as drawn |
| movie, screenshot | test_panels_in_browser: toolbar; test_in_browser |
"""

import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

import pytest
from chromium import chromium
from viewer_page import ViewerPage

pytest.importorskip("viser", reason="needs the Python package viser")
ROOT = Path(__file__).resolve().parents[3]
TILT = 0.3
YARD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ title "book" basicTimeStep 8 }}
Viewpoint {{ position -3 0 2 orientation 0 1 0 0.35 }}
DEF LAMP PointLight {{ location 0 0 3 attenuation 0 0 1 }}
Solid {{ name "floor" locked TRUE boundingObject Plane {{ size 8 8 }}
  children Shape {{ geometry Plane {{ size 8 8 }} castShadows FALSE }} }}
DEF CRATE Solid {{ name "crate" translation 1 -0.6 0.25 rotation 1e-17 -3e-18 1 {TILT}
  children DEF BOX Shape {{ geometry Box {{ size 0.5 0.5 0.5 }} }} boundingObject USE BOX }}
Robot {{ name "left" translation 0 1 0.1 physics Physics {{ }} controller "<none>" window "left"
  children [ DEF BODY Shape {{ geometry Cylinder {{ radius 0.15 height 0.2 }} }}
    DistanceSensor {{ }} Camera {{ width 16 height 16 }}
    HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }} device
      RotationalMotor {{ name "arm" }}
      endPoint Solid {{ physics Physics {{ density -1 mass 0.1 }} }} }} ]
  boundingObject USE BODY }}
Robot {{ name "right" translation 0 -1 0.1 controller "<none>" window "right" children USE BODY }}
"""
LAYER = """const told = Object.entries(window.__viserSceneTree.getState());
const found = told.filter(([name, node]) => name.startsWith(`/overlay/${arguments[0]}/`) && node?.message);
return found.map(([, node]) => [node.message.props.points.byteLength ?? node.message.props.points.length,
  Array.from(node.message.props.colors).slice(0, 3)]);"""
MAGENTA = (255, 0, 255)
"""Of the frustum of a camera, as in the book."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the project and of the browser's downloads."""
    made = tmp_path_factory.mktemp("book")
    (made / "worlds").mkdir()
    (made / "worlds" / "yard.wbt").write_text(YARD, encoding="utf-8")
    for name in ("left", "right"):
        window = made / "plugins" / "robot_windows" / name
        window.mkdir(parents=True)
        (window / f"{name}.html").write_text(f"<p>{name}</p>", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def page(own_domain: None, folder: Path) -> Iterator[ViewerPage]:
    line = [sys.executable, "-m", "ros_bridge.cli", "run", str(folder / "worlds" / "yard.wbt")]
    options = ("--no-controllers", "--viewer-port", "0")
    with (
        Popen([*line, *options], cwd=ROOT, stdout=PIPE, stderr=STDOUT, text=True) as simulation,
        chromium(folder, 1400, 1200, "--force-device-scale-factor=0.25") as browser,
    ):
        try:
            found = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in simulation.stdout)
            address = next(filter(None, found))[0]
            threading.Thread(target=simulation.stdout.read, daemon=True).start()
            shown = ViewerPage(browser)
            shown.load(address)
            shown.draw_seldom()
            yield shown
        finally:
            simulation.terminate()


def value(page: ViewerPage, field: str) -> str:
    """Return what a field of the selected node shows."""
    return str(page.field(field).get_attribute("value"))


def says(page: ViewerPage, words: str) -> None:
    page.until(lambda: words in page.text("odesim-edit"), words)


def rows(page: ViewerPage, words: str) -> int:
    """Return how many rows of the tree contain the words."""
    find = "return [...document.querySelectorAll('#odesim-tree button')].map(each => each.innerText);"
    return sum(words in each for each in page.js(find))


def select(page: ViewerPage, row: str) -> None:
    page.press_row(row)
    page.until(lambda: row in page.chosen_row(), f"{row} is chosen")


def test_the_speed_is_shown_relative_to_real_time(page: ViewerPage) -> None:
    def speed() -> float:
        found = re.search(r"([\d.]+) ×", page.text("odesim-speed"))
        return float(found[1]) if found else 0.0

    page.press("Fast")
    page.until(lambda: "as fast as possible" in page.text("odesim-speed") and speed() > 1.0, "fast")
    page.js(
        """const list = document.querySelector('#odesim-toolbar [aria-label=Speed]');
        list.value = '0.5'; list.dispatchEvent(new Event('change'));"""
    )
    page.until(lambda: "target 0.5 ×" in page.text("odesim-speed"), "the target")
    page.until(lambda: 0.0 < speed() < 0.6, "half of real time, or less on a busy machine")


def test_overlays_are_drawn_while_their_switch_is_on(page: ViewerPage) -> None:
    """A robot touches the floor."""
    page.open("Overlays")
    layers = {
        "Sensor rays": "sensor_rays",
        "Contact points": "contact_points",
        "Centres of mass": "centres_of_mass",
        "Joint axes": "joint_axes",
        "Frustums": "frustums",
        "Bounding objects": "bounding_objects",
        "Lights": "lights",
    }
    for label, layer in layers.items():
        page.switch(label)
        drawn = page.until(lambda layer=layer: page.js(LAYER, layer), f"the overlay {label}")
        assert all(size > 0 for size, _ in drawn)
        if label == "Frustums":
            assert all(tuple(colour) == MAGENTA for _, colour in drawn)
        page.switch(label)
        page.until(lambda layer=layer: not page.js(LAYER, layer), f"no overlay {label}")


def test_the_window_is_that_of_the_chosen_robot(page: ViewerPage) -> None:
    page.open("Window")
    source = "return document.getElementById('odesim-window')?.src ?? ''"
    for robot in ("right", "left", "right"):
        page.open("Robot")
        page.choose("Robot", robot)
        page.until(lambda robot=robot: page.js(source).endswith(f"/{robot}.html"), f"the window of {robot}")
    page.open("Console")


def test_nodes_and_values_are_copied_pasted_and_reset(page: ViewerPage) -> None:
    """What is copied is without the noise of a computed rotation."""
    page.open("Scene")
    select(page, "DEF CRATE")
    page.wait_for("//label[text()='rotation']")
    page.open("Node and field")
    page.choose("Field", "rotation")
    page.press("Copy value")
    says(page, "Copied rotation")
    copied = page.text("odesim-edit").removeprefix("Copied rotation ")
    assert "e-1" not in copied and [float(each) for each in copied.split()] == pytest.approx([0, 0, 1, TILT])
    page.press("Reset value")
    says(page, "rotation reset")
    page.until(lambda: value(page, "rotation") in ("0 0 1 0", "0 1 0 0", "1 0 0 0"), "no rotation")
    page.press("Paste value")
    says(page, "rotation set")
    page.until(lambda: value(page, "rotation").endswith(f"1 {TILT}"), "the rotation")
    page.press("Copy")
    says(page, "Copied DEF CRATE")
    for press, count in (("Paste", 2), ("Cut", 1), ("Paste after", 2), ("Delete", 1)):
        select(page, "DEF CRATE" if press != "Paste after" else "DEF LAMP")
        page.press(press)
        page.until(lambda count=count: rows(page, "CRATE") == count, press)
    select(page, "DEF CRATE")
    page.press("Reset all fields")
    says(page, "reset")
