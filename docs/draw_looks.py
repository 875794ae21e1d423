"""All pictures of the viewer: its panels, and six worlds there, as shots and in films; how far these differ.

    python3 docs/draw_looks.py                  # all pictures, and the page docs/looks.md
    python3 docs/draw_looks.py office viewer    # some: of WORLDS (into docs/looks/), of PAGES
    python3 docs/draw_looks.py --page           # the page alone

All three are of the world's Viewpoint at the same time, of the same size. The viewer's picture is what its
browser has on the canvas, with all panels hidden.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "test" / "support"))

from chromium import chromium
from domains import free_domain
from draw_viewer import ODESIM, PAGES, draw_page, simulated
from selenium.webdriver.common.action_chains import ActionChains

WIDTH, HEIGHT = 640, 360
SIZE = ("--size", f"{WIDTH}x{HEIGHT}")
QUALITY = 85
WAYS = ("viewer", "shot", "film")
LIMIT = 600.0
"""Seconds that the viewer has to show a world."""
PAUSE = 3.0
CALM = 4
"""Looks in a row, some drawn frames apart, at which the viewer's picture has not changed."""
FRAMES = """const done = arguments[0]; let left = 5;
const tick = () => left-- ? requestAnimationFrame(tick) : done(); tick();"""
"""Seconds alone would not do: without a graphics card a frame with its shadows may take many."""
STILL = ("--mode", "paused", "--no-controllers")
ALL_THERE = """
if (!window.odesimBounds?.()) return false;
const told = Object.values(window.__viserSceneTree.getState()).map((node) => node?.message);
const shapes = told.filter((message) => message?.type === 'GlbMessage');
return shapes.length > 0 && shapes.every(({name}) => {
  let has = false;
  window.__viserMutable.nodeRefFromName[name]?.traverse((object) => { has ||= object.isMesh; });
  return has;
});
"""
"""Whether the page has the meshes of all shapes that it has been told of."""
BEST = "localStorage.setItem('odesim quality', 'high');"
"""What a browser with a graphics card has from the start."""
CANVAS_ALONE = """
const style = document.createElement('style');
style.textContent = '* { visibility: hidden !important } canvas { visibility: visible !important }';
document.head.append(style);
"""
FIGURES = HERE / "looks" / "figures.json"
HEAD = """# Viewer, pictures and movies compared

The viewer, pictures and movies use the same description of the world. This page shows six worlds
in all three, from their Viewpoint at time 0, with 640 × 360 pixels. One command creates it:

    python3 docs/draw_looks.py

The table shows the mean difference of all pixels and channels, in percent of 255. The viewer ran
in Chromium with the quality high, with hidden panels. The movie is an .mp4 file, decoded again.
"""
TAIL = """
## Differences

The browser computes light with three.js, with the quality high. It includes the light of sky and
ground, the white balance, and ambient occlusion. A sky of one colour is lighter at the horizon
and greyer below it. Shadows are slightly narrower, and distant patterns slightly softer. The
colours of a movie are compressed."""
WORLDS = {
    "office": ("Office", "office"),
    "warehouse": ("Warehouse", "warehouse"),
    "turtlebot3": ("TurtleBot3", "robots/turtlebot3_burger"),
    "arm": ("UR5e arm", "robots/ur5e"),
    "car": ("Car (ute)", "ute"),
    "soccer": ("Soccer", "soccer"),
}
"""Title, and name as `odesim` finds it."""
Picture = NDArray[np.uint8]
"""(height, width, 3) sRGB."""


def shot(world: str, folder: Path) -> Picture:
    """By `odesim shot`."""
    file = folder / "shot.png"
    subprocess.run([*ODESIM, "shot", world, str(file), *SIZE], cwd=ROOT, check=True)
    return np.asarray(Image.open(file).convert("RGB"))


def film(world: str, folder: Path) -> Picture:
    """The first picture of an `odesim movie`."""
    file = folder / "film.mp4"
    how = ["--duration", "0.1", "--no-controllers", "--quality", "90", *SIZE]
    subprocess.run([*ODESIM, "movie", world, str(file), *how], cwd=ROOT, check=True)
    with av.open(str(file)) as container:
        return np.asarray(next(container.decode(video=0)).to_image().convert("RGB"))


def viewer(world: str, folder: Path) -> Picture:
    """What the viewer's canvas shows, once it stays as it is."""
    with simulated(world, *STILL) as address, chromium(folder, WIDTH, HEIGHT) as browser:
        browser.set_script_timeout(LIMIT)
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BEST})
        browser.get(address)
        until = time.monotonic() + LIMIT
        while not browser.execute_script(ALL_THERE) and time.monotonic() < until:
            time.sleep(PAUSE)
        browser.execute_script(CANVAS_ALONE)
        fit(browser)
        time.sleep(PAUSE)  # the viewer is told of the new size
        ActionChains(browser).send_keys("v").perform()
        same, before = 0, b""
        while same < CALM and time.monotonic() < until:
            time.sleep(PAUSE)
            browser.execute_async_script(FRAMES)
            now = browser.find_element("css selector", "canvas").screenshot_as_png
            is_same = now == before and browser.execute_script(ALL_THERE)
            same, before = (same + 1 if is_same else 0), now
    if same < CALM:
        print(f"{world}: the viewer's picture still changed after {LIMIT:.0f} s", file=sys.stderr)
    return np.asarray(Image.open(io.BytesIO(before)).convert("RGB"))[:HEIGHT, :WIDTH]


def fit(browser: Any) -> None:
    """Make the window as large as it takes for a canvas of the wanted size."""
    canvas, outer = browser.find_element("css selector", "canvas").size, browser.get_window_size()
    browser.set_window_size(*(outer[k] + n - canvas[k] for k, n in (("width", WIDTH), ("height", HEIGHT))))


def look(name: str) -> dict[str, float]:
    """Make the three pictures of a world; by how many % of 255 each two of them differ."""
    _, world = WORLDS[name]
    seen = {}
    for way, draw in zip(WAYS, (viewer, shot, film), strict=True):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            seen[way] = draw(world, Path(folder))
        Image.fromarray(seen[way]).save(HERE / "looks" / f"{name}_{way}.jpg", quality=QUALITY)
    pairs = combinations(seen.items(), 2)
    return {
        f"{a} and {b}": round(float(np.abs(x.astype(int) - y).mean()) / 2.55, 2) for (a, x), (b, y) in pairs
    }


def page(figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """The lines of docs/looks.md."""
    yield HEAD
    pairs = [f"{one} and {other}" for one, other in combinations(WAYS, 2)]
    yield f"| world | {' | '.join(pairs)} |\n|---|{'---|' * len(pairs)}"
    there = {name: told for name, told in WORLDS.items() if name in figures}
    for name, (title, _) in there.items():
        yield f"| {title} | {' | '.join(f'{figures[name][pair]:.1f} %' for pair in pairs)} |"
    for name, (title, world) in there.items():
        pictures = " | ".join(f"![{title}: {way}](looks/{name}_{way}.jpg)" for way in WAYS)
        yield f"\n## {title}\n\n| {' | '.join(WAYS)} |\n|---|---|---|\n| {pictures} |\n"
        yield f"    odesim run {world} --viewer"
        yield f"    odesim shot {world} out.png"
        yield f"    odesim movie {world} out.mp4"
    yield TAIL


def main() -> int:
    """Draw, measure, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("names", nargs="*", help=f"of {', '.join((*PAGES, *WORLDS))}; none: all")
    arguments = parser.parse_args()
    (HERE / "looks").mkdir(exist_ok=True)
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    with free_domain() as domain:
        os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        for name in [] if arguments.page else arguments.names or (*PAGES, *WORLDS):
            if name in PAGES:
                draw_page(name)
                continue
            figures[name] = look(name)
            print(name, figures[name], flush=True)
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    (HERE / "looks.md").write_text("\n".join(page(figures)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
