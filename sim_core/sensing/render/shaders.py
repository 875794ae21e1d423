"""Equations of the GLSL programs in `glsl/`, and their parameters of lights and fog.

Light is summed in linear numbers. As in Webots (its shaders phong.frag, pbr.frag, hdr_resolve.frag): colours
are sRGB (IEC 61966-2-1), but those of ambient light, of the sky around a PBRAppearance, and of the emitted
light of a PBRAppearance are linear. For a surface with normal N, base colour C, light of colour c and
intensity i from direction L, seen from direction V, with H = (L + V)/|L + V|:

    sum = emitted + ambient + Σ att·spot·c·i·reflected
    Appearance:    ambient = (sRGB of ambientIntensity·diffuseColor)·Σ light ambient;
                   reflected = C·(N·L) + S·(N·H)^(128·shininess)
                   with a texture: C = 1, S = 0, and its colour is a factor of the sum
                   without Material: sum = 1
    PBRAppearance: ambient = IBLStrength·luminosity·sky·(d + f0·a + b), see `reflectance.py`;
                   reflected = (N·L)/π·((1 - F)·d + F·α²/(t²·g(N·L)·g(N·V)))
                   with d = 0.96·C·(1 - metalness), f0 = 0.04, of metal C, α = roughness² (at least 0.04²),
                   F of Schlick, t = (N·H)²·(α² - 1) + 1, g(x) = x + √(α² + (1 - α²)·x²): the microfacet model
                   of Cook and Torrance with D of Trowbridge and Reitz and G of Smith.
                   Textures are factors of C; those of roughness, metalness and emitted light replace the
                   numbers in its fields, that of occlusion is a factor of ambient.
    att = 1/(a0 + a1·d + a2·d²), 0 beyond the radius; spot falls from 1 at beamWidth to 0 at cutOffAngle
    fog hides (1 - clear)^2.2 of the sum, clear by `visibilityRange`

The picture shows (1 - exp(-exposure·sum))^(1/2.2). Where light is mixed before it is shown (transparent
shapes, pens, Focus, motionBlur), linear light is drawn first. The sky is the light that a picture with the
Viewpoint's exposure shows as the colour in the file.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.sensing.picture_view import DIRECTIONAL, POINT, SPOT

LIGHTS = 32
"""Largest number of lights; the first ones in the file are used."""
MAX_UNROLLED = 6
"""Largest number of lights without a loop in the program; loops are slower."""
LIGHT_KINDS = {DIRECTIONAL: "sun", POINT: "point", SPOT: "spot"}
MAX_VALUE = 1e18
"""Largest number of a light: shaders have 32-bit numbers, and square some of them."""
_CLEAR = {1: "max(1.0 - d, 0.0)", 2: "exp(-d)", 3: "exp(-d * d)"}
"""Fraction of light that passes fog, by its kind."""


def light_features(
    kinds: list[int], fog: int, casting: Collection[int] = (), shadow: str = ""
) -> tuple[str, ...]:
    """Return the features of programs for colours that depend on lights and fog.

    Args:
        kinds: kinds of the lights in their order, those of a kind together.
        fog: its kind; 0: none.
        casting: numbers of the lights that cast shadows.
        shadow: expression of the shader for the visible fraction of their light.
    """
    calls = [
        f"sum += {f'{shadow} * ' if number in casting else ''}{LIGHT_KINDS[kind]}({number});"
        for number, kind in enumerate(kinds)
    ]
    if len(kinds) > MAX_UNROLLED:
        which = " || ".join(f"n == {number}" for number in casting)
        factor = f"({which} ? {shadow} : {shadow} * 0.0 + 1.0) * " if which else ""
        calls = [
            f"for (int n = {kinds.index(kind)}; n < {kinds.index(kind) + kinds.count(kind)}; ++n) "
            f"sum += {factor}{LIGHT_KINDS[kind]}(n);"
            for kind in dict.fromkeys(kinds)
        ]
    features: tuple[str, ...] = (f"LIGHTS {LIGHTS}", f"EACH_LIGHT {' '.join(calls)}")
    return (*features, f"FOG {_CLEAR[fog]}") if fog else features


def in_order(lights: FloatArray) -> FloatArray:
    """Return the used lights, sorted by kind; see `light_rows`."""
    lights = lights[:LIGHTS]
    ordered: FloatArray = lights[np.argsort(-lights[:, 0], kind="stable")]
    return ordered


def light_table(lights: FloatArray, eye: FloatArray) -> bytes:
    """Return the uniform `u_light` of lights in order, relative to the eye in axes of the world."""
    table = np.zeros((LIGHTS, 16), np.float32)
    lights, eye = np.clip(lights, -MAX_VALUE, MAX_VALUE), np.clip(eye, -MAX_VALUE, MAX_VALUE)
    count = len(lights)
    table[:count, :3] = lights[:, 1:4] - eye
    table[:count, 4:7] = lights[:, 4:7]
    table[:count, 7] = lights[:, 16]
    table[:count, 8:11] = lights[:, 7:10]
    table[:count, 11] = lights[:, 17]
    table[:count, 12:15] = lights[:, 13:16]
    table[:count, 15] = lights[:, 18]
    return table.tobytes()
