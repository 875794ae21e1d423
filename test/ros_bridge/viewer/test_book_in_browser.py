"""The simulation view of Webots' book, in a browser: what the other files of pages leave out.

| in the book | test |
|---|---|
| run, stop, step, reset, virtual time | test_in_browser: buttons; test_panels_in_browser: keys |
| fast, real time, speed relative to real time | here: speeds |
| contact points, sensor rays, frustums, axes, bounding objects, lights | here: overlays; the switches: keys |
| follow object, drag objects | test_panels_in_browser: outlined and followed; test_in_browser: handles |
| scene tree: search, fields, add, delete, undo, redo | test_in_browser, test_panels_in_browser |
| cut, copy, paste, reset to default, change of node type, apply, discard | here: edits |
| import, export, download of the world | here: files |
| save, load, revert | test_panels_in_browser, test_in_browser |
| console | here: its levels |
| perspective and orthographic view, standard views, restore viewpoint | here: the camera; test_in_browser |
| motion editor | here: a motion is played; test_motion_draft |
| equal objects | here: drawn at once, chosen one by one |
| robot windows | here: the window of the chosen robot; test_in_browser: messages |
| colours of overlays | test/ros_bridge/overlays; here: as drawn |
| movie, screenshot | test_panels_in_browser: toolbar; test_in_browser |
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from chromium import chromium
from processes import ODESIM, ReadProcess
from viewer_page import START_LIMIT, Keys, ViewerPage, comes

from ros_bridge.viewer.viewer import LOWER_TABS, MAIN_TABS
from sim_core.scene import parse_scene
from sim_core.session.players.motion import read_motion

pytest.importorskip("viser", reason="needs the Python package viser")
TILT = 0.3
YARD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ title "book" basicTimeStep 8 }}
Viewpoint {{ position -3 0 2 orientation 0 1 0 0.35 }}
DEF LAMP PointLight {{ location 0 0 3 attenuation 0 0 1 }}
Solid {{ name "floor" locked TRUE boundingObject Plane {{ size 8 8 }}
  children Shape {{ geometry Plane {{ size 8 8 }} castShadows FALSE }} }}
DEF CRATE Solid {{ name "crate" translation 1 -0.6 0.25 rotation 1e-17 -3e-18 1 {TILT}
  children DEF BOX Shape {{ geometry Box {{ size 0.5 0.5 0.5 }} }} boundingObject USE BOX }}
Solid {{ name "top" translation 3 3 2 angularVelocity 0 0 3 physics Physics {{ }} }}
DEF PILE1 Solid {{ name "pile 1" translation 2 1 0.2
  children DEF BALL Shape {{ geometry Sphere {{ radius 0.2 }} }} }}
DEF PILE2 Solid {{ name "pile 2" translation 2 2 0.2 children USE BALL }}
DEF PILE3 Solid {{ name "pile 3" translation 2 0 0.2 children USE BALL }}
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
BATCH = """const found = [];
window.__viserMutable.scene.traverse((object) => {
  if (object.isInstancedMesh && object.material.userData.dressed && object.visible) found.push(object);
});
const far = ({instanceMatrix: {array}}, k) => Math.hypot(...array.slice(16 * k + 12, 16 * k + 15));
const many = found.filter(({count}) => count > 2);
return many.flatMap((mesh) => Array.from({length: mesh.count}, (_, k) => far(mesh, k)));"""
"""Distances from the origin of the world, in m, of what is drawn at once."""
PIXEL = """const {camera, canvas, nodeRefFromName} = window.__viserMutable;
const at = nodeRefFromName[window.odesimChosen()[0]].getWorldPosition(camera.position.clone());
at.project(camera);
const area = canvas.getBoundingClientRect();
return [area.left + (0.5 + 0.5 * at.x) * area.width, area.top + (0.5 - 0.5 * at.y) * area.height];"""
"""Where the middle of the selected node is in the page."""
OUTLINED = """let count = 0;
window.__viserMutable.scene.traverse((object) => { count += object.userData.of ? 1 : 0; });
return count;"""
WAVE = """#WEBOTS_MOTION,V1.0,arm
00:00:000,rest,0
00:00:400,up,0.5
"""
FOLDERS = {"Node and field": "Copy value", "Add": "Place with the mouse", "World": "Save"}
"""Folders of the panel Scene, each with a button in it."""
COLOURS = {"Frustums": (255, 0, 255), "Lights": (255, 255, 0)}
"""As in the book."""


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
    world = folder / "worlds" / "yard.wbt"
    simulation = ReadProcess(*ODESIM, "run", world, "--no-controllers", "--viewer-port", "0", anew=True)
    try:
        with chromium(folder, 1400, 1200, "--force-device-scale-factor=0.25") as browser:
            simulation.until_it_says("http://127.0.0.1:", START_LIMIT)
            shown = ViewerPage(browser, simulation)
            shown.load(re.findall(r"http://127\.0\.0\.1:\d+", "".join(simulation.lines))[0])
            shown.draw_seldom()
            yield shown
    finally:
        simulation.end()


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
        if label in COLOURS:
            assert all(tuple(colour) == COLOURS[label] for _, colour in drawn)
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
    page.unfold("Node and field", "Copy value")
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


def test_a_node_changes_its_type(page: ViewerPage) -> None:
    page.open("Scene")
    select(page, "DEF PILE1")
    page.unfold("Node and field", "Copy value")
    page.choose("Change type to", "Robot", stays=False)
    says(page, "Now DEF PILE1 Robot")
    page.press_row("Undo: type of")
    page.until(lambda: page.has_row("DEF PILE1 Solid"), "a Solid again")
    page.press_row("Redo: type of")
    page.until(lambda: page.has_row("DEF PILE1 Robot"), "a Robot again")
    page.press_row("Undo: type of")
    page.until(lambda: page.has_row("DEF PILE1 Solid"), "a Solid at last")


def test_edits_are_applied_or_discarded(page: ViewerPage) -> None:
    page.open("Scene")
    select(page, "DEF PILE2")
    page.until(lambda: value(page, "translation") == "2 2 0.2", "its place")

    def type_in(text: str) -> None:
        page.js("document.activeElement?.blur()")
        page.wait_for("//label[text()='Hold values']")
        page.field("translation").click()
        page.wait_for("//label[text()='Values held']")
        page.type_in("translation", Keys.CONTROL + "a", text)

    def discards() -> bool:
        """What is typed reaches the viewer shortly after."""
        page.press("Discard")
        return bool(comes(lambda: value(page, "translation") == "2 2 0.2"))

    def applies() -> bool:
        page.press("Apply")
        return bool(comes(lambda: "translation set" in page.text("odesim-edit")))

    type_in("7 7 7")
    page.until(lambda: value(page, "translation") == "7 7 7", "what was typed")
    page.until(discards, "the value as before")
    type_in("2 2 0.4")
    page.until(applies, lambda: f"{page.text('odesim-edit')}, {value(page, 'translation')}")
    page.press_row("Undo: translation of")
    page.js("document.activeElement?.blur()")
    page.until(lambda: value(page, "translation") == "2 2 0.2", "its place as before")


def test_nodes_and_the_world_go_through_files(page: ViewerPage, folder: Path) -> None:
    page.open("Scene")
    select(page, "DEF LAMP")
    page.unfold("Node and field", "Copy value")
    page.press("Export selected node")
    file = folder / "LAMP.wbo"
    page.until(file.exists, "the node as a file")
    assert "PointLight" in file.read_text(encoding="utf-8")
    page.unfold("Add", "Place with the mouse")
    page.upload("Import nodes from a file", file)
    page.until(lambda: rows(page, "LAMP") == 2, "a second lamp")
    page.press_row("Undo: addition of")
    page.until(lambda: rows(page, "LAMP") == 1, "one lamp again")
    page.unfold("World", "Save")
    page.press("Download current world")
    world = folder / "world.wbt"
    page.until(world.exists, lambda: page.text("odesim-edit"))
    lamps = [each for each in parse_scene(world.read_text(encoding="utf-8")).nodes if each.def_name == "LAMP"]
    assert len(lamps) == 1


def test_the_console_shows_the_chosen_levels_and_is_cleared(page: ViewerPage) -> None:
    page.open("Console")
    for level, is_shown in (("All", True), ("Errors", False), ("Warnings", False), ("Info", True)):
        page.press(level)
        page.until(
            lambda is_shown=is_shown: ("yard.wbt: 2 robots" in page.text("odesim-console")) is is_shown,
            f"the lines of {level}",
        )
    page.press("Clear")
    page.until(lambda: "yard.wbt" not in page.text("odesim-console"), "no old line")


def test_a_motion_is_opened_edited_played_and_saved(page: ViewerPage, folder: Path) -> None:
    file = folder / "wave.motion"
    file.write_text(WAVE, encoding="utf-8")
    page.open("Motion")
    page.choose("Robot to move", "left")

    def pose() -> str:
        return value(page, "Poses")

    def arm() -> float:
        """The position of the motor, read anew into the pose."""
        page.press("Read current")
        found = comes(lambda: re.fullmatch(r"arm (\S+)", value(page, "Positions")))
        return float(found[1]) if found else float("nan")

    def open_file() -> None:
        page.upload("Open motion", file)
        page.until(lambda: "2 poses" in page.text("odesim-motion") and pose() == "1: 0 ms rest", "its poses")

    def moves_to(button: str, place: float) -> None:
        page.press(button)
        page.until(lambda: abs(arm() - place) < 0.01, f"the arm at {place} after {button}")
        open_file()

    open_file()
    moves_to("Play", 0.5)
    page.switch("Reverse")
    moves_to("Play", 0.0)
    page.switch("Reverse")
    page.press("Down")
    page.until(lambda: pose().startswith("2: "), "the pose is the second")
    page.press("Up")
    page.until(lambda: pose().startswith("1: "), "it is the first again")
    page.type_in("Positions", Keys.CONTROL + "a", "arm 0.25")

    def applies() -> bool:
        page.press("Apply to pose")
        page.press("Save motion")
        return bool(comes(lambda: (folder / "left.motion").exists()))

    page.until(applies, "the file")
    moves_to("Send robot there", 0.25)
    page.press("Remove")
    page.until(lambda: pose() == "1: 400 ms up", "one pose is left")
    page.switch("Loop")
    page.press("Stop")
    assert read_motion(folder / "left.motion").joints == ("arm",)


def test_the_camera_looks_from_all_sides(page: ViewerPage) -> None:
    page.key(Keys.ESCAPE)
    page.open("View")
    sides = {
        "Front": (0, 1),
        "Back": (0, -1),
        "Left": (1, 1),
        "Right": (1, -1),
        "Top": (2, 1),
        "Bottom": (2, -1),
    }

    def looks_from(axis: int, sign: int) -> bool:
        place = page.camera()
        return bool(np.argmax(np.abs(place)) == axis and sign * place[axis] > 3.0)

    for side, (axis, sign) in sides.items():
        page.press(side)
        page.until(lambda axis=axis, sign=sign: looks_from(axis, sign), side)
    page.press("Orthographic")
    page.until(lambda: np.linalg.norm(page.camera()) > 100.0, "a far camera")
    page.press("Perspective")
    page.until(lambda: np.linalg.norm(page.camera()) < 100.0, "a near one")
    page.press("Restore viewpoint")
    page.wait_for_camera(-3.0, 0.0, 2.0)


def test_motion_is_stopped(page: ViewerPage) -> None:
    page.open("Scene")
    select(page, '"top"')
    page.until(lambda: value(page, "angularVelocity").split()[-1:] == ["3"], "it spins")
    page.unfold("More", "Stop all motion")
    page.press("Stop all motion")
    page.until(lambda: value(page, "angularVelocity").split()[-1:] == ["0"], "it spins no more")


def test_equal_shapes_are_drawn_at_once_and_chosen_one_by_one(page: ViewerPage) -> None:
    def lie(*places: tuple[float, float, float]) -> None:
        wanted = sorted(np.linalg.norm(places, axis=1)) if places else []

        def are_there() -> bool:
            found = sorted(page.js(BATCH))
            return len(found) == len(wanted) and np.allclose(found, wanted, atol=0.01)

        page.until(are_there, f"balls at {places}")

    balls = ((2.0, 1.0, 0.2), (2.0, 2.0, 0.2), (2.0, 0.0, 0.2))
    page.key("v")
    page.wait_for_camera(-3.0, 0.0, 2.0)
    lie(*balls)
    page.open("Scene")
    select(page, "DEF PILE3")
    page.until(lambda: page.js(OUTLINED), "its outline")
    place = np.array(page.js(PIXEL))
    page.key(Keys.ESCAPE)
    page.until(lambda: not page.js(OUTLINED), "no outline")
    page.drag(place, np.zeros(2))
    page.until(lambda: "DEF PILE3" in page.selected(), "the ball below the pointer")
    page.wait_for("//label[text()='translation']")
    page.enter("translation", "2 -1.5 0.2")
    lie(*balls[:2], (2.0, -1.5, 0.2))
    page.press_row("Undo: translation of")
    lie(*balls)
    page.open("Layers")
    page.switch("world")
    lie()
    page.switch("world")
    lie(*balls)


def test_every_button_is_pressed_by_a_test(page: ViewerPage) -> None:
    """The page says which buttons there are; the files of its tests, which they press."""
    found = set(page.buttons())
    for title, _ in (*MAIN_TABS, *LOWER_TABS):
        page.open(title)
        if title == "Scene":
            select(page, "DEF CRATE")
            page.wait_for("//button[normalize-space()='Apply']")
            for folder, button in FOLDERS.items():
                page.unfold(folder, button)
                page.wait_for(f"//button[normalize-space()='{button}']")
        page.wait_for(f"//*[@role='tab'][@aria-selected='true'][normalize-space()='{title}']")
        found |= set(page.buttons())
    page.unfold("More", "Stop all motion")
    page.wait_for("//button[normalize-space()='Stop all motion']")
    found |= set(page.buttons())
    assert not {name for name in found if name.startswith("<")}, "buttons without words"
    tests = "".join(
        each.read_text(encoding="utf-8") for each in Path(__file__).parent.glob("test_*browser*.py")
    )
    assert len(found) > 60
    heads = {name.partition(": ")[0] for name in found}
    assert not {head for head in heads if f'"{head}"' not in tests and f'"{head}: ' not in tests}
