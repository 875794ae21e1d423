"""Bounding objects, and the points of meshes, can change in a running world."""

from pathlib import Path

import pytest

from sim_core.scene import load_scene, parse_scene
from sim_core.session.simulation import Simulation

GROUND = """DEF GROUND Solid { name "ground" boundingObject DEF MESH IndexedFaceSet {
  coord DEF COORD Coordinate { point [ -2 -2 0, 2 -2 0, 2 2 0, -2 2 0 ] } coordIndex [ 0 1 2 3 -1 ] } }"""
BALL = """DEF BALL Solid { name "ball" translation 0.3 0.2 0.5 boundingObject DEF HULL Sphere { radius 0.1 }
  physics Physics { density -1 mass 1 damping Damping { linear 0.9 angular 0.9 } } }"""
EYE = """Robot { name "r" translation 0.5 0.5 3 rotation 0 1 0 1.5707963267948966 children
  DistanceSensor { name "down" type "laser" lookupTable [ 0 0 0, 9 9 0 ] } }"""


def world(*nodes: str) -> Simulation:
    text = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"
    return Simulation(parse_scene(text + "\n".join(nodes), "w.wbt"))


def height(sim: Simulation) -> float:
    """Return the height of the centre of the ball at rest."""
    sim.run(3.0)
    z: float = sim.supervisor.pose("BALL").position[2]
    return z


def at(z: float) -> list[tuple[float, float, float]]:
    return [(-2.0, -2.0, z), (2.0, -2.0, z), (2.0, 2.0, z), (-2.0, 2.0, z)]


def test_moved_points_of_a_mesh_move_objects_on_it(tmp_path: Path) -> None:
    sim = world(GROUND, BALL, EYE)
    sensor = sim.robot("r")["down"]
    assert height(sim) == pytest.approx(0.1, abs=0.005)
    assert sensor.value == pytest.approx(3.0, abs=1e-6)
    sim.supervisor.set("COORD", "point", at(-0.4))
    assert height(sim) == pytest.approx(-0.3, abs=0.005)
    assert sensor.value == pytest.approx(3.4, abs=1e-6)
    saved = Simulation(load_scene(sim.supervisor.save(tmp_path / "saved.wbt")))
    assert saved.supervisor.get("COORD", "point") == at(-0.4)
    sim.reset()
    assert height(sim) == pytest.approx(0.1, abs=0.005)


def test_another_bounding_object_collides_from_then_on() -> None:
    """One is removed and a Box added; or the bounding object is removed, and the ball falls through."""
    sim = world(GROUND, BALL)
    assert height(sim) == pytest.approx(0.1, abs=0.005)
    sim.supervisor.remove("HULL")
    sim.supervisor.import_text("DEF HULL Box { size 0.6 0.6 0.6 }", "BALL", "boundingObject")
    assert height(sim) == pytest.approx(0.3, abs=0.01)
    sim.supervisor.set("HULL", "size", (0.6, 0.6, 0.4))
    assert height(sim) == pytest.approx(0.2, abs=0.01)
    sim.supervisor.remove("MESH")
    assert height(sim) < -1.0
