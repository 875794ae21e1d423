"""Ambient light in "fine" pictures. No GL.

It is that of the Background: of its pictures, or of its colour above the horizon and GROUND times it below. A
rough surface receives it by 9 numbers for each colour (spherical harmonics up to degree 2: Ramamoorthi and
Hanrahan, 2001), a smooth one reflects it from a cube map.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array, FloatArray, Pixels
from sim_core.sensing.picture_view import DIRECTIONAL
from sim_core.sensing.render.sky_and_fog import SIDES

GROUND = 0.5
"""Fraction of the light of a sky of one colour that the ground reflects."""
BOUNCE = 0.2
"""Fraction of the light of the sun that the ground reflects."""
SIDE = 64
"""Pixels of a side of the cube map of a Background with pictures."""
HORIZON = 0.08
"""Sine of the angle over which sky changes to ground."""
MAX_BALANCE = 1.6
"""Largest factor by which the white balance changes a colour."""
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
"""Weights of red, green and blue of sRGB (ITU-R BT.709)."""
_GL_SIDES = (  # a texel at (s, t) from -1 to 1: axis, axis of s, axis of t (OpenGL 3.3, 3.8.10)
    ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
)


def texel_directions(side: int) -> FloatArray:
    """Return unit vectors to the texels of a cube map, (6, side, side, 3), in OpenGL's order."""
    steps = (2.0 * np.arange(side) + 1.0) / side - 1.0
    axes = np.array(_GL_SIDES, float)[:, :, None, None, :]
    found = axes[:, 0] + axes[:, 1] * steps[None, None, :, None] + axes[:, 2] * steps[None, :, None, None]
    unit: FloatArray = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return unit


def ambient_cube(colour: FloatArray, strip: Pixels | None) -> Float32Array:
    """Return the ambient light as a cube map, (6, n, n, 3).

    Args:
        colour: (3,) of the sky, or the mean of its pictures; times its luminosity.
        strip: the pictures, see `backdrop`; None: one colour.
    """
    directions = texel_directions(SIDE if strip is not None else SIDE // 4)
    if strip is None:
        part = np.clip(0.5 + 0.5 * directions[..., 2:] / HORIZON, 0.0, 1.0)
        return (colour * (GROUND + (1.0 - GROUND) * part)).astype(np.float32)
    sides = np.array(SIDES, float)
    along = directions @ sides[:, 0].T
    side = along.argmax(axis=-1)
    depth = np.take_along_axis(along, side[..., None], -1)[..., 0]
    right = np.einsum("...i,...i", directions, sides[side, 1]) / depth
    down = -np.einsum("...i,...i", directions, sides[side, 2]) / depth
    size = strip.shape[1]
    row, column = (np.clip((0.5 + 0.5 * each) * size, 0, size - 1).astype(int) for each in (down, right))
    light = strip[side * size + row, column, :3] / 255.0
    mean = strip[..., :3].mean(axis=(0, 1)) / 255.0
    return np.asarray(light * (colour / np.maximum(mean, 1e-9)), np.float32)


def harmonics(light: NDArray[np.floating]) -> FloatArray:
    """Return the spherical harmonics of ambient light, (9, 3).

    For each colour, the light that a rough surface with normal n receives, divided by π, is the sum of the
    rows times 1, y, z, x, xy, yz, 3z² - 1, xz, x² - y².
    """
    side = light.shape[1]
    directions = texel_directions(side)
    x, y, z = np.moveaxis(directions, -1, 0)
    solid = np.abs(directions).max(axis=-1) ** 3  # solid angle of each texel, up to a common factor
    solid *= 4.0 * math.pi / solid.sum()
    one = np.ones_like(x)
    basis = np.stack([one, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y])
    norms = np.sqrt(np.array([1, 3, 3, 3, 15, 15, 1.25, 15, 3.75]) / (4.0 * math.pi))
    lobe = np.array([1, 2 / 3, 2 / 3, 2 / 3, 0.25, 0.25, 0.25, 0.25, 0.25])
    taken: FloatArray = np.einsum("kfij,fij,fijc->kc", basis, solid, np.asarray(light, float))
    return taken * (norms**2 * lobe)[:, None]


def received_light(numbers: FloatArray, normal: FloatArray) -> FloatArray:
    """Return the light that a rough surface receives, divided by π, (3,)."""
    x, y, z = normal
    basis = np.array([1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y])
    light: FloatArray = basis @ numbers
    return light


def sunlight(lights: FloatArray) -> FloatArray:
    """Return the light that level ground receives from directional lights, divided by π, (3,)."""
    suns = lights[lights[:, 0] == DIRECTIONAL]
    light: FloatArray = (np.maximum(-suns[:, 6], 0.0)[:, None] * suns[:, 7:10]).sum(axis=0) / math.pi
    return light


def white_balance(numbers: FloatArray, lights: FloatArray) -> FloatArray:
    """Return the white balance: factors that make level white ground in the mean light appear white, (3,).

    They do not change its luminance, and are limited by MAX_BALANCE: a room in red light stays red. Lamps
    count with half of their light at 1 m.
    """
    lamps = lights[lights[:, 0] != DIRECTIONAL]
    light = received_light(numbers, np.array([0.0, 0.0, 1.0])) + sunlight(lights)
    light = light + 0.5 * lamps[:, 7:10].sum(axis=0) / math.pi + lights[:, 10:13].sum(axis=0)
    mean = float(LUMINANCE @ light)
    if mean <= 0.0:
        return np.ones(3)
    gains = np.clip(mean / np.maximum(light, 1e-9), 1.0 / MAX_BALANCE, MAX_BALANCE)
    kept: FloatArray = gains * (mean / float(LUMINANCE @ (gains * light)))
    return kept
