"""Lines drawn by pens are visible at their places, in their colours and widths."""

import math

import numpy as np
import pytest
from pictures import needs_gl

from sim_core.scene import parse_scene
from sim_core.sensing.render.ink import InkLine, InkUpdate, ribbon
from sim_core.session.simulation import Simulation


def level(count: int) -> np.ndarray:
    """Return the normals of a floor."""
    return np.tile((0.0, 0.0, 1.0), (count, 1))


def test_a_ribbon_has_its_width_and_mitred_corners() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 2, 0)], float)
    edges, pieces = ribbon(points, np.zeros(3, int), level(3), 0.2)
    assert pieces.tolist() == [0, 1]
    left, right = edges[:, 0], edges[:, 1]
    assert left == pytest.approx(np.array([(-0.1, 0.1, 0), (0.9, 0.1, 0), (0.9, 2.1, 0)]))
    assert right == pytest.approx(np.array([(-0.1, -0.1, 0), (1.1, -0.1, 0), (1.1, 2.1, 0)]))


def test_strokes_are_not_joined() -> None:
    points = np.array([(k, 0, 0) for k in range(4)], float)
    _, pieces = ribbon(points, np.array([0, 0, 1, 1]), level(4), 0.1)
    assert pieces.tolist() == [0, 2]


def test_a_line_that_grows_is_the_line_drawn_at_once() -> None:
    rng = np.random.default_rng(1)
    points = np.cumsum(rng.normal(size=(40, 3)), axis=0)
    strokes = np.sort(rng.integers(0, 4, 40))
    colours = rng.uniform(size=(40, 4))
    normals = rng.normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    whole, grown = InkLine(), InkLine()
    whole.add_update(InkUpdate(0, 0, points, strokes, colours, normals, 0.1))
    for start, end in ((0, 1), (1, 2), (2, 3), (3, 17), (17, 18), (18, 40)):
        part = slice(start, end)
        grown.add_update(InkUpdate(0, start, points[part], strokes[part], colours[part], normals[part], 0.1))
    assert grown.corners == pytest.approx(whole.corners)
    assert (grown.triangles == whole.triangles).all()


WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
DirectionalLight { direction 0 0 -1 }
Solid { children Shape { appearance Appearance { material Material { diffuseColor 1 1 1 ambientIntensity 0 } }
  geometry Plane { size 4 4 } } }
DEF PLOTTER Robot { name "plotter" translation 0 -0.4 0.1 children [
  Pen { inkColor 1 0 0 inkDensity %s leadSize 0.1 } ] }
Robot { name "r" translation 0 0 2 rotation 0 1 0 1.57079633 children [ Camera { width 200 height 200 } ] }
"""


def shown(light: float) -> float:
    return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)


@needs_gl
@pytest.mark.parametrize("density", [1.0, 0.5])
def test_a_line_of_a_pen_is_seen_where_it_was_drawn(density: float) -> None:
    sim = Simulation(parse_scene(WORLD % density, "w.wbt"))
    camera = sim.robot("r")["camera"]
    camera.enabled = False
    for k in range(81):  # from y = -0.4 to 0.4, m
        sim.supervisor.set("PLOTTER", "translation", (0.0, -0.4 + 0.01 * k, 0.1))
        sim.step()
        if k == 40:
            half_way = sim.snapshot()
    sim.sample([camera])
    picture = camera.value[..., 2::-1].astype(float)
    white, mixed = shown(1.0), shown(1.0 - density)
    ink = (white, mixed, mixed)
    # The camera looks down with +x downwards in its picture, so y is to the left.
    focal = 200 / (2 * math.tan(0.785398 / 2)) / 2.0
    assert picture[100, 100] == pytest.approx(ink, abs=2)
    inked = picture[..., 1] < 0.9 * white
    rows, columns = np.nonzero(inked)
    assert rows.max() - rows.min() + 1 == pytest.approx(focal * 0.1, abs=2)
    assert columns.max() - columns.min() + 1 == pytest.approx(focal * 0.9, abs=3)
    assert np.unique(picture[100, columns.min() + 2 : columns.max() - 1, 1]).size <= 2  # nowhere twice
    sim.restore(half_way)
    sim.sample([camera])
    columns = np.nonzero(camera.value[..., 1] < 0.9 * white)[1]
    assert columns.max() - columns.min() + 1 == pytest.approx(focal * 0.5, abs=3)
    sim.reset()
    sim.sample([camera])
    assert (camera.value[100, :, 1] > 0.9 * white).all()
    sim.close()


WALL = """IndexedFaceSet { ccw FALSE coordIndex [ 0 1 2 3 -1 ] texCoordIndex [ 0 1 2 3 -1 ]
  coord Coordinate { point [ -0.5 -0.4 -0.4, -0.5 0.4 -0.4, -0.5 0.4 0.4, -0.5 -0.4 0.4 ] }
  texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1, 0 1 ] } }"""


@needs_gl
@pytest.mark.parametrize("across, up", [(0.2, 0.0), (0.0, 0.2), (0.0, 0.0)])
@pytest.mark.parametrize(
    "shape",
    [
        "Box { size 1 1 1 }",
        "Sphere { radius 0.5 subdivision 4 }",
        "Cylinder { radius 0.5 height 1 }",
        "Capsule { radius 0.5 height 1 }",
        WALL,
    ],
    ids=lambda shape: shape.split()[0],
)
def test_ink_lies_on_the_side_of_what_it_was_drawn_on(shape: str, across: float, up: float) -> None:
    """A pen that points along x draws to the side, upwards or a spot; a camera behind it sees its width."""
    sim = Simulation(parse_scene(f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }}
    DirectionalLight {{ direction 1 0 0 }}
    Solid {{ children Shape {{ geometry {shape}
      appearance Appearance {{ material Material {{ diffuseColor 1 1 1 ambientIntensity 0 }} }} }} }}
    DEF PLOTTER Robot {{ name "plotter" translation -0.8 0 -0.1 children [
      Pen {{ rotation 0 1 0 -1.57079633 inkColor 1 0 0 inkDensity 1 leadSize 0.1 }} ] }}
    Robot {{ name "r" translation -3 0 0 children [ Camera {{ width 200 height 200 }} ] }}
    """, "w.wbt"))  # fmt: skip
    camera = sim.robot("r")["camera"]
    camera.enabled = False
    for part in np.linspace(0.0, 1.0, 21):
        sim.supervisor.set("PLOTTER", "translation", (-0.8, across * (part - 0.5), up * (part - 0.5)))
        sim.step()
    sim.sample([camera])
    picture = camera.value[..., 2::-1].astype(int)
    sim.close()
    rows, columns = np.nonzero(picture[..., 0] - picture[..., 1] > 60)
    scale = 200 / (2 * math.tan(0.785398 / 2)) / 2.5  # pixels a metre, on the face before the camera
    assert np.ptp(columns) + 1 == pytest.approx(scale * (across + 0.1), abs=2)
    assert np.ptp(rows) + 1 == pytest.approx(scale * (up + 0.1), abs=2)
    assert len(rows) > 0.9 * (np.ptp(columns) + 1) * (np.ptp(rows) + 1)


@needs_gl
def test_layers_of_ink_lie_upon_each_other() -> None:
    """A pen at rest, as in Webots' own test of pens: inks mix in linear light."""
    sim = Simulation(parse_scene(WORLD % 0.1, "w.wbt"))
    camera, pen = sim.robot("r")["camera"], sim.robot("plotter")["pen"]
    pen.set_ink((1.0, 0.0, 0.0), 0.1)
    camera.enabled = False

    def seen() -> list[float]:
        sim.sample([camera])
        return camera.value[100, 142, 2::-1].tolist()  # type: ignore[no-any-return]

    for step in range(1, 12):
        sim.step()
        through = max(0.0, 1.0 - 0.1 * step)
        assert seen() == pytest.approx((shown(1.0), shown(through), shown(through)), abs=2)
    pen.set_ink((0.0, 0.6, 1.0), 1.0)
    sim.step()
    assert seen() == pytest.approx((shown(0.5), shown(0.3), shown(0.5)), abs=2)
    sim.close()
