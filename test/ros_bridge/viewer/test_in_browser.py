"""The viewer in a real browser: its buttons control the simulation, its picture shows the world."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest
from chromium import LIMIT, chromium
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from PIL import Image
from rcl_interfaces.srv import GetParameters
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Joy
from std_msgs.msg import Int32MultiArray, String
from viewer_page import ActionChains, Keys, ViewerPage

from ros_bridge.topics.qos import Qos, profile
from sim_core.recording.page_surroundings import SKY

LATCHED = profile(Qos(depth=10, transient_local=True))
ROOT = Path(__file__).resolve().parents[3]
YARD = """#VRML_SIM R2025a utf8
WorldInfo { title "yard" basicTimeStep 8 }
Solid { name "floor" boundingObject Plane { size 8 8 }
  children Shape { appearance PBRAppearance { baseColor 0.8 0.85 0.8 } geometry Plane { size 8 8 } } }
DEF CRATE Solid { name "crate" translation 0.5 0.5 0.3 physics Physics { }
  children DEF BOX Shape { appearance PBRAppearance { baseColor 0 0 1 } geometry Box { size 0.6 0.6 0.6 } }
  boundingObject USE BOX }
Robot { name "robot1" translation -1 0 0.1 physics Physics { }
  children DEF BODY Shape { geometry Cylinder { radius 0.2 height 0.2 } } boundingObject USE BODY
  window "panel" }
"""
WINDOW = """<html><body>silence</body><script type="module">
import RobotWindow from 'https://cyberbotics.com/wwi/R2023b/RobotWindow.js';
window.robotWindow = new RobotWindow();
window.robotWindow.receive = (message, robot) => window.robotWindow.send(`${robot} said ${message}`);
</script></html>"""
RED_HANDLE = (255, 32, 96)
"""Colour of the handle along x."""

pytest.importorskip("viser", reason="needs the Python package viser")
UP, SHIFT = 315, 0x10000
"""Codes of Webots' Keyboard."""


class ViewerProcess:
    """`odesim view` on a free port."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ros_bridge.cli", "view", "--port", "0", *options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._ready.wait(LIMIT), self.lines

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            self._ready.set()

    @property
    def url(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+", "\n".join(self.lines))
        assert found, self.lines
        return found[0]


@pytest.fixture
def view() -> Iterator[Callable[..., ViewerProcess]]:
    running: list[ViewerProcess] = []

    def start(*options: str) -> ViewerProcess:
        running.append(ViewerProcess(*options))
        return running[-1]

    yield start
    for viewer in running:
        if viewer.process.poll() is None:
            viewer.process.kill()
            viewer.process.wait()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    with chromium(tmp_path, 1280, 900) as browser:
        yield ViewerPage(browser)


def colours(picture: np.ndarray) -> np.ndarray:
    """Return the pixels in the centre of a picture, without panels: shape (n, 3)."""
    height, width = picture.shape[:2]
    return picture[height // 4 : -height // 4, width // 3 : -width // 3].reshape(-1, 3)


def shape_pose_of(page: Any, colour: tuple[int, int, int], tolerance: int = 30) -> np.ndarray:
    """Return the pixels (x, y) of a colour between the panels, shape (n, 2)."""
    picture = page.picture()
    is_it = np.abs(picture - colour).max(axis=2) < tolerance
    width = picture.shape[1]
    is_it[:, : width // 3] = is_it[:, -width // 3 :] = False
    return np.argwhere(is_it)[:, ::-1]


def time_in(message: Clock) -> int:
    return message.clock.sec * 1_000_000_000 + message.clock.nanosec


def test_buttons_steer_the_simulation_and_the_picture_shows_it(
    world_file, simulate, client, view, page, tmp_path
):
    simulation = simulate(world_file(), controllers=False)
    viewer = view("--exit-with-simulation")
    clocks = client.listen(Clock, "/clock")
    statuses = client.listen(DiagnosticArray, "/odesim/status")

    def mode() -> str:
        values = {row.key: row.value for row in statuses[-1].status[0].values} if statuses else {}
        return values.get("mode", "")

    page.load(viewer.url)
    page.draw_seldom()
    client.until(lambda: page.text("odesim-time") > "0:00:00:100", "time in the browser", LIMIT)

    page.press("Pause")
    client.until(lambda: mode() == "paused", "a paused simulation", LIMIT)

    def is_standing() -> bool:  # messages from before the pause may still be on their way
        return len(clocks) > 5 and len({time_in(message) for message in clocks[-6:]}) == 1

    client.until(is_standing, "the clock of a paused simulation", LIMIT)
    stopped = time_in(clocks[-1])
    shown = f"{stopped // 60_000_000_000:02}:{stopped // 10**9 % 60:02}:{stopped // 10**6 % 1000:03}"
    client.until(lambda: page.text("odesim-time") == f"0:{shown}", "the time it stopped at", LIMIT)

    page.press("Step")
    client.until(lambda: time_in(clocks[-1]) != stopped, "a step", LIMIT)
    assert time_in(clocks[-1]) == stopped + 4_000_000

    client.until(lambda: not page.text("odesim-loading"), "the whole scene", LIMIT)

    def is_seen() -> bool:
        return len(np.unique(colours(page.picture()), axis=0)) > 8

    client.until(is_seen, "sky, floor, the red box and its edges", LIMIT)
    page.press("Screenshot")
    client.until(lambda: list(tmp_path.glob("odesim-*.png")), "the downloaded screenshot", LIMIT)
    client.until(lambda: not list(tmp_path.glob("*.crdownload")), "the end of the download")
    (file,) = tmp_path.glob("odesim-*.png")
    pixels = np.asarray(Image.open(file)).reshape(-1, 3).astype(int)
    assert len(np.unique(pixels, axis=0)) > 10
    is_red = pixels[:, 0] - pixels[:, 1:].max(axis=1) > 60  # it is small, and its edges are smooth
    assert is_red.any(), "the body of robot1 is red"

    page.press("Reset")
    client.until(lambda: time_in(clocks[-1]) == 0, "time 0", LIMIT)
    client.until(lambda: page.text("odesim-time") == "0:00:00:000", "time 0 in the browser", LIMIT)

    page.press("Run")
    client.until(lambda: time_in(clocks[-1]) > 0, "a running simulation", LIMIT)

    page.open("Robot")
    page.choose("Robot", "robot1")
    client.until(lambda: page.selected().endswith('"robot1"'), "its node is selected too", LIMIT)
    truth = client.listen(Odometry, "/robot1/ground_truth")

    def is_driving() -> bool:
        return bool(truth) and truth[-1].twist.twist.linear.x > 0.1

    def stands_still() -> bool:
        return abs(truth[-1].twist.twist.linear.x) < 1e-3

    def goes(button: str, is_right: Callable[[Any], bool]) -> None:
        held = page.browser.find_element("css selector", f"[data-odesim-key={button}]")
        ActionChains(page.browser).click_and_hold(held).perform()
        client.until(lambda: truth and is_right(truth[-1].twist.twist), f"the effect of {button}", LIMIT)
        ActionChains(page.browser).release().perform()

    goes("ArrowUp", lambda speed: speed.linear.x > 0.1)
    client.until(stands_still, "robot1 standing", LIMIT)
    goes("ArrowLeft", lambda speed: speed.angular.z > 0.1)
    goes("ArrowRight", lambda speed: speed.angular.z < -0.1)
    goes("ArrowDown", lambda speed: speed.linear.x < -0.1)
    client.until(stands_still, "robot1 standing", LIMIT)
    page.js("document.activeElement.blur()")
    ActionChains(page.browser).key_down("w").perform()
    client.until(is_driving, "robot1 driving while a key is held", LIMIT)
    ActionChains(page.browser).key_up("w").perform()
    client.until(stands_still, "robot1 standing after the key", LIMIT)

    page.open("Overlays")
    rays = "/odesim/overlay/sensor_rays"
    for count in (1, 0):
        page.switch("Sensor rays")
        client.until(lambda wanted=count: client.node.count_subscribers(rays) == wanted, "the rays", LIMIT)

    page.js("document.activeElement.blur()")
    codes = client.listen(Int32MultiArray, "/odesim/keyboard")
    taken = "return document.getElementById('odesim-keys').dataset.taken"
    client.until(lambda: page.js(taken) == "all", "the page taking all keys", LIMIT)
    ActionChains(page.browser).key_down(Keys.SHIFT).key_down(Keys.ARROW_UP).perform()
    client.until(lambda: codes and list(codes[-1].data) == [UP + SHIFT], "the code of a key", LIMIT)
    client.until(is_driving, "robot1 driving", LIMIT)
    clicks = client.listen(Joy, "/odesim/mouse")
    reports = "return document.getElementById('odesim-keys').dataset.mouse"
    client.until(lambda: page.js(reports) == "on", "the page reporting the mouse", LIMIT)
    canvas = page.browser.find_element("css selector", "canvas")
    right, down = canvas.size["width"] // 4, canvas.size["height"] // 4
    ActionChains(page.browser).move_to_element_with_offset(canvas, right, down).click_and_hold().perform()

    def is_pressed() -> bool:
        return bool(clicks) and list(clicks[-1].buttons) == [1, 0, 0]

    client.until(is_pressed, "the left button", LIMIT)
    assert list(clicks[-1].axes)[:2] == pytest.approx([0.75, 0.75], abs=0.01)  # from the upper left corner
    ActionChains(page.browser).release().perform()
    client.until(lambda: not any(clicks[-1].buttons), "the button released", LIMIT)
    ActionChains(page.browser).move_to_element(canvas).perform()
    client.until(lambda: len(clicks[-1].axes) == 5, "a point below the pointer", LIMIT)
    x, y, z = list(clicks[-1].axes)[2:]
    assert np.hypot(x, y) < 5.0 and -0.01 < z < 1.01, "it is near the middle of the world, on floor or wall"
    page.browser.get("about:blank")
    client.until(stands_still, "robot1 standing after the browser has gone", LIMIT)
    client.until(lambda: not codes[-1].data, "keys released", LIMIT)

    client.call("quit")
    assert simulation.wait() == 0
    assert viewer.process.wait(LIMIT) == 0


def test_it_waits_for_a_simulation_and_ends_by_ctrl_c(view):
    viewer = view()
    with urlopen(viewer.url) as page:
        assert page.status == 200
    viewer.process.send_signal(signal.SIGINT)
    viewer.process.send_signal(signal.SIGINT)
    assert viewer.process.wait(LIMIT) == 0
    assert len(viewer.lines) == 1, viewer.lines


def test_nodes_are_edited_dragged_added_and_deleted(simulate, client, view, page, tmp_path):
    world, window = tmp_path / "worlds" / "yard.wbt", tmp_path / "plugins" / "robot_windows" / "panel"
    world.parent.mkdir()
    window.mkdir(parents=True)
    world.write_text(YARD, encoding="utf-8")
    (window / "panel.html").write_text(WINDOW, encoding="utf-8")
    stiff = ["-p", "contacts:=stiff"]  # the crate stays where the file has it, and does not sink in
    simulation = simulate(world, controllers=False, ros_args=stiff)
    viewer = view("--exit-with-simulation")
    told = client.node.create_publisher(String, "/robot1/window/from_controller", LATCHED)
    told.publish(String(data="hello"))
    heard = client.listen(String, "/robot1/window/to_controller", matched=False)
    truth = client.listen(Odometry, "/robot1/ground_truth")

    def robot() -> np.ndarray:
        place = truth[-1].pose.pose.position if truth else None
        return np.array((place.x, place.y, place.z)) if place else np.zeros(3)

    def crate() -> np.ndarray:
        request = GetParameters.Request(names=["CRATE.translation"])
        answer = client.call("get_parameters", request, GetParameters)
        return np.array(answer.values[0].double_array_value)

    page.load(viewer.url)
    page.open("Scene")
    client.until(lambda: page.has_row('Robot "robot1"'), "the tree", LIMIT)
    page.open("View")

    def blue() -> tuple[int, int, int]:
        """Return the number of visible pixels of the crate, and width and height of their area."""
        picture = page.picture()
        is_blue = picture[..., 2] - picture[..., :2].max(axis=2) > 60
        is_blue[:, : picture.shape[1] // 3] = is_blue[:, -picture.shape[1] // 3 :] = False
        is_blue[picture.shape[0] * 5 // 8 :] = False  # a window stands there
        places = np.argwhere(is_blue)
        height, width = np.ptp(places, axis=0) + 1 if len(places) else (0, 0)
        return len(places), int(width), int(height)

    client.until(lambda: blue()[0] > 500, "the crate", LIMIT)
    _, _, high = blue()
    page.press("Orthographic")
    client.until(lambda: abs(blue()[2] - high) < 0.2 * high, "the crate as large as before", LIMIT)

    def sky() -> np.ndarray:
        """Return the colour in the middle of the picture, near its upper edge."""
        picture = page.picture()
        return picture[5, picture.shape[1] // 2]

    below = 0.5 * (np.array(SKY) + 0.92 * np.dot((0.3, 0.59, 0.11), SKY))  # greyer below the horizon
    client.until(lambda: np.abs(sky() - 255 * below).max() < 2, "the sky", LIMIT)
    page.press("Top")

    def is_square() -> bool:
        """Return whether no side of the crate is seen, as from above without perspective."""
        count, width, height = blue()
        return width > 20 and abs(width - height) < 3 and count > 0.95 * width * height

    client.until(is_square, "the crate from above", LIMIT)
    page.press("Restore viewpoint")
    client.until(lambda: abs(blue()[2] - high) < 3, "the crate as at first", LIMIT)
    page.open("Scene")
    page.press_row('Robot "robot1"')
    page.open("Window")
    client.until(lambda: heard, "what the window of robot1 says", LIMIT)
    assert heard[0].data == "robot1 said hello"
    page.wait_for("//label[text()='controllerArgs']")
    page.enter("translation", "-2 1.5 0.1")
    client.until(lambda: np.allclose(robot(), (-2, 1.5, 0.1), atol=0.01), "robot1 at its new place", LIMIT)
    client.until(lambda: page.text("odesim-edit") == "translation set.", "the answer", LIMIT)
    page.enter("translation", "-2 two 0.1")
    client.until(lambda: 'found "two", expected 3 numbers' in page.text("odesim-edit"), "why not", LIMIT)
    assert np.allclose(robot(), (-2, 1.5, 0.1), atol=0.01)

    seen = [
        each for each in (shape_pose_of(page, (0, 0, blue), 60) for blue in (255, 200, 140)) if len(each) > 50
    ]
    middle = seen[0].mean(axis=0)
    page.drag(middle, np.zeros(2))
    client.until(lambda: len(shape_pose_of(page, RED_HANDLE)) > 50, "the handles", LIMIT)
    before = crate()
    handle = shape_pose_of(page, RED_HANDLE)
    tip = handle[np.argmax(np.linalg.norm(handle - middle, axis=1))]
    along = (tip - middle) / np.linalg.norm(tip - middle)
    page.drag(tip - 10.0 * along, 60.0 * along)
    client.until(lambda: abs(crate()[0] - before[0]) > 0.2, "the crate at another place", LIMIT)
    assert np.allclose(crate()[1:], before[1:], atol=0.02), "it was dragged along x"
    page.draw_seldom()  # a hand is not shown from now on

    page.press("Screenshot")
    client.until(lambda: list(tmp_path.glob("odesim-*.png")), "the downloaded screenshot", LIMIT)

    page.open("Node and field")
    page.open("Add")
    page.choose("Start from", "E-puck")
    page.press("Add")
    client.until(lambda: page.text("odesim-edit").startswith("Added E-puck"), "the new robot", LIMIT)
    client.until(lambda: client.node.count_publishers("/e_puck/ground_truth"), "its topics", LIMIT)
    page.press("Delete")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "their end", LIMIT)
    page.press("Add")
    client.until(lambda: page.text("odesim-edit").startswith("Added E-puck"), "another", LIMIT)

    page.choose("Start from", "WoodenBox")
    page.press("Add")
    client.until(lambda: page.text("odesim-edit").startswith("Added WoodenBox"), "a box", LIMIT)
    page.wait_for("//label[text()='mass']")
    page.enter("mass", "2.5")  # for which it is made anew, and stays chosen
    client.until(lambda: page.text("odesim-edit") == "mass set.", "the answer", LIMIT)

    def numbers(*names: str) -> list[float]:
        """Return the numbers in the fields with these names; empty if a field is missing."""
        answer = client.call("get_parameters", GetParameters.Request(names=list(names)), GetParameters)
        return [value.double_value for value in answer.values]

    assert numbers("root[5].mass", "root[5].physics.mass") == [2.5, 2.5]
    assert page.browser.find_elements("xpath", "//label[text()='mass']")

    def undo(what: str) -> None:
        page.press_row(f"Undo: {what}")

    undo("mass of WoodenBox")
    client.until(lambda: numbers("root[5].mass") == [0.0], "the mass of before", LIMIT)
    page.press_row("Redo: mass of WoodenBox")
    client.until(lambda: numbers("root[5].mass") == [2.5], "the mass again", LIMIT)
    undo("mass of WoodenBox")
    client.until(lambda: numbers("root[5].mass") == [0.0], "the mass of before", LIMIT)
    assert numbers("root[5].physics.mass") == []  # without one it stands still
    page.press("Delete")
    client.until(lambda: not numbers("root[5].mass"), "its end", LIMIT)
    undo("removal of WoodenBox")
    client.until(lambda: numbers("root[5].mass"), "it is there again", LIMIT)
    undo("addition of WoodenBox")
    page.press_row("Redo: addition of WoodenBox")
    client.until(lambda: numbers("root[5].mass"), "it is there once more", LIMIT)
    undo("addition of WoodenBox")
    undo("addition of E-puck")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "its end", LIMIT)
    undo("removal of E-puck")  # the first one
    client.until(lambda: client.node.count_publishers("/e_puck/ground_truth"), "its topics", LIMIT)
    undo("addition of E-puck")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "its end", LIMIT)
    client.until(lambda: page.has_row('Undo: place of DEF CRATE Solid "crate"'), "the drag", LIMIT)
    undo("place of")
    client.until(lambda: np.allclose(crate(), before, atol=0.02), "the crate where it was", LIMIT)
    undo("translation of")
    client.until(lambda: np.allclose(robot(), (-1, 0, 0.1), atol=0.01), "robot1 where it was", LIMIT)

    page.open("World")
    page.press("Revert to file")
    client.until(lambda: np.allclose(crate(), (0.5, 0.5, 0.3), atol=0.01), "the world as in its file", LIMIT)
    client.until(lambda: not page.has_row("E-puck"), "the tree as in its file", LIMIT)

    client.call("quit")
    assert simulation.wait() == 0
    assert viewer.process.wait(LIMIT) == 0
