"""The viewer's page in a browser, as somebody who uses it sees it."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from processes import ReadProcess
from waiting import LIMIT, wait_until

NEEDED = "needs the Python package selenium"  # who tests with this page is skipped without
webdriver = pytest.importorskip("selenium.webdriver", reason=NEEDED)
Gone = pytest.importorskip("selenium.common.exceptions", reason=NEEDED).StaleElementReferenceException
Folded = pytest.importorskip("selenium.common.exceptions", reason=NEEDED).ElementNotInteractableException
ActionChains, Keys = webdriver.ActionChains, webdriver.Keys
OPTION = "//*[@role='option']"
FIRST_DISPLAYED = """
const found = document.evaluate(arguments[0], document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
for (let index = 0; index < found.snapshotLength; index++) {
  const element = found.snapshotItem(index);
  if (element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length) return element;
}
return null;
"""
TEXT = """const box = document.getElementById(arguments[0]);
return box && box.checkVisibility() ? box.innerText.trim() : '';"""
ROWS = "[...document.querySelectorAll('button')].filter(e => e.offsetParent)"
BUTTONS = """const without = '[aria-hidden=true], #odesim-tree, #odesim-topics, [role=alert]';
return [...document.querySelectorAll('button')]
  .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.closest(without))
  .map((each) => each.ariaLabel || each.innerText.trim() || each.outerHTML);"""
DRAW_SELDOM = """const draw = window.requestAnimationFrame, forget = window.cancelAnimationFrame;
const waiting = new Map();
let last = 0;
window.requestAnimationFrame = (next) => {
  const id = --last;  // no picture that was asked for before has a number below 0
  waiting.set(id, setTimeout(() => { waiting.delete(id); draw(next); }, 1000));
  return id;
};
window.cancelAnimationFrame = (id) => {
  if (id > 0) return forget(id);
  clearTimeout(waiting.get(id));
  waiting.delete(id);
};"""
CAMERA = """() => { const {camera} = window.__viserMutable;
const [w, x, y, z] = window.__viserSceneTree.getState()[""].wxyz;
const back = camera.quaternion.clone().set(x, y, z, w).invert();
return camera.position.clone().applyQuaternion(back).toArray(); }"""
POLL = """const [place, nearness, limit, done] = arguments, camera = CAMERA;
const end = performance.now() + 1000 * limit;
const look = setInterval(() => {
  const away = Math.hypot(...camera().map((part, k) => part - place[k]));
  if (away > nearness && performance.now() < end) return;
  clearInterval(look);
  done(away);
}, 50);""".replace("CAMERA", CAMERA)
LAST_LINES = 20
START_LIMIT = 300.0
"""s; beside a busy simulation the viewer, which runs at a lower priority, may take minutes to start."""
PATIENCE = 4.0
"""Seconds that a page on a busy machine has to show what was typed."""


class ViewerPage:
    """A browser that looks at a simulation through a viewer.

    Args:
        browser: of selenium.
        programs: simulation and viewer, whose last words belong to a failure.
    """

    def __init__(self, browser: Any, *programs: ReadProcess) -> None:
        self.browser = browser
        self._programs = programs

    def load(self, address: str) -> None:
        """Open the page; returns when it can be used."""
        self.browser.get(address)
        self.until(lambda: self.js("return !!window.odesimSend && !!window.__viserMutable"), "the page")

    def draw_seldom(self) -> None:
        """Draw a picture a second from now on.

        Without a graphics card a picture takes most of the page's time, and who uses its panels waits for it.
        """
        self.js(DRAW_SELDOM)

    def js(self, code: str, *given: Any) -> Any:
        """What the body of a function in the page returns."""
        return self.browser.execute_script(code, *given)

    def until(self, condition: Callable[[], Any], what: Callable[[], object] | str) -> Any:
        """Wait for it; a failure says what the page shows, and what its console and the programs say."""
        try:
            return wait_until(condition, what)
        except AssertionError as error:
            states = {name: self.text(f"odesim-{name}") for name in ("time", "status", "answer", "loading")}
            error.add_note(f"page {self.browser.title!r}: {states}")
            for line in self.browser.get_log("browser"):
                error.add_note(line["message"])
            for program in self._programs:
                error.add_note(
                    "\n".join([f"ended with {program.process.poll()}", *program.lines[-LAST_LINES:]])
                )
            raise

    def text(self, name: str) -> str:
        """Of the element with this id, if it is displayed."""
        return str(self.js(TEXT, name))

    def shown(self, path: str) -> Any:
        """The first element of a path that is displayed, or None.

        The page is asked once: while it draws without a graphics card, each question waits for a picture, and
        a list keeps its hundred rows while it is closed.
        """
        return self.js(FIRST_DISPLAYED, path)

    def wait_for(self, path: str) -> Any:
        """The first element of a path, once it is displayed."""
        return self.until(lambda: self.shown(path), path)

    def click(self, element: Any) -> None:
        """As a hand's click, whatever lies over the element."""
        self.js("arguments[0].click()", element)

    def open(self, title: str) -> None:
        """A tab, which wants a pointer, or a folder."""
        element = self.wait_for(f"//*[normalize-space(text())='{title}']")
        if element.tag_name == "span" or self.js("return !!arguments[0].closest('[data-dock-tab]')", element):
            ActionChains(self.browser).move_to_element(element).click().perform()
        else:
            self.click(element)

    def press(self, button: str) -> None:
        """By its words or its label; a folder that was opened takes its time to show its buttons."""
        self.click(self.wait_for(f"//button[normalize-space()='{button}' or @aria-label='{button}']"))

    def unfold(self, folder: str, button: str) -> None:
        """Open a folder, if a button in it is not displayed."""
        if not self.shown(f"//button[normalize-space()='{button}']"):
            self.open(folder)

    def buttons(self) -> list[str]:
        """The words or labels of all buttons that are displayed, without rows of lists; else their HTML."""
        return [str(each) for each in self.js(BUTTONS)]

    def upload(self, button: str, file: Path) -> None:
        """Choose a file for a button."""
        path = f"//button[normalize-space()='{button}']/preceding-sibling::input[@type='file']"
        self.wait_for(f"//button[normalize-space()='{button}']")
        field = self.browser.find_element("xpath", path)
        self.js("arguments[0].value = '';", field)  # the same file again would be no change
        field.send_keys(str(file))

    def switch(self, label: str) -> Any:
        """Of a checkbox; returns it."""
        path = f"//*[normalize-space(text())='{label}']/following::input[@type='checkbox'][1]"
        found = self.until(lambda: self.browser.find_elements("xpath", path), label)[0]
        self.click(found)
        return found

    def field(self, label: str) -> Any:
        """What can be typed into."""
        tags = "self::input or self::textarea"
        return self.wait_for(f"//label[normalize-space()='{label}']/following::*[{tags}][1]")

    def type_in(self, label: str, *keys: str) -> None:
        """Press keys in a field, once it has unfolded; a modifier is held until the end of its text.

        viser sends what was typed 50 ms later, and not at all if something else is sent before, which no hand
        can do.
        """

        def is_done() -> bool:
            with contextlib.suppress(Folded):
                for each in keys:
                    self.field(label).send_keys(each)
                return True
            return False

        self.until(is_done, f"the field {label}")
        self.browser.execute_async_script("setTimeout(arguments[0], 100);")

    def choose(self, label: str, option: str, stays: bool = True) -> None:
        """Choose from a list, which may get new rows at any moment and shows all of them again then.

        `stays`: whether the list shows the choice afterwards; else it begins anew.
        """
        field = self.field(label)

        def row() -> Any:
            return self.shown(f"{OPTION}[normalize-space()='{option}']")

        def is_chosen() -> bool:
            return bool(field.get_attribute("value") == option) and self.shown(OPTION) is None

        def has_chosen() -> bool:
            with contextlib.suppress(Gone, Folded):
                if self.shown(OPTION) is None:
                    field.click()  # if it were open, that would close it
                field.send_keys(Keys.CONTROL + "a")
                field.send_keys(option)  # only rows with these words stay, so that none is further down
                if found := comes(row):
                    self.click(found)
                self.js("arguments[0].blur()", field)  # then it shows what is chosen, not what was typed
                if found and not stays:
                    return True
            return bool(comes(is_chosen))

        self.until(has_chosen, f"{option} in the list {label}")

    def enter(self, label: str, text: str) -> None:
        """Type into a field of the chosen node, and press Enter."""
        element = self.field(label)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.wait_for("//label[text()='Values held']")
        element.send_keys(Keys.CONTROL + "a")
        element.send_keys(text + Keys.ENTER)

    def key(self, key: str) -> None:
        """Press and release a key while the scene has the keys."""
        self.js("document.activeElement?.blur()")
        ActionChains(self.browser).send_keys(key).perform()

    def has_row(self, title: str) -> bool:
        """Whether the tree, or the list of what can be undone, shows it."""
        return any(title in text for text in self.js(f"return {ROWS}.map(e => e.innerText)"))

    def press_row(self, title: str) -> None:
        """Of the tree, or of what can be undone."""
        self.until(lambda: self.has_row(title), title)
        self.js(f"{ROWS}.find(e => e.innerText.includes(arguments[0])).click()", title)

    def chosen_row(self) -> str:
        """The title of the row of the chosen node; empty if none is."""
        found = "document.querySelector('#odesim-tree [aria-current=true]')"
        return str(self.js(f"return {found}?.innerText.trim() ?? ''"))

    def selected(self) -> str:
        """The title of the selected node, as the toolbar shows it."""
        return str(self.js("return document.querySelector('#odesim-toolbar output')?.value ?? ''"))

    def camera(self) -> NDArray[np.float64]:
        """Where the page's camera is, (3) in m, in the axes of the world."""
        return np.array(self.js(f"return ({CAMERA})();"))

    def wait_for_camera(self, *place: float, nearness: float = 0.05) -> None:
        """Wait until the camera is at a place, m in the world's axes; the page itself looks, every 50 ms."""
        self.browser.set_script_timeout(2.0 * LIMIT)
        away = self.browser.execute_async_script(POLL, place, nearness, LIMIT)
        assert away <= nearness, f"the camera is at {self.camera()}, not at {place}"

    def picture(self) -> NDArray[np.int64]:
        """The whole page, shape (height, width, 3)."""
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        return np.asarray(picture).astype(int)

    def drag(self, start: NDArray[Any], way: NDArray[Any], held: str = "") -> None:
        """With the left button, in steps, as a hand does; (x, y) in pixels of the page. No way: a click.

        `held`: a key that is held meanwhile.
        """
        mouse = ActionChains(self.browser, duration=50)
        if held:
            mouse.key_down(held)
        mouse.w3c_actions.pointer_action.move_to_location(*(int(each) for each in start))
        mouse.click_and_hold()
        for _ in range(10):
            mouse.move_by_offset(*(round(each / 10) for each in way))
        mouse.release()
        if held:
            mouse.key_up(held)
        mouse.perform()


def comes(condition: Callable[[], Any]) -> Any:
    """What a condition gives as soon as it holds; what is false, if it does not for a while."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
