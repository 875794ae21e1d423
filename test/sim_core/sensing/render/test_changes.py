"""Pictures show changes by a supervisor, snapshots and resets."""

from typing import Any

import numpy as np
import pytest
from pictures import needs_gl, white

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Background { skyColor 0 0 0 }
DEF LAMP DirectionalLight { direction 1 0 0 }
Robot { name "r" children [ Camera { width 32 height 32 } ] }
"""
BOX = """DEF BOX Solid { translation 3 0 0 children DEF SHAPE Shape {
  appearance DEF LOOK Appearance { material DEF PAINT Material { diffuseColor 1 0 0 } }
  geometry DEF FORM Box { size 1 1 1 } } }"""


def make(more: str = "") -> Simulation:
    return Simulation(parse_scene(WORLD + more, "w.wbt"))


def colour(sim: Simulation) -> list[bool]:
    """Return which of red, green and blue the middle of the next picture has."""
    sim.step()
    value: Any = sim.robot("r")["camera"].value
    return [bool(each) for each in value[16, 16, 2::-1] > 60]


def width(sim: Simulation) -> int:
    """Return the number of columns in which a shape is visible."""
    sim.step()
    value: Any = sim.robot("r")["camera"].value
    return int((value[16, :, :3].max(axis=1) > 60).sum())


BLACK, RED, GREEN = [False] * 3, [True, False, False], [False, True, False]


@needs_gl
def test_a_box_comes_changes_its_colour_and_goes() -> None:
    sim = make()
    assert colour(sim) == BLACK
    sim.supervisor.import_text(BOX)
    assert colour(sim) == RED
    sim.supervisor.set("PAINT", "diffuseColor", (0.0, 1.0, 0.0))
    assert colour(sim) == GREEN
    sim.supervisor.remove("BOX")
    assert colour(sim) == BLACK
    sim.close()


@needs_gl
@pytest.mark.parametrize("camera_waits", [True, False])
def test_after_a_snapshot_and_a_reset_the_picture_is_as_it_was(camera_waits: bool) -> None:
    sim = make()
    sim.step()
    sim.supervisor.import_text(BOX)
    before = sim.snapshot()
    assert colour(sim) == RED
    sim.supervisor.set("PAINT", "diffuseColor", (0.0, 1.0, 0.0))
    sim.supervisor.set("BOX", "translation", (3.0, 0.0, 0.2))
    assert colour(sim) == GREEN
    camera = sim.robot("r")["camera"]
    camera.waits = camera_waits
    told: list[Any] = []
    camera.add_listener(told.append)
    sim.step()  # where the camera does not wait, a picture is on the way now
    told.clear()
    sim.restore(before)
    assert not told
    camera.waits = True
    assert colour(sim) == RED
    sim.reset()
    assert colour(sim) == BLACK
    sim.restore(before)
    assert colour(sim) == RED
    sim.close()


@needs_gl
def test_what_stands_still_is_seen_where_it_was_put() -> None:
    sim = make(BOX)
    sim.step()
    home = sim.snapshot()
    assert colour(sim) == RED
    sim.supervisor.set("BOX", "translation", (3.0, 2.0, 0.0))
    away = sim.snapshot()
    assert colour(sim) == BLACK
    sim.restore(home)
    assert colour(sim) == RED
    sim.supervisor.set("BOX", "translation", (3.0, 2.0, 0.0))
    sim.reset()
    assert colour(sim) == RED
    sim.restore(away)
    assert colour(sim) == BLACK
    sim.close()


@needs_gl
def test_sizes_places_and_lights_are_followed() -> None:
    sim = make(BOX)
    focal = 32 / (2 * np.tan(0.785398 / 2))
    for size in (1.0, 0.5, 0.25, 1.0):
        sim.supervisor.set("FORM", "size", (1.0, size, 1.0))
        assert width(sim) == pytest.approx(focal * size / 2.5, abs=1.0)
    sim.supervisor.set("LAMP", "color", (0.0, 1.0, 0.0))
    assert colour(sim) == BLACK  # red paint reflects no green light
    sim.supervisor.set("LAMP", "color", (1.0, 1.0, 1.0))
    sim.supervisor.set("LAMP", "on", False)
    assert colour(sim) == BLACK
    sim.supervisor.set("LAMP", "on", True)
    assert colour(sim) == RED
    sim.close()


@needs_gl
def test_a_mesh_whose_points_change_is_drawn_anew() -> None:
    faces = """IndexedFaceSet {
      coord DEF POINTS Coordinate { point [ 0 -{0} -1, 0 {0} -1, 0 {0} 1, 0 -{0} 1 ] }
      coordIndex [ 0 3 2 1 -1 ] }"""
    sim = make(white(faces.replace("{0}", "0.5"), "2 0 0"))
    focal = 32 / (2 * np.tan(0.785398 / 2))
    assert width(sim) == pytest.approx(focal * 1.0 / 2.0, abs=1.0)
    points = [(0.0, y * 0.3, z) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sim.supervisor.set("POINTS", "point", points)
    assert width(sim) == pytest.approx(focal * 0.6 / 2.0, abs=1.0)
    sim.close()


@needs_gl
def test_the_background_follows() -> None:
    sim = make()
    sim.supervisor.remove("root[1]")
    sim.supervisor.import_text("DEF SKY Background { skyColor 0 1 0 }")
    assert colour(sim) == GREEN
    sim.supervisor.set("SKY", "skyColor", [(1.0, 0.0, 0.0)])
    assert colour(sim) == RED
    sim.close()
