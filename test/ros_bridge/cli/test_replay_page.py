"""`odesim replay --viewer`: a recorded run as a page whose time line is scrubbed in a browser."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from chromium import LIMIT, chromium
from selenium.webdriver import ActionChains
from waiting import wait_until

from ros_bridge.base.exit_codes import ERROR
from ros_bridge.cli.__main__ import main

pytest.importorskip("viser", reason="needs the Python package viser")
ROOT = Path(__file__).resolve().parents[3]
LENGTH, SPEED = 2.0, 0.5
"""Length of the run in s; speed of the box in m/s."""
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 gravity 0 }}
Robot {{ name "box" linearVelocity {SPEED} 0 0 controller "<none>"
  children [ GPS {{ }} DEF BODY Shape {{ geometry Box {{ size 0.2 0.2 0.2 }} }} ]
  boundingObject USE BODY physics Physics {{ }} }}
"""
PLACES = """const nodes = window.__viserMutable?.nodeRefFromName ?? {}, found = [];
for (const name in nodes) nodes[name]?.traverse((object) => {
  if (object.isMesh && object.material.name?.startsWith('{"base"'))
    found.push(object.getWorldPosition(object.position.clone()).length());
});
return found;"""


def test_a_recorded_run_is_scrubbed(simulate: Callable[..., Any], tmp_path: Path) -> None:
    world, bag = tmp_path / "box.wbt", tmp_path / "bag"
    world.write_text(WORLD, encoding="utf-8")
    run = simulate(world, mode="fast", record=str(bag), duration=LENGTH)
    assert run.wait() == 0, run.lines
    # a shell that runs the tests in the background has SIGINT ignored, also by its children
    words = [
        "env",
        "--default-signal=INT",
        sys.executable,
        "-m",
        "ros_bridge.cli",
        "replay",
        str(bag),
        "--viewer",
    ]
    with (
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as served,
        ExitStack() as stack,
        chromium(tmp_path, 500, 400) as browser,
    ):
        stack.callback(served.kill)
        assert served.stdout is not None
        told = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in served.stdout)
        browser.get(next(filter(None, told))[0])
        wait_until(lambda: browser.execute_script(PLACES), "the box")
        threading.Thread(target=served.stdout.read, daemon=True).start()
        bar = browser.find_element("css selector", ".mantine-Slider-root")

        def shown() -> tuple[float, float]:
            """Return the time, and how far the box is from its start."""
            clock = browser.execute_script("return document.getElementById('odesim-time').innerText")
            hours, minutes, seconds, parts = (int(each) for each in clock.split(":"))
            time = 3600 * hours + 60 * minutes + seconds + parts / 1000.0
            return time, browser.execute_script(PLACES)[0]

        browser.find_element("css selector", "button:has(svg[class*=player-pause])").click()
        for part in (0.75, 0.25, 0.5):
            offset = round((part - 0.5) * bar.size["width"])
            ActionChains(browser).move_to_element_with_offset(bar, offset, 0).click().perform()
            wait_until(lambda part=part: abs(shown()[0] - part * LENGTH) < 0.1, f"{part} of the run")
            wait_until(lambda: abs(shown()[1] - SPEED * shown()[0]) < SPEED / 25.0, "the box at that time")
        served.send_signal(signal.SIGINT)
        assert served.wait(LIMIT) == 0


def test_movie_and_page_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["replay", "bag", "--viewer", "--movie", "a.mp4"])
    assert left.value.code == ERROR
    assert "--movie: not allowed with argument --viewer" in capsys.readouterr().err
