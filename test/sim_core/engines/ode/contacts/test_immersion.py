"""Parts of shapes below a plane, tested by integration over a grid and by properties of any cut."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.engines.ode.contacts import immersion
from sim_core.engines.ode.contacts.immersion import Immersed

R, H = 0.3, 0.8
SIZE = (0.5, 0.7, 0.9)
NORMALS = [
    (0, 0, 1),
    (0, 0, -1),
    (1, 0, 0),
    (0, -1, 0),
    (0.6, 0, 0.8),
    (0.48, -0.6, 0.64),
    (-0.2, 0.1, 0.0005),
]
DEPTHS = [-0.25, -0.05, 0.0, 0.12, 0.31]
SHAPES = ("sphere", "box", "cylinder", "capsule")
VOLUME = {
    "sphere": 4 / 3 * math.pi * R**3,
    "box": SIZE[0] * SIZE[1] * SIZE[2],
    "cylinder": math.pi * R * R * H,
    "capsule": math.pi * R * R * H + 4 / 3 * math.pi * R**3,
}
AREA = {
    "sphere": 4 * math.pi * R * R,
    "box": 2 * (SIZE[0] * SIZE[1] + SIZE[1] * SIZE[2] + SIZE[2] * SIZE[0]),
    "cylinder": 2 * math.pi * R * H + 2 * math.pi * R * R,
    "capsule": 2 * math.pi * R * H + 4 * math.pi * R * R,
}


def unit(normal: tuple[float, float, float]) -> tuple[float, float, float]:
    length = math.hypot(*normal)
    return (normal[0] / length, normal[1] / length, normal[2] / length)


def part(shape: str, normal: tuple[float, float, float], depth: float) -> Immersed:
    normal = unit(normal)
    if shape == "sphere":
        return immersion.of_sphere(R, normal, depth)
    if shape == "box":
        return immersion.of_box(SIZE, normal, depth)
    if shape == "cylinder":
        return immersion.of_cylinder(R, H, normal, depth)
    return immersion.of_capsule(R, H, normal, depth)


def inside(shape: str, p: np.ndarray) -> np.ndarray:
    x, y, z = p.T
    if shape == "sphere":
        return x * x + y * y + z * z <= R * R
    if shape == "box":
        return np.all(np.abs(p) <= np.array(SIZE) / 2, axis=1)
    if shape == "cylinder":
        return (x * x + y * y <= R * R) & (np.abs(z) <= H / 2)
    beyond = np.maximum(np.abs(z) - H / 2, 0.0)
    return x * x + y * y + beyond**2 <= R * R


@pytest.fixture(scope="module")
def grid() -> dict[str, np.ndarray]:
    n = 100
    edge = (np.arange(n) + 0.5) / n - 0.5
    points = np.stack(np.meshgrid(edge * 0.72, edge * 0.72, edge * 1.44, indexing="ij"), -1).reshape(-1, 3)
    return {shape: points[inside(shape, points)] for shape in SHAPES}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_volume_and_centre_against_a_grid(grid, shape: str, normal, depth: float) -> None:
    cell = 0.72 * 0.72 * 1.44 / 100**3
    under = grid[shape][grid[shape] @ np.array(unit(normal)) <= depth]
    found = part(shape, normal, depth)
    # the plane may run along a layer of the grid: half a layer is the error
    assert found.volume == pytest.approx(len(under) * cell, abs=0.012)
    if found.volume > 0.02:
        assert found.centre == pytest.approx(tuple(under.mean(axis=0)), abs=0.012)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_both_sides_of_a_cut_make_the_whole(shape: str, normal, depth: float) -> None:
    below, above = part(shape, normal, depth), part(shape, tuple(-c for c in normal), -depth)
    tolerance = 1e-4 if shape == "capsule" else 1e-6
    assert below.volume + above.volume == pytest.approx(VOLUME[shape], rel=tolerance)
    assert below.area + above.area == pytest.approx(AREA[shape], rel=10 * tolerance)
    balance = [below.volume * a + above.volume * b for a, b in zip(below.centre, above.centre, strict=True)]
    assert balance == pytest.approx([0, 0, 0], abs=tolerance * VOLUME[shape])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normal", NORMALS)
def test_under_water_and_above_it(shape: str, normal) -> None:
    assert part(shape, normal, -2.0) == immersion.DRY
    whole = part(shape, normal, 2.0)
    assert whole.volume == pytest.approx(VOLUME[shape]) and whole.area == pytest.approx(AREA[shape])
    assert whole.centre == pytest.approx((0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("normal", NORMALS)
def test_the_volume_grows_by_the_area_of_the_cut_and_without_jumps(shape: str, normal) -> None:
    depths = np.linspace(-0.8, 0.8, 400)
    volumes = np.array([part(shape, normal, depth).volume for depth in depths])
    assert np.all(np.diff(volumes) >= -1e-5)
    assert np.max(np.diff(volumes)) < 1.6 * (depths[1] - depths[0])


def test_a_cut_cylinder_by_the_formula_of_the_ungula() -> None:
    # the plane through a diameter of the bottom and the rim of the top cuts off the volume 2/3·r²·h
    normal = unit((H, 0, -R))  # z + H/2 = x·H/R
    depth = normal[2] * (-H / 2)
    hoof = part("cylinder", tuple(-c for c in normal), -depth)
    assert hoof.volume == pytest.approx(2 / 3 * R * R * H)


def test_a_cylinder_whose_squared_radius_underflows_displaces_nothing() -> None:
    assert immersion.of_cylinder(5e-324, H, (0.0, 0.0, 1.0), 1e9) == immersion.DRY
