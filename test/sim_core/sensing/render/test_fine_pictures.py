"""Fine pictures against geometry and the laws of light."""

import math
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray
from pictures import Studio, needs_gl

from sim_core.recording.viewpoint import WorldView
from sim_core.scene import parse_scene
from sim_core.sensing.picture_view import DIRECTIONAL
from sim_core.sensing.render import environment
from sim_core.sensing.render.meshes import FLATTER, chords
from sim_core.session.simulation import Simulation

WHITE = "appearance Appearance { material Material { diffuseColor 1 1 1 ambientIntensity 0 } }"
MATT = "appearance PBRAppearance { baseColor 1 1 1 roughness 1 metalness 0 }"
FOCAL = 300 / (2 * math.tan(0.785398 / 2))


EYES = {
    f"{look}{size}": f"width {size} height {size} ambientOcclusionRadius {radius}"
    for look, radius, sizes in (("fine", 1, (300, 150, 120, 60, 20)), ("fast", 0, (300, 120)))
    for size in sizes
}
DOWN = "rotation 0 1 0 1.57079633"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with closing(Studio(tmp_path_factory.mktemp("studio"), EYES)) as made:
        yield made


def camera(studio: Studio, world: str, eye: str = "fine300", place: str = "0 0 3") -> NDArray[np.int_]:
    """Return (size, size, 3) red, green, blue of a camera that looks down from 3 m, +x downwards in its
    picture."""
    (seeing,) = studio.show(world, {eye: f"translation {place} {DOWN}"})
    found: NDArray[np.int_] = seeing.value[..., 2::-1].astype(int)
    return found


def shown(light: float) -> float:
    return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)


def light(value: NDArray[np.int_]) -> NDArray[np.float64]:
    """Convert the values of a picture to light."""
    found: NDArray[np.float64] = -np.log(1.0 - np.minimum(value / 255.0, 0.999) ** 2.2)
    return found


def slab(lamp: str) -> str:
    """Return a floor, and 0.5 m above it a slab of 0.4 m."""
    return f"""{lamp} Shape {{ {WHITE} geometry Plane {{ size 400 400 }} }}
    Pose {{ translation 0 0 0.5 children Shape {{ {WHITE} geometry Box {{ size 0.4 0.4 0.02 }} }} }}"""


@needs_gl
@pytest.mark.parametrize(
    ("lamp", "low", "high", "spread"),
    [
        # As in test_shadows; on both sides of an edge the shadow fades over the height of the slab times the
        # width of the light seen from there, and three or four of the pixels from which parts are taken.
        ("DirectionalLight { direction 0 0.5 -1 intensity 0.8 castShadows TRUE }", 0.045, 0.455, 0.08),
        (
            "SpotLight { location 0 -0.5 1 direction 0 0 -1 cutOffAngle 1.3 beamWidth 1.2 castShadows TRUE }",
            -0.5 + 0.3 / 0.51, -0.5 + 0.7 / 0.49, 0.22,
        ),
        (
            "PointLight { location 0 -0.5 1 castShadows TRUE }",
            -0.5 + 0.3 / 0.51, -0.5 + 0.7 / 0.49, 0.22,
        ),
    ],
)  # fmt: skip
def test_soft_shadows_have_their_middle_where_rays_end(
    studio: Studio, lamp: str, low: float, high: float, spread: float
) -> None:
    soft = camera(studio, slab(lamp))[..., 1]
    plain = camera(studio, slab(lamp.replace("castShadows TRUE", "")))[..., 1]
    row = light(soft[150]) / np.maximum(light(plain[150]), 1e-3)  # part of the lamp that is seen
    y = (149.5 - np.arange(300)) * 3 / FOCAL
    inside = (y > max(low, 0.25)) & (y < high - spread)
    outside = (y > high + spread) & (y < 1.0)
    assert inside.sum() + outside.sum() > 20
    assert (row[inside] < 0.05).all()
    assert (row[outside] > 0.97).all()
    near = (y > high - spread - 0.05) & (y < high + spread + 0.05)
    middle = y[near][np.argmin(abs(row[near] - 0.5))]
    assert middle == pytest.approx(high, abs=0.05)


@needs_gl
def test_the_sun_casts_shadows_far_away_too(studio: Studio) -> None:
    sun = "DirectionalLight { direction 0 0.5 -1 intensity 0.8 castShadows TRUE }"
    roof = f"Pose {{ translation 150 0 5 children Shape {{ {WHITE} geometry Box {{ size 30 6 1 }} }} }}"
    there = camera(studio, slab(sun) + roof, "fine150", "150 2.5 60")
    assert there[75, :, 1].min() == 0  # its shade, 60 m from the eye and 150 m from what else casts shadows
    beside = camera(studio, slab(sun) + roof, "fine60", "183 2.5 40")
    want = shown(0.8 / math.hypot(1.0, 0.5))
    assert beside[..., 1] == pytest.approx(np.full((60, 60), want), abs=2.0)


@needs_gl
def test_things_hide_the_sky_from_each_other_and_light_never_grows(studio: Studio) -> None:
    corner = f"""Background {{ skyColor 1 1 1 luminosity 0.6 }}
    Shape {{ {MATT} geometry Plane {{ size 40 40 }} }}
    Pose {{ translation 0 0.6 1 children Shape {{ {MATT} geometry Box {{ size 6 0.2 2 }} }} }}"""
    fine, fast = camera(studio, corner), camera(studio, corner, "fast300")
    assert (fine <= fast + 1).all()
    assert fine[150, 290] == pytest.approx(fast[150, 290], abs=3)  # the open floor, far from the wall
    y = (149.5 - np.arange(300)) * 3 / FOCAL
    beside = [fine[100:200, abs(y - at) < 0.03].mean() for at in (0.45, 0.3, 0.0, -0.7)]
    assert (np.diff(beside) >= -1.5).all()
    assert beside[0] < 0.93 * beside[-1]


@needs_gl
def test_what_is_round_and_small_is_as_large_as_it_should_be(studio: Studio) -> None:
    # What has no Material shows light 1. A sphere of radius r at 2 m covers a circle of tangent r/√(4 - r²).
    for radius in (0.015, 0.04, 0.1):
        shape = f"children Shape {{ geometry Sphere {{ radius {radius} }} }}"
        balls = "".join(
            f"Pose {{ translation {0.2617 * x + 0.0031 * y} {0.2571 * y - 0.0047 * x} 1 {shape} }}"
            for x in (-1, 0, 1)
            for y in (-1, 0, 1)
        )
        seen = camera(studio, balls)[..., 1].sum() / shown(1.0) / 9.0
        size = FOCAL * radius / math.sqrt(4.0 - radius**2)
        assert math.sqrt(seen / math.pi) == pytest.approx(size, abs=FLATTER)
        assert size * (1.0 - math.cos(math.pi / float(chords(np.array([size]))[0]))) <= FLATTER + 1e-9


@needs_gl
def test_a_smooth_edge_covers_what_lies_behind_it(studio: Studio) -> None:
    # What has no Material shows light 1; the edge goes through the picture on a slant of 1 in 5.
    edge = f"""Pose {{ translation 0 5 1 rotation 0 0 1 {math.atan(0.2)} children Shape {{
      geometry Box {{ size 30 {10 * math.cos(math.atan(0.2))} 0.01 }} }} }}"""
    picture = camera(studio, edge, "fine120")[..., 1] / shown(1.0)
    rough = camera(studio, edge, "fast120")[..., 1] / shown(1.0)
    assert set(np.unique(rough.round(2))) == {0.0, 1.0}
    assert picture.sum() == pytest.approx(rough.sum(), rel=2e-3)
    per_row = picture[10:-10].sum(axis=1)
    steps = np.diff(per_row)
    assert abs(steps) == pytest.approx(np.full(len(steps), 0.2), abs=0.35)  # 1 now and then without
    assert abs(np.diff(rough[10:-10].sum(axis=1))).max() == pytest.approx(1.0, abs=1e-3)
    assert ((picture > 0.05) & (picture < 0.95)).sum() > 80


@needs_gl
def test_white_is_white_under_a_blue_sky_and_red_in_red_light(studio: Studio) -> None:
    floor = f"Shape {{ {MATT} geometry Plane {{ size 40 40 }} }}"
    pale = camera(studio, "Background { skyColor 0.6 0.75 0.9 }" + floor, "fine20")[10, 10]
    assert np.ptp(pale) <= 2
    red = camera(studio, "PointLight { location 0 0 2 color 1 0.1 0.1 }" + floor, "fine20")[10, 10]
    assert red[0] > 1.5 * red[1]


@needs_gl
def test_shots_are_fine_and_cameras_fast_unless_they_say_otherwise() -> None:
    world = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 10 } Background { skyColor 0.7 0.7 0.7 }
    Viewpoint { position -3 0 1 orientation 0 1 0 0.3 }
    Pose { translation 0 0 0.5 children Shape { appearance PBRAppearance { roughness 1 metalness 0 }
      geometry Box { } } } Robot { name "r" children [ Camera { } ] }"""
    sim = Simulation(parse_scene(world, "w.wbt"))
    shots = [WorldView(sim, 60, 40, look=look).picture() for look in ("", "fine", "fast")]
    assert WorldView(sim, camera="r/camera")._view().look == "fast"
    sim.close()
    assert (shots[0] == shots[1]).all()
    assert not (shots[0] == shots[2]).all()


def test_an_even_sky_lights_all_sides_alike_and_one_above_ground_by_its_part() -> None:
    even = environment.harmonics(np.full((6, 16, 16, 3), 0.7))
    for normal in np.eye(3):
        assert environment.received_light(even, normal) == pytest.approx([0.7] * 3, abs=1e-3)
    sky = environment.harmonics(environment.ambient_cube(np.array([0.2, 0.4, 0.8]), None))
    for angle in (0.0, 0.7, 1.5, 2.4, math.pi):  # (1 + cos)/2 of the sky is seen, the rest is ground
        normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
        part = 0.5 + 0.5 * math.cos(angle)
        want = np.array([0.2, 0.4, 0.8]) * (part + (1.0 - part) * environment.GROUND)
        assert environment.received_light(sky, normal) == pytest.approx(want, rel=0.02)


def test_the_white_balance_keeps_the_luminance() -> None:
    numbers = environment.harmonics(np.full((6, 8, 8, 3), 1.0) * [0.3, 0.4, 0.5])
    sun = np.zeros((1, 20))
    sun[0, [0, 6, 7, 8, 9]] = DIRECTIONAL, -1.0, 1.0, 0.9, 0.8
    light = np.array([0.3, 0.4, 0.5]) + np.array([1.0, 0.9, 0.8]) / math.pi
    gains = environment.white_balance(numbers, sun)
    assert np.ptp(gains * light) == pytest.approx(0.0, abs=1e-3)
    assert environment.LUMINANCE @ (gains * light) == pytest.approx(environment.LUMINANCE @ light)
    assert (environment.white_balance(np.zeros((9, 3)), sun[:0]) == 1.0).all()
