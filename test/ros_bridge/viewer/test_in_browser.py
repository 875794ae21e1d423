"""The viewer in a real browser: its buttons steer the simulation, its picture shows the world."""

import contextlib
import io
import re
import signal
import subprocess
import sys
import threading
import time
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
from std_msgs.msg import Int32MultiArray, String
from waiting import wait_until

from ros_bridge.topics.qos import Qos, profile
from sim_core.recording.surround import SKY

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
pytest.importorskip("selenium", reason="needs the Python package selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
ActionChains = pytest.importorskip("selenium.webdriver.common.action_chains").ActionChains
StaleElementReferenceException = pytest.importorskip(
    "selenium.common.exceptions"
).StaleElementReferenceException
UP, SHIFT = 315, 0x10000
"""Codes of Webots' Keyboard."""
TAB = "//*[@role='tab'][normalize-space()='{}']"
OPTION = "//*[@role='option']"
FIRST_DISPLAYED = """
const found = document.evaluate(arguments[0], document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
for (let index = 0; index < found.snapshotLength; index++) {
  const element = found.snapshotItem(index);
  if (element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length) return element;
}
return null;
"""
PATIENCE = 4.0
"""Seconds that a page on a busy machine has to show what was typed."""
SWITCH = "//*[normalize-space(text())='{}']/following::input[@type='checkbox'][1]"


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
def browser(tmp_path: Path) -> Iterator[Any]:
    with chromium(tmp_path, 1280, 900) as opened:
        yield opened


def text_of(browser: Any, name: str) -> str:
    return browser.execute_script(
        "const found = document.getElementById(arguments[0]); return found ? found.innerText : ''", name
    ).strip()


def shown(browser: Any, path: str) -> Any:
    """The first element of a path that is displayed, or None.

    The page is asked once: while it draws without a graphics card, each question waits for a picture, and a
    list keeps its hundred rows while it is closed.
    """
    return browser.execute_script(FIRST_DISPLAYED, path)


def press(browser: Any, button: str) -> None:
    """A folder that was opened takes its time to show its buttons."""
    path = f"//button[normalize-space()='{button}']"
    browser.execute_script("arguments[0].click()", wait_until(lambda: shown(browser, path), path))


def open_tab(browser: Any, title: str) -> None:
    shown(browser, TAB.format(title)).click()


def choose(browser: Any, label: str, option: str) -> None:
    """Choose from a list, which may get new rows at any moment and shows all of them again then."""
    path = f"//label[normalize-space()='{label}']/following::input[1]"
    field = wait_until(lambda: shown(browser, path), path)

    def row() -> Any:
        return shown(browser, f"{OPTION}[normalize-space()='{option}']")

    def is_chosen() -> bool:
        return field.get_attribute("value") == option and shown(browser, OPTION) is None

    def has_chosen() -> bool:
        with contextlib.suppress(StaleElementReferenceException):
            if shown(browser, OPTION) is None:
                field.click()  # if it were open, that would close it
            field.send_keys(Keys.CONTROL + "a")
            field.send_keys(option)  # only rows with these words stay, so that none is further down
            if comes(row):
                browser.execute_script("arguments[0].click()", row())
        return bool(comes(is_chosen))

    wait_until(has_chosen, f"{option} in the list {label}")


def comes(condition: Callable[[], Any]) -> Any:
    """What a condition gives as soon as it holds; what is false, if it does not for a while."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def colours(png: bytes) -> np.ndarray:
    """The pixels of the middle of a picture, where no panel is: shape (n, 3)."""
    picture = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    height, width = picture.shape[:2]
    return picture[height // 4 : -height // 4, width // 3 : -width // 3].reshape(-1, 3).astype(int)


def place_of(browser: Any, colour: tuple[int, int, int], tolerance: int = 30) -> np.ndarray:
    """Pixels (x, y) of a colour between the panels, shape (n, 2)."""
    picture = np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")).astype(int)
    is_it = np.abs(picture - colour).max(axis=2) < tolerance
    width = picture.shape[1]
    is_it[:, : width // 3] = is_it[:, -width // 3 :] = False
    return np.argwhere(is_it)[:, ::-1]


def has_row(browser: Any, title: str) -> bool:
    """Whether the tree shows a node."""
    script = (
        "return [...document.querySelectorAll('button')].filter(e => e.offsetParent).map(e => e.innerText)"
    )
    return any(title in text for text in browser.execute_script(script))


def press_row(browser: Any, title: str) -> None:
    found = browser.find_elements("xpath", f"//button[contains(., '{title}')]")
    browser.execute_script("arguments[0].click()", found[0])


def enter(browser: Any, field: str, text: str) -> None:
    """Type into a field of the chosen node, and press Enter."""
    element = browser.find_element("xpath", f"//label[normalize-space()='{field}']/following::input[1]")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()
    wait_until(lambda: shown(browser, "//label[text()='Values held']"), "its value stands still")
    element.send_keys(Keys.CONTROL + "a")
    element.send_keys(text + Keys.ENTER)


def open_part(browser: Any, title: str) -> None:
    """Press the title of a tab or a folder."""
    path = f"//*[normalize-space(text())='{title}']"
    element = wait_until(lambda: shown(browser, path), path)
    if element.tag_name == "span":  # of a tab
        ActionChains(browser).move_to_element(element).click().perform()
    else:
        browser.execute_script("arguments[0].click()", element)


def drag(browser: Any, start: np.ndarray, way: np.ndarray) -> None:
    """With the left button, in steps, as a hand does."""
    mouse = ActionChains(browser, duration=50)
    mouse.w3c_actions.pointer_action.move_to_location(*(int(each) for each in start))
    mouse.click_and_hold()
    for _ in range(10):
        mouse.move_by_offset(*(round(each / 10) for each in way))
    mouse.release().perform()


def time_in(message: Clock) -> int:
    return message.clock.sec * 1_000_000_000 + message.clock.nanosec


def test_buttons_steer_the_simulation_and_the_picture_shows_it(
    world_file, simulate, client, view, browser, tmp_path
):
    simulation = simulate(world_file(), controllers=False)
    viewer = view("--exit-with-simulation")
    clocks = client.listen(Clock, "/clock")
    statuses = client.listen(DiagnosticArray, "/odesim/status")

    def mode() -> str:
        values = {row.key: row.value for row in statuses[-1].status[0].values} if statuses else {}
        return values.get("mode", "")

    browser.get(viewer.url)
    client.until(lambda: text_of(browser, "odesim-time") > "0:00:00:100", "time in the browser", LIMIT)

    press(browser, "Pause")
    client.until(lambda: mode() == "paused", "a paused simulation", LIMIT)

    def stands() -> bool:  # messages from before the pause may still be on their way
        return len(clocks) > 5 and len({time_in(message) for message in clocks[-6:]}) == 1

    client.until(stands, "the clock of a paused simulation", LIMIT)
    stopped = time_in(clocks[-1])
    shown = f"{stopped // 60_000_000_000:02}:{stopped // 10**9 % 60:02}:{stopped // 10**6 % 1000:03}"
    client.until(lambda: text_of(browser, "odesim-time") == f"0:{shown}", "the time it stopped at", LIMIT)

    press(browser, "Step")
    client.until(lambda: time_in(clocks[-1]) != stopped, "a step", LIMIT)
    assert time_in(clocks[-1]) == stopped + 4_000_000

    pixels = colours(browser.get_screenshot_as_png())
    assert len(np.unique(pixels, axis=0)) > 20
    press(browser, "Screenshot")
    client.until(lambda: list(tmp_path.glob("odesim-*.png")), "the downloaded screenshot", LIMIT)
    client.until(lambda: not list(tmp_path.glob("*.crdownload")), "the end of the download")
    (file,) = tmp_path.glob("odesim-*.png")
    pixels = np.asarray(Image.open(file)).reshape(-1, 3).astype(int)
    assert len(np.unique(pixels, axis=0)) > 10
    is_red = pixels[:, 0] - pixels[:, 1:].max(axis=1) > 60  # it is small, and its edges are smooth
    assert is_red.any(), "the body of robot1 is red"

    press(browser, "Reset")
    client.until(lambda: time_in(clocks[-1]) == 0, "time 0", LIMIT)
    client.until(lambda: text_of(browser, "odesim-time") == "0:00:00:000", "time 0 in the browser", LIMIT)

    press(browser, "Run")
    client.until(lambda: time_in(clocks[-1]) > 0, "a running simulation", LIMIT)

    open_tab(browser, "Robot")
    choose(browser, "Robot", "robot1")
    truth = client.listen(Odometry, "/robot1/ground_truth")

    def is_driving() -> bool:
        return bool(truth) and truth[-1].twist.twist.linear.x > 0.1

    def stands_still() -> bool:
        return abs(truth[-1].twist.twist.linear.x) < 1e-3

    up = browser.find_element("css selector", "[data-odesim-key=ArrowUp]")
    ActionChains(browser).click_and_hold(up).perform()
    client.until(is_driving, "robot1 driving while the button is held", LIMIT)
    ActionChains(browser).release().perform()
    client.until(stands_still, "robot1 standing", LIMIT)
    browser.execute_script("document.activeElement.blur()")
    ActionChains(browser).key_down("w").perform()
    client.until(is_driving, "robot1 driving while a key is held", LIMIT)
    ActionChains(browser).key_up("w").perform()
    client.until(stands_still, "robot1 standing after the key", LIMIT)

    open_tab(browser, "Overlays")
    rays = "/odesim/overlay/sensor_rays"
    client.until(lambda: browser.find_elements("xpath", SWITCH.format("Sensor rays")), "the switches", LIMIT)
    for count in (1, 0):
        browser.execute_script(
            "arguments[0].click()", browser.find_element("xpath", SWITCH.format("Sensor rays"))
        )
        client.until(lambda wanted=count: client.node.count_subscribers(rays) == wanted, "the rays", LIMIT)

    browser.execute_script("document.activeElement.blur()")
    codes = client.listen(Int32MultiArray, "/odesim/keyboard")
    ActionChains(browser).key_down(Keys.SHIFT).key_down(Keys.ARROW_UP).perform()
    client.until(lambda: codes and list(codes[-1].data) == [UP + SHIFT], "the code of a key", LIMIT)
    client.until(is_driving, "robot1 driving", LIMIT)
    browser.get("about:blank")
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


def test_nodes_are_edited_dragged_added_and_deleted(simulate, client, view, browser, tmp_path):
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

    browser.get(viewer.url)
    open_part(browser, "Scene")
    client.until(lambda: has_row(browser, 'Robot "robot1"'), "the tree", LIMIT)
    open_part(browser, "View")

    def blue() -> tuple[int, int, int]:
        """How many pixels of the crate are seen, how wide and how high they lie."""
        picture = np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")).astype(
            int
        )
        is_blue = picture[..., 2] - picture[..., :2].max(axis=2) > 60
        is_blue[:, : picture.shape[1] // 3] = is_blue[:, -picture.shape[1] // 3 :] = False
        is_blue[picture.shape[0] * 5 // 8 :] = False  # a window stands there
        places = np.argwhere(is_blue)
        height, width = np.ptp(places, axis=0) + 1 if len(places) else (0, 0)
        return len(places), int(width), int(height)

    client.until(lambda: blue()[0] > 500, "the crate", LIMIT)
    _, _, high = blue()
    press(browser, "Orthographic")
    client.until(lambda: abs(blue()[2] - high) < 0.2 * high, "the crate as large as before", LIMIT)

    def sky() -> tuple[int, ...]:
        """In the middle of the picture, near its upper edge."""
        picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
        return tuple(picture.getpixel((picture.width // 2, 5)))

    wanted = tuple(round(255 * part) for part in SKY)
    client.until(lambda: sky() == wanted, "the sky", LIMIT)
    press(browser, "Top")

    def is_square() -> bool:
        """From above, without vanishing points, no side of the crate is seen."""
        count, width, height = blue()
        return width > 20 and abs(width - height) < 3 and count > 0.95 * width * height

    client.until(is_square, "the crate from above", LIMIT)
    press(browser, "Restore viewpoint")
    client.until(lambda: abs(blue()[2] - high) < 3, "the crate as at first", LIMIT)
    open_part(browser, "Scene")
    press_row(browser, 'Robot "robot1"')
    open_part(browser, "Window")
    client.until(lambda: heard, "what the window of robot1 says", LIMIT)
    assert heard[0].data == "robot1 said hello"
    client.until(
        lambda: browser.find_elements("xpath", "//label[text()='controllerArgs']"), "its fields", LIMIT
    )
    enter(browser, "translation", "-2 1.5 0.1")
    client.until(lambda: np.allclose(robot(), (-2, 1.5, 0.1), atol=0.01), "robot1 at its new place", LIMIT)
    client.until(lambda: text_of(browser, "odesim-edit") == "translation set", "the answer", LIMIT)
    enter(browser, "translation", "-2 two 0.1")
    client.until(
        lambda: 'found "two", expected 3 numbers' in text_of(browser, "odesim-edit"), "why not", LIMIT
    )
    assert np.allclose(robot(), (-2, 1.5, 0.1), atol=0.01)

    seen = [
        each for each in (place_of(browser, (0, 0, blue), 60) for blue in (255, 200, 140)) if len(each) > 50
    ]
    middle = seen[0].mean(axis=0)
    drag(browser, middle, np.zeros(2))
    client.until(lambda: len(place_of(browser, RED_HANDLE)) > 50, "the handles", LIMIT)
    before = crate()
    handle = place_of(browser, RED_HANDLE)
    tip = handle[np.argmax(np.linalg.norm(handle - middle, axis=1))]
    along = (tip - middle) / np.linalg.norm(tip - middle)
    drag(browser, tip - 10.0 * along, 60.0 * along)
    client.until(lambda: abs(crate()[0] - before[0]) > 0.2, "the crate at another place", LIMIT)
    assert np.allclose(crate()[1:], before[1:], atol=0.02), "it was dragged along x"

    press(browser, "Screenshot")
    client.until(lambda: list(tmp_path.glob("odesim-*.png")), "the downloaded screenshot", LIMIT)

    open_part(browser, "Node and field")
    open_part(browser, "Add")
    choose(browser, "Begin with", "E-puck")
    press(browser, "Add")
    client.until(lambda: text_of(browser, "odesim-edit").startswith("added E-puck"), "the new robot", LIMIT)
    client.until(lambda: client.node.count_publishers("/e_puck/ground_truth"), "its topics", LIMIT)
    press(browser, "Delete")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "their end", LIMIT)
    press(browser, "Add")
    client.until(lambda: text_of(browser, "odesim-edit").startswith("added E-puck"), "another", LIMIT)

    choose(browser, "Begin with", "WoodenBox")
    press(browser, "Add")
    client.until(lambda: text_of(browser, "odesim-edit").startswith("added WoodenBox"), "a box", LIMIT)
    client.until(lambda: browser.find_elements("xpath", "//label[text()='mass']"), "its parameters", LIMIT)
    enter(browser, "mass", "2.5")  # for which it is made anew, and stays chosen
    client.until(lambda: text_of(browser, "odesim-edit") == "mass set", "the answer", LIMIT)
    request = GetParameters.Request(names=["root[5].mass", "root[5].physics.mass"])
    answer = client.call("get_parameters", request, GetParameters)
    assert [value.double_value for value in answer.values] == [2.5, 2.5]
    assert browser.find_elements("xpath", "//label[text()='mass']")

    def undo(what: str) -> None:
        client.until(lambda: has_row(browser, f"Undo: {what}"), "the button", LIMIT)
        press_row(browser, f"Undo: {what}")

    def mass() -> list[float]:
        answer = client.call("get_parameters", request, GetParameters)
        return [value.double_value for value in answer.values]

    undo("mass of WoodenBox")
    client.until(lambda: mass() != [2.5, 2.5] and mass()[0] == 0.0, "the mass of before", LIMIT)
    press(browser, "Delete")
    client.until(lambda: not mass(), "its end", LIMIT)
    undo("removal of WoodenBox")
    client.until(mass, "it is there again", LIMIT)
    undo("addition of WoodenBox")
    undo("addition of E-puck")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "its end", LIMIT)
    undo("removal of E-puck")  # the first one
    client.until(lambda: client.node.count_publishers("/e_puck/ground_truth"), "its topics", LIMIT)
    undo("addition of E-puck")
    client.until(lambda: not client.node.count_publishers("/e_puck/ground_truth"), "its end", LIMIT)
    client.until(lambda: has_row(browser, 'Undo: place of DEF CRATE Solid "crate"'), "the drag", LIMIT)
    undo("place of")
    client.until(lambda: np.allclose(crate(), before, atol=0.02), "the crate where it was", LIMIT)
    undo("translation of")
    client.until(lambda: np.allclose(robot(), (-1, 0, 0.1), atol=0.01), "robot1 where it was", LIMIT)

    open_part(browser, "World")
    press(browser, "Revert to the file")
    client.until(lambda: np.allclose(crate(), (0.5, 0.5, 0.3), atol=0.01), "the world as in its file", LIMIT)
    client.until(lambda: not has_row(browser, "E-puck"), "the tree as in its file", LIMIT)

    client.call("quit")
    assert simulation.wait() == 0
    assert viewer.process.wait(LIMIT) == 0
