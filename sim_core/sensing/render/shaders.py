"""What the GLSL programs in `glsl/` compute, and what they are told of lights and fog.

Light is summed in linear numbers, and written as sRGB (IEC 61966-2-1). For a surface with normal N,
base colour C, light of colour I from direction L, seen from direction V, with H = (L + V)/|L + V|:

    emitted + fog-free sum = E + ambient + Σ att·spot·(diffuse·(N·L) + specular)·I
    Appearance:    ambient = C·Σ light ambient·ambientIntensity; diffuse = C;
                   specular = S·(N·H)^(128·shininess)
    PBRAppearance: ambient = C·(Σ light ambient + IBLStrength·sky); diffuse = C·(1 - metalness);
                   specular = π·D·F·G·(N·L), the microfacet model of Cook and Torrance with D of
                   Trowbridge and Reitz (α = roughness²), F of Schlick (F0 = 0.04, of metal C) and G of
                   Smith and Schlick
    att = 1/(a0 + a1·d + a2·d²), 0 beyond the radius; spot falls from 1 at beamWidth to 0 at cutOffAngle

Pictures on surfaces are factors of C; on an Appearance also of E, and what has one has no specular, as in
Webots. Those of roughness, metalness and E of a PBRAppearance stand for the numbers in its fields, that of
occlusion is a factor of ambient.

The picture shows 1 − exp(−exposure·sum), as film does, so that what is bright keeps its colour (and as Webots
does). The factor 1/π of diffuse reflection is left out, as the intensities of such worlds are meant: a white
wall that a light of intensity 1 shines on straight gives off light of 1.
"""

from __future__ import annotations

from sim_core.sensing.picture_view import DIRECTIONAL, POINT, SPOT

LIGHTS = 32
"""Most lights that count; those that come first in the file."""
MOST_UNROLLED = 6
"""Lights for which a program of their own is made; more are gone through in a loop, which is slower."""
_LIGHT_KINDS = {DIRECTIONAL: "sun", POINT: "point", SPOT: "spot"}
_CLEAR = {1: "max(1.0 - d, 0.0)", 2: "exp(-d)", 3: "exp(-d * d)"}
"""Part of the light that fog lets through, by its kind."""


def light_features(kinds: list[int], fog: int, shadow: int | None = None) -> tuple[str, ...]:
    """What a program for colours must know of the lights and of fog.

    Args:
        kinds: of the lights in their order, those of a kind together.
        fog: its kind; 0: none.
        shadow: number of the light that casts shadows.
    """
    calls = [
        f"sum += {'lit() * ' if number == shadow else ''}{_LIGHT_KINDS[kind]}({number});"
        for number, kind in enumerate(kinds)
    ]
    if len(kinds) > MOST_UNROLLED:
        calls = [
            f"for (int n = {kinds.index(kind)}; n < {kinds.index(kind) + kinds.count(kind)}; ++n) "
            f"sum += {'' if shadow is None else f'(n == {shadow} ? lit() : 1.0) * '}{_LIGHT_KINDS[kind]}(n);"
            for kind in dict.fromkeys(kinds)
        ]
    features: tuple[str, ...] = (f"LIGHTS {LIGHTS}", f"EACH_LIGHT {' '.join(calls)}")
    if shadow is not None:
        features += ("SHADOW",)
    return (*features, f"FOG {_CLEAR[fog]}") if fog else features
