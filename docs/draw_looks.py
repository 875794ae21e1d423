"""Shows six worlds in the viewer, as a shot and in a film, and says how far the three differ; writes docs/looks.md.

    python3 docs/draw_looks.py           # the pictures, into docs/looks/, and the page
    python3 docs/draw_looks.py office    # the pictures of these worlds, and the page
    python3 docs/draw_looks.py --page    # the page alone

All three are of the world's Viewpoint at the same time, of the same size. The viewer's picture is what its
browser has on the canvas, with all panels hidden.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "test" / "support"))

from chromium import chromium
from domains import free_domain
from selenium.webdriver.common.action_chains import ActionChains

WIDTH, HEIGHT = 640, 360
"""Pixels."""
QUALITY = 85
WAYS = ("viewer", "shot", "film")
LIMIT = 240.0
"""Seconds that the viewer has to show a world."""
PAUSE = 3.0
CALM = 2
"""Looks in a row, so many seconds apart, at which the viewer's picture has not changed."""
ODESIM = (sys.executable, "-m", "ros_bridge.cli")
CANVAS_ALONE = """
const style = document.createElement('style');
style.textContent = '* { visibility: hidden !important } canvas { visibility: visible !important }';
document.head.append(style);
"""


FIGURES = HERE / "looks" / "figures.json"
HEAD = """# One world, three looks

Viewer, pictures and films show one description of the world. Here each world is seen in the browser, in a picture and in a
film, from its own Viewpoint, at time 0, 640 by 360 pixels, all of it made by one command:

    python3 docs/draw_looks.py

The figures are the mean of the absolute differences of all pixels and channels, as parts of 255. The viewer was in Chromium without a
graphics card, its panels hidden; the film is an .mp4, read back.
"""
TAIL = """
## Where they still differ

The browser computes light with three.js. It knows the sky's light from above and below, the light of the ground and the white
balance of a picture, but not `ambientOcclusionRadius`: corners, and what stands on the floor, are darker in pictures and films.
Shadows are soft in all of them, and a little narrower in the browser. A film is compressed, its colours with half the pixels."""


class World(NamedTuple):
    """A world, as `odesim` finds it, and what the page says of it."""

    file: str
    title: str


WORLDS = {
    "office": World("office", "Office"),
    "warehouse": World("warehouse", "Warehouse"),
    "turtlebot3": World("robots/turtlebot3_burger", "TurtleBot3"),
    "arm": World("robots/ur5e", "UR5e arm"),
    "car": World("ute", "Car (ute)"),
    "soccer": World("soccer", "Soccer"),
}
Picture = NDArray[np.uint8]
"""(height, width, 3) sRGB."""


def odesim(*words: str) -> None:
    """Run a command to its end."""
    subprocess.run([*ODESIM, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def shot(world: str, folder: Path) -> Picture:
    """By `odesim shot`."""
    file = folder / "shot.png"
    odesim("shot", world, str(file), "--size", f"{WIDTH}x{HEIGHT}")
    return np.asarray(Image.open(file).convert("RGB"))


def film(world: str, folder: Path) -> Picture:
    """The first picture of an `odesim movie`."""
    file = folder / "film.mp4"
    how = ["--duration", "0.1", "--no-controllers", "--quality", "90", "--size", f"{WIDTH}x{HEIGHT}"]
    odesim("movie", world, str(file), *how)
    with av.open(str(file)) as container:
        return np.asarray(next(container.decode(video=0)).to_image().convert("RGB"))


@contextmanager
def paused(world: str) -> Iterator[str]:
    """A simulation at time 0 with its viewer; gives the viewer's address."""
    command = [*ODESIM, "run", world, "--mode", "paused", "--no-controllers", "--viewer-port", "0"]
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, cwd=ROOT, **how)
    lines: list[str] = []
    found: list[str] = []
    there = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if address := re.search(r"http://127\.0\.0\.1:\d+", line):
                found.append(address[0])
                there.set()

    threading.Thread(target=read, daemon=True).start()
    try:
        if not there.wait(LIMIT):
            raise RuntimeError("no viewer: " + "".join(lines))
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT)


def viewer(world: str, folder: Path) -> Picture:
    """What the viewer's canvas shows, once it stays as it is."""
    with paused(world) as address, chromium(folder, WIDTH, HEIGHT) as browser:
        browser.get(address)
        until = time.monotonic() + LIMIT
        while browser.execute_script("return !window.odesimBounds?.()") and time.monotonic() < until:
            time.sleep(PAUSE)
        browser.execute_script(CANVAS_ALONE)
        fit(browser)
        time.sleep(PAUSE)  # the viewer is told of the new size
        ActionChains(browser).send_keys("v").perform()
        same, before = 0, b""
        while same < CALM and time.monotonic() < until:
            time.sleep(PAUSE)
            now = browser.find_element("css selector", "canvas").screenshot_as_png
            same, before = (same + 1 if now == before else 0), now
    if same < CALM:
        print(f"{world}: the viewer's picture still changed after {LIMIT:.0f} s", file=sys.stderr)
    return np.asarray(Image.open(io.BytesIO(before)).convert("RGB"))[:HEIGHT, :WIDTH]


def fit(browser: Any) -> None:
    """Make the window as large as it takes for a canvas of the wanted size."""
    size = "const box = document.querySelector('canvas').getBoundingClientRect(); return [box.width, box.height]"
    width, height = browser.execute_script(size)
    outer = browser.get_window_size()
    browser.set_window_size(outer["width"] + WIDTH - width, outer["height"] + HEIGHT - height)


def difference(one: Picture, other: Picture) -> float:
    """Mean absolute difference of all pixels and channels, % of 255."""
    return float(np.abs(one.astype(int) - other).mean() / 2.55)


def look(name: str) -> dict[str, float]:
    """Make the three pictures of a world; by how many % each two of them differ."""
    world = WORLDS[name].file
    pictures = {}
    for way, draw in zip(WAYS, (viewer, shot, film), strict=True):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            pictures[way] = draw(world, Path(folder))
        Image.fromarray(pictures[way]).save(HERE / "looks" / f"{name}_{way}.jpg", quality=QUALITY)
    return {
        f"{one} and {other}": round(difference(pictures[one], pictures[other]), 2)
        for one, other in combinations(WAYS, 2)
    }


def page(figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """The lines of docs/looks.md."""
    yield HEAD
    pairs = [f"{one} and {other}" for one, other in combinations(WAYS, 2)]
    yield "| world | " + " | ".join(pairs) + " |"
    yield "|---|" + "---|" * len(pairs)
    there = [name for name in WORLDS if name in figures]
    for name in there:
        yield f"| {WORLDS[name].title} | " + " | ".join(f"{figures[name][pair]:.1f} %" for pair in pairs) + " |"
    for name in there:
        yield f"\n## {WORLDS[name].title}\n"
        yield "| the viewer | the shot | the film |\n|---|---|---|"
        yield "| " + " | ".join(f"![{WORLDS[name].title}: {way}](looks/{name}_{way}.jpg)" for way in WAYS) + " |"
        yield f"\n    odesim run {WORLDS[name].file} --viewer"
        yield f"    odesim shot {WORLDS[name].file} out.png"
        yield f"    odesim movie {WORLDS[name].file} out.mp4"
    yield TAIL


def main() -> int:
    """Draw, measure, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(WORLDS)}; none: all")
    arguments = parser.parse_args()
    (HERE / "looks").mkdir(exist_ok=True)
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    with free_domain() as domain:
        os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        for name in [] if arguments.page else arguments.names or WORLDS:
            figures[name] = look(name)
            print(name, figures[name], flush=True)
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    (HERE / "looks.md").write_text("\n".join(page(figures)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
