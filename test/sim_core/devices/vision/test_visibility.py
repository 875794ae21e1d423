"""Shapes that a supervisor hides from one camera or lidar are visible to others."""

import pytest
from pictures import needs_gl

from sim_core.base.errors import SceneError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WALL = """DEF {name} Solid {{ name "{name}" translation {place} children DEF GROUP Group {{ children Shape {{
  appearance Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor {colour} }} }}
  geometry Box {{ size 0.1 9 9 }} }} }} }}
"""
WORLD = (
    "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
    + WALL.format(name="NEAR", place="2 0 0", colour="1 0 0")
    + WALL.format(name="FAR", place="4 0 0", colour="0 1 0")
    + """Robot { name "r" children [ DEF ONE Camera { name "one" } DEF TWO Camera { name "two" }
      DEF RANGE RangeFinder { name "range" maxRange 9 } DEF GPS GPS { } ] }"""
)


def seen(sim: Simulation) -> tuple[str, str, float]:
    """Return the colours that the two cameras see straight ahead, and the RangeFinder's depth."""
    sim.step()
    robot = sim.robot("r")
    pictures = [robot[name].reading.value[32, 32] for name in ("one", "two")]
    first, second = ("red" if each[2] > 200 else "green" if each[1] > 200 else "?" for each in pictures)
    return first, second, float(robot["range"].reading.value[32, 32])


@needs_gl
def test_what_is_hidden_from_one_camera() -> None:
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    assert seen(sim) == ("red", "red", pytest.approx(1.95, abs=1e-3))
    sim.supervisor.set_visibility("NEAR", "ONE", False)
    assert seen(sim) == ("green", "red", pytest.approx(1.95, abs=1e-3))
    sim.supervisor.set_visibility("NEAR.GROUP", "RANGE", False)
    assert seen(sim) == ("green", "red", pytest.approx(3.95, abs=1e-3))
    sim.supervisor.set_visibility("NEAR", "ONE", True)
    assert seen(sim)[0] == "red"
    sim.reset()
    assert seen(sim) == ("red", "red", pytest.approx(1.95, abs=1e-3))
    with pytest.raises(SceneError, match="a Camera, a RangeFinder, a Lidar or the Viewpoint"):
        sim.supervisor.set_visibility("NEAR", "GPS", False)
    sim.close()


LIDARS = """DEF LEFT Lidar { name "left" horizontalResolution 9 fieldOfView 0.5 numberOfLayers 1 maxRange 9 }
  DEF TURNING Lidar { name "turning" horizontalResolution 8 type "rotating" numberOfLayers 1 maxRange 9
    defaultFrequency 50 maxFrequency 50 }
  DEF OTHER Lidar { name "other" horizontalResolution 9 fieldOfView 0.5 numberOfLayers 1 maxRange 9 }
  DEF GPS GPS"""


def test_what_is_hidden_from_one_lidar() -> None:
    """With one ray each straight ahead; the wall behind the first wall is 2 m farther."""
    sim = Simulation(parse_scene(WORLD.replace("DEF GPS GPS", LIDARS), "w.wbt"))

    def ahead() -> list[float]:
        sim.step(2)  # a turn
        robot = sim.robot("r")
        return [robot["left"].value[0, 4], robot["turning"].value[0, 0], robot["other"].value[0, 4]]

    assert ahead() == pytest.approx([1.95, 1.95, 1.95])
    sim.supervisor.set_visibility("NEAR", "LEFT", False)
    assert ahead() == pytest.approx([3.95, 1.95, 1.95])
    sim.supervisor.set_visibility("NEAR", "TURNING", False)
    assert ahead() == pytest.approx([3.95, 3.95, 1.95])
    sim.supervisor.set("NEAR.children[0].children[0].appearance.material", "diffuseColor", (0.0, 1.0, 0.0))
    sim.supervisor.set("NEAR", "translation", (1.0, 0.0, 0.0))
    assert ahead() == pytest.approx([3.95, 3.95, 0.95])
    sim.supervisor.set_visibility("NEAR", "LEFT", True)
    assert ahead() == pytest.approx([0.95, 3.95, 0.95])
    sim.reset()
    assert ahead() == pytest.approx([1.95, 1.95, 1.95])
    sim.close()
