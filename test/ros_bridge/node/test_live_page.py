"""The page of a simulation that has no topics."""

from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from waiting import wait_until

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

pytest.importorskip("viser", reason="needs the Python package viser")

from ros_bridge.node.live_page import LivePage

SPEED = 1.5
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 basicTimeStep 10 }
PointLight { on FALSE }
DEF BOX Solid { children Shape { geometry Box { } } boundingObject Box { } physics Physics { } }
"""
PLACES = """return Object.values(window.__viserMutable?.nodeRefFromName ?? {})
.filter((node) => node).map((node) => node.position.toArray())"""


def test_a_browser_sees_what_moves_and_what_comes_and_the_sim_time(tmp_path: Path) -> None:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    page = LivePage(sim, 0)
    with chromium(tmp_path, 900, 900) as browser:
        browser.get(f"http://127.0.0.1:{page.port}")

        def is_shown(*position: float) -> bool:
            page.refresh()
            places: list[Any] = browser.execute_script(PLACES)
            return any(place == pytest.approx(position, abs=1e-6) for place in places)

        wait_until(lambda: browser.execute_script("return window.odesimBounds?.()"), "the look of the world")
        sim.supervisor.set_velocity("BOX", (0.0, SPEED, 0.0))
        sim.run(2.0)
        wait_until(lambda: is_shown(0.0, 2.0 * SPEED, 0.0), "the box where it has moved to")
        sim.supervisor.import_text("Solid { translation 0 0 7 children Shape { geometry Sphere { } } }")
        wait_until(lambda: is_shown(0.0, 0.0, 7.0), "the ball that came")
        read = "return [...document.querySelectorAll('input')].map((each) => each.value)"
        wait_until(lambda: "2.00 s" in browser.execute_script(read), "the sim time")
    page.close()
    sim.close()
    assert not sim.supervisor.changed
