"""Colours of surfaces against the formulas of `shaders.py`, implemented here again."""

import math
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from pictures import Studio, needs_gl

from sim_core.model.surroundings import Background
from sim_core.sensing.render.materials import to_linear
from sim_core.sensing.render.shaders import light_table
from sim_core.sensing.render.sky_and_fog import ambient_light


def linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def shown(light: float) -> float:
    return 255.0 * (1.0 - math.exp(-light)) ** (1 / 2.2)


def wall(appearance: str, x: str = "2.5") -> str:
    shape = f"Shape {{ appearance {appearance} geometry Box {{ size 1 4 4 }} }}"
    return f"Solid {{ translation {x} 0 0 children {shape} }}"


EYES = {
    "plain": "width 9 height 9",
    "blurred": "width 9 height 9 motionBlur 100",
    "focused": "width 9 height 9 antiAliasing TRUE focus Focus { focalDistance 1 focalLength 1 }",
}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with closing(Studio(tmp_path_factory.mktemp("studio"), EYES)) as made:
        yield made


def middle(studio: Studio, nodes: str, appearance: str, exposure: float = 1.0) -> np.ndarray:
    """Return red, green and blue of the middle of a wall 2 m ahead that faces the camera."""
    return seen(studio, nodes + wall(appearance), exposure)


def seen(studio: Studio, nodes: str, exposure: float = 1.0, eye: str = "plain") -> np.ndarray:
    """Return red, green and blue of the middle of a camera's picture."""
    (camera,) = studio.show(nodes, {eye: ""}, exposure)
    value = camera.value
    assert value.shape == (9, 9, 4) and value.dtype == np.uint8 and (value[..., 3] == 255).all()
    return value[4, 4, 2::-1].astype(float)


def phong(diffuse: str) -> str:
    return f"Appearance {{ material Material {{ diffuseColor {diffuse} ambientIntensity 0.4 }} }}"


@needs_gl
def test_a_directional_light_on_a_slant(studio: Studio) -> None:
    angle = 0.6
    light = (
        f"DirectionalLight {{ direction {math.cos(angle)} 0 {-math.sin(angle)} intensity 0.7 color 1 0.5 1 "
    )
    got = middle(studio, light + "ambientIntensity 0.3 }", phong("0.8 0.6 0.1"))
    want = [
        shown(linear(b) * linear(c) * 0.7 * math.cos(angle) + linear(0.4 * b) * c * 0.3)
        for b, c in ((0.8, 1.0), (0.6, 0.5), (0.1, 1.0))
    ]
    assert got == pytest.approx(want, abs=1.0)


@needs_gl
def test_a_point_light_weakens_with_the_distance(studio: Studio) -> None:
    light = "PointLight { location 0.5 0 0 attenuation 1 0.5 0.25 intensity 0.9 }"
    d = 1.5
    got = middle(studio, light, phong("1 1 1"))
    assert got == pytest.approx([shown(0.9 / (1 + 0.5 * d + 0.25 * d * d))] * 3, abs=1.0)
    assert (middle(studio, light[:-1] + "radius 1.4 }", phong("1 1 1")) == 0.0).all()


@needs_gl
def test_a_spot_light_falls_from_its_beam_to_its_edge(studio: Studio) -> None:
    angle = 0.3
    spot = f"SpotLight {{ direction {math.cos(angle)} {math.sin(angle)} 0 beamWidth 0.2 cutOffAngle 0.6 }}"
    assert middle(studio, spot, phong("1 1 1")) == pytest.approx([shown((0.6 - angle) / 0.4)] * 3, abs=1.0)
    narrow = spot.replace("0.6", "0.25").replace("beamWidth 0.2", "beamWidth 0.1")
    assert (middle(studio, narrow, phong("1 1 1")) == 0.0).all()


@needs_gl
def test_physically_based_surface_seen_straight_on(studio: Studio) -> None:
    """Light from the eye: N = L = V = H, so D = 1/(π·α²), F = F0 and G = 1; specular = F0/(4·π·α²).

    Ambient light does not count; the sky's does, with what an even sky gives a surface as rough as this,
    straight on: f0·a + b, the integral of F·G·(V·H)/((N·H)·(N·V)) over D.
    """
    rough, metal, sky, intensity = 0.8, 0.3, 0.25, 0.5
    a = b = 0.0
    steps = 2000
    for k in range(steps):  # N = V: G and H do not depend on the azimuth
        part = (k + 0.5) / steps
        nh = math.sqrt((1 - part) / (1 + (rough**4 - 1) * part))
        nl = 2 * nh * nh - 1
        if nl > 0:
            g = nl / (nl * (1 - rough**2 / 2) + rough**2 / 2)
            a += (1 - (1 - nh) ** 5) * g / steps
            b += (1 - nh) ** 5 * g / steps
    nodes = (
        f"Background {{ skyColor 1 1 1 luminosity {sky} }} "
        "DirectionalLight { direction 1 0 0 intensity 0.5 ambientIntensity 0.1 }"
    )
    look = (
        f"PBRAppearance {{ baseColor 0.5 0.7 0.2 roughness {rough} metalness {metal} IBLStrength 0.6 "
        "emissiveColor 0.2 0 0 emissiveIntensity 0.5 }"
    )
    want = []
    for base, glow in zip(map(linear, (0.5, 0.7, 0.2)), (0.5 * 0.2, 0.0, 0.0), strict=True):
        f0 = 0.04 + (base - 0.04) * metal
        specular = f0 / (4.0 * math.pi * rough**4)
        diffuse = 0.96 * base * (1 - metal)
        lit = intensity * ((1 - f0) * diffuse / math.pi + specular)
        want.append(shown(glow + 0.6 * sky * (diffuse + f0 * a + b) + lit))
    assert middle(studio, nodes, look) == pytest.approx(want, abs=1.0)


@needs_gl
def test_what_is_transparent_lets_the_sky_through(studio: Studio) -> None:
    look = "PBRAppearance { baseColor 0 0 0 metalness 0 roughness 1 IBLStrength 0 transparency 0.75 }"
    got = middle(studio, "Background { skyColor 0 0 0.5 }", look)
    sky = -math.log(1 - 0.5**2.2)
    assert got == pytest.approx([0.0, 0.0, shown(0.75 * sky)], abs=1.5)


@needs_gl
@pytest.mark.parametrize("eye", EYES)
def test_the_sky_has_the_colour_that_is_written(studio: Studio, eye: str) -> None:
    """With the Viewpoint's exposure; with twice that, 1 - (1 - c^2.2)² is shown. The box is behind."""
    sky = "Background { skyColor 0.2 0.6 1 luminosity 0.3 } Viewpoint { exposure 0.5 }"
    for exposure, power in ((0.5, 1), (1.0, 2)):
        got = seen(studio, f"{sky} {wall('Appearance { }', '-2')}", exposure, eye)
        want = [255 * (1 - (1 - c**2.2) ** power) ** (1 / 2.2) for c in (0.2, 0.6, 1.0)]
        assert got == pytest.approx(want, abs=1.0)


@needs_gl
def test_a_shape_without_material_is_white_by_itself(studio: Studio) -> None:
    for look in ("Appearance { }", "NULL"):
        assert middle(studio, "", look) == pytest.approx([shown(1.0)] * 3, abs=1.0)


@needs_gl
@pytest.mark.parametrize(
    ("kind", "clear"),
    [("LINEAR", 1 - 2 / 5), ("EXPONENTIAL", math.exp(-2 / 5)), ("EXPONENTIAL2", math.exp(-4 / 25))],
)
def test_fog_hides_what_is_far(studio: Studio, kind: str, clear: float) -> None:
    hidden = (1 - clear) ** 2.2
    look = "Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0 0 } }"
    fog = f'Fog {{ color 0 1 0 fogType "{kind}" visibilityRange 5 }}'
    assert middle(studio, fog, look) == pytest.approx([shown(1 - hidden), shown(hidden), 0.0], abs=1.5)


@needs_gl
def test_no_colour_is_too_bright_for_a_graphics_card() -> None:
    with np.errstate(all="raise"):
        light = to_linear((1e308, 1.0, 0.0))
    assert light[0] < np.finfo(np.float32).max and light[1:].tolist() == [1.0, 0.0]


def test_exposure_is_a_factor_of_all_light(studio: Studio) -> None:
    light = "DirectionalLight { direction 1 0 0 intensity 0.2 }"
    assert middle(studio, light, phong("1 1 1"), 3.0) == pytest.approx([shown(0.6)] * 3, abs=1.0)


@pytest.mark.filterwarnings("error")
def test_light_that_no_number_of_32_bits_can_tell() -> None:
    """A sky beyond white and black is white and black, a light beyond all limits is far away."""
    for colour, luminosity, around in (
        ((-1e308, 0.5, 1e308), 1.0, (0.0, 0.5, 1.0)),
        ((0.0, 1.0, 0.5), 1e308, None),
    ):
        light = ambient_light(Background(colour, luminosity, ()), None)
        assert np.isfinite(light.astype(np.float32)).all()
        assert around is None or tuple(light) == around
    rows = np.zeros((1, 19))
    rows[0, 1:4] = (1e308, -1e308, 2.0)
    table = np.frombuffer(light_table(rows, np.array([-1e308, 1e308, 1.0])), np.float32)
    assert np.isfinite(table).all() and table[0] == -table[1] > 1e9 and table[2] == 1.0
