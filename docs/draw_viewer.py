"""What the browser viewer looks like in use: the pictures of docs/viewer.md and of the first page."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "test" / "support"))

from chromium import chromium
from viewer_page import ActionChains, ViewerPage

LIMIT = 240.0
"""Seconds that a simulation has to end."""
SIZE = (1200, 760)
ODESIM = (sys.executable, "-m", "ros_bridge.cli")


@contextmanager
def simulated(world: str, *options: str) -> Iterator[str]:
    """A simulation with its viewer; gives the viewer's address."""
    command = [*ODESIM, "run", world, "--viewer-port", "0", *options]
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, cwd=ROOT, **how)
    assert process.stdout is not None
    try:
        told = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in process.stdout)
        address = next(filter(None, told), None)
        if address is None:
            raise RuntimeError(f"{world}: no viewer")
        threading.Thread(target=process.stdout.read, daemon=True).start()  # a full pipe would stop it
        yield address[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT)


def begin(page: ViewerPage) -> None:
    """Robots at work, and where they are."""
    page.open("Poses")
    page.switch("Show poses")
    page.wait_for("//td[text()='robot1']")
    page.until(lambda: page.text("odesim-time") > "0:00:05", "some seconds of their way")


def edit(page: ViewerPage) -> None:
    """A crate is chosen in the tree, is turned, and has its handles."""
    page.open("Scene")
    page.press_row('"crate"')
    page.wait_for("//label[text()='translation']")
    page.enter("rotation", "0 0 1 0.9")
    page.until(lambda: page.text("odesim-edit") == "rotation set.", "the answer")
    page.js("document.activeElement?.blur()")


def draw(page: ViewerPage) -> None:
    """A pen draws while two numbers are plotted."""
    page.open("Plot")
    page.choose("Topic", "/turtle/ground_truth")
    for axis in "xy":
        page.choose("Number", f"pose.pose.position.{axis}")
        page.press("Add curve")
    page.until(
        lambda: page.text("odesim-time") > "0:00:13",
        "some seconds of its way, to where the panel does not hide it",
    )
    page.js("document.activeElement?.blur()")
    page.js(SCROLL_UP, page.browser.find_element("css selector", ".uplot"))


SCROLL_UP = "for (let each = arguments[0]; each; each = each.parentElement) each.scrollTop = 0;"
PAGES: dict[str, tuple[str, Callable[[ViewerPage], None]]] = {
    "viewer": ("wall_avoiders", begin),
    "viewer_edit": ("navigation", edit),
    "viewer_pen": ("devices/pen", draw),
}
"""Name of the picture, the world, and what is done there."""


def draw_page(name: str) -> None:
    """Make one picture anew."""
    world, act = PAGES[name]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        simulated(world) as address,
        chromium(Path(folder), *SIZE) as browser,
    ):
        page = ViewerPage(browser)
        page.load(address)
        page.until(lambda: page.js("return !!window.odesimBounds?.()"), "the world")
        page.draw_seldom()
        act(page)
        scene = browser.find_element("css selector", "canvas")
        ActionChains(browser).move_to_element(scene).perform()  # away from hints
        time.sleep(3.0)  # what was told last is drawn
        browser.save_screenshot(str(HERE / f"{name}.png"))
