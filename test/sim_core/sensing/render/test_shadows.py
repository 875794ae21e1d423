"""Shadows lie where the light's rays are blocked, and only in worlds with castShadows."""

import math
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from pictures import Studio, needs_gl

LOOK = "appearance Appearance { material Material { diffuseColor 1 1 1 ambientIntensity 0 } }"
SUN = "DirectionalLight { direction 0 0.5 -1 castShadows %s }"
SPOT = "SpotLight { location 0 -0.5 1 direction 0 0 -1 cutOffAngle 1.3 beamWidth 1.4 castShadows %s }"
FOCAL = 300 / (2 * math.tan(0.785398 / 2))


EYES = {"eye": "width 300 height 300", "small": "width 200 height 200"}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with closing(Studio(tmp_path_factory.mktemp("studio"), EYES)) as made:
        yield made


def floor_colours(studio: Studio, light: str, more: str = "castShadows TRUE") -> np.ndarray:
    """Return the floor from 3 m above, (300, 300), with a slab of 0.4 m at a height of 0.5 m over it."""
    world = f"""{light} Shape {{ {LOOK} geometry Plane {{ size 20 20 }} }}
    Pose {{ translation 0 0 0.5 children Shape {{ {more} {LOOK} geometry Box {{ size 0.4 0.4 0.02 }} }} }}"""
    (eye,) = studio.show(world, {"eye": "translation 0 0 3 rotation 0 1 0 1.57079633"})
    return eye.value[..., 1].copy()


def at(picture: np.ndarray, x: float, y: float) -> int:
    """Return the floor's pixel: the camera looks down with +x downwards in its picture, so y is to the
    left."""
    return int(picture[round(149.5 + FOCAL * x / 3), round(149.5 - FOCAL * y / 3)])


@needs_gl
@pytest.mark.parametrize(
    ("light", "low", "high", "half"),
    [
        # The sun goes 0.5 m along y for each metre down, past the slab's upper edge at y 0.2, z 0.51 and its
        # lower one at y -0.2, z 0.49.
        (SUN, 0.045, 0.455, 0.2),
        # From y -0.5, z 1 through the same edges.
        (SPOT, -0.5 + 0.3 / 0.51, -0.5 + 0.7 / 0.49, 0.2 / 0.495),
    ],
)
def test_the_edges_of_a_shadow_are_where_rays_end(
    studio: Studio, light: str, low: float, high: float, half: float
) -> None:
    shaded, plain = floor_colours(studio, light % "TRUE"), floor_colours(studio, light % "FALSE")
    step = 0.02
    for inside, outside in ((high - step, high + step), (max(low + step, 0.3), high + 3 * step)):
        assert at(shaded, 0.0, inside) == 0
        assert at(plain, 0.0, inside) > 50
        assert at(shaded, 0.0, outside) == pytest.approx(at(plain, 0.0, outside), abs=2)
    # Away from the shadow nothing has changed: no surface shades itself.
    assert (shaded[:, :100] > 0).mean() > 0.5
    hidden = (plain > 0) & (shaded < plain - 3)
    slab = 0.2 * 3 / 2.49  # half the side of what it hides from the camera
    seen = (high - low) * 2 * half - (slab - low) * 2 * min(half, slab)
    assert hidden.sum() == pytest.approx(seen * (FOCAL / 3) ** 2, rel=0.04)


@needs_gl
def test_a_shape_may_cast_no_shadow(studio: Studio) -> None:
    plain = floor_colours(studio, SUN % "FALSE")
    assert (floor_colours(studio, SUN % "TRUE", "castShadows FALSE") == plain).all()


@needs_gl
def test_tilted_and_round_surfaces_do_not_shade_themselves(studio: Studio) -> None:
    world = """DirectionalLight { direction 1 0.2 -0.3 castShadows %s }
    Pose { translation 2 0 0 children Shape {
      appearance Appearance { material Material { diffuseColor 1 1 1 } } geometry Sphere { radius 0.5 } } }"""
    pictures = []
    for casts in ("TRUE", "FALSE"):
        (eye,) = studio.show(world % casts, {"small": ""})
        pictures.append(eye.value[..., 1].astype(int))
    shaded, plain = pictures
    bright = plain > 100  # where the light comes in on less of a slant
    assert bright.sum() > 2000
    assert (abs(shaded - plain)[bright] <= 2).mean() > 0.999
