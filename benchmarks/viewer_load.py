"""Load of the viewer's page over the number of objects; `viewer_cost.py` measures that of the simulation.

    python benchmarks/viewer_load.py [--counts 10 100 1000] [--seconds 10]

For each number of boxes that move: files of the page and of the scene, memory of its JavaScript, draw
calls and triangles of one picture, processor time of the page's thread per picture, which is what it takes
beside a graphics card, and pictures per second of headless Chromium without one.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "support")]

from chromium import chromium
from domains import free_domain
from viewer_page import DRAW_SELDOM, ViewerPage

SIZE = (1280, 720)
COUNTS = (10, 100, 1000)
MEGA = 1e6
HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Viewpoint { position -12 0 9 orientation 0 1 0 0.65 }
Background { skyColor 0.55 0.72 0.9 }
DirectionalLight { direction 0.4 -0.3 -1 castShadows TRUE }
Solid { children Shape { geometry Plane { size 20 20 } castShadows FALSE } }
"""
BOX = """Solid {{ name "box {number}" translation {x:.3f} {y:.3f} 0.2 angularVelocity 0 0 {speed}
  children DEF SHAPE{number} Shape {{ appearance PBRAppearance {{ baseColor {red:.2f} 0.4 0.3 }}
    geometry Box {{ size 0.2 0.2 0.2 }} }}
  boundingObject USE SHAPE{number} physics Physics {{ }} }}
"""
FRAMES = """const [seconds, done] = arguments, state = window.__viserMutable.scene.__r3f.root.getState();
let drawn = state.gl.info.render.frame;
const first = drawn, begin = performance.now();
const look = () => {
  window.__viserMutable.requestRender();
  if (performance.now() - begin < 1000 * seconds) return requestAnimationFrame(look);
  const pictures = state.gl.info.render.frame - first;
  done([pictures, 1000 * pictures / (performance.now() - begin)]);
};
look();"""
PICTURE = """const {gl} = window.__viserMutable.scene.__r3f.root.getState(), {info} = gl, done = arguments[0];
const before = info.autoReset;
info.autoReset = false;
info.reset();
const frame = info.render.frame;
window.__viserMutable.requestRender();
const look = () => {
  if (info.render.frame === frame) return requestAnimationFrame(look);
  done([info.render.calls, info.render.triangles]);
  info.autoReset = before;
};
requestAnimationFrame(look);"""
LOADED = """const all = ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind));
return all.reduce((sum, each) => sum + each.transferSize, 0);"""
SCENE = """const told = Object.values(window.__viserSceneTree.getState()).map((node) => node?.message);
const shapes = told.filter((message) => message?.type === 'GlbMessage');
return shapes.reduce((sum, {props}) => sum + (props?.glb_data?.byteLength ?? 0), 0);"""
MESHES = """let boxes = 0;
const count = ({isMesh, isInstancedMesh, material}) => {
  if (isMesh && !isInstancedMesh && material.userData?.dressed) boxes += 1;
};
window.__viserMutable?.scene?.traverse(count);
return boxes;"""
DRAWN_AT_ONCE = """let count = 0;
window.__viserMutable.scene.traverse((object) => { if (object.isInstancedMesh) count += object.count; });
return count;"""


class Load(NamedTuple):
    """What one number of objects takes.

    Attributes:
        page, scene, memory: MB of files, of glTF files of the scene, of JavaScript.
        calls, triangles: of one picture.
        work: processor time of the page's thread per picture, ms.
        pictures: per second.
    """

    page: float
    scene: float
    memory: float
    calls: int
    triangles: int
    work: float
    pictures: float


def world_text(count: int) -> str:
    """Return a world with so many boxes, each of its own colour, that rotate without end."""
    side = math.ceil(math.sqrt(count))
    places = ((k, (k % side - side / 2) * 0.4, (k // side - side / 2) * 0.4) for k in range(count))
    return HEAD + "".join(
        BOX.format(number=k, x=x, y=y, speed=1 + k % 3, red=(k % 20) / 20) for k, x, y in places
    )


@contextmanager
def command(*words: str) -> Iterator[Any]:
    """Run `odesim` with these arguments."""
    line = [sys.executable, "-m", "ros_bridge.cli", *words]
    process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60.0)


def measure(count: int, seconds: float) -> Load:
    """Measure one number of objects."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, free_domain() as domain:
        os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        world = Path(name) / "boxes.wbt"
        world.write_text(world_text(count), encoding="utf-8")
        with (
            command("run", str(world), "--no-viewer"),
            command("view", "--port", "0") as viewer,
            chromium(Path(name), *SIZE) as browser,
        ):
            address = re.search(r"http://\S+", viewer.stdout.readline())
            assert address is not None
            browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": DRAW_SELDOM})
            browser.set_script_timeout(300.0)
            page = ViewerPage(browser)
            page.load(address[0])
            page.until(lambda: page.js(MESHES) > count and not page.text("odesim-loading"), "all boxes")
            page.until(lambda: page.js(DRAWN_AT_ONCE) >= count, "all boxes in few draw calls")
            scene = page.js(SCENE)
            calls, triangles = browser.execute_async_script(PICTURE)
            loaded, memory = page.js(LOADED), page.js("return performance.memory.usedJSHeapSize")
            page.js("window.requestAnimationFrame = (next) => setTimeout(() => next(performance.now()), 0);")
            browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            before = busy(browser)
            drawn, pictures = browser.execute_async_script(FRAMES, seconds)
            work = 1e3 * (busy(browser) - before) / drawn
    return Load(loaded / MEGA, scene / MEGA, memory / MEGA, calls, triangles, work, pictures)


def busy(browser: Any) -> float:
    """Return the processor time of the page's thread until now, s."""
    told = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(float(each["value"]) for each in told if each["name"] == "TaskDuration")


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, metavar="N")
    parser.add_argument("--seconds", type=float, default=10.0)
    arguments = parser.parse_args()
    print("| objects | page | scene | memory | draw calls | triangles | work | pictures/s |")
    print("|---|---|---|---|---|---|---|---|")
    for count in arguments.counts:
        one = measure(count, arguments.seconds)
        sizes = " | ".join(f"{each:.1f} MB" for each in one[:3])
        drawn = f"{one.calls} | {one.triangles} | {one.work:.1f} ms | {one.pictures:.1f}"
        print(f"| {count} | {sizes} | {drawn} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
