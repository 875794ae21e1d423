"""A large scene arrives whole in the browsers of several viewers, again and again."""

import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from chromium import LIMIT, chromium
from viewer_page import DRAW_SELDOM, ViewerPage

from sim_core.recording.shown_scene import ShownScene
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

pytest.importorskip("viser", reason="needs the Python package viser")
ROOT = Path(__file__).resolve().parents[3]
VIEWERS, ROUNDS = 3, 3
TERRAINS, SIDE = 10, 86
LEAST = 10_000_000
"""Bytes of all files of the scene."""
PARTS = """const done = arguments[0], told = Object.values(window.__viserSceneTree?.getState() ?? {});
const parts = told.map((node) => node?.message).filter((message) => message?.type === 'GlbMessage');
const isBuilt = ({name}) => {
  let has = false;
  window.__viserMutable.nodeRefFromName[name]?.traverse((object) => { has ||= object.isMesh; });
  return has;
};
if (document.getElementById('odesim-loading')?.checkVisibility() || !parts.every(isBuilt)) done([]);
else Promise.all(parts.map(async ({props}) => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', props.glb_data));
  return [...hash].map((each) => each.toString(16).padStart(2, '0')).join('');
})).then(done);"""
"""The hashes of the files of all parts, once the page has built all that it has been sent."""


def world() -> str:
    """Return terrains that differ from each other."""
    heights = [
        " ".join(str((column * row + number) % 7 / 10) for row in range(SIDE) for column in range(SIDE))
        for number in range(TERRAINS)
    ]
    solids = (
        f"""Solid {{ name "terrain {number}" translation {9 * number} 0 0
  children Shape {{ appearance PBRAppearance {{ }} geometry ElevationGrid {{
    xDimension {SIDE} yDimension {SIDE} xSpacing 0.1 ySpacing 0.1 height [ {each} ] }} }} }}"""
        for number, each in enumerate(heights)
    )
    lamp = "DirectionalLight { direction 0.4 -0.3 -1 }"
    return "\n".join(("#VRML_SIM R2025a utf8", "WorldInfo { basicTimeStep 8 }", lamp, *solids))


def files(text: str) -> Counter[str]:
    """Return the hashes of the files of the scene."""
    sim = Simulation(parse_scene(text, "w.wbt"))
    shown = ShownScene(sim)
    found = [shown.glb(part) for part in shown.parts]
    sim.close()
    assert sum(map(len, found)) > LEAST
    return Counter(hashlib.sha256(each).hexdigest() for each in found)


@contextmanager
def viewer() -> Iterator[str]:
    """Start a viewer; give its address."""
    line = [sys.executable, "-m", "ros_bridge.cli", "view", "--port", "0"]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def test_every_browser_gets_every_part_each_time(simulate, tmp_path: Path) -> None:
    """A viewer without a browser forgets the scene, so each round brings all of it over DDS again."""
    text = world()
    wanted = files(text)
    file = tmp_path / "terrains.wbt"
    file.write_text(text, encoding="utf-8")
    simulate(file)
    with ExitStack() as stack:
        addresses = [stack.enter_context(viewer()) for _ in range(VIEWERS)]
        pages = []
        for number in range(VIEWERS):
            folder = tmp_path / f"browser{number}"
            browser = stack.enter_context(chromium(folder, 500, 400, "--force-device-scale-factor=0.25"))
            browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": DRAW_SELDOM})
            browser.set_script_timeout(LIMIT)
            pages.append(ViewerPage(browser))
        for number in range(ROUNDS):
            for page, address in zip(pages, addresses, strict=True):
                page.browser.get(address)
            for page in pages:
                page.until(
                    lambda page=page: Counter(page.browser.execute_async_script(PARTS)) == wanted,
                    f"the whole scene, round {number + 1}",
                )
            for page in pages:
                page.browser.get("about:blank")
