"""Rendered depths are equal to the distances of exact rays."""

import numpy as np
import pytest
from pictures import needs_gl, white
from still_world import cast

from sim_core.scene import parse_scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.session.simulation import Simulation

HEIGHTS = " ".join(f"{0.3 * np.sin(x) * np.cos(y):.4f}" for y in range(9) for x in range(9))
PYRAMID = """IndexedFaceSet {
  coord Coordinate { point [ -0.3 -0.3 0, 0.3 -0.3 0, 0.3 0.3 0, -0.3 0.3 0, 0 0 0.8 ] }
  coordIndex [ 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 -1 3 2 1 0 -1 ] }"""
SCENE = "".join(
    [
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }",
        white("Plane { size 20 20 }", "0 0 -1"),
        white("Box { size 0.5 0.8 1 }", "4 1.2 -0.3", "rotation 1 2 3 0.7"),
        white("Sphere { radius 0.6 }", "3 -1 0.1"),
        white("Cylinder { radius 0.3 height 1 }", "3.5 0.2 0", "rotation 0 1 0 0.6"),
        white("Cone { bottomRadius 0.4 height 0.9 }", "2.5 -0.4 -0.6"),
        white("Capsule { radius 0.15 height 0.7 }", "2.5 0.8 0.6", "rotation 1 0 0 1"),
        white(PYRAMID, "3 -0.2 0.5", "rotation 0 0 1 0.4"),
        white(
            f"ElevationGrid {{ xDimension 9 yDimension 9 xSpacing 0.3 ySpacing 0.3 height [ {HEIGHTS} ] }}",
            "4 -2 -0.5",
        ),
        "Transform { translation 3 -1.2 1 scale 1 0.3 0.5 children",
        " Shape { geometry Sphere { radius 0.4 } } }",
    ]
)


FINDERS = {
    "planar": 'projection "planar"',
    "cylindrical": 'projection "cylindrical"',
    "spherical": 'projection "spherical"',
    "lens": "lens Lens { radialCoefficients -0.2 0.05 tangentialCoefficients 0.01 0 center 0.55 0.5 }",
}


@pytest.fixture(scope="module")
def seen() -> Simulation:
    """Return the pictures of the range finders, from one place."""
    finders = " ".join(
        f'RangeFinder {{ name "{name}" width 160 height 120 fieldOfView 1.2 maxRange 12 {fields} }}'
        for name, fields in FINDERS.items()
    )
    robot = f'Robot {{ name "r" translation 0.2 0.1 0.3 rotation 0 1 0 0.15 children [ {finders} ] }}'
    sim = Simulation(parse_scene(f"{SCENE} {robot}", "w.wbt"))
    sim.step()
    sim.close()
    return sim


def errors(sim: Simulation, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return differences of depth to the rays, m, away from edges; and the depths."""
    device = sim.robot("r")[name]
    position, rotation = device.frame.pose()
    along = device.rays.reshape(-1, 3) @ np.array(rotation).reshape(3, 3).T
    lengths = np.linalg.norm(along, axis=1)
    rays = RayScene(sim.physics)
    origins = np.tile(np.array(position), (len(along), 1))
    exact = cast(rays, origins, along / lengths[:, None], visible=True).distances / lengths
    exact = exact.reshape(device.value.shape)
    exact[exact > 12.0] = np.inf
    smooth = np.ones(exact.shape, bool)
    near = np.pad(np.minimum(exact, 1e3), 1, mode="edge")
    rows, columns = exact.shape
    for i in range(3):
        for j in range(3):
            smooth &= np.abs(near[i : i + rows, j : j + columns] - near[1:-1, 1:-1]) < 0.1
    assert smooth.mean() > 0.6
    both = np.isinf(exact) & np.isinf(device.value)
    with np.errstate(invalid="ignore"):
        difference = np.where(both, 0.0, np.abs(device.value - exact))
    return difference[smooth], exact


@needs_gl
@pytest.mark.parametrize("name", FINDERS)
def test_depth_is_what_exact_rays_measure(seen: Simulation, name: str) -> None:
    difference, exact = errors(seen, name)
    assert 0.05 < np.isfinite(exact).mean() < 1.0
    assert np.median(difference[difference > 0.0]) < 1e-3
    assert np.quantile(difference, 0.99) < 1e-2


@needs_gl
def test_a_picture_round_about_sees_what_is_behind() -> None:
    wall = white("Box { size 0.2 10 10 }", "-3.1 0 0")
    world = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} {wall}
    Robot {{ name "r" children [ RangeFinder {{ projection "spherical" fieldOfView 6.283185307
        width 181 height 91 maxRange 100 }} ] }}"""
    sim = Simulation(parse_scene(world, "w.wbt"))
    sim.step()
    sim.close()
    depth = sim.robot("r")["range-finder"].value
    assert np.isinf(depth[45, 90])
    # The first and last columns look backwards, half a pixel off: 3 m / cos.
    assert depth[45, 0] == pytest.approx(3.0 / np.cos(np.pi / 181), abs=1e-3)
    assert depth[45, -1] == pytest.approx(depth[45, 0], abs=1e-4)
