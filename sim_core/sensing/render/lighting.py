"""How all in a picture is lit: the lights as the shaders want them. No GL."""

from __future__ import annotations

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.sensing.render.shaders import LIGHTS

MOST = 1e18
"""Of any number of a light: shaders have numbers of 32 bits, and take squares of some."""


def in_order(lights: FloatArray) -> FloatArray:
    """The lights that count, kind by kind; see `light_rows`."""
    lights = lights[:LIGHTS]
    ordered: FloatArray = lights[np.argsort(-lights[:, 0], kind="stable")]
    return ordered


def light_table(lights: FloatArray, eye: FloatArray) -> bytes:
    """The uniform `u_light` of lights in order, seen from the eye in axes of the world."""
    table = np.zeros((LIGHTS, 16), np.float32)
    lights, eye = np.clip(lights, -MOST, MOST), np.clip(eye, -MOST, MOST)
    count = len(lights)
    table[:count, :3] = lights[:, 1:4] - eye
    table[:count, 4:7] = lights[:, 4:7]
    table[:count, 7] = lights[:, 16]
    table[:count, 8:11] = lights[:, 7:10]
    table[:count, 11] = lights[:, 17]
    table[:count, 12:15] = lights[:, 13:16]
    table[:count, 15] = lights[:, 18]
    return table.tobytes()
